"""What became of every quarter-hour of a window, in numbers and in words."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import groupby

from retrieval.gdelt.names import FileName, Product, Stream
from retrieval.gdelt.plan import Expected
from retrieval.gdelt.slots import QUARTER


class State(StrEnum):
    """What there is of a file."""

    HAD = "had"
    KNOWN_MISSING = "known missing"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRecord:
    """What became of one file; `kind` and `cause` say why where it is not had."""

    slot: datetime
    stream: Stream
    product: Product
    file: str
    state: State
    kind: str | None = None
    cause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One product of one stream over the window: its quarter-hours, and the counts of its rows.

    `made` of the tables were made now, the others lay there.
    """

    stream: Stream
    product: Product
    slots: tuple[SlotRecord, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    made: int = 0

    def number(self, state: State) -> int:
        """How many quarter-hours are in `state`."""
        return sum(slot.state is state for slot in self.slots)


def slot_records(
    expected: Iterable[Expected], failures: Mapping[str, tuple[str, str]]
) -> Iterator[SlotRecord]:
    """What became of each file, given the (kind, cause) of failures by the files' keys."""
    for one in expected:
        failure = failures.get(one.name.key)
        if one.to_be_had and failure is None:
            yield _record(one.name, State.HAD)
        elif one.known is not None and (failure is None or failure[0] == "NotServed"):
            yield _record(one.name, State.KNOWN_MISSING, "KnownGap", one.known)
        elif failure is not None:
            yield _record(one.name, State.FAILED, *failure)
        else:
            yield _record(one.name, State.FAILED, "NotListed", one.unexplained)


def _record(
    name: FileName, state: State, kind: str | None = None, cause: str | None = None
) -> SlotRecord:
    return SlotRecord(
        slot=name.slot,
        stream=name.stream,
        product=name.product,
        file=str(name),
        state=state,
        kind=kind,
        cause=cause,
    )


_COLUMNS = ("stream", "product", "quarter-hours", "had", "empty", "known missing", "failed")
_COUNTED = ("rows", "kept", "not_web", "rejected")


def table(parts: Sequence[Part]) -> list[str]:
    """The accounting table: one line a part under a line of heads.

    ``quarter-hours`` = had + known missing + failed; ``rows`` = kept + not web + rejected;
    ``empty`` are files had that hold no row.
    """
    lines = [[*_COLUMNS, *(name.replace("_", " ") for name in _COUNTED)]]
    for part in parts:
        numbers = [
            len(part.slots),
            part.number(State.HAD),
            part.counts.get("empty", 0),
            part.number(State.KNOWN_MISSING),
            part.number(State.FAILED),
            *(part.counts.get(name, 0) for name in _COUNTED),
        ]
        lines.append([part.stream, part.product, *(f"{number:,}" for number in numbers)])
    return aligned(lines)


def aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Cells in columns: the first two to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def days_not_whole(part: Part) -> Iterator[str]:
    """A line for each day of which something is missing: what is had, what is not, and why."""
    for day, slots in groupby(part.slots, key=lambda slot: slot.slot.date()):
        of_day = list(slots)
        missing = [slot for slot in of_day if slot.state is not State.HAD]
        if missing:
            had = len(of_day) - len(missing)
            told = "; ".join(_runs(missing))
            yield f"{day} {part.stream} {part.product}: {had} of {len(of_day)} had; {told}"


def _runs(missing: Sequence[SlotRecord]) -> Iterator[str]:
    """The missing quarter-hours, those in a row with one kind of cause as one."""
    run: list[SlotRecord] = []
    for slot in missing:
        if run and not _goes_on(run[-1], slot):
            yield _told(run)
            run = []
        run.append(slot)
    yield _told(run)


def _goes_on(before: SlotRecord, slot: SlotRecord) -> bool:
    same = (before.state, before.kind) == (slot.state, slot.kind)
    return same and slot.slot - before.slot == QUARTER


def _told(run: Sequence[SlotRecord]) -> str:
    first, last = run[0], run[-1]
    times = f"{first.slot:%H:%M}"
    if last is not first:
        times += f" to {last.slot:%H:%M} ({len(run)})"
    reasons = dict.fromkeys(map(_reason, run))
    more = f" (and {len(reasons) - 1} other causes)" if len(reasons) > 1 else ""
    return f"{times} {first.state}: {first.cause if len(run) == 1 else _reason(first)}{more}"


def _reason(slot: SlotRecord) -> str:
    """The cause without the name of the file, which is another one for each quarter-hour."""
    return (slot.cause or "no reason is known").rpartition(f"{slot.file}: ")[2]


def causes(parts: Iterable[Part]) -> Counter[str]:
    """How many quarter-hours failed, by the kind of cause."""
    return Counter(
        slot.kind or "unknown"
        for part in parts
        for slot in part.slots
        if slot.state is State.FAILED
    )
