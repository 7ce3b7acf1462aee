"""The ledger as text, as Markdown, and in the run folder."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from pathlib import Path

from baselines.citations import escaping
from baselines.citations.escaping import when
from baselines.ledger.chains import is_summary
from baselines.ledger.figures import Course
from baselines.ledger.values import Entry, Handling, Treatment, Voice
from globesumm.finite import counted
from globesumm.records import read_made, write_records
from globesumm.runs import Run

LEDGER = "ledger.jsonl"
"""Beside ``scores.jsonl`` in a run folder: an `Entry` a line."""

BAR = 30
"""Characters of the longest bar of a figure's course."""

Escape = Callable[[str], str]


def write_ledger(run: Run, told: Iterable[tuple[str, str]], found: Iterable[Entry]) -> Path:
    """Keep the entries `found` of the (event, recipe) pairs `told`, in place of earlier ones."""
    anew = set(told)
    kept = [one for one in read_ledger(run) if (one.event, one.recipe) not in anew]
    path = run.folder / LEDGER
    write_records(path, [*kept, *found])
    return path


def read_ledger(run: Run) -> list[Entry]:
    """The entries kept in the run folder; none where there is no such file."""
    return read_made(run.folder / LEDGER, Entry)


def text(entries: Sequence[Entry], courses: Sequence[Course], title: str) -> str:
    """The ledger of one summary for a terminal; `title` names it."""
    return _written(entries, courses, title, escaping.plain, "#")


def markdown(entries: Sequence[Entry], courses: Sequence[Course], title: str) -> str:
    """The same as Markdown; whatever comes from documents or models is literal there."""
    return _written(entries, courses, title, escaping.markdown, "##")


def counts(entries: Sequence[Entry]) -> str:
    """How many conflicts there are and what the last summary does about them, in one line."""
    held = {way: sum(one.final.treatment is way for one in entries) for way in (*Treatment, None)}
    parts = [f"{held[way]} {way.value}" for way in Treatment]
    if held[None]:
        parts.append(f"{held[None]} not judged")
    return f"{counted(len(entries), 'conflict')}: {', '.join(parts)}"


def _written(
    entries: Sequence[Entry], courses: Sequence[Course], title: str, say: Escape, head: str
) -> str:
    lines = [f"{head} Conflicts of {say(title)}", ""]
    if not entries:
        return "\n".join([*lines, "No round names a conflict."]) + "\n"
    judges = dict.fromkeys(one.judge for one in entries)
    lines += [f"{counts(entries)} in the last summary; judged by {say(', '.join(judges))}", ""]
    over_time = {one.entry: one for one in courses}
    for entry in entries:
        lines += [f"{head}# {entry.number}. {say(entry.differs or 'they differ')}", ""]
        lines += [f"- {line}" for line in _lines(entry, say)]
        if entry.number in over_time:
            lines += ["", *_course(over_time[entry.number])]
        lines.append("")
    return "\n".join(lines)


def _lines(entry: Entry, say: Escape) -> Iterable[str]:
    for voice in entry.voices:
        value = "" if voice.value is None else f"{say(voice.value)}, says "
        yield f"{value}{say(_who(voice))} [{voice.language}]: {say(voice.text)}"
    yield f"cause: {_cause(entry)}"
    for plan in entry.plans[-1:]:
        yield f"strategy (round {plan.round}, {plan.cause}): {say(plan.text)}"
    settled = "not settled" if entry.settled is None else f"settled in round {entry.settled}"
    yield f"arose in round {entry.arose}, {settled}"
    yield f"in the last summary: {_handled(entry.final, say)}"
    for word in entry.final.words:
        yield f"in its words: {say(word)}"
    changes = [
        one
        for before, one in zip(entry.history, entry.history[1:], strict=False)
        if before.treatment is not one.treatment
    ]
    if changes:
        first = entry.history[0]
        yield "over the rounds: " + ", ".join(
            f"{one.treatment or 'not judged'} from round {one.round}" for one in [first, *changes]
        )
    if entry.note:
        yield f"note: {say(entry.note)}"


def _cause(entry: Entry) -> str:
    if entry.cause is not None:
        return entry.cause.value
    if entry.proposed is not None:
        return (
            f"not judged; the figures follow the time of the reports, as an {entry.proposed} does"
        )
    return "not judged"


def _handled(one: Handling, say: Escape) -> str:
    treatment = "not judged" if one.treatment is None else one.treatment.value
    return treatment if one.note is None else f"{treatment}; {say(one.note)}"


def _who(voice: Voice) -> str:
    country = f" ({voice.country})" if voice.country else ""
    outlet = voice.outlet or (
        "the summary so far" if is_summary(voice.document) else voice.document
    )
    return f"{outlet}{country}, {when(voice.published)}, sentence {voice.index}"


def _course(course: Course) -> Iterable[str]:
    """Bars by time, as an indented block; only figures, codes and plain words stand in it."""
    highest = max(abs(point.figure) for point in course.points) or Decimal(1)
    about = "".join(mark for mark in course.about if mark.isalnum() or mark in " -")
    yield f"    {about} by time of report"
    width = max(len(f"{point.figure:f}") for point in course.points)
    for point in course.points:
        bar = "#" * max(1, round(float(BAR * abs(point.figure) / highest)))
        code = "".join(mark for mark in point.language if mark.isalnum() or mark == "-")[:8]
        yield f"    {when(point.time)}  {code:<3} {point.figure:>{width}f} {bar}"
