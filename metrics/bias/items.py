"""What a report is made of: summaries with their events, by system, from runs or from a file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.languages import parse
from globesumm.records import from_plain, read_plain_records
from globesumm.runs import Run
from globesumm.values import Document, Event, Rejected, Summary

Items = Sequence[tuple[Event, Summary]]


def of_runs(runs: Sequence[Run], recipes: Sequence[str] = ()) -> dict[str, Items]:
    """The final summaries of `runs` by system, each with its event; `recipes` none: all.

    A system is a recipe; where several models carried it out, a recipe and its model; and where
    two runs hold the same event for the same, a recipe in a run.  So runs over different events
    make one system together.
    """
    held = [
        (run, event, summary)
        for run in runs
        for event, summary in _items(run)
        if not recipes or summary.recipe in recipes
    ]
    models: dict[str, set[str]] = {}
    for _, _, one in held:
        models.setdefault(one.recipe, set()).add(one.model)
    names = [
        one.recipe if len(models[one.recipe]) == 1 else f"{one.recipe} {one.model}"
        for _, _, one in held
    ]
    places: dict[tuple[str, str], int] = {}
    for name, (_, _, one) in zip(names, held, strict=True):
        places[name, one.event] = places.get((name, one.event), 0) + 1
    twice = {name for (name, _), count in places.items() if count > 1}
    found: dict[str, list[tuple[Event, Summary]]] = {}
    for name, (run, event, summary) in zip(names, held, strict=True):
        whole = f"{name} in {run.folder.name}" if name in twice else name
        found.setdefault(whole, []).append((event, summary))
    for name, some in found.items():
        if len({event.id for event, _ in some}) < len(some):
            raise UsageError(f"{name}: two run folders of one name hold the same event; rename one")
    return dict(sorted(found.items()))


def _items(run: Run) -> Iterator[tuple[Event, Summary]]:
    events = {event.id: event for event in run.events()}
    for summary in run.summaries():
        if summary.event not in events:
            raise DataError(
                f"{run.folder}: a summary of {summary.event}, which is no event there: restore "
                f"{run.events_path.name} from a copy"
            )
        yield events[summary.event], summary


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line of a file of any system's summaries."""

    event: str
    candidate: str
    language: str
    documents: tuple[Document, ...]
    recipe: str = "candidates"


def read_items(path: Path) -> Iterator[tuple[Event, Summary] | Rejected]:
    """Each line ``{"event", "candidate", "language", "documents", "recipe"?}`` of a file.

    ``documents`` are objects ``{"id", "text", "language", "published"?}``.  A line of another
    form, without documents, of an unknown language, with two documents of one id, or with an
    event and recipe seen before is `Rejected` with line and reason; the others go on.
    """
    seen: set[tuple[str, str]] = set()
    for record in read_plain_records(path):
        if isinstance(record, Rejected):
            yield record
            continue
        where, plain = record
        try:
            line = from_plain(_Line, plain, where)
            documents = tuple(replace(one, language=parse(one.language)) for one in line.documents)
            target = parse(line.language)
        except (DataError, UnknownName) as error:
            yield Rejected(where=where, reason=str(error).removeprefix(f"{where}: "))
            continue
        reason = _refusal(line, seen)
        if reason:
            yield Rejected(where=where, reason=reason)
            continue
        seen.add((line.event, line.recipe))
        yield (
            Event(id=line.event, description="", documents=documents),
            Summary(
                event=line.event,
                recipe=line.recipe,
                model="",
                target=target,
                text=line.candidate,
                rounds=(),
            ),
        )


def _refusal(line: _Line, seen: set[tuple[str, str]]) -> str | None:
    if not line.documents:
        return "it has no documents, so there is nothing to hold the summary against"
    if len({one.id for one in line.documents}) < len(line.documents):
        return "two of its documents have one id"
    if (line.event, line.recipe) in seen:
        return f"the event {line.event!r} by {line.recipe!r} was on a line before"
    return None


def by_recipe(items: Iterable[tuple[Event, Summary]]) -> dict[str, Items]:
    """The items of each recipe, recipes in order of their names."""
    found: dict[str, list[tuple[Event, Summary]]] = {}
    for event, summary in items:
        found.setdefault(summary.recipe, []).append((event, summary))
    return dict(sorted(found.items()))


def usual_target(systems: Mapping[str, Items]) -> str:
    """The language that most summaries are written in (of equals the first by code)."""
    counts: dict[str, int] = {}
    for items in systems.values():
        for _, summary in items:
            counts[summary.target] = counts.get(summary.target, 0) + 1
    return min(counts, key=lambda code: (-counts[code], code)) if counts else "en"
