"""From what was named on the command line to events; shared by the verbs that take documents."""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.languages import UNKNOWN, parse
from globesumm.progress import say
from globesumm.records import read_records
from globesumm.values import Document, Event, Rejected

MOST_NAMED = 5

CLUSTER_HELP = "tcp://HOST:PORT, file:SCHEDULER_FILE or slurm:QUEUE,jobs=N (docs/scale.md)"
"""What ``--cluster`` takes, for the help of each verb that has it."""


@dataclass(frozen=True, slots=True)
class Input:
    """One event and what could not become a document of it."""

    event: Event
    rejected: tuple[Rejected, ...]


def target_language(code: str) -> str:
    """The canonical code of a language to write in; "unknown" is no such language."""
    found = parse(code)
    if found == UNKNOWN:
        raise UsageError(f"{code!r} is no language to write in: name one, for instance en")
    return found


def read_event(
    source: str,
    *,
    form: str | None = None,
    language: str | None = None,
    description: str | None = None,
    references: Sequence[str] = (),
) -> Input:
    """Read one source as the documents of one event; raises UsageError if none has text."""
    from retrieval.event import event_of
    from retrieval.read import read

    documents: list[Document] = []
    rejected: list[Rejected] = []
    for found in read(source, format=form, language=language):
        if isinstance(found, Document):
            documents.append(found)
        else:
            rejected.append(found)
    name_rejected(rejected)
    if not documents:
        more = f": {rejected[0].where}: {rejected[0].reason}" if rejected else ""
        raise UsageError(
            f"{source} holds no document with text ({len(rejected)} refused{more}): name pages, "
            "texts, feeds or tables (globesumm read --help)"
        )
    path = Path(source)
    event = event_of(
        documents,
        id=path.resolve().name if path.is_dir() else path.stem,
        description=description,
        references=references,
    )
    return Input(event, tuple(rejected))


def read_documents(path: Path) -> tuple[list[Document], list[Rejected]]:
    """The documents of a file that ``read`` or ``fetch`` wrote, and the lines that hold none.

    The refused are named.  Raises `UsageError` where two have one id, or there is no document.
    """
    documents: list[Document] = []
    rejected: list[Rejected] = []
    for one in read_records(path, Document):
        if isinstance(one, Document):
            documents.append(one)
        else:
            rejected.append(one)
    name_rejected(rejected)
    counts = Counter(document.id for document in documents)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise UsageError(
            f"{path}: the id {twice[0]!r} is there {counts[twice[0]]} times: rename or drop one"
        )
    if not documents:
        raise UsageError(f"{path} holds no document: globesumm read or fetch writes them")
    return documents, rejected


def day(text: str) -> date:
    """The day that an option states; an error of `argparse` for anything else."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day: write 2023-09-10") from None


def name_rejected(rejected: Sequence[Rejected]) -> None:
    """The first few refusals on stderr, and how many more there are."""
    for one in rejected[:MOST_NAMED]:
        say(f"refused: {one.where}: {one.reason}")
    if len(rejected) > MOST_NAMED:
        say(f"refused: {len(rejected) - MOST_NAMED} more")
