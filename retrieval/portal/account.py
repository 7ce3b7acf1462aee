"""What became of the days of a window, in numbers and in words."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from retrieval.portal.ingest import DayRecord
from retrieval.portal.store import State

_COLUMNS = ("events", "events_with_source", "sources", "topics", "not_news", "rejected", "names")


def table(days: Sequence[DayRecord]) -> list[str]:
    """The accounting table: a line a month, and one for all.

    ``days`` = had + known missing + failed; ``empty`` are days had that hold no event.
    """
    heads = ("month", "days", "had", "empty", "known missing", "failed")
    lines = [[*heads, *(name.replace("_", " ") for name in _COLUMNS)]]
    months = [list(month) for _, month in groupby(days, key=lambda day: f"{day.date:%Y-%m}")]
    lines += [_line(f"{month[0].date:%Y-%m}", month) for month in months]
    if len(months) != 1:
        lines.append(_line("all", days))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]


def _line(name: str, days: Sequence[DayRecord]) -> list[str]:
    numbers = [
        len(days),
        sum(day.state is State.HAD for day in days),
        sum(day.counts.get("empty_days", 0) for day in days),
        sum(day.state is State.MISSING for day in days),
        sum(day.state is State.FAILED for day in days),
        *(sum(day.counts.get(column, 0) for day in days) for column in _COLUMNS),
    ]
    return [name, *(f"{number:,}" for number in numbers)]


def days_not_had(days: Sequence[DayRecord]) -> Iterator[str]:
    """A line for each day that is not had, and why; days in a row with one cause are one line."""
    lacking = [day for day in days if day.state is not State.HAD]
    run: list[DayRecord] = []
    for day in lacking:
        if run and not _goes_on(run[-1], day):
            yield _told(run)
            run = []
        run.append(day)
    if run:
        yield _told(run)


def _goes_on(before: DayRecord, day: DayRecord) -> bool:
    same = (before.state, before.cause) == (day.state, day.cause)
    return same and (day.date - before.date).days == 1


def _told(run: Sequence[DayRecord]) -> str:
    until = f" to {run[-1].date}" if len(run) > 1 else ""
    return f"{run[0].date}{until}: {run[0].state}: {run[0].cause or 'no reason is known'}"
