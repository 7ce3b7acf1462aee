"""Tables of made-up grids: what is missing is named, what is not comparable stays apart."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.recipes import parse_recipe, recipes
from baselines.tables.estimates import average, difference, of_cell
from baselines.tables.grid_table import percent
from baselines.tables.layouts import layouts
from baselines.tables.overview import overview
from baselines.tables.pairs import compared, pairs_table
from baselines.tables.published_layouts import layout_table
from baselines.tables.results import CellResult, Results, Who
from globesumm.values import Recipe
from metrics.printed import MISSING, Table

MODEL_RECIPES = [str(one) for one in recipes() if one.prompting in ("direct", "protocol")]
MAIN = [str(one) for one in layouts()[5].recipes()]
FIVE = list(MODEL_RECIPES)
OTHER = "red|v:1|split:other"

Grid = Callable[..., Results]
Cell = Callable[..., CellResult]


def noise(recipe: Recipe, who: Who, metric: str, number: int) -> float:
    """A value that differs for all arguments, the same each time."""
    parts = (str(recipe), who.model, metric, str(number))
    return sum(ord(char) * (place + 3) for place, char in enumerate("/".join(parts))) % 997 / 997


def column_of(table: Table, head: str) -> int:
    return table.full_header().index(head)


def cell_text(table: Table, head: str, *names: str) -> str:
    row = next(row for row in table.rows if row[: len(names)] == names)
    return row[column_of(table, head)]


def test_a_failed_event_stays_in_every_denominator(grid: Grid) -> None:
    def value(recipe: Recipe, who: Who, metric: str, number: int) -> float | None:
        failed = str(recipe) == "crs.kis-clp.direct" and number == 3
        return None if failed else noise(recipe, who, metric, number)

    results = grid(MAIN, ["m"], value)
    head = "m R-L ↑"
    table = layout_table(5, results)
    assert cell_text(table, head, "CRS", "KIS-then-CLP + Direct").endswith("(11/12)")
    assert cell_text(table, head, "", "CRS.Avg").endswith("(71/72)")
    assert cell_text(table, head, "", "KIS-then-CLP.Avg").endswith("(47/48)")
    assert "(" not in cell_text(table, head, "CRS", "KIS-then-CLP + Protocol")
    assert any(note.startswith("1 not scored: CRS KIS-then-CLP + Direct") for note in table.notes)
    assert any("unequal sets of events" in note for note in table.notes)
    found = compared(results, resamples=100).found
    assert {(one.n, one.expected) for one in found} == {(11, 12), (12, 12)}


def test_a_cell_without_any_summary_is_named_and_has_no_average(grid: Grid) -> None:
    def value(recipe: Recipe, who: Who, metric: str, number: int) -> float | None:
        return None if str(recipe) == "sts.kis-clp.direct" else noise(recipe, who, metric, number)

    table = layout_table(5, grid(MAIN, ["m"], value))
    for label in ("STS.Avg", "KIS-then-CLP.Avg", "STS + Direct.Avg"):
        assert cell_text(table, "m NIC ↓", "", label) == MISSING
    assert cell_text(table, "m NIC ↓", "STS", "KIS-then-CLP + Direct") == MISSING
    assert cell_text(table, "m NIC ↓", "", "CRS.Avg") != MISSING
    assert any("sts.kis-clp.direct" in note and "STS.Avg" in note for note in table.notes)
    assert any("no summary: it failed" in note for note in table.notes)
    for row in table.rows:
        assert all(row[2:]), row


def test_recipes_that_were_not_asked_for_are_told_from_those_that_failed(grid: Grid) -> None:
    table = layout_table(9, grid(["crs.kis-clp.direct", "crs.kis-clp.protocol"], ["m"], noise))
    assert len(table.rows) == 9
    notes = [note for note in table.notes if "not in this experiment" in note]
    assert len(notes) == 1
    assert "Translate-then-Summarize + Direct" in notes[0]


def test_a_metric_that_nobody_computed_is_a_named_column(grid: Grid) -> None:
    table = layout_table(5, grid(MAIN, ["m"], noise, metrics=["rougeL", "red"]))
    assert "m CRE" in table.full_header()
    assert all(row[column_of(table, "m CRE")] == MISSING for row in table.rows)
    assert any("no metric that measures it" in note for note in table.notes)


def test_another_metric_in_the_place_of_a_measure_is_named_in_the_header(grid: Grid) -> None:
    results = grid(MAIN, ["m"], noise, metrics=["rougeL", "red"])
    from metrics.registry import known_columns

    nic = known_columns()["nic-lexical"]
    cells = tuple(
        replace(one, metric="nic-lexical") for one in results.cells if one.metric == "red"
    )
    table = layout_table(
        5, replace(results, cells=(*results.cells, *cells), columns=(*results.columns, nic))
    )
    assert "m NIC by nic-lexical ↓" in table.full_header()


def test_unequal_signatures_never_share_a_column_silently(grid: Grid, cell: Cell) -> None:
    odd = parse_recipe("crs.kis-clp.protocol")
    results = grid(MAIN, ["a", "b"], noise)
    best = min(one.mean or 0.0 for one in results.cells if one.metric == "red")
    cells = tuple(
        replace(one, signature=OTHER, mean=best / 2)
        if (one.recipe, one.who.model, one.metric) == (odd, "a", "red")
        else one
        for one in results.cells
    )
    table = layout_table(5, replace(results, cells=cells))
    text = cell_text(table, "a Red ↓", "CRS", "KIS-then-CLP + Protocol")
    assert text.endswith("§2")
    place = next(
        p
        for p, row in enumerate(table.rows)
        if row[1] == "KIS-then-CLP + Protocol" and row[0] == "CRS"
    )
    assert (place, column_of(table, "a Red ↓")) not in table.best
    for label in ("CRS.Avg", "KIS-then-CLP.Avg", "CRS + Protocol.Avg"):
        assert cell_text(table, "a Red ↓", "", label) == MISSING
        assert cell_text(table, "b Red ↓", "", label) != MISSING
    assert cell_text(table, "a Red ↓", "", "STS.Avg") != MISSING
    assert any("§2 red was scored otherwise (split: (none) / other)" in n for n in table.notes)
    refused = compared(replace(results, cells=cells), resamples=20).refused
    assert refused
    assert all("unequal signatures" in one for one in refused)
    assert any("are not compared" in n for n in pairs_table(replace(results, cells=cells)).notes)


def test_cells_that_tie_at_the_printed_digits_are_all_bold(grid: Grid) -> None:
    tied = {"crs.kis-clp.direct": 0.900001, "crs.kis-clp.protocol": 0.899999}

    def value(recipe: Recipe, who: Who, metric: str, number: int) -> float:
        return tied.get(str(recipe), 0.5)

    table = layout_table(5, grid(MAIN, ["m"], value))
    column = column_of(table, "m R-L ↑")
    bold = sorted(table.rows[row][1] for row, place in table.best if place == column)
    assert bold == ["KIS-then-CLP + Direct", "KIS-then-CLP + Protocol"]
    worst = column_of(table, "m NIC ↓")
    assert sum(place == worst for _, place in table.best) == 10


def test_repeats_are_a_mean_with_the_deviation_over_seeds(grid: Grid, cell: Cell) -> None:
    recipe, who = parse_recipe("crs.none.direct"), Who(model="m")
    repeats = [
        cell(recipe, who, "rougeL", [mean - 0.1, mean + 0.1], repeat=place)
        for place, mean in enumerate((0.2, 0.3, 0.4))
    ]
    found = of_cell(repeats)
    assert found.mean == pytest.approx(0.3)
    assert found.sd == pytest.approx(0.1)
    assert (found.n, found.expected) == (6, 6)
    results = grid(["crs.none.direct"], ["m"], noise, repeats=3)
    text = cell_text(overview(results), "rougeL ↑", "crs.none.direct", "m")
    assert " ± " in text
    assert any("over the repeats" in note for note in overview(results).notes)


def test_a_repeat_that_failed_on_an_event_is_counted(cell: Cell) -> None:
    recipe, who = parse_recipe("crs.none.direct"), Who(model="m")
    found = of_cell(
        [
            cell(recipe, who, "rougeL", [0.2, 0.4]),
            cell(recipe, who, "rougeL", [0.5, None], repeat=1),
        ]
    )
    assert found.mean == pytest.approx(0.4)
    assert (found.n, found.expected) == (3, 4)


def test_an_average_is_the_mean_of_its_rows_and_a_change_their_difference(cell: Cell) -> None:
    who = Who(model="m")
    one, other = (parse_recipe(name) for name in ("crs.none.direct", "crs.kis.direct"))
    left = {str(one): [cell(one, who, "red", [0.1, 0.3, 0.5])]}
    right = {str(other): [cell(other, who, "red", [0.2, 0.2, 0.8])]}
    both = average(left | right)
    assert both.mean == pytest.approx((0.3 + 0.4) / 2)
    apart = difference(left, right)
    assert apart.mean == pytest.approx(-0.1)
    assert apart.low is not None
    assert apart.high is not None
    assert apart.low <= -0.1 <= apart.high


def test_the_interval_of_a_change_between_equal_cells_is_zero(cell: Cell) -> None:
    who = Who(model="m")
    one, other = (parse_recipe(name) for name in ("crs.none.direct", "crs.kis.direct"))
    values = [0.1, 0.9, 0.4, 0.6]
    found = difference(
        {str(one): [cell(one, who, "red", values)]}, {str(other): [cell(other, who, "red", values)]}
    )
    # The same events are drawn on both sides.
    assert found.low == pytest.approx(0)
    assert found.high == pytest.approx(0)


@settings(max_examples=8)
@given(order=st.randoms(use_true_random=False))
def test_the_order_of_parts_and_recipes_changes_no_number(order: object, grid: Grid) -> None:
    results = grid(MAIN[6:], ["a", "b"], noise, events=5, repeats=2)
    cells, names, who = list(results.cells), list(results.recipes), list(results.who)
    for held in (cells, names, who):
        order.shuffle(held)  # type: ignore[attr-defined]
    turned = replace(results, cells=tuple(cells), recipes=tuple(names), who=tuple(who))
    assert sorted(overview(turned).numbers) == sorted(overview(results).numbers)
    heads = layout_table(9, results).full_header()
    mine, theirs = layout_table(9, results, intervals=True), layout_table(9, turned, intervals=True)
    for head in heads:
        places = [column_of(table, head) for table in (mine, theirs)]
        assert [row[places[0]] for row in mine.rows] == [row[places[1]] for row in theirs.rows]
    assert compared(turned, resamples=50) == compared(results, resamples=50)


@given(
    value=st.integers(min_value=-10_000_000, max_value=10_000_000).map(lambda n: n / 1_000_000_000)
)
def test_a_percentage_is_within_half_a_printed_digit(value: float) -> None:
    assert abs(float(percent(value)) - 100 * value) <= 0.005 + 1e-9
    assert percent(value) != "-0.00"


def test_languages_of_writing_do_not_compete_with_one_another(grid: Grid) -> None:
    results = grid(["crs.none.direct", "crs.none.protocol"], ["m"], noise)
    german = tuple(replace(one, who=Who(model="m", target="de")) for one in results.cells)
    both = replace(
        results,
        cells=(*results.cells, *german),
        who=(*results.who, Who(model="m", target="de")),
        asked=results.asked | {(one.recipe, one.who) for one in german},
    )
    table = overview(both)
    assert table.header[:3] == ("recipe", "model", "language")
    column = table.header.index("rougeL ↑")
    assert {table.rows[row][2] for row, place in table.best if place == column} == {"en", "de"}
    assert "m in de R-L ↑" in layout_table(5, both).full_header()
    assert all(one.left[-2:] == one.right[-2:] for one in compared(both, resamples=20).found)


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "tsv"])
def test_hostile_names_stay_text_in_every_form(form: str, grid: Grid) -> None:
    name = "m|x\n**\\evil{}\x1b[31m\u202e"
    made = getattr(overview(grid(["crs.none.direct"], [name], noise)), form)()
    assert "\x1b" not in made
    assert "\u202e" not in made
    assert len([line for line in made.splitlines() if "evil" in line]) == 1


def test_pairs_differ_in_one_thing_unless_all_are_wanted(grid: Grid) -> None:
    names = ["crs.none.direct", "crs.none.protocol", "sts.none.direct", "crs.none.extractive"]
    results = grid(names, ["a"], noise, metrics=["red"])
    pairs = {(one.left, one.right) for one in compared(results, resamples=50).found}
    assert ("crs.none.direct by a", "crs.none.protocol by a") in pairs
    assert ("crs.none.protocol by a", "sts.none.direct by a") not in pairs
    assert len(compared(results, every=True, resamples=50).found) == 6
