"""Where things stand in the report's pictures: plain numbers for inline SVG."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from globesumm.finite import numbers, shown
from globesumm.report.texts import language_name, when
from globesumm.values import Document

WIDTH = 760
LEFT = 120
"""Units kept for the names to the left of a picture."""

DOT = 9
"""Radius of a report on the timeline."""


@dataclass(frozen=True, slots=True)
class Tick:
    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Dot:
    """One report: its number stands in the dot, `title` is shown when a pointer rests on it."""

    x: float
    y: float
    number: int
    title: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A language of the timeline, from `top` on."""

    name: str
    top: float
    height: float
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Dated reports by language; `undated` reports have no place on it."""

    width: int
    height: float
    left: int
    lanes: tuple[Lane, ...]
    ticks: tuple[Tick, ...]
    undated: int


def timeline(documents: Sequence[Document]) -> Timeline | None:
    """The reports of an event by time and language, languages by their first report.

    None where fewer than two times are known.
    """
    dated = [
        (one.published, number, one)
        for number, one in enumerate(documents, 1)
        if one.published is not None
    ]
    times = sorted({time for time, _, _ in dated})
    if len(times) < 2:
        return None
    dated.sort(key=lambda row: (row[0], row[1]))
    span = (times[-1] - times[0]).total_seconds()

    def place(time: datetime) -> float:
        share = (time - times[0]).total_seconds() / span
        return round(LEFT + DOT + share * (WIDTH - LEFT - 2 * DOT - 40), 1)

    lanes, top = [], 24.0
    for language in dict.fromkeys(one.language for _, _, one in dated):
        dots: list[Dot] = []
        ends: list[float] = []  # the rightmost dot of each row of the lane
        for time, number, one in dated:
            if one.language != language:
                continue
            x = place(time)
            row = next((r for r, end in enumerate(ends) if x - end >= 2 * DOT + 1), len(ends))
            ends[row : row + 1] = [x]
            title = f"{number}: {one.source or one.id}, {when(time)}"
            dots.append(Dot(x, round(top + 12 + row * (2 * DOT + 2), 1), number, title))
        height = len(ends) * (2 * DOT + 2) + 4.0
        lanes.append(Lane(language_name(language), top, height, tuple(dots)))
        top += height
    return Timeline(
        width=WIDTH,
        height=top + 8,
        left=LEFT,
        lanes=tuple(lanes),
        ticks=tuple(Tick(place(time), label) for time, label in _ticks(times[0], times[-1])),
        undated=len(documents) - len(dated),
    )


_STEPS = (*(timedelta(hours=n) for n in (1, 3, 6, 12)), *(timedelta(days=n) for n in (1, 2, 7, 14)))
_MOST_TICKS = 7


def _ticks(first: datetime, last: datetime) -> list[tuple[datetime, str]]:
    """Round times from `first` to `last`, at most seven."""
    span = last - first
    step = next((one for one in _STEPS if span / one <= _MOST_TICKS), None)
    if step is None:
        step = timedelta(days=max(1, -(-span // (_MOST_TICKS * timedelta(days=1)))))
    midnight = datetime(first.year, first.month, first.day, tzinfo=UTC)
    count = -(-(first - midnight) // step)
    found = []
    try:
        time = midnight + count * step
        while time <= last:
            # Years below 1000 come without leading zeros from strftime.
            clock = time.strftime("%H:%M") if step < timedelta(days=1) else ""
            day = f"{time.day} {time.strftime('%b')}" if span < timedelta(days=365) else ""
            day = day or time.date().isoformat()
            found.append((time, f"{day} {clock}".strip()))
            time += step
    except OverflowError:  # the calendar ends
        pass
    return found


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of a bar chart: `low` and `high` are the ends of its interval, None without one."""

    y: float
    name: str
    value: str
    width: float
    low: float | None
    high: float | None
    mark: str
    tone: str


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar chart with names at the left; `line` is the place of a line to compare with."""

    width: int
    height: float
    left: int
    rows: tuple[Bar, ...]
    line: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What becomes a bar: `value` and its interval are 0 or above."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    mark: str = ""
    tone: str = "plain"


def bars(found: Sequence[Measure], *, line: float | None = None) -> Bars:
    """Horizontal bars from 0, in the order given; values are printed times 100."""
    numbers(v for one in found for v in (one.value, one.low, one.high) if v is not None)
    top = max([line or 0.0, *(max(one.value, one.high or 0.0) for one in found)], default=0.0)
    room = WIDTH - LEFT - 190

    def place(value: float | None) -> float | None:
        return None if value is None else round(max(0.0, value) / (top or 1.0) * room, 1)

    rows = tuple(
        Bar(
            y=6.0 + 24 * number,
            name=one.name,
            value=shown(100 * one.value, 1),
            width=place(one.value) or 0.0,
            low=place(one.low),
            high=place(one.high),
            mark=one.mark,
            tone=one.tone,
        )
        for number, one in enumerate(found)
    )
    return Bars(WIDTH, 12.0 + 24 * len(rows), LEFT, rows, place(line))


@dataclass(frozen=True, slots=True)
class Spot:
    """One report's figure."""

    x: float
    y: float
    title: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A figure over time: reports as spots, what the summaries told as a line of steps."""

    width: int
    height: int
    left: int
    about: str
    spots: tuple[Spot, ...]
    path: str
    ticks: tuple[Tick, ...]
    levels: tuple[tuple[float, str], ...]


def curve(
    points: Sequence[tuple[datetime, float, str]],
    told: Sequence[tuple[datetime, float]],
    *,
    about: str,
) -> Curve | None:
    """The figures of reports (time, value, whose) and of summaries (time, value).

    None where they have no extent in time, or a figure is too large to draw.
    """
    times = [time for time, _, _ in points] + [time for time, _ in told]
    values = [value for _, value, _ in points] + [value for _, value in told]
    first, last = min(times), max(times)
    low, high = min(0.0, *values), max(values)
    if first == last or not all(math.isfinite(one) for one in (low, high, high - low)):
        return None
    height, top, bottom = 190, 16, 158

    def x(time: datetime) -> float:
        share = (time - first).total_seconds() / (last - first).total_seconds()
        return round(LEFT + 8 + share * (WIDTH - LEFT - 60), 1)

    def y(value: float) -> float:
        return round(bottom - (value - low) / ((high - low) or 1.0) * (bottom - top), 1)

    steps = [(x(time), y(value)) for time, value in sorted(told)]
    path = "".join(
        f"M{a} {b}" if number == 0 else f"H{a}V{b}" for number, (a, b) in enumerate(steps)
    )
    return Curve(
        width=WIDTH,
        height=height,
        left=LEFT,
        about=about,
        spots=tuple(
            Spot(x(time), y(value), f"{value:,.15g}: {whose}, {when(time)}")
            for time, value, whose in points
        ),
        path=f"{path}H{WIDTH - 44}" if path else "",
        ticks=tuple(Tick(x(time), label) for time, label in _ticks(first, last)),
        levels=tuple((y(value), f"{value:,.15g}") for value in dict.fromkeys((low, high))),
    )
