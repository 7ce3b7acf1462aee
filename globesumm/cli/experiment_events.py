"""From the inputs that an experiment names to events: one each, or files of whole events."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm import samples
from globesumm.cli.inputs import name_rejected, read_event
from globesumm.config.files import SAMPLE
from globesumm.errors import DataError, UsageError
from globesumm.records import from_plain, read_plain_records
from globesumm.values import Event, IssueKind, Rejected

if TYPE_CHECKING:
    from annotation.published import Published

_HEAD = 1 << 20


def read_events(inputs: tuple[str, ...]) -> tuple[list[Event], list[Rejected]]:
    """The events of `inputs`, in order, and what could not be read; see `each_event`."""
    rejected: list[Rejected] = []
    return list(each_event(inputs, rejected)), rejected


def each_event(inputs: tuple[str, ...], rejected: list[Rejected]) -> Iterator[Event]:
    """The events of `inputs` one by one, in order; what could not be read goes to `rejected`.

    An input is ``sample:NAME``; a file of events, one a line as in a run's ``events.jsonl``, or
    in the layout of the published GlobeSumm data, whose annotation is then the reference; a run
    folder; or anything that `globesumm read` takes, as one event.  ``*`` stands for any part of
    a file's name.  Raises `UsageError` where there is nothing, or two events have one id.
    """
    if not inputs:
        raise UsageError(
            "no documents: name them behind the config, or as `inputs` in it, for instance "
            f'inputs = ["{SAMPLE}{samples.FIRST}"]'
        )
    names: set[str] = set()
    for source in [source for name in inputs for source in _expanded(name)]:
        for found in _read(source):
            if isinstance(found, Rejected):
                rejected.append(found)
                continue
            if found.id in names:
                raise UsageError(f"two events are called {found.id}: leave one out")
            names.add(found.id)
            yield found
    name_rejected(rejected)
    if not names:
        raise UsageError(f"{', '.join(inputs)}: there is no event in it")


def holds_events(source: str) -> bool:
    """Whether `source` is a sample event, or a file of whole events as a run's or published."""
    if source.startswith(SAMPLE):
        return True
    return "://" not in source and _kind(Path(source)) is not None


def _expanded(name: str) -> list[str]:
    if name.startswith(SAMPLE) or "://" in name or "*" not in name or Path(name).exists():
        return [name]
    pattern = Path(name)
    within = Path(pattern.anchor) if pattern.anchor else Path()
    try:
        found = sorted(map(str, within.glob(str(pattern.relative_to(pattern.anchor)))))
    except ValueError as error:
        raise UsageError(f"{name}: no pattern of a file's name ({error})") from error
    if not found:
        raise UsageError(f"{name}: no file of such a name")
    return found


def _read(source: str) -> Iterator[Event | Rejected]:
    if source.startswith(SAMPLE):
        return _sample(source.removeprefix(SAMPLE))
    path = Path(source)
    if (path / "run.json").is_file():
        path = path / "events.jsonl"
    kind = _kind(path)
    if kind == "published":
        return _published(path)
    if kind == "events":
        return _own(path)
    return _documents(source)


def _sample(name: str) -> Iterator[Event | Rejected]:
    sample = samples.load(name)
    read = read_event(
        str(sample.pages), description=sample.description, references=[sample.reference]
    )
    yield replace(read.event, id=sample.id, category=sample.category, conflicts=sample.conflicts)
    yield from read.rejected


def _documents(source: str) -> Iterator[Event | Rejected]:
    read = read_event(source)
    yield read.event
    yield from read.rejected


def _own(path: Path) -> Iterator[Event | Rejected]:
    for found in read_plain_records(path):
        if isinstance(found, Rejected):
            yield found
            continue
        where, plain = found
        try:
            yield from_plain(Event, plain, where)
        except DataError as error:
            yield Rejected(where=where, reason=str(error).removeprefix(f"{where}: "))


def _published(path: Path) -> Iterator[Event | Rejected]:
    from annotation.published import read_published

    for found in read_published(path):
        yield found if isinstance(found, Rejected) else _annotated(found)


def _annotated(found: "Published") -> Event:
    """A published event with its annotation as the reference, as the paper scores against it.

    The standard conflicts are those of the annotation's last rounds (GlobeSumm, C.2).
    """
    from baselines.grid.scoring import ANNOTATED
    from metrics.cre_conflicts import LAST_ROUNDS

    summary = found.summary
    if summary is None:
        return found.event
    conflicts = dict.fromkeys(
        issue
        for one in summary.rounds[-LAST_ROUNDS:]
        for issue in one.issues
        if issue.kind is IssueKind.CONFLICT
    )
    return replace(
        found.event,
        references=(summary.text,),
        reference_language=summary.target,
        conflicts=tuple(conflicts),
        notes=(*found.event.notes, ANNOTATED),
    )


def _kind(path: Path) -> str | None:
    """``published`` or ``events`` for a file of whole events; None for anything else."""
    if path.suffix not in (".json", ".jsonl") or not path.is_file():
        return None
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if b'"news"' in head and b'"article"' in head:
        return "published"
    first, _, _ = head.partition(b"\n")
    if b'"documents"' not in first or b'"description"' not in first:
        return None
    try:
        plain = json.loads(first)
    except ValueError:
        # A first line longer than what was read.
        return "events" if len(first) == _HEAD and first.startswith(b'{"id"') else None
    return "events" if isinstance(plain, dict) and "documents" in plain else None
