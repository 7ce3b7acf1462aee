"""Agreement of a metric with people, against scipy, by hand and at the edges."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.errors import UnknownName, UsageError
from globesumm.values import Rejected
from metrics import Better
from metrics.meta import Agreement, Judged, agreement, correlation, read_judged

stats = pytest.importorskip("scipy.stats")


def judged(rows: list[tuple[str, str, float | None, float | None]]) -> list[Judged]:
    return [Judged(document=d, system=s, metric=m, truth=t) for d, s, m, t in rows]


def named(found: list[Agreement]) -> dict[tuple[str, str], Agreement]:
    return {(one.level, one.name): one for one in found}


def random_rows(documents: int = 8, systems: int = 5) -> list[tuple[str, str, float, float]]:
    numbers = np.random.default_rng(2)
    return [
        (f"d{d}", f"s{s}", float(numbers.normal(s)), float(numbers.integers(1, 6) + s))
        for d in range(documents)
        for s in range(systems)
    ]


@given(
    st.lists(st.tuples(st.integers(0, 5), st.floats(-10, 10, width=16)), min_size=2, max_size=15)
)
def test_correlations_are_those_of_scipy(points: list[tuple[int, float]]) -> None:
    left, right = np.array(points, dtype=np.float64).T
    functions = {
        "spearman": stats.spearmanr,
        "kendall": stats.kendalltau,
        "pearson": stats.pearsonr,
    }
    for kind, function in functions.items():
        found = correlation(kind, left, right)
        if np.ptp(left) == 0 or np.ptp(right) == 0:
            assert found is None
        else:
            assert found == pytest.approx(float(function(left, right).statistic), abs=1e-6)


def test_levels_correlate_what_they_say() -> None:
    rows = random_rows()
    found = named(agreement(judged([*rows]), resamples=20))
    metric, truth = np.array([(m, t) for _, _, m, t in rows]).T
    assert found["pooled", "kendall"].value == pytest.approx(stats.kendalltau(metric, truth)[0])
    within = [
        stats.spearmanr(metric[d * 5 : d * 5 + 5], truth[d * 5 : d * 5 + 5])[0] for d in range(8)
    ]
    assert found["summary", "spearman"].value == pytest.approx(np.mean(within))
    means = metric.reshape(8, 5).mean(axis=0), truth.reshape(8, 5).mean(axis=0)
    assert found["system", "pearson"].value == pytest.approx(stats.pearsonr(*means)[0])
    assert (found["pooled", "spearman"].n, found["summary", "spearman"].n) == (40, 8)
    assert found["system", "spearman"].n == 5


def test_the_interval_encloses_the_value_and_is_the_same_for_any_order() -> None:
    rows = judged([*random_rows()])
    found = agreement(rows, resamples=200)
    assert agreement(list(reversed(rows)), resamples=200) == found
    for one in found:
        assert one.value is not None
        assert one.low is not None
        assert one.high is not None
        assert -1 <= one.low <= one.value <= one.high <= 1


@pytest.mark.parametrize(
    ("ties", "expected"), [("half", 4.5 / 6), ("wrong", 4 / 6), ("skip", 4 / 5)]
)
def test_winrate_counts_pairs_within_documents_and_ties_as_set(
    ties: Literal["half", "wrong", "skip"], expected: float
) -> None:
    # a-b lost; a-c, a-d, b-d and c-d won; b-c tied by the metric; d-e not told apart by people.
    rows = [("y", "a", 1, 2), ("y", "b", 2, 1), ("y", "c", 2, 3), ("y", "d", 0, 0)]
    found = named(agreement(judged([*rows, ("z", "d", 1, 1), ("z", "e", 2, 1)]), ties=ties))
    winrate = found["summary", f"winrate (ties {ties})"]
    assert winrate.value == pytest.approx(expected)
    assert (winrate.n, winrate.expected) == (1, 2)


def test_a_metric_where_lower_is_better_is_turned_round() -> None:
    rows = judged([("x", "a", 1, 3), ("x", "b", 2, 2), ("x", "c", 3, 1)])
    found = named(agreement(rows, better=Better.LOWER))
    assert found["pooled", "spearman"].value == pytest.approx(1)
    assert found["summary", "winrate (ties half)"].value == 1


def test_balanced_accuracy_is_given_where_truth_is_binary() -> None:
    rows = judged([("x", "a", 0.9, 1), ("x", "b", 0.2, 1), ("y", "a", 0.1, 0), ("y", "b", 0.5, 0)])
    found = named(agreement(rows))["pooled", "balanced accuracy"]
    assert found.value == pytest.approx((1 / 2 + 2 / 2) / 2)
    low = named(agreement(rows, threshold=0.15))["pooled", "balanced accuracy"]
    assert low.value == pytest.approx((2 / 2 + 1 / 2) / 2)
    turned = named(agreement(rows, better=Better.LOWER))["pooled", "balanced accuracy"]
    assert turned.value == pytest.approx((1 / 2 + 1 / 2) / 2)
    graded = named(agreement(judged([("x", "a", 1, 3), ("x", "b", 2, 1)])))
    assert ("pooled", "balanced accuracy") not in graded


def test_missing_values_are_left_out_and_counted() -> None:
    rows = [*random_rows(), ("d0", "s9", None, 3.0), ("d0", "s8", 1.0, None)]
    found = named(agreement(judged([*rows]), resamples=5))
    assert (found["pooled", "spearman"].n, found["pooled", "spearman"].expected) == (40, 42)
    assert (found["system", "spearman"].n, found["system", "spearman"].expected) == (5, 7)


def test_what_is_not_defined_is_none_with_the_reason() -> None:
    for found in (
        agreement(judged([("x", "a", 1, 2)])),
        agreement(judged([("x", "a", 1, 2), ("y", "a", 1, 3), ("y", "b", 1, 3)])),
        agreement(judged([("x", "a", None, 2), ("y", "a", None, None)])),
    ):
        for one in found:
            assert one.value is None
            assert one.low is None
            assert one.note
    with pytest.raises(UsageError, match="no rows"):
        agreement([])
    with pytest.raises(UnknownName, match="'half'"):
        agreement(judged([("x", "a", 1, 2)]), ties="halves")  # type: ignore[arg-type]


def test_rows_are_read_with_named_rejections_and_sliced(tmp_path: Path) -> None:
    path = tmp_path / "meta.jsonl"
    path.write_text(
        '{"document": "a", "summary": "1", "system": "s", "metric": 0.5, "truth": true}\n'
        '{"document": "b", "summary": "2", "system": "s", "metric": null, "truth": 3}\n'
        '{"document": "b", "summary": "2", "system": "s", "metric": "high", "truth": 3}\n'
    )
    first, second, third = read_judged(path)
    assert isinstance(first, Judged)
    assert isinstance(second, Judged)
    assert (first.metric, first.truth, second.metric) == (0.5, 1.0, None)
    assert isinstance(third, Rejected)
    assert third.where.endswith(":3")
    assert (first.document, second.document) == ("a", "b")


def test_spearmans_rho_of_the_textbook_example_comes_out() -> None:
    # Wikipedia, Spearman's rank correlation coefficient: IQ and hours of television a week.
    iq = np.array([106, 100, 86, 101, 99, 103, 97, 113, 112, 110], dtype=np.float64)
    hours = np.array([7, 27, 2, 50, 28, 29, 20, 12, 6, 17], dtype=np.float64)
    assert correlation("spearman", iq, hours) == pytest.approx(-29 / 165)


def finesure_sentences(path: Path) -> Iterator[Judged]:
    """Each sentence that people agree about, with the published labels of a model and theirs.

    A label of one annotator in three is dropped, as FineSurE's rules have it; 1 is an error.
    """
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        people = row["raw_annotations"]
        people = ast.literal_eval(people) if isinstance(people, str) else people
        votes = zip(*(one["factuality_labels"] for one in people.values()), strict=True)
        for place, (said, truth) in enumerate(
            zip(row["pred_faithfulness_labels"], votes, strict=True)
        ):
            yield Judged(
                document=f"{row['doc_id']} {row['model']}",
                system=row["model"],
                summary=str(place),
                metric=said,
                truth=float(sum(vote > 0 for vote in truth) > 1),
            )


def test_the_balanced_accuracy_of_finesures_fact_checking_comes_out(shared_data: Path) -> None:
    path = shared_data / "metrics/finesure/result-fact-checking-raw.jsonl"
    found = named(agreement(finesure_sentences(path), resamples=10))["pooled", "balanced accuracy"]
    assert found.value == 0.8125
    assert found.n == 30
