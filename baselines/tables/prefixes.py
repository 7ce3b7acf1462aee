"""Scores of the summary of every prefix: of the first two documents, the first three, and on."""

from collections.abc import Sequence
from dataclasses import replace

from baselines.experiment import PREFIX_SCORES
from baselines.tables.portions import Portion
from baselines.tables.results import CellResult, Results
from baselines.tables.slices import Sliced, sliced_table
from globesumm.records import read_own_records
from globesumm.runs import Run
from globesumm.values import Event, Recipe, Score
from metrics.aggregate import interval, mean
from metrics.base import Column
from metrics.printed import Table

NOT_ASKED = (
    "no part holds the scores of earlier prefixes: prefixes = true in the experiment file has "
    "globesumm grid compute them, and globesumm score RUN/parts/PART --prefixes does"
)


def prefix_rows(
    results: Results, found: Sequence[Portion], events: Sequence[Event]
) -> list[Sliced]:
    """One row for each cell and number of documents covered.

    Expected are all events with at least that many documents, so that a failed one stays in
    every row.  STS covers all documents of an event at once.
    """
    rows = []
    lengths = {event.id: len(event.documents) for event in events}
    # Repeats of one writer and recipe share their rows.
    groups: dict[tuple[str, ...], list[tuple[Portion, Recipe]]] = {}
    for portion in found:
        for recipe in portion.recipes:
            key = (str(recipe), portion.part.model or "", portion.part.target)
            groups.setdefault(key, []).append((portion, recipe))
    for held in groups.values():
        scores = [(p, recipe, _scores(p.run, str(recipe))) for p, recipe in held]
        covered = sorted(
            {_documents(one, recipe, lengths) for _, recipe, every in scores for one in every}
        )
        for count in covered:
            cells: dict[str, list[CellResult]] = {}
            for portion, recipe, every in scores:
                here = [one for one in every if _documents(one, recipe, lengths) == count]
                for column in results.columns:
                    column_scores = [one for one in here if one.metric == column.name]
                    expected = _expected(portion, recipe, count, lengths)
                    cell = _cell(portion, recipe, column.name, column_scores, expected)
                    cells.setdefault(column.name, []).append(cell)
            portion, recipe = held[0]
            rows.append(Sliced(recipe=recipe, who=portion.who, slice=str(count), cells=cells))
    return rows


def prefix_columns(results: Results, found: Sequence[Portion]) -> list[Column]:
    """The metrics with which any summary before the last of its event was scored."""
    scored = {
        score.metric for one in found for score in _earlier(one.run) if score.value is not None
    }
    return [column for column in results.columns if column.name in scored]


def prefix_table(results: Results, found: Sequence[Portion], events: Sequence[Event]) -> Table:
    """Scores by the number of documents that the summary covers."""
    missing = [one for one in found if not _has_prefixes(one.run)]
    columns = prefix_columns(results, found)
    finals = [column.name for column in results.columns if column not in columns]
    notes = [
        "longer prefixes are of the events that have so many documents: compare n before the means",
        *([f"of final summaries alone, and so not here: {', '.join(finals)}"] if finals else []),
    ]
    if len(missing) == len(found):
        notes.append(NOT_ASKED)
    elif missing:
        notes.append("no scores of earlier prefixes: " + ", ".join(p.part.name for p in missing))
    shown = replace(results, columns=tuple(columns))
    return sliced_table(
        shown, prefix_rows(shown, found, events) if columns else [], "documents", notes
    )


def _scores(run: Run | None, recipe: str) -> list[Score]:
    """The scores of the last round and of those before it."""
    if run is None:
        return []
    return [one for one in [*_earlier(run), *run.scores()] if one.recipe == recipe]


def _earlier(run: Run | None) -> list[Score]:
    if run is None or not _has_prefixes(run):
        return []
    return list(read_own_records(run.folder / PREFIX_SCORES, Score))


def _documents(score: Score, recipe: Recipe, lengths: dict[str, int]) -> int:
    """How many documents the summary covers; the first round of CRS covers two."""
    of_event = lengths.get(score.event or "", 0)
    if recipe.schema == "sts" or score.round is None:
        return of_event
    return min(score.round + 1, of_event)


def _expected(portion: Portion, recipe: Recipe, count: int, lengths: dict[str, int]) -> list[str]:
    """The events that should have a score: only those of this length where prefixes have none."""
    if recipe.schema == "sts" or not _has_prefixes(portion.run):
        return [event for event, length in lengths.items() if length == count]
    return [event for event, length in lengths.items() if length >= count]


def _has_prefixes(run: Run | None) -> bool:
    return run is not None and (run.folder / PREFIX_SCORES).exists()


def _cell(
    portion: Portion, recipe: Recipe, metric: str, scores: Sequence[Score], expected: Sequence[str]
) -> CellResult:
    items: dict[str, float | None] = dict.fromkeys(sorted(expected))
    items |= {one.event: one.value for one in scores if one.event in items}
    signatures = {one.signature for one in scores if one.value is not None}
    values = sorted(value for value in items.values() if value is not None)
    mixed = len(signatures) > 1
    low, high = interval(values)
    notes = [one.note for one in scores if one.value is None and one.note]
    counts = {note: notes.count(note) for note in dict.fromkeys(notes)}
    return CellResult(
        recipe=recipe,
        who=portion.who,
        repeat=portion.part.repeat,
        metric=metric,
        mean=None if mixed else mean(values),
        low=low,
        high=high,
        n=len(values),
        expected=len(items),
        signature=next(iter(sorted(signatures)), ""),
        reasons=(("unequal signatures", len(values)),) if mixed else tuple(counts.items()),
        items=items,
    )
