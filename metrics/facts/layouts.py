"""The layouts in which the corpora named by OmniCSEval (appendix A) are published.

One row a layout; written from the corpora's own descriptions.  TweetSumm holds ids of tweets and
no text, PriMock57 sound with annotations of time, and ECTSum, MovieSum and TODSum files of several
kinds: convert those into ``{"id", "turns": [[speaker, text]]}`` first.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, UnknownName
from globesumm.values import Rejected
from metrics.facts.sources import Conversation, Source, Turn, of_conversation

NOBODY = "?"
"""The speaker of what nobody is named for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where a record of a corpus holds what: `turns` text or a list, `speakers` beside it.

    `file` is how records lie in a file: ``json`` (a list, or one object), ``jsonl`` or ``csv``.
    """

    corpus: str
    scenario: str
    file: str
    id: tuple[str, ...]
    turns: str
    reference: str
    speakers: str | None = None


LAYOUTS = {
    row.corpus.casefold(): row
    for row in (
        Layout(corpus="SAMSum", scenario="daily life", file="json", id=("id",),
               turns="dialogue", reference="summary"),
        Layout(corpus="DialogSum", scenario="daily life", file="jsonl", id=("fname",),
               turns="dialogue", reference="summary"),
        Layout(corpus="MediaSum", scenario="media interview", file="json", id=("id",),
               turns="utt", speakers="speaker", reference="summary"),
        Layout(corpus="SummScreen", scenario="screenplay", file="jsonl",
               id=("Show Title", "Episode Number", "filename"), turns="Transcript",
               reference="Recap"),
        Layout(corpus="ACI-Bench", scenario="healthcare", file="csv", id=("encounter_id",),
               turns="dialogue", reference="note"),
        Layout(corpus="MTS-Dialog", scenario="healthcare", file="csv", id=("ID",),
               turns="dialogue", reference="section_text"),
        Layout(corpus="MeetingBank", scenario="meeting", file="jsonl", id=("uid", "id"),
               turns="transcript", reference="summary"),
        Layout(corpus="QMSum", scenario="meeting", file="jsonl", id=("id",),
               turns="meeting_transcripts", reference="general_query_list"),
    )
}  # fmt: skip
"""By corpus, in lower case."""

_SPOKEN = re.compile(
    r"\s*(?:\[(?P<square>[^\]\n]{1,60})\]|(?P<name>[^:\n]{1,60}?)\s*:)\s*(?P<text>.*)"
)


def read_corpus(path: Path, corpus: str) -> Iterator[Source | Rejected]:
    """The conversations of a corpus's file; a record without turns is `Rejected`.

    Raises `UnknownName` for a corpus that is in no row, `DataError` for a file of another kind.
    """
    layout = LAYOUTS.get(corpus.casefold())
    if layout is None:
        raise UnknownName("corpus", corpus, [row.corpus for row in LAYOUTS.values()])
    for number, record in enumerate(_records(path, layout.file), 1):
        where = f"{path}: record {number}"
        if not isinstance(record, dict):
            yield Rejected(where=where, reason="no object")
            continue
        turns = tuple(_turns(record.get(layout.turns), record.get(layout.speakers or "")))
        if not any(turn.text.strip() for turn in turns):
            yield Rejected(where=where, reason=f"no text in {layout.turns!r}")
            continue
        names = [str(record[key]) for key in layout.id if record.get(key) not in (None, "")]
        yield of_conversation(
            Conversation(
                id=f"{layout.corpus}-{' '.join(names) or f'{path.stem}-{number}'}",
                turns=turns,
                corpus=layout.corpus,
                scenario=layout.scenario,
                reference=_reference(record.get(layout.reference)),
            )
        )


def _records(path: Path, kind: str) -> Iterator[Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        if kind == "csv":
            yield from csv.DictReader(text.splitlines(keepends=True))
        elif kind == "json":
            whole = json.loads(text)
            yield from whole if isinstance(whole, list) else [whole]
        elif isinstance(whole := _whole(text), list | dict):
            yield from whole if isinstance(whole, list) else [whole]
        else:
            yield from (json.loads(line) for line in text.split("\n") if line.strip())
    except (OSError, ValueError, csv.Error, RecursionError) as error:
        raise DataError(f"{path}: cannot be read as {kind} ({error})") from error


def _whole(text: str) -> Any:
    """A file of one JSON value, as some copies of corpora in JSON Lines are; None for others."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _turns(given: Any, speakers: Any) -> Iterator[Turn]:
    if isinstance(given, str):
        given = given.splitlines()
    if not isinstance(given, list):
        return
    names: Iterable[Any] = speakers if isinstance(speakers, list) else [None] * len(given)
    for said, speaker in zip(given, names, strict=False):
        if isinstance(said, dict):
            text = said.get("content", said.get("text", ""))
            yield Turn(speaker=str(said.get("speaker") or NOBODY), text=str(text))
        elif not isinstance(said, str) or not said.strip():
            continue
        elif speaker is not None:
            yield Turn(speaker=str(speaker), text=said)
        else:
            found = _SPOKEN.fullmatch(said)
            if found:
                name = found["square"] or found["name"]
                yield Turn(speaker=name.strip("# ") or NOBODY, text=found["text"])
            else:
                yield Turn(speaker=NOBODY, text=said)


def _reference(given: Any) -> str | None:
    if isinstance(given, list):
        parts = [one.get("answer", "") if isinstance(one, dict) else str(one) for one in given]
        given = "\n".join(part for part in parts if part)
    return given.strip() or None if isinstance(given, str) else None
