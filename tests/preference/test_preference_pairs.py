"""Which drafts make pairs, by every rule, and what is counted where none are made."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from baselines.drafts.base import Scored
from baselines.preference import pairs
from baselines.preference.pairs import RULES, Rated, pair
from baselines.preference.settings import PairRule, PairSettings


def rated(*values: float | None, texts: tuple[str | None, ...] = ()) -> list[Rated]:
    """Drafts with these joint values; None is a draft that the proxy left unscored."""
    known = sorted({value for value in values if value is not None}, reverse=True)
    return [
        Rated(
            number=at + 1,
            text=texts[at] if texts else f"text {at}",
            scored=Scored(
                number=at + 1,
                values={"proxy": value},
                joint=value,
                rank=None if value is None else known.index(value) + 1,
            ),
        )
        for at, value in enumerate(values)
    ]


def numbers(made: pairs.Paired) -> list[tuple[int, int]]:
    return [(one.chosen_number, one.rejected_number) for one in made.pairs]


def test_best_against_worst_makes_one_pair() -> None:
    assert numbers(pair("t", rated(0.2, 0.9, 0.5), PairSettings())) == [(2, 1)]


def test_best_against_all_leaves_the_best_out_of_the_rejected() -> None:
    made = pair("t", rated(0.2, 0.9, 0.5), PairSettings(rule="best-all"))
    assert numbers(made) == [(2, 3), (2, 1)]


def test_all_ordered_pairs_keep_those_beyond_the_margin() -> None:
    made = pair("t", rated(0.2, 0.9, 0.5), PairSettings(rule="all", margin=0.35))
    assert numbers(made) == [(2, 3), (2, 1)]
    assert made.none == {pairs.WITHIN: 1}


def test_top_and_bottom_never_share_a_draft() -> None:
    made = pair("t", rated(0.1, 0.2, 0.3), PairSettings(rule="top-bottom", k=3))
    assert numbers(made) == [(3, 1)]


@pytest.mark.parametrize("rule", RULES)
def test_drafts_that_are_all_tied_make_no_pair_and_are_counted(rule: PairRule) -> None:
    made = pair("t", rated(0.5, 0.5, 0.5, 0.5), PairSettings(rule=rule))
    assert made.pairs == ()
    assert made.none[pairs.ALL_TIED] == 1
    assert made.none[pairs.TIED] >= 1


def test_unscored_drafts_make_no_pair_and_are_counted() -> None:
    made = pair("t", rated(0.5, None, 0.1), PairSettings(rule="all"))
    assert numbers(made) == [(1, 3)]
    assert made.none == {pairs.UNSCORED: 1}


def test_a_draft_that_a_weighted_rule_ranked_without_a_value_makes_no_pair() -> None:
    drafts = rated(0.5, 0.1)
    lost = Scored(number=3, values={"proxy": None}, joint=0.0, rank=3)
    made = pair("t", [*drafts, Rated(number=3, text="c", scored=lost)], PairSettings())
    assert numbers(made) == [(1, 2)]


def test_a_guard_decides_over_a_higher_number() -> None:
    held = Rated(number=1, text="a", scored=Scored(number=1, values={"p": 1}, joint=0.2, rank=1))
    out = Rated(number=2, text="b", scored=Scored(number=2, values={"p": 1}, joint=0.9, rank=2))
    assert numbers(pair("t", [held, out], PairSettings(margin=0.1))) == [(1, 2)]


def test_equal_texts_count_once() -> None:
    made = pair("t", rated(0.5, 0.5, 0.1, texts=("a", "a", "b")), PairSettings(rule="all"))
    assert numbers(made) == [(1, 3)]
    assert made.none == {pairs.REPEATED: 1}


def test_one_draft_makes_no_pair_by_name() -> None:
    assert pair("t", rated(0.5), PairSettings()).none == {pairs.FEW: 1}


def test_a_side_without_any_text_is_named() -> None:
    drafts = [Rated(number=1, text=None, reason="cut off"), Rated(number=2, text=None)]
    assert pair("t", drafts, PairSettings()).none == {pairs.NO_TEXT: 2, pairs.FAILED: 1}


@given(
    some.lists(some.one_of(some.none(), some.integers(0, 4).map(lambda n: n / 4)), max_size=8),
    some.sampled_from(sorted(RULES)),
    some.integers(1, 4),
    some.sampled_from((0.0, 0.25, 0.5)),
)
def test_whatever_is_paired_the_chosen_draft_is_worth_more_by_more_than_the_margin(
    values: list[float | None], rule: PairRule, k: int, margin: float
) -> None:
    made = pair("t", rated(*values), PairSettings(rule=rule, k=k, margin=margin))
    for one in made.pairs:
        better, worse = values[one.chosen_number - 1], values[one.rejected_number - 1]
        assert better is not None
        assert worse is not None
        assert better - worse > margin
    assert len(set(numbers(made))) == len(made.pairs)


@given(some.permutations(range(6)))
def test_the_order_of_drawing_changes_no_pair_of_unequal_drafts(order: list[int]) -> None:
    values = [0.1, 0.2, 0.4, 0.5, 0.8, 0.9]
    straight = pair("t", rated(*values), PairSettings(rule="all"))
    mixed = pair("t", rated(*(values[at] for at in order)), PairSettings(rule="all"))
    worth = {(values[a - 1], values[b - 1]) for a, b in numbers(straight)}
    assert {(values[order[a - 1]], values[order[b - 1]]) for a, b in numbers(mixed)} == worth


def test_every_rule_looks_at_the_best_first() -> None:
    ranked = rated(0.9, 0.8, 0.7, 0.6)
    for row in RULES.values():
        first = next(iter(row.look(ranked, 2)))
        assert first[0].number == 1
        assert row.about


def test_counts_of_several_sides_add_up() -> None:
    several = [pair("a", rated(0.5), PairSettings()), pair("b", rated(0.5), PairSettings())]
    assert pairs.joined(several).none == {pairs.FEW: 2}
    assert list(pairwise(several))
