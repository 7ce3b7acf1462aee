"""Which cell is better than which other on the same events, beyond luck."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from baselines.tables.results import CellResult, Results, Who, events_of, indexed
from globesumm.errors import UsageError
from globesumm.values import Recipe, Score
from metrics.comparison import Comparison, compare, holm
from metrics.printed import Table
from metrics.tables import comparisons_table

Cell = tuple[Recipe, Who]

RESAMPLES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """The comparisons that were made, and why others could not be."""

    found: tuple[Comparison, ...]
    refused: tuple[str, ...]


def compared(
    results: Results, *, every: bool = False, resamples: int = RESAMPLES, seed: int = 0
) -> Pairs:
    """Pairs of cells that differ in one thing: schema, pipeline, prompting, or model.

    With `every` all pairs of one language are compared.  Values are paired by event, those of
    several repeats averaged first; Holm's correction is over all comparisons returned.  Cells of
    unequal signatures are not compared, and named.
    """
    cells = indexed(results.cells)
    asked = sorted(results.asked, key=lambda cell: (str(cell[0]), cell[1]))
    pairs = [(a, b) for a, b in combinations(asked, 2) if _comparable(a, b, every=every)]
    several = len({who.target for _, who in asked}) > 1
    found: list[Comparison] = []
    refused: list[str] = []
    for column in results.columns:
        for left, right in pairs:
            held = [cells.get((*cell, column.name), []) for cell in (left, right)]
            if not all(any(one.scored for one in repeats) for repeats in held):
                continue
            systems = {
                named(cell, several=several): scores(repeats)
                for cell, repeats in zip((left, right), held, strict=True)
            }
            try:
                found += compare(systems, column.name, resamples=resamples, seed=seed)
            except UsageError as error:
                refused.append(f"{' and '.join(systems)} are not compared: {error}")
    adjusted = holm([one.p_permutation for one in found])
    return Pairs(
        found=tuple(replace(one, p_adjusted=p) for one, p in zip(found, adjusted, strict=True)),
        refused=tuple(refused),
    )


def pairs_table(results: Results, *, every: bool = False, seed: int = 0) -> Table:
    """A row for each comparison of two cells: difference, interval, p values, n of N."""
    made = compared(results, every=every, seed=seed)
    table = comparisons_table(made.found, results.columns)
    what = (
        "all pairs of cells of one language"
        if every
        else "pairs of cells that differ in one thing (schema, pipeline, prompting or model)"
    )
    return replace(table, notes=(what, *table.notes, *made.refused))


def named(cell: Cell, *, several: bool) -> str:
    """A cell as tables name it, with its language where there are several."""
    recipe, who = cell
    by = f" by {who.model}" if who.model else ""
    return f"{recipe}{by} in {who.target}" if several else f"{recipe}{by}"


def by_event(repeats: Sequence[CellResult]) -> Mapping[str, float | None]:
    """The mean over the repeats of each event, None where no repeat has a value."""
    found: dict[str, float | None] = {}
    for event in events_of(repeats):
        values = [v for one in repeats if (v := one.items.get(event)) is not None]
        found[event] = math.fsum(values) / len(values) if values else None
    return found


def scores(repeats: Sequence[CellResult]) -> list[Score]:
    """One score an event, as comparisons take them; unequal signatures of repeats stay apart."""
    signature = "+".join(sorted({one.signature for one in repeats if one.scored}))
    return [
        Score(id=event, metric=repeats[0].metric, value=value, signature=signature)
        for event, value in by_event(repeats).items()
    ]


def _comparable(left: Cell, right: Cell, *, every: bool) -> bool:
    """Whether two cells are of one language and differ in one thing, or in any with `every`.

    What no model wrote (controls, extracts) differs from what one wrote in its prompting alone.
    """
    if left[1].target != right[1].target:
        return False
    mine, theirs = (
        (recipe.schema, recipe.pipeline, recipe.prompting, recipe.drafts)
        for recipe, _ in (left, right)
    )
    differing = sum(a != b for a, b in zip(mine, theirs, strict=True))
    models = [who.model for _, who in (left, right) if who.model]
    return every or differing + (len(set(models)) == 2) == 1
