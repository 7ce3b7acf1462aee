"""Abilities equal published ones and other packages', and are finite whatever the outcomes."""

import tomllib
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.ranking import abilities, has_maximum
from metrics.ranking.bradley_terry import groups_of

PUBLISHED = tomllib.loads((Path(__file__).parent / "published_wins.toml").read_text("utf-8"))


def slope(
    wins: NDArray[np.float64], found: NDArray[np.float64], penalty: float
) -> NDArray[np.float64]:
    """The gradient of the penalized log-likelihood, written out pair by pair."""
    count = len(wins)
    held = np.zeros(count)
    for i, j in permutations(range(count), 2):
        if wins[i, j] + wins[j, i] > 0:
            won, lost = wins[i, j] + penalty / 2, wins[j, i] + penalty / 2
            chance = 1 / (1 + np.exp(-(found[i] - found[j])))
            held[i] += won * (1 - chance) - lost * chance
    return held


@pytest.mark.parametrize("name", PUBLISHED)
def test_abilities_equal_the_published_ones_to_four_digits(name: str) -> None:
    told: dict[str, Any] = PUBLISHED[name]
    found = abilities(np.array(told["wins"], dtype=float), penalty=0)
    found -= found[told["names"].index(told["zero"])]
    assert np.round(found, 4).tolist() == pytest.approx(told["abilities"], abs=1e-9)


@pytest.mark.parametrize("name", PUBLISHED)
def test_abilities_equal_those_of_choix(name: str) -> None:
    choix: Any = pytest.importorskip("choix")
    wins = np.array(PUBLISHED[name]["wins"])
    pairs = [(i, j) for i, j in permutations(range(len(wins)), 2) for _ in range(int(wins[i, j]))]
    theirs = choix.opt_pairwise(len(wins), pairs, alpha=0, method="Newton-CG", tol=1e-12)
    assert abilities(wins.astype(float), penalty=0) == pytest.approx(theirs, abs=1e-5)


@pytest.mark.parametrize("penalty", [0.0, 0.25, 1.0, 10.0])
@pytest.mark.parametrize("name", PUBLISHED)
def test_abilities_equal_those_of_a_binomial_regression(name: str, penalty: float) -> None:
    sm: Any = pytest.importorskip("statsmodels.api")
    wins = np.array(PUBLISHED[name]["wins"], dtype=float)
    pairs = [(i, j) for i in range(len(wins)) for j in range(i + 1, len(wins))]
    design = np.zeros((len(pairs), len(wins)))
    for row, (i, j) in enumerate(pairs):
        design[row, i], design[row, j] = 1, -1
    counts = np.array([[wins[i, j] + penalty / 2, wins[j, i] + penalty / 2] for i, j in pairs])
    model = sm.GLM(counts, design[:, 1:], family=sm.families.Binomial())
    theirs = np.array([0, *model.fit(tol=1e-12).params])
    assert abilities(wins, penalty) == pytest.approx(theirs - theirs.mean(), abs=1e-8)


tables = st.integers(2, 6).flatmap(
    lambda count: st.lists(
        st.lists(st.one_of(st.just(0), st.integers(0, 1_000_000)), min_size=count, max_size=count),
        min_size=count,
        max_size=count,
    )
)


@given(tables, st.sampled_from([1e-6, 1e-3, 0.5, 1.0, 100.0]))
@settings(max_examples=150, deadline=None)
def test_any_outcomes_give_finite_abilities_at_which_the_likelihood_is_flat(
    rows: list[list[int]], penalty: float
) -> None:
    wins = np.array(rows, dtype=float) * (1 - np.eye(len(rows)))
    found = abilities(wins, penalty)
    assert np.isfinite(found).all()
    games = (wins + wins.T).sum(axis=1) + penalty
    assert (np.abs(slope(wins, found, penalty)) <= 1e-9 * games).all()


@pytest.mark.parametrize("penalty", [1e-6, 0.01, 1.0])
@pytest.mark.parametrize("games", [1, 200, 100_000])
def test_two_methods_have_the_log_odds_of_their_wins(games: int, penalty: float) -> None:
    found = abilities(np.array([[0.0, games], [0.0, 0.0]]), penalty)
    odds = np.log((games + penalty / 2) / (penalty / 2))
    assert found == pytest.approx([odds / 2, -odds / 2], rel=1e-12)


@pytest.mark.parametrize("methods", [2, 3, 6, 12])
def test_transitive_outcomes_give_the_same_abilities_however_they_are_reached(
    methods: int,
) -> None:
    wins = np.triu(np.full((methods, methods), 40.0), k=1)
    assert not has_maximum(wins)
    found = abilities(wins)
    assert (np.diff(found) < -1).all()
    assert found == pytest.approx(-found[::-1], abs=1e-12)
    for order in (range(methods)[::-1], np.random.default_rng(0).permutation(methods)):
        places = np.array(list(order))
        shuffled = abilities(wins[np.ix_(places, places)])
        assert shuffled == pytest.approx(found[places], abs=1e-12)
    # In a batch with others the same arithmetic is done.
    others = np.stack([wins, wins.T, np.ones_like(wins), wins * 1000])
    assert abilities(others)[0] == pytest.approx(found, abs=1e-12)


def test_an_optimizer_without_a_penalty_returns_where_it_stopped_and_ours_says_so() -> None:
    """Why the penalty is there: L-BFGS on these outcomes depends on its tolerance alone."""
    optimize: Any = pytest.importorskip("scipy.optimize")
    wins = np.triu(np.ones((6, 6)), k=1)

    def loss(found: NDArray[np.float64]) -> float:
        return float((wins * np.logaddexp(0, found[None, :] - found[:, None])).sum())

    tops = [
        max(optimize.minimize(loss, np.zeros(6), method="L-BFGS-B", tol=tolerance).x)
        for tolerance in (1e-3, 1e-6, 1e-10)
    ]
    assert tops[0] < tops[1] < tops[2]
    assert not has_maximum(wins)
    assert np.isfinite(abilities(wins)).all()


def test_a_cycle_of_wins_has_a_maximum_and_a_chain_has_none() -> None:
    chain = np.array([[0.0, 1, 0], [0, 0, 1], [0, 0, 0]])
    cycle = chain + np.array([[0.0, 0, 0], [0, 0, 0], [1, 0, 0]])
    assert has_maximum(np.stack([chain, cycle])).tolist() == [False, True]
    assert abilities(cycle, penalty=0) == pytest.approx([0, 0, 0], abs=1e-12)


def test_methods_that_nothing_links_stand_in_groups_each_with_mean_zero() -> None:
    wins = np.zeros((5, 5))
    wins[0, 1], wins[1, 0], wins[2, 3], wins[3, 2] = 3, 1, 1, 7
    assert groups_of(wins > 0).tolist() == [0, 0, 1, 1, 2]
    found = abilities(wins, penalty=0)
    assert found == pytest.approx([np.log(3) / 2, -np.log(3) / 2, -np.log(7) / 2, np.log(7) / 2, 0])
