"""Figures over time: what each report says of a count, and what the summary said then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from baselines.ledger.sides import amount, kind_and_values, topics
from baselines.ledger.values import Entry
from globesumm.text.details import Kind
from globesumm.values import Event, Summary
from metrics.figures import figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One report's figure; `outlet` and `language` say whose."""

    time: datetime
    figure: Decimal
    outlet: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A figure in dispute over time, reports in order.

    `about` is what it counts where known (``"killed"``), else its kind.  `told` are (time of the
    round's last report, the figure that its summary tells, the highest of several).
    """

    entry: int
    about: str
    points: tuple[Point, ...]
    told: tuple[tuple[datetime, Decimal], ...]


def courses(entries: Sequence[Entry], summary: Summary, event: Event) -> list[Course]:
    """The course of each conflict about a figure with dated reports at two times or more."""
    published = {document.id: document.published for document in event.documents}
    ends: dict[int, datetime] = {}
    for round_ in summary.rounds:
        times = [time for name in round_.documents if (time := published.get(name))]
        if times:
            ends[round_.index] = max(times)
    found = []
    for entry in entries:
        kind = entry.kind or kind_and_values(entry.differs)[0]
        points = _points(entry, kind)
        if kind is not None and len({point.time for point in points}) > 1:
            found.append(
                Course(
                    entry=entry.number,
                    about=_about(entry, kind),
                    points=points,
                    told=_told(entry, kind, ends),
                )
            )
    return found


def draw(course: Course, path: Path) -> None:
    """Reports as dots, the summary as a line of steps; PNG or SVG by suffix.

    Raises `MissingPackage` without matplotlib.
    """
    with figure(path, width=5.6, height=3.2) as axes:
        axes.plot(
            [one.time for one in course.points],
            [float(one.figure) for one in course.points],
            "o",
            color="#1b4f72",
            label="a report",
        )
        for one in course.points:
            axes.annotate(
                one.language,
                (one.time, float(one.figure)),
                textcoords="offset points",
                xytext=(4, 4),
                fontsize=7,
            )
        if course.told:
            axes.step(
                [time for time, _ in course.told],
                [float(value) for _, value in course.told],
                where="post",
                color="#c0392b",
                linewidth=1,
                label="the summary then",
            )
        axes.set_title(f"conflict {course.entry}: {course.about}", fontsize=10)
        axes.set_ylim(bottom=0)
        axes.tick_params(axis="x", rotation=30, labelsize=7)
        axes.tick_params(axis="y", labelsize=8)
        axes.legend(fontsize=7, frameon=False, loc="upper left")


def _points(entry: Entry, kind: Kind | None) -> tuple[Point, ...]:
    found = []
    for voice in entry.voices:
        value = amount(kind, voice.value or "")
        if voice.published is not None and value is not None:
            found.append(
                Point(
                    time=voice.published,
                    figure=value,
                    outlet=voice.outlet or voice.document,
                    language=voice.language,
                )
            )
    return tuple(sorted(found, key=lambda one: one.time))


def _about(entry: Entry, kind: Kind) -> str:
    counted: dict[str, int] = {}
    for voice in entry.voices:
        for topic in topics(voice.text, voice.language, kind, voice.value or ""):
            counted[topic] = counted.get(topic, 0) + 1
    return max(counted, key=lambda name: counted[name], default=kind.value)


def _told(
    entry: Entry, kind: Kind, ends: Mapping[int, datetime]
) -> tuple[tuple[datetime, Decimal], ...]:
    found = []
    for handling in entry.history:
        values = [amount(kind, value) for value in handling.values]
        known = [value for value in values if value is not None]
        if known and handling.round in ends:
            found.append((ends[handling.round], max(known)))
    return tuple(found)
