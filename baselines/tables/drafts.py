"""What became of drafts, cell by cell: how many calls they took, and how they were told apart."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.drafts.record import choice_of, drafts_of, is_blind
from baselines.tables.costs import Costs
from baselines.tables.estimates import of_cell
from baselines.tables.portions import Portion
from baselines.tables.results import Results, Who, indexed
from globesumm.errors import UsageError
from globesumm.values import Recipe, Round
from metrics.base import Column
from metrics.figures import figure
from metrics.printed import MISSING, Table
from metrics.tables import title

NONE = "no recipe here draws drafts (RECIPE.rerank and its like; globesumm recipes)"

NOTES = (
    "calls a summary: all calls of the cell alone, those of proxies included",
    "rounds: merges whose summary was drafted; tied: several drafts stood first together",
    "told apart by nothing: all did, or none could be compared; the first was then taken",
)


@dataclass(slots=True, kw_only=True)
class Became:
    """Counts over the rounds of one cell's summaries.

    `failed` drafts had no text, `unscored` ones no value by some proxy; `tied` rounds had
    several drafts first together, in `blind` ones nothing told the drafts apart, and `first`
    ones took the draft drawn first.
    """

    rounds: int = 0
    drafts: int = 0
    failed: int = 0
    unscored: int = 0
    tied: int = 0
    blind: int = 0
    first: int = 0

    def add(self, made: Round) -> None:
        """Count one stored round; raises `DataError` for a damaged record."""
        held, choice = drafts_of(made), choice_of(made)
        if choice is None:
            return
        texts = [draft for draft in held if draft.text is not None]
        self.rounds += 1
        self.drafts += len(held)
        self.failed += len(held) - len(texts)
        self.unscored += sum(None in one.values.values() for one in choice.scored)
        self.tied += len(choice.tied) > 1
        self.blind += is_blind(made)
        self.first += bool(texts) and choice.chosen == texts[0].number


def became(found: Sequence[Portion]) -> dict[tuple[Recipe, Who], Became]:
    """The counts of every cell that draws drafts, over its repeats."""
    counts: dict[tuple[Recipe, Who], Became] = {}
    for portion in found:
        for recipe in portion.recipes:
            if recipe.drafts is None or portion.run is None:
                continue
            cell = counts.setdefault((recipe, portion.who), Became())
            for summary in portion.run.summaries():
                if summary.recipe == str(recipe):
                    for made in summary.rounds:
                        cell.add(made)
    return counts


def drafts_table(found: Sequence[Portion], spent: Costs) -> Table:
    """A row for each cell that draws drafts; none, and a note, where none does."""
    counts = became(found)
    calls = calls_a_summary(spent)
    several = len({who.target for _, who in counts}) > 1
    named = ("recipe", "model", *(["language"] if several else []))
    figures = (
        "rounds",
        "drafts",
        "failed",
        "unscored",
        "tied",
        "told apart by nothing",
        "first taken",
    )
    rows = tuple(
        (
            str(recipe),
            who.label,
            *([who.target] if several else []),
            f"{calls[recipe, who]:.1f}" if (recipe, who) in calls else MISSING,
            *(
                str(count)
                for count in (
                    one.rounds, one.drafts, one.failed, one.unscored, one.tied, one.blind, one.first
                )
            ),
        )
        for (recipe, who), one in counts.items()
    )  # fmt: skip
    header = (*named, "calls a summary", *figures)
    return Table(
        header=header,
        rows=rows,
        notes=NOTES if counts else (NONE,),
        number_header=tuple(name.replace(" ", "_") for name in header),
        numbers=tuple(tuple("" if cell == MISSING else cell for cell in row) for row in rows),
        named=len(named),
    )


def calls_a_summary(spent: Costs) -> dict[tuple[Recipe, Who], float]:
    """Calls that a summary of each cell takes alone; cells whose calls are not known left out."""
    return {
        (one.recipe, one.who): one.alone.calls / one.noted
        for one in spent.cells
        if one.noted and one.noted == one.summaries
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One cell in the picture; the score and its bounds are times 100."""

    recipe: Recipe
    calls: float
    score: float
    low: float | None
    high: float | None


def sweep_lines(
    results: Results, spent: Costs, column: Column
) -> Mapping[tuple[str, str], list[Spot]]:
    """By (line, model) the cells with a score and known calls, fewest calls first.

    A line is a method on one recipe, debates one for each number of agents; a recipe without
    drafts that others build on is a line of one.
    """
    cells, calls = indexed(results.cells), calls_a_summary(spent)
    bases = {_base(recipe) for recipe in results.recipes if recipe.drafts}
    found: dict[tuple[str, str], list[Spot]] = {}
    for (recipe, who), count in calls.items():
        if _base(recipe) not in bases:
            continue
        score = of_cell(cells.get((recipe, who, column.name), []))
        if score.mean is None:
            continue
        spot = Spot(
            recipe=recipe,
            calls=count,
            score=100 * score.mean,
            low=None if score.low is None else 100 * score.low,
            high=None if score.high is None else 100 * score.high,
        )
        found.setdefault((line_of(recipe), who.label), []).append(spot)
    return {name: sorted(held, key=lambda spot: spot.calls) for name, held in found.items()}


def line_of(recipe: Recipe) -> str:
    """The line of the picture that a cell of `recipe` belongs to."""
    if recipe.drafts is None:
        return str(recipe)
    agents = re.match(r"debate-(\d+)x\d+\Z", recipe.drafts)
    if agents:
        return f"{_base(recipe)}.debate, {agents[1]} agents"
    return f"{_base(recipe)}.{re.sub(r'-[0-9]+$', '', recipe.drafts)}"


def _base(recipe: Recipe) -> str:
    return f"{recipe.schema}.{recipe.pipeline}.{recipe.prompting}"


COLOURS = ("#1b4f72", "#c0392b", "#1e8449", "#8e44ad", "#b9770e", "#117a65", "#5d6d7e", "#d35400")
MARKERS = "osD^vPX*"


def sweep_plot(results: Results, spent: Costs, column: Column, *paths: Path) -> None:
    """Score against calls a summary, a line for each method (perspective paper, figure 4).

    Raises `UsageError` where no cell with drafts has both.
    """
    lines = sweep_lines(results, spent, column)
    if not any(spot.recipe.drafts for held in lines.values() for spot in held):
        raise UsageError(f"{column.name}: no cell with drafts has a score and known calls")
    with figure(*paths, width=8.6, height=4.8) as axes:
        for place, ((name, model), held) in enumerate(lines.items()):
            colour = COLOURS[place % len(COLOURS)]
            for spot in held:
                if spot.low is not None and spot.high is not None:
                    axes.plot(
                        [spot.calls] * 2, [spot.low, spot.high], color=colour, lw=0.6, alpha=0.4
                    )
            axes.plot(
                [spot.calls for spot in held],
                [spot.score for spot in held],
                marker=MARKERS[place % len(MARKERS)],
                color=colour,
                lw=1.0,
                ms=5,
                label=f"{name} {model}",
            )
        axes.set_xlabel("calls a summary, all calls of the cell alone")
        axes.set_ylabel(f"{title(column)} (× 100)")
        if _wide(spot.calls for held in lines.values() for spot in held):
            axes.set_xscale("log")
        axes.legend(fontsize=7, frameon=False)


def _wide(calls: Iterable[float]) -> bool:
    held = [count for count in calls if count > 0]
    return bool(held) and max(held) > 20 * min(held)
