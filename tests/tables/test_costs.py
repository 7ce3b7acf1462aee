"""What cells cost alone and in shares, and which of them no other beats."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.recipes import parse_recipe, recipes
from baselines.tables.costs import Call, CellCost, Costs, Spent, shared
from baselines.tables.costs_table import costs_table
from baselines.tables.plots import Point, cost_points, front
from baselines.tables.results import Results, Who
from globesumm.values import Recipe
from metrics.base import Better
from metrics.printed import MISSING

WHO = Who(model="m")
CELLS = [(one, WHO) for one in recipes() if one.prompting == "direct"]

Keys = dict[tuple[Recipe, Who], set[str]]


def call(tokens: int | None = 10, cost: float | None = 0.5, seconds: float | None = 1.0) -> Call:
    return Call(
        model="m", prompt_tokens=tokens, completion_tokens=tokens, cost=cost, seconds=seconds
    )


def costs_of(keys: Keys, calls: dict[str, Call], noted: int = 1) -> Costs:
    return shared(keys, calls, summaries=dict.fromkeys(keys, (1, noted)), currency="USD")


def test_a_call_of_two_cells_counts_in_full_alone_and_half_in_shares() -> None:
    keys = {CELLS[0]: {"a", "b"}, CELLS[1]: {"b"}}
    held = costs_of(keys, {"a": call(), "b": call(), "judge": call()})
    first, second = held.cells
    assert (first.alone.calls, first.share.calls) == (2, 1.5)
    assert (second.alone.calls, second.share.calls) == (1, 0.5)
    assert second.share.cost == 0.25
    assert held.nobody.calls == 1
    assert held.stored.calls == 3


@given(
    keys=st.lists(st.sets(st.sampled_from("abcdefgh")), min_size=1, max_size=len(CELLS)),
    stored=st.sets(st.sampled_from("abcdefgh")),
)
def test_shares_and_what_belongs_to_nobody_always_add_up(
    keys: list[set[str]], stored: set[str]
) -> None:
    calls = {key: call(tokens=ord(key), cost=ord(key) / 7) for key in sorted(stored)}
    used = dict(zip(CELLS, keys, strict=False))
    held = costs_of(used, calls)
    for figure in ("calls", "prompt_tokens", "cost", "seconds"):
        shares = sum(getattr(one.share, figure) for one in held.cells)
        assert shares + getattr(held.nobody, figure) == pytest.approx(getattr(held.stored, figure))
    assert held.lost == len(set().union(*used.values()) - stored)
    turned = costs_of(dict(reversed(used.items())), calls)
    assert {(c.recipe, c.share.cost) for c in turned.cells} == {
        (c.recipe, c.share.cost) for c in held.cells
    }


def test_an_unknown_price_count_or_time_is_never_zero() -> None:
    keys = {CELLS[0]: {"a"}, CELLS[1]: {"a", "b"}}
    calls = {"a": call(tokens=None, cost=None, seconds=None), "b": call()}
    table = costs_table(costs_of(keys, calls))
    unknown, partly = table.rows[:2]
    assert unknown[3:8] == ("1", *[MISSING] * 4)
    assert unknown[-1] == partly[-1] == MISSING
    assert partly[4:8] == ("≥ 10", "≥ 10", "≥ 0.5000", "≥ 1.0")
    assert any("no price is known of m" in note for note in table.notes)
    assert any("1 calls have no tokens" in note for note in table.notes)


def test_summaries_whose_calls_were_not_noted_have_no_cost() -> None:
    table = costs_table(costs_of({CELLS[0]: set()}, {}, noted=0))
    assert set(table.rows[0][3:]) == {MISSING}
    assert any("the calls of 0 of 1 summaries were noted" in note for note in table.notes)


def point(cost: float, score: float, recipe: str = "crs.none.direct") -> Point:
    return Point(recipe=parse_recipe(recipe), who=WHO, cost=cost, score=score, low=None, high=None)


def test_the_front_holds_what_no_other_beats_in_both_ways() -> None:
    points = [point(1, 10), point(2, 9), point(3, 20), point(3, 15), point(9, 20)]
    assert [(p.cost, p.score) for p in front(points, Better.HIGHER)] == [(1, 10), (3, 20)]
    assert [(p.cost, p.score) for p in front(points, Better.LOWER)] == [(1, 10), (2, 9)]


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5)).map(lambda pair: point(*pair)), min_size=1
    )
)
def test_every_point_is_on_the_front_or_beaten_by_one_of_it(points: list[Point]) -> None:
    best = front(points, Better.HIGHER)
    for one in points:
        assert any(p.cost <= one.cost and p.score >= one.score for p in best)
    assert all(a.cost < b.cost and a.score < b.score for a, b in pairwise(best))


def test_cells_without_known_costs_are_in_no_picture(grid: Callable[..., Results]) -> None:
    results = grid(["crs.none.direct", "crs.kis.direct"], ["m"], lambda *_: 0.5)
    known = [parse_recipe("crs.none.direct"), parse_recipe("crs.kis.direct")]
    held = Costs(
        cells=tuple(
            CellCost(
                recipe=recipe,
                who=WHO,
                summaries=2,
                noted=noted,
                alone=Spent.of([(1.0, call())]),
                share=Spent.of([(1.0, call())]),
            )
            for recipe, noted in zip(known, (2, 1), strict=True)
        ),
        nobody=Spent.of([]),
        stored=Spent.of([]),
        failed=0,
        lost=0,
        currency="USD",
        unpriced_models=(),
    )
    points, unit = cost_points(results, held, results.column("rougeL"))
    assert [str(one.recipe) for one in points] == ["crs.none.direct"]
    assert (unit, points[0].cost, points[0].score) == ("USD", 0.25, 50)
