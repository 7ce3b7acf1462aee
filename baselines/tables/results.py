"""What a table compares, whether a run of one's own filled it or the paper.

A `CellResult` is one metric of one cell: its mean with n of N, and per event what it is the mean
of, where that is known.  Values are fractions as the metrics give them; tables print them times
100.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from globesumm.values import Recipe
from metrics.base import Column


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Who:
    """Who wrote, and in which language: the columns of the paper's tables.

    `model` is empty for the recipes without one.
    """

    model: str = ""
    target: str = "en"

    @property
    def label(self) -> str:
        return self.model or "(no model)"


@dataclass(frozen=True, slots=True, kw_only=True)
class CellResult:
    """One metric of one recipe by one model, in one language, at one repeat.

    `items` are the values by event, None where unscored (empty where only the mean is known, as
    of the paper).  `n` of `expected` events were scored, None where nobody says; `reasons` counts
    why the others were not.  `low` and `high` bound the mean.
    """

    recipe: Recipe
    who: Who
    metric: str
    mean: float | None
    signature: str
    repeat: int = 0
    low: float | None = None
    high: float | None = None
    n: int | None = None
    expected: int | None = None
    reasons: tuple[tuple[str, int], ...] = ()
    items: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def scored(self) -> bool:
        return self.mean is not None

    @property
    def order(self) -> tuple[str, Who, str, int]:
        """A place among all results that does not depend on how they were read."""
        return (str(self.recipe), self.who, self.metric, self.repeat)


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """All results of one grid, or of one table of the paper.

    `recipes` and `who` are those that were asked for, in the order in which tables show them;
    `columns` the metrics, likewise.  `asked` holds the (recipe, who) there should be, so that a
    cell nobody filled is told from one that was never wanted.
    """

    source: str
    cells: tuple[CellResult, ...]
    recipes: tuple[Recipe, ...]
    who: tuple[Who, ...]
    columns: tuple[Column, ...]
    asked: frozenset[tuple[Recipe, Who]]
    notes: tuple[str, ...] = ()

    def of(self, recipe: Recipe, who: Who, metric: str) -> list[CellResult]:
        """The repeats of one metric of one cell, in order."""
        found = [
            one
            for one in self.cells
            if one.recipe == recipe and one.who == who and one.metric == metric
        ]
        return sorted(found, key=lambda one: one.repeat)

    def column(self, name: str) -> Column:
        """The metric called `name`; KeyError where nothing of it was asked."""
        return {column.name: column for column in self.columns}[name]

    def models(self) -> list[Who]:
        """Those of `who` that are models."""
        return [one for one in self.who if one.model]

    def lead(self, metric: str) -> str | None:
        """The signature that most of the scored cells of a metric bear; None without any."""
        counts: dict[str, int] = {}
        for one in self.cells:
            if one.metric == metric and one.scored:
                counts[one.signature] = counts.get(one.signature, 0) + 1
        return min(counts, key=lambda text: (-counts[text], text)) if counts else None

    def signatures(self, metric: str) -> list[str]:
        """Every signature of the scored cells of a metric, the leading one first."""
        lead = self.lead(metric)
        others = {one.signature for one in self.cells if one.metric == metric and one.scored}
        return [lead, *sorted(others - {lead})] if lead is not None else []


def indexed(cells: Iterable[CellResult]) -> Mapping[tuple[Recipe, Who, str], list[CellResult]]:
    """The repeats of each recipe, writer and metric, in order."""
    found: dict[tuple[Recipe, Who, str], list[CellResult]] = {}
    for one in sorted(cells, key=lambda one: one.order):
        found.setdefault((one.recipe, one.who, one.metric), []).append(one)
    return found


def events_of(cells: Sequence[CellResult]) -> list[str]:
    """The ids of all events of `cells`, sorted."""
    return sorted({event for one in cells for event in one.items})
