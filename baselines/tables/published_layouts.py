"""Tables 5, 6, 8, 9, 10 and 11 of the paper, filled by a run or by the paper itself."""

from collections.abc import Mapping, Sequence

from baselines.tables.estimates import Estimate, average, difference, of_cell
from baselines.tables.grid_table import Head, Line, grid_table
from baselines.tables.layouts import Row, layout
from baselines.tables.measures import headed, standing
from baselines.tables.results import CellResult, Results, Who, indexed
from globesumm.values import Recipe
from metrics.printed import Table

Index = Mapping[tuple[Recipe, Who, str], Sequence[CellResult]]

UNASKED = "no metric that measures it was asked for"


def layout_table(
    number: int, results: Results, *, intervals: bool = False, notes: Sequence[str] = ()
) -> Table:
    """The results in the layout of one of the paper's tables, models side by side.

    Every row of the layout stands there, whether or not its cells are in the experiment.
    Averages and changes are computed from the rows.
    """
    chosen = layout(number)
    cells = indexed(results.cells)
    columns = {measure: standing(measure, results) for measure in chosen.measures}
    targets = {one.target for one in results.models()}
    heads = [
        (who, Head(title=headed(measure, column), column=column, group=_group(who, targets)))
        for who in results.models()
        for measure, column in columns.items()
    ]
    rows = chosen.written_out()
    lines = [
        Line(
            names=(row.schema.upper(), row.label),
            values=tuple(_estimate(row, who, head, cells) for who, head in heads),
            rivals="cells" if row.kind == "cell" else "",
        )
        for row in rows
    ]
    blocks = [row.schema if row.kind == "cell" else row.kind for row in rows]
    return grid_table(
        ("schema", "pipeline + prompting"),
        [head for _, head in heads],
        lines,
        signatures={
            column.name: results.signatures(column.name) for column in columns.values() if column
        },
        notes=(f"Layout of Table {number}: {chosen.caption}", *results.notes, *notes),
        intervals=intervals,
        rules=[place for place in range(1, len(rows)) if blocks[place] != blocks[place - 1]],
    )


def _group(who: Who, targets: set[str]) -> str:
    return who.label if len(targets) < 2 else f"{who.label} in {who.target}"


def _estimate(row: Row, who: Who, head: Head, cells: Index) -> Estimate:
    if head.column is None:
        return Estimate(mean=None, why=UNASKED)
    name = head.column.name
    taken = {str(one): cells.get((one, who, name), []) for one in row.recipes}
    if row.kind == "cell":
        return of_cell(taken[str(row.recipes[0])])
    if row.kind == "average":
        return average(taken)
    return difference(taken, {str(one): cells.get((one, who, name), []) for one in row.minus})
