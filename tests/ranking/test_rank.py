"""Rankings with intervals: known orders come out, gaps are counted, odd inputs are named."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from globesumm.errors import UnknownName, UsageError
from metrics.base import Better
from metrics.ranking import Ranking, Scored, ScoreTable, Settings, rank, score_table
from metrics.ranking.outcomes import Outcomes, resamples


def table(values: NDArray[np.float64]) -> ScoreTable:
    methods, documents = values.shape
    return ScoreTable(
        methods=tuple(f"m{place}" for place in range(methods)),
        documents=tuple(f"d{place:03}" for place in range(documents)),
        values=values,
        reasons=((),) * methods,
    )


def drawn(gaps: list[float], documents: int, seed: int = 0) -> ScoreTable:
    """Scores with Gumbel noise, under which the model holds exactly with these abilities."""
    generator = np.random.default_rng(seed)
    noise = generator.gumbel(size=(len(gaps), documents))
    return table(np.array(gaps)[:, None] + noise)


def ability(ranking: Ranking, method: str) -> float:
    (row,) = [row for row in ranking.rows if row.method == method]
    assert row.ability is not None
    return row.ability


def test_abilities_that_made_the_scores_come_out() -> None:
    made = [-1.0, -0.2, 0.2, 1.0]
    ranking = rank(drawn(made, 20_000), Settings(bootstrap=1))
    for place, value in enumerate(made):
        assert ability(ranking, f"m{place}") == pytest.approx(value, abs=0.05)
    assert [row.method for row in ranking.rows] == ["m3", "m2", "m1", "m0"]


def test_intervals_hold_the_true_ability_about_as_often_as_they_say() -> None:
    made = [-0.6, 0.0, 0.6]
    held = 0
    for seed in range(100):
        (row,) = [
            one
            for one in rank(drawn(made, 80, seed), Settings(bootstrap=200, seed=seed)).rows
            if one.method == "m2"
        ]
        assert row.low is not None
        assert row.high is not None
        held += row.low <= 0.6 <= row.high
    assert 88 <= held <= 100


def test_the_same_seed_gives_the_same_ranking_and_another_seed_other_intervals() -> None:
    scores = drawn([0, 0.3], 50)
    assert rank(scores) == rank(scores)
    assert rank(scores, Settings(seed=1)).rows[0].mean != rank(scores).rows[0].mean
    assert rank(scores, Settings(seed=1)).rows[0].ability == rank(scores).rows[0].ability


def test_lower_is_better_turns_the_ranking_round() -> None:
    scores = drawn([0, 1, 2], 60)
    up, down = rank(scores), rank(scores, Settings(better=Better.LOWER))
    assert [row.method for row in up.rows] == [row.method for row in down.rows][::-1]
    assert ability(up, "m0") == pytest.approx(-ability(down, "m0"))


def test_sigma_only_scales_abilities() -> None:
    scores = drawn([0, 1, 2], 60)
    wide, plain = rank(scores, Settings(sigma=400)), rank(scores)
    assert ability(wide, "m2") == pytest.approx(400 * ability(plain, "m2"))
    assert [row.rank for row in wide.rows] == [row.rank for row in plain.rows]


def test_equal_scores_are_half_a_win_or_a_coin_with_its_seed() -> None:
    values = np.tile([1.0, 2.0, 2.0, 3.0], (3, 1))
    split = rank(table(values))
    assert [row.ability for row in split.rows] == [0, 0, 0]
    assert [row.rank for row in split.rows] == [1, 1, 1]
    assert {row.winrate for row in split.rows} == {0.5}
    assert any("all are equal" in note for note in split.notes)
    coins = [rank(table(values), Settings(ties="random", seed=seed)) for seed in range(8)]
    assert coins[0] == rank(table(values), Settings(ties="random", seed=0))
    assert len({tuple(row.winrate for row in one.rows) for one in coins}) > 1
    outcomes = Outcomes(values, ties="random")
    (won,) = outcomes.tables(np.full((1, 4), 5000.0), np.random.default_rng(0))
    assert won[0, 1] == pytest.approx(10_000, abs=400)
    assert (won + won.T)[0, 1] == 20_000


def test_one_method_has_no_rank_and_the_reason_is_said() -> None:
    ranking = rank(drawn([0], 20))
    (row,) = ranking.rows
    assert (row.rank, row.ability, row.winrate) == (None, None, None)
    assert row.note == "compared with no other method"
    assert ranking.notes == ("one method only: there is nothing to rank it against",)


def test_one_document_gives_a_rank_and_no_interval() -> None:
    ranking = rank(table(np.array([[1.0], [2.0]])))
    assert [(row.rank, row.low) for row in ranking.rows] == [(1, None), (2, None)]
    assert {row.note for row in ranking.rows} == {"no interval: one document"}
    assert (ranking.resamples, ranking.used) == (0, 0)


def test_methods_scored_on_other_documents_are_ranked_apart() -> None:
    values = np.full((4, 20), np.nan)
    noise = np.random.default_rng(0).normal(size=(4, 10))
    values[:2, :10], values[2:, 10:] = noise[:2], noise[2:]
    values[1:3] += 9
    ranking = rank(table(values))
    assert [(row.method, row.rank, row.group) for row in ranking.rows] == [
        ("m1", 1, 1),
        ("m0", 2, 1),
        ("m2", 1, 2),
        ("m3", 2, 2),
    ]
    assert "m0, m1 | m2, m3" in ranking.notes[0]
    across = [one for one in ranking.pairs if (one.left, one.right) == ("m0", "m2")]
    assert [(one.winrate, one.above, one.n) for one in across] == [(None, None, 0)]


def test_a_method_is_compared_only_on_documents_that_both_were_scored_on() -> None:
    values = np.array([[1.0, 1, 1, np.nan], [0, 0, np.nan, 5], [2, np.nan, 0, 5]])
    ranking = rank(table(values))
    counts = {(one.left, one.right): (one.winrate, one.n) for one in ranking.pairs}
    assert counts == {("m0", "m1"): (1, 2), ("m0", "m2"): (0.5, 2), ("m1", "m2"): (0.25, 2)}
    assert {row.method: (row.n, row.expected) for row in ranking.rows}["m1"] == (3, 4)


def test_without_a_penalty_a_method_that_never_lost_has_no_ability() -> None:
    values = np.vstack([np.full(30, 9.0), np.random.default_rng(0).normal(size=(2, 30))])
    plain = rank(table(values), Settings(penalty=0))
    assert {row.ability for row in plain.rows} == {None}
    assert {row.note for row in plain.rows} == {"the likelihood has no maximum: give a penalty"}
    assert plain.used == 0
    penalized = rank(table(values))
    assert penalized.rows[0].method == "m0"
    assert penalized.rows[0].first == 1
    assert any("never lost" in note for note in penalized.notes)


def test_resamples_without_a_maximum_are_counted() -> None:
    values = np.array([[1.0] * 9 + [0.0], [0.0] * 9 + [1.0]])
    ranking = rank(table(values), Settings(penalty=0))
    assert ranking.rows[0].ability == pytest.approx(np.log(9) / 2)
    assert 0 < ranking.used < ranking.resamples == 500


def test_average_scores_give_an_order_and_a_warning_about_its_sizes() -> None:
    ranking = rank(drawn([0, 0.5, 1], 100), Settings(wins="averages"))
    assert [row.method for row in ranking.rows] == ["m2", "m1", "m0"]
    assert {one.n for one in ranking.pairs} == {1}
    assert any("transitive" in note for note in ranking.notes)
    plain = rank(drawn([0, 0.5, 1], 100), Settings(wins="averages", penalty=0))
    assert {row.ability for row in plain.rows} == {None}


def test_one_huge_score_decides_averages_and_one_document_alone_otherwise() -> None:
    values = np.vstack([np.ones(40), np.zeros(40)])
    values[1, 0] = 1e9
    assert rank(table(values)).rows[0].method == "m0"
    assert rank(table(values), Settings(wins="averages", bootstrap=50)).rows[0].method == "m1"


def test_resamples_draw_as_many_documents_as_there_are() -> None:
    blocks = list(resamples((17, 6), 40, np.random.default_rng(0)))
    assert sum(len(block) for block in blocks) == 40
    assert all((block.sum(axis=1) == 17).all() for block in blocks)


@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=4, max_size=4),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(["documents", "averages"]),
    st.sampled_from(["split", "random"]),
    st.sampled_from([0.0, 1.0]),
)
@settings(max_examples=80, deadline=None)
def test_every_method_has_a_finite_ability_or_a_reason(
    rows: list[list[int | None]], wins: str, ties: str, penalty: float
) -> None:
    values = np.array([[np.nan if v is None else v for v in row] for row in rows], dtype=float)
    how = Settings(wins=wins, ties=ties, penalty=penalty, bootstrap=20)  # type: ignore[arg-type]
    if np.isnan(values).all():
        with pytest.raises(UsageError, match="nothing to rank"):
            rank(table(values), how)
        return
    ranking = rank(table(values), how)
    assert {row.method for row in ranking.rows} == set(table(values).methods)
    for row in ranking.rows:
        numbers = (row.ability, row.mean, row.low, row.high, row.first, row.winrate)
        assert all(one is None or np.isfinite(one) for one in numbers)
        assert (row.rank is None) == (row.ability is None)
        assert row.note if row.ability is None or row.low is None else True
        if row.low is not None and row.high is not None:
            assert row.low <= row.high


@pytest.mark.parametrize(
    "wrong",
    [{"sigma": 0}, {"sigma": float("nan")}, {"penalty": -1}, {"penalty": 1e-9}, {"bootstrap": 0}],
)
def test_a_setting_out_of_range_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        Settings(**wrong)  # type: ignore[arg-type]
    with pytest.raises(UnknownName):
        Settings(ties="half")  # type: ignore[arg-type]


def test_lines_make_a_table_in_which_every_gap_has_its_reason() -> None:
    made = score_table(
        [
            Scored(method="b", document="2", score=1.0),
            Scored(method="a", document="1", score=None, note="no reference"),
            Scored(method="a", document="2", score=3.0),
        ]
    )
    assert (made.methods, made.documents) == (("a", "b"), ("1", "2"))
    assert np.isnan(made.values).tolist() == [[True, False], [True, False]]
    assert made.reasons == (
        (("no reference", 1),),
        (("no line for this method and document", 1),),
    )
