"""Money, chains and time of a plan, worked out by hand."""

from dataclasses import replace
from datetime import date

import pytest

from baselines.grid.plan import plan_grid
from globesumm.cli.planned import plan_lines
from globesumm.config import Experiment, Limits, ModelRow, PreSteps
from globesumm.values import Event
from tests.annotation.conftest import document, event

FIVE: Event = event(*(document(f"d{n}", n, "fr") for n in range(5)))
ROW = ModelRow(name="m", seconds_per_call=2.0)
ONE = Experiment(recipes=("crs.kis-clp.protocol",), models=(ROW,))


def test_the_longest_chain_is_that_of_the_first_document_and_every_round() -> None:
    made = plan_grid(ONE, [FIVE])
    # KIS, CLP, and four calls in each of four rounds.
    assert made.chain == 2 + 4 * 4
    assert made.chain_seconds == 2.0 * made.chain
    assert made.calls == 2 * 5 + 4 * 4


@pytest.mark.parametrize(
    ("at_once", "row", "seconds"),
    [(1, None, 52.0), (2, None, 36.0), (8, 1, 52.0), (1024, None, 36.0)],
)
def test_time_is_bounded_by_the_chain_and_by_how_many_are_in_flight(
    at_once: int, row: int | None, seconds: float
) -> None:
    limited = replace(ONE, limits=Limits(at_once=at_once), models=(replace(ROW, at_once=row),))
    assert plan_grid(limited, [FIVE]).seconds == seconds


def test_money_is_tokens_by_price_and_unknown_where_there_is_no_price() -> None:
    priced = replace(ROW, name="p", input_per_million=2.0, output_per_million=10.0)
    both = replace(ONE, models=(priced, ROW), prices_dated=date(2026, 11, 1))
    made = plan_grid(both, [FIVE])
    for row in made.rows:
        if row.model == "m":
            assert row.cost is None
        else:
            by_hand = (2.0 * row.prompt_tokens + 10.0 * row.answer_tokens) / 1e6
            assert row.cost == pytest.approx(by_hand)
    assert made.cost == pytest.approx(sum(row.cost for row in made.rows if row.cost is not None))
    assert made.unpriced == made.calls / 2
    text = "\n".join(plan_lines(made))
    assert f"(prices of 2026-11-01) and unknown for {made.unpriced} calls" in text
    assert "0.00 USD" not in text
    assert text.count("unknown") == 6 + 1 + 1


def test_a_model_for_pre_steps_is_counted_with_them_once() -> None:
    shared = replace(
        ONE,
        models=tuple(replace(ROW, name=name) for name in "abc"),
        helpers=(ModelRow(name="pre"),),
        presteps=PreSteps(model="pre"),
    )
    made = plan_grid(shared, [FIVE])
    calls = {(row.model, row.step): row.calls for row in made.rows}
    assert (calls["pre", "kis"], calls["pre", "clp"]) == (5, 5)
    assert calls["pre", "kis of the summary"] == 3 * 4
    assert {model for model, step in calls if step in ("where", "strategies", "summary")} == {
        *"abc"
    }
    assert {model for model, step in calls if step.startswith(("kis", "clp"))} == {"pre"}


def test_calls_too_long_for_the_context_are_told() -> None:
    long = event(*(document(f"d{n}", n, "fr", "Un navire coula. " * 400) for n in range(3)))
    narrow = replace(ONE, recipes=("sts.none.direct",), models=(replace(ROW, context=4096),))
    made = plan_grid(narrow, [long])
    assert (made.calls, made.tight) == (1, 1)
    assert plan_grid(replace(narrow, models=(ROW,)), [long]).tight == 0
    assert any("too long for their model's context" in line for line in plan_lines(made))


def test_without_a_model_there_is_nothing_to_pay() -> None:
    made = plan_grid(Experiment(recipes=("crs.none.lead",)), [FIVE])
    assert list(plan_lines(made))[1:] == ["0 model calls, no cost"]
