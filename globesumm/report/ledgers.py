"""The conflict ledger of a summary, as `globesumm ledger` left it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from baselines.ledger.figures import Course, courses
from baselines.ledger.values import Entry, Handling, Voice
from baselines.ledger.written import counts, read_ledger
from globesumm.report.drawing import Curve, curve
from globesumm.report.texts import Text, as_text, language_name, when
from globesumm.runs import Run
from globesumm.values import Event, Summary

UNJUDGED = "not judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One competing statement of a conflict."""

    outlet: str
    where: str
    time: str
    round: int
    value: str
    said: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Handled:
    """What the summary of a round does about a conflict, with the words that do so."""

    round: int
    treatment: str
    words: tuple[Text, ...]
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One entry of the ledger; `course` is its figure over time where it has one."""

    number: int
    differs: str
    cause: str
    arose: int
    settled: str
    plans: tuple[str, ...]
    voices: tuple[Told, ...]
    final: Handled
    history: tuple[Handled, ...]
    judge: str
    note: str
    course: Curve | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The ledger of one summary; `counts` in one line."""

    conflicts: tuple[Conflict, ...]
    counts: str


def ledgers_of(run: Run) -> Mapping[tuple[str, str], list[Entry]]:
    """The entries kept in the run folder, by (event, recipe)."""
    found: dict[tuple[str, str], list[Entry]] = {}
    for entry in read_ledger(run):
        found.setdefault((entry.event, entry.recipe), []).append(entry)
    return found


def ledger_view(entries: Sequence[Entry], summary: Summary, event: Event) -> Ledger:
    """The ledger of `summary` for readers."""
    curves = {course.entry: _curve(course) for course in courses(entries, summary, event)}
    return Ledger(
        conflicts=tuple(
            _conflict(entry, summary.target, curves.get(entry.number)) for entry in entries
        ),
        counts=counts(entries),
    )


def _conflict(entry: Entry, target: str, course: Curve | None) -> Conflict:
    cause = str(entry.cause or "")
    if not cause and entry.proposed:
        cause = f"{entry.proposed}? suggested by the values, judged by nobody"
    return Conflict(
        number=entry.number,
        differs=entry.differs or "",
        cause=cause,
        arose=entry.arose,
        settled="" if entry.settled is None else str(entry.settled),
        plans=tuple(f"round {one.round}, {one.cause}: {one.text}" for one in entry.plans),
        voices=tuple(_told(one) for one in entry.voices),
        final=_handled(entry.final, target),
        history=tuple(_handled(one, target) for one in entry.history),
        judge=entry.judge,
        note=entry.note or "",
        course=course,
    )


def _told(voice: Voice) -> Told:
    country = f", {voice.country}" if voice.country else ""
    return Told(
        outlet=voice.outlet or voice.document,
        where=f"{language_name(voice.language)}{country}",
        time=when(voice.published),
        round=voice.round,
        value=voice.value or "",
        said=as_text(voice.text, voice.language),
    )


def _handled(one: Handling, target: str) -> Handled:
    return Handled(
        round=one.round,
        treatment=str(one.treatment or UNJUDGED),
        words=tuple(as_text(words, target) for words in one.words),
        note=one.note or "",
    )


def _curve(course: Course) -> Curve | None:
    points = [(o.time, float(o.figure), f"{o.outlet}, {o.language}") for o in course.points]
    told = [(time, float(value)) for time, value in course.told]
    return curve(points, told, about=course.about)
