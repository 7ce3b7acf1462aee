"""One draft of several by proxies that pull apart: fronts, weights, guards and the edges."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.drafts.base import Choice, Draft, Objective, Task
from baselines.drafts.pareto import SCALES, Scale, Weighted, places, standings
from baselines.drafts.pareto_view import pareto_plot, pareto_table, standings_of
from globesumm.errors import UnknownName, UsageError
from metrics.base import Better, Measured

UP, DOWN = Better.HIGHER, Better.LOWER


@dataclass(frozen=True)
class Given:
    """A proxy whose values are written down."""

    name: str
    better: Better
    low: float | None = None
    high: float | None = None
    signature: str = "given"

    def score(self, task: Task, drafts: Sequence[Draft]) -> list[Measured]:
        raise AssertionError(f"values of {task.id} are given for {len(drafts)} drafts")


COVER, REPEAT, FAIR = Given("cover", UP), Given("repeat", DOWN), Given("fair", UP)
OBJECTIVES: tuple[Objective, ...] = (COVER, REPEAT, FAIR)
DIRECTIONS = {one.name: one.better for one in OBJECTIVES}


def drafts(count: int) -> list[Draft]:
    return [Draft(number=n, text=f"draft {n}") for n in range(1, count + 1)]


def said(*values: float | None) -> list[Measured]:
    return [Measured(v, None if v is not None else "no answer") for v in values]


def choose(rule: Weighted, **values: list[Measured]) -> Choice:
    count = len(next(iter(values.values())))
    held = [one for one in OBJECTIVES if one.name in values]
    return rule.choose(drafts(count), held, values)


def test_fronts_are_those_of_the_textbook_example() -> None:
    # Deb's example of minimisation: 1, 2, 3 are not dominated, 4 is by 2, 5 by all but 1.
    x, y = said(1, 2, 4, 3, 5), said(5, 2, 1, 3, 4)
    found = standings([1, 2, 3, 4, 5], {"a": x, "b": y}, {"a": DOWN, "b": DOWN})
    assert [one.front for one in found] == [1, 1, 1, 2, 3]
    assert [one.dominated_by for one in found] == [(), (), (), (2,), (2, 3, 4)]


def test_equal_drafts_do_not_dominate_one_another() -> None:
    found = standings([1, 2], {"a": said(1, 1), "b": said(2, 2)}, {"a": UP, "b": DOWN})
    assert [(one.front, one.dominated_by) for one in found] == [(1, ()), (1, ())]


@pytest.mark.parametrize("better", [UP, DOWN])
def test_a_draft_without_a_value_stands_below_every_one_with_a_value(better: Better) -> None:
    held = places(said(-5.0, None, 0.0, None, 7.0), better)
    assert held[1] == held[3] == 3
    assert sorted(held[n] for n in (0, 2, 4)) == [0, 1, 2]


@pytest.mark.parametrize("scale", SCALES)
def test_a_missing_value_counts_less_than_the_worst_value(scale: Scale) -> None:
    rule = Weighted(weights={"cover": 1}, scale=scale)
    choice = choose(rule, cover=said(None, 0.0, 1.0))
    joint = [one.joint for one in choice.scored]
    assert joint[0] is not None
    assert joint[1] is not None
    assert joint[0] < joint[1]
    assert choice.scored[0].values["cover"] is None
    assert any("1 of 3 drafts have no value" in note for note in choice.notes)


def test_weights_decide_between_drafts_that_do_not_dominate_one_another() -> None:
    cover, repeat = said(0.9, 0.5), said(0.8, 0.1)
    assert (
        choose(Weighted(weights={"cover": 2, "repeat": 1}), cover=cover, repeat=repeat).chosen == 1
    )
    assert (
        choose(Weighted(weights={"cover": 1, "repeat": 2}), cover=cover, repeat=repeat).chosen == 2
    )


def test_a_guard_keeps_what_is_not_up_for_trade() -> None:
    cover, repeat = said(1.0, 0.8, 0.2), said(0.9, 0.5, 0.0)
    for slack, expected in ((0.0, 1), (0.3, 2), (1.0, 3)):
        rule = Weighted(weights={"repeat": 1}, guards={"cover": slack})
        assert choose(rule, cover=cover, repeat=repeat).chosen == expected


def test_the_dominated_drafts_are_named_with_those_that_dominate_them() -> None:
    choice = choose(Weighted(weights={"cover": 1}), cover=said(1, 2, 2), repeat=said(3, 2, 1))
    assert "draft 1 is dominated by 2, 3" in choice.notes
    assert "draft 2 is dominated by 3" in choice.notes
    assert (choice.chosen, choice.tied) == (2, (2, 3))
    assert (
        "the draft taken is dominated: a weight of 0 or a guard decided against it" in choice.notes
    )


def test_a_judge_that_gives_every_draft_the_same_is_said_to_choose_nothing() -> None:
    choice = choose(Weighted(weights={"cover": 1}), cover=said(5, 5, 5))
    assert choice.notes == ("cover: every draft has 5, which chooses nothing",)
    assert (choice.chosen, choice.tied) == (1, (1, 2, 3))


def test_identical_drafts_are_said_to_be_one_text() -> None:
    same = [Draft(number=n, text="The same.") for n in (1, 2)]
    held = {"cover": said(0.5, 0.5)}
    choice = Weighted(weights={"cover": 1}).choose(same, [COVER], held)
    assert "all 2 drafts are one text" in choice.notes
    assert choice.chosen == 1


def test_one_draft_is_taken_and_none_is_said_to_be_none() -> None:
    rule = Weighted(weights={"cover": 1})
    assert choose(rule, cover=said(0.1)).chosen == 1
    lost = [Draft(number=1, text=None, reason="no answer")]
    choice = rule.choose(lost, [COVER], {"cover": []})
    assert (choice.chosen, choice.notes) == (None, ("no draft has a text",))


def test_a_proxy_without_any_value_decides_nothing_and_its_reason_is_told() -> None:
    rule = Weighted(weights={"cover": 1, "repeat": 1}, guards={"fair": 0.1})
    choice = choose(rule, cover=said(1, 2), repeat=said(None, None), fair=said(None, None))
    assert choice.chosen == 2
    assert "repeat: no draft has a value (no answer)" in choice.notes
    assert "no draft has a value of fair: its guard holds nobody back" in choice.notes


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
def test_a_weight_or_guard_that_is_no_number_from_0_up_is_refused(weight: float) -> None:
    with pytest.raises(UsageError, match="give a number from 0 up"):
        Weighted(weights={"cover": weight})
    with pytest.raises(UsageError, match="give a number from 0 up"):
        Weighted(weights={"cover": 1}, guards={"cover": weight})


def test_weights_that_are_all_0_and_names_that_nobody_knows_are_refused() -> None:
    with pytest.raises(UsageError, match="every weight is 0"):
        Weighted(weights={"cover": 0})
    with pytest.raises(UnknownName, match="did you mean 'cover'"):
        choose(Weighted(weights={"covers": 1}), cover=said(1, 2))


CELLS = st.one_of(st.none(), st.integers(0, 4).map(float))
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=7)


@given(ROWS, st.sampled_from(sorted(SCALES)))
def test_what_positive_weights_take_is_dominated_by_no_draft(
    rows: list[tuple[float | None, float | None, float | None]], scale: Scale
) -> None:
    cover, repeat, fair = (said(*column) for column in zip(*rows, strict=True))
    rule = Weighted(weights={"cover": 1, "repeat": 0.5, "fair": 2}, scale=scale)
    choice = choose(rule, cover=cover, repeat=repeat, fair=fair)
    told = {one.number: one for one in standings_of(choice, DIRECTIONS)}
    assert choice.chosen is not None
    assert told[choice.chosen].front == 1
    assert choice.scored[choice.chosen - 1].rank == 1


@given(ROWS, st.lists(st.sampled_from(["0.1", "0.5", "0.7", "1", "3"]), min_size=3, max_size=3))
def test_of_equal_sums_the_draft_drawn_first_is_taken_in_whatever_order_they_were_summed(
    rows: list[list[float | None]], weights: list[str]
) -> None:
    names = [one.name for one in OBJECTIVES]
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    rule = Weighted(weights=dict(zip(names, map(float, weights), strict=True)))
    choice = rule.choose(
        drafts(len(rows)), OBJECTIVES, {name: said(*held) for name, held in columns.items()}
    )

    # The same sums in whole numbers: twice the drafts left behind, ties one, weights times ten.
    def behind(name: str, at: int) -> int:
        sign = -1 if name == "repeat" else 1
        held = [-math.inf if v is None else sign * v for v in columns[name]]
        return 2 * sum(v < held[at] for v in held) + sum(v == held[at] for v in held)

    tens = dict(zip(names, (round(10 * float(one)) for one in weights), strict=True))
    sums = [sum(tens[name] * behind(name, at) for name in names) for at in range(len(rows))]
    assert choice.chosen == 1 + sums.index(max(sums))
    assert [one.rank for one in choice.scored] == [1 + sum(v > s for v in sums) for s in sums]
    assert len(choice.tied) == (sums.count(max(sums)) if sums.count(max(sums)) > 1 else 0)


@given(ROWS)
def test_a_dominated_draft_lies_on_a_later_front_than_those_that_dominate_it(
    rows: list[tuple[float | None, float | None, float | None]],
) -> None:
    values = {
        one.name: said(*column)
        for one, column in zip(OBJECTIVES, zip(*rows, strict=True), strict=True)
    }
    found = standings(range(len(rows)), values, DIRECTIONS)
    for one in found:
        assert all(found[other].front < one.front for other in one.dominated_by)
    assert min(one.front for one in found) == 1


def test_table_and_picture_show_every_draft_the_taken_one_and_who_is_dominated(
    tmp_path: Path,
) -> None:
    rule = Weighted(weights={"cover": 2, "repeat": 1, "fair": 0})
    choice = choose(rule, cover=said(1, 2, 3), repeat=said(3, None, 1), fair=said(0.5, 0.5, 0.5))
    better = DIRECTIONS
    text = pareto_table(choice, better).text()
    assert "3 (taken)" in text
    assert "dominated by 3" in text
    assert "repeat ↓" in text
    pytest.importorskip("matplotlib")
    first, again = (pareto_plot(choice, better, tmp_path / name) for name in ("a.svg", "b.svg"))
    assert first.read_bytes() == again.read_bytes()
    assert first.read_bytes().startswith(b"<?xml")
