"""From a run folder to results: every cell that was asked for, scored or not."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from baselines.recipes import table_order
from baselines.tables.portions import Portion
from baselines.tables.results import CellResult, Results
from globesumm.values import Recipe, Score
from metrics.aggregate import interval, mean
from metrics.base import Better, Column
from metrics.merging import NO_SUMMARY
from metrics.needs_model import NEEDS_MODEL
from metrics.registry import known_columns

UNMADE = "no summary: not made yet"
UNSCORED = "the summary was not scored with this metric"


def results_of(found: Sequence[Portion], events: Sequence[str], source: str) -> Results:
    """The scores of `found` as results, each cell over all `events`.

    An event without a summary, or whose summary was not scored, is None with the reason and
    counts among the expected.  Metrics of which nothing could be scored anywhere, for want of a
    model, are named in the notes.
    """
    scores = {place: one.run.scores() if one.run else [] for place, one in enumerate(found)}
    columns, notes = _columns(score for held in scores.values() for score in held)
    cells = [
        cell
        for place, one in enumerate(found)
        for cell in _cells(one, events, scores[place], columns)
    ]
    asked = [(recipe, one.who) for one in found for recipe in one.recipes]
    return Results(
        source=source,
        cells=tuple(sorted(cells, key=lambda cell: cell.order)),
        recipes=tuple(sorted({recipe for recipe, _ in asked}, key=table_order)),
        who=tuple(dict.fromkeys(who for _, who in asked)),
        columns=tuple(columns),
        asked=frozenset(asked),
        notes=tuple(notes),
    )


def _columns(scores: Iterable[Score]) -> tuple[list[Column], list[str]]:
    """The metrics that were computed, in the registry's order, and a note for each that was not.

    A metric of a version that this one does not know stands last, and its direction is taken
    as higher with a note.
    """
    waiting = {(row.name, str(row.signature)): row for row in NEEDS_MODEL}
    computed, listed = set(), {}
    for score in scores:
        if (score.metric, score.signature) in waiting:
            listed[score.metric] = waiting[score.metric, score.signature]
        else:
            computed.add(score.metric)
    known = known_columns()
    notes = [
        f"{name} {row.better.arrow}: not scored, needs {row.needs}"
        for name, row in sorted(listed.items())
        if name not in computed
    ]
    if not computed:
        notes.insert(0, "no summary of any cell was scored yet")
    strange = sorted(computed - known.keys())
    notes += [f"{name}: no metric of this version, taken as better when higher" for name in strange]
    columns = [column for name, column in known.items() if name in computed]
    return columns + [Column(name=name, better=Better.HIGHER) for name in strange], notes


def _cells(
    portion: Portion, events: Sequence[str], scores: Iterable[Score], columns: Sequence[Column]
) -> list[CellResult]:
    held = {(score.recipe, score.metric, score.event or score.id): score for score in scores}
    absent = _absent(portion, events)
    return [
        _cell(
            portion,
            recipe,
            column.name,
            [
                held.get((str(recipe), column.name, event))
                or _unscored(event, absent.get((str(recipe), event), UNSCORED))
                for event in events
            ],
        )
        for recipe in portion.recipes
        for column in columns
    ]


def _unscored(event: str, note: str) -> Score:
    return Score(id=event, metric="", value=None, signature="", note=note, event=event)


def _absent(portion: Portion, events: Sequence[str]) -> Mapping[tuple[str, str], str]:
    """Why there is no summary of an event by a recipe, for those that have none."""
    run = portion.run
    if run is None:
        return {(str(r), event): UNMADE for r in portion.recipes for event in events}
    failed = {(one.recipe, one.event): NO_SUMMARY + one.reason for one in run.failures()}
    return {
        (str(recipe), event): failed.get((str(recipe), event), UNMADE)
        for recipe in portion.recipes
        for event in events
        if not run.summary_path(str(recipe), event).exists()
    }


def _cell(portion: Portion, recipe: Recipe, metric: str, scores: Sequence[Score]) -> CellResult:
    values = sorted(score.value for score in scores if score.value is not None)
    scored = {score.signature for score in scores if score.value is not None}
    reasons: dict[str, int] = {}
    for score in scores:
        if score.value is None:
            reason = score.note or "no reason given"
            reasons[reason] = reasons.get(reason, 0) + 1
    low, high = interval(values)
    made = CellResult(
        recipe=recipe,
        who=portion.who,
        repeat=portion.part.repeat,
        metric=metric,
        mean=mean(values),
        low=low,
        high=high,
        n=len(values),
        expected=len(scores),
        signature=next(iter(scored), ""),
        reasons=tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        items={score.event or score.id: score.value for score in scores},
    )
    if len(scored) < 2:
        return made
    mixed = f"its events were scored with {len(scored)} unequal signatures"
    return replace(made, mean=None, low=None, high=None, reasons=((mixed, len(values)),))
