"""Every cell in one table: a row a recipe and model, a column a metric."""

from baselines.tables.estimates import of_cell
from baselines.tables.grid_table import Head, Line, grid_table
from baselines.tables.results import Results, indexed
from metrics.printed import Table
from metrics.tables import title

ORACLE = "oracle"
"""A control that has seen the reference: a bound, and no rival of the others."""

SEEN = "the oracle takes sentences by the reference: a bound that competes with none"


def overview(results: Results, *, intervals: bool = False) -> Table:
    """All cells that were asked for, those without a value or with a partial one named."""
    cells = indexed(results.cells)
    several = len({one.target for one in results.who}) > 1
    rows = [
        (recipe, who)
        for who in results.who
        for recipe in results.recipes
        if (recipe, who) in results.asked
    ]
    lines = [
        Line(
            names=(str(recipe), who.label, *([who.target] if several else [])),
            rivals="" if recipe.prompting == ORACLE else who.target,
            values=tuple(
                of_cell(cells.get((recipe, who, column.name), [])) for column in results.columns
            ),
        )
        for recipe, who in rows
    ]
    return grid_table(
        ("recipe", "model", *(["language"] if several else [])),
        [Head(title=title(column), column=column) for column in results.columns],
        lines,
        signatures={column.name: results.signatures(column.name) for column in results.columns},
        notes=(
            *([SEEN] if any(recipe.prompting == ORACLE for recipe, _ in rows) else []),
            *results.notes,
        ),
        intervals=intervals,
        rules=[place for place in range(1, len(rows)) if rows[place][1] != rows[place - 1][1]],
    )
