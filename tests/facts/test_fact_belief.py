"""Agreement: textbook values, and synthetic studies whose noise is known."""

import math
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.errors import UsageError
from metrics.facts.belief import alignment, flattened, robustness, stability
from metrics.facts.coefficients import (
    Floats,
    balanced_accuracy,
    cohen_kappa,
    confusion,
    kendall_w,
    krippendorff_alpha,
    macro_f1,
)
from metrics.facts.verdicts import Verdicts

NONE = math.nan
KRIPPENDORFF = np.array([
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
    [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
])  # fmt: skip
"""Four observers, twelve units (Krippendorff, Computing Krippendorff's alpha-reliability, 2011)."""


def test_alpha_of_krippendorffs_own_example_is_the_printed_849() -> None:
    assert round(krippendorff_alpha(KRIPPENDORFF) or 0, 3) == 0.849


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(3, 9))
def test_alpha_is_that_of_the_package_krippendorff(seed: int, coders: int, units: int) -> None:
    package = pytest.importorskip("krippendorff")
    dice = np.random.default_rng(seed)
    values = np.round(dice.random((coders, units)), 2) + 1000
    values[dice.random((coders, units)) < 0.2] = NONE
    mine = krippendorff_alpha(values)
    if mine is not None:
        theirs = package.alpha(reliability_data=values, level_of_measurement="interval")
        assert mine == pytest.approx(theirs, abs=1e-6)


def test_w_with_ties_is_that_of_the_textbook() -> None:
    """Siegel and Castellan (1988), p. 266: three rankings of ten objects with ties, W = .828."""
    ranks = np.array([
        [1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10],
        [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5],
        [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10],
    ])  # fmt: skip
    assert round(kendall_w(-ranks) or 0, 3) == 0.828


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(3, 8))
def test_w_follows_from_friedmans_statistic(seed: int, rankings: int, objects: int) -> None:
    stats: Any = import_module("scipy.stats")
    scores = np.random.default_rng(seed).integers(0, 6, (rankings, objects)).astype(float)
    mine = kendall_w(scores)
    if mine is not None:
        statistic = float(stats.friedmanchisquare(*scores.T).statistic)
        assert mine == pytest.approx(statistic / (rankings * (objects - 1)))


def test_w_is_one_for_equal_rankings_nought_for_opposite_ones_and_none_where_all_tie() -> None:
    up = np.arange(5.0)
    assert kendall_w(np.array([up, up, up])) == 1
    assert kendall_w(np.array([up, up[::-1]])) == 0
    assert kendall_w(np.ones((3, 4))) is None
    assert kendall_w(np.array([up])) is None


def test_macro_f1_and_balanced_accuracy_of_a_table_worked_out_by_hand() -> None:
    truth = [True] * 6 + [False] * 4
    said = [True, True, True, True, False, False, False, False, False, True]
    counts = confusion(truth, said)
    assert counts.tolist() == [[3, 1], [2, 4]]
    # F1 of yes: 8 / (8 + 1 + 2); of no: 6 / (6 + 2 + 1).
    assert macro_f1(counts) == pytest.approx((8 / 11 + 6 / 9) / 2)
    assert balanced_accuracy(counts) == pytest.approx((4 / 6 + 3 / 4) / 2)


def test_a_class_that_does_not_occur_leaves_both_undefined() -> None:
    assert balanced_accuracy(confusion([True, True], [True, False])) is None
    assert macro_f1(confusion([True, True], [True, True])) is None


def test_kappa_of_the_textbook_table_is_point_four() -> None:
    first = [True] * 25 + [False] * 25
    second = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15
    assert cohen_kappa(first, second) == pytest.approx(0.4)
    assert cohen_kappa([True], [True]) is None


def test_maps_are_flattened_fact_by_fact() -> None:
    assert flattened([(1,), (), (1, 3)], 3) == [
        True, False, False, False, False, False, True, False, True,
    ]  # fmt: skip


def synthetic(
    flips: float, seed: int, systems: int = 8, sources: int = 60, facts: int = 20
) -> Iterator[Verdicts]:
    """Summaries of systems of known quality; a judge who flips each verdict with chance `flips`."""
    truth, noise = np.random.default_rng(0), np.random.default_rng(seed)
    for system in range(systems):
        for source in range(sources):
            said = truth.random((2, facts)) < 0.3 + 0.08 * system
            said ^= noise.random((2, facts)) < flips
            yield Verdicts(
                id=f"{source}",
                system=f"s{system}",
                key_facts=tuple((1,) if one else () for one in said[0]),
                sentences=1,
                supported=tuple(bool(one) for one in said[1]),
            )


def value(found: list[object], name: str) -> float:
    (one,) = [row for row in found if getattr(row, "name", "") == name]
    number = getattr(one, "value", None)
    assert isinstance(number, float)
    assert getattr(one, "low", 2) <= number + 1e-9
    assert number - 1e-9 <= getattr(one, "high", -2)
    return number


def test_runs_without_noise_agree_wholly() -> None:
    runs = [list(synthetic(0, seed)) for seed in (1, 2, 3)]
    for row in stability(runs, resamples=50):
        if "conciseness" not in row.name:
            assert [row.value, row.low, row.high] == pytest.approx([1, 1, 1])
            assert (row.n, row.expected) == (480, 480)


@pytest.mark.parametrize("flips", [0.05, 0.15])
def test_known_noise_gives_the_expected_alpha_accuracy_and_f1(flips: float) -> None:
    clean = list(synthetic(0, 0))
    runs = [list(synthetic(flips, seed)) for seed in (1, 2, 3)]
    found = stability(runs, resamples=50)
    # A share of k flipped verdicts has variance flips (1 - flips) / k around (1 - 2 flips) p.
    shares = np.array([one.measured()["faithfulness"].value for one in clean], dtype=float)
    signal = (1 - 2 * flips) ** 2 * shares.var()
    noise = flips * (1 - flips) / 20
    assert value(list(found), "faithfulness: Krippendorff's alpha") == pytest.approx(
        signal / (signal + noise), abs=0.02
    )
    assert value(list(found), "faithfulness: Kendall's W") > 0.97
    aligned = alignment(clean, runs[0], resamples=50)
    assert value(list(aligned), "verification: balanced accuracy") == pytest.approx(
        1 - flips, abs=0.01
    )
    rate = float(np.mean([bool(held) for one in clean for held in one.key_facts or ()]))
    said = rate * (1 - flips) + (1 - rate) * flips
    expected = (
        2 * rate * (1 - flips) / (rate + said) + 2 * (1 - rate) * (1 - flips) / (2 - rate - said)
    ) / 2
    assert value(list(aligned), "matching: macro F1") == pytest.approx(expected, abs=0.01)


def test_rankings_by_chance_give_w_of_one_over_the_runs() -> None:
    dice = np.random.default_rng(5)
    drawn: list[Floats] = [dice.random((3, 8)) for _ in range(400)]
    assert np.mean([kendall_w(scores) for scores in drawn]) == pytest.approx(1 / 3, abs=0.02)


def test_judges_that_differ_by_a_constant_rank_alike_and_deviate_by_it() -> None:
    def judged(extra: int) -> list[Verdicts]:
        return [
            Verdicts(
                id=f"{source}",
                system=f"s{system}",
                key_facts=None,
                sentences=1,
                supported=tuple(n < 2 * system + extra for n in range(20)),
            )
            for system in range(1, 7)
            for source in range(4)
        ]

    found = robustness({"a": judged(0), "b": judged(2)}, resamples=20)
    rows = {row.name: row for row in found}
    assert rows["faithfulness: Spearman a / b"].value == pytest.approx(1)
    # Two values .1 apart: a standard deviation of .1 / sqrt(2).
    assert rows["faithfulness: deviation over judges"].value == pytest.approx(0.1 / math.sqrt(2))
    assert rows["completeness: Spearman a / b"].value is None
    assert rows["completeness: Spearman a / b"].n == 0
    assert rows["completeness: Spearman a / b"].expected == 24


def test_summaries_that_one_run_did_not_score_are_counted_and_left_out() -> None:
    runs = [list(synthetic(0.1, seed)) for seed in (1, 2)]
    found = stability([runs[0], runs[1][1:]], resamples=10)
    assert {(row.n, row.expected) for row in found} == {(479, 480)}


def test_one_run_or_judge_alone_is_refused() -> None:
    with pytest.raises(UsageError, match="at least two runs"):
        stability([[]])
    with pytest.raises(UsageError, match="at least two judges"):
        robustness({"a": []})
