"""Coefficients of agreement against textbooks, other packages and their own definitions."""

import json
import os
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.labels.agreement.coefficients import (
    MEASURES,
    NOBODY_TWICE,
    ONE_ANSWER,
    all_measured,
    measured,
)
from annotation.labels.agreement.ratings import (
    Ratings,
    Value,
    from_counts,
    from_matrix,
    ratings,
)
from globesumm.errors import UnknownName, UsageError


@pytest.fixture(scope="module")
def textbook() -> dict[str, Any]:
    data = os.environ.get("GLOBESUMM_DATA")
    path = Path(data or "") / "metrics" / "own" / "stats_values.json"
    if not data or not path.is_file():
        pytest.skip("textbook values: set GLOBESUMM_DATA to the folder of shared data")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def value(of: Ratings, name: str) -> float | None:
    return measured(of, name, resamples=0).value


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_krippendorffs_own_example_gives_his_alpha(textbook: dict[str, Any], level: str) -> None:
    row = textbook["krippendorff_2011_C"]
    found = value(from_matrix(row["data"]), f"alpha, {level}")
    assert found == pytest.approx(row["alpha"][level], abs=1e-6)


def test_the_textbook_table_gives_fleiss_kappa(textbook: dict[str, Any]) -> None:
    row = textbook["fleiss_wikipedia"]
    found = value(from_counts(row["table"]), "Fleiss's kappa")
    assert found == pytest.approx(row["kappa"], abs=1e-6)


def test_the_textbook_counts_give_cohens_kappa(textbook: dict[str, Any]) -> None:
    row = textbook["cohen"]
    counts = row["counts"]
    pairs = [
        (one, other)
        for name, times in counts.items()
        for one, other in [name.split("_")]
        for _ in range(times)
    ]
    found = value(from_matrix(list(zip(*pairs, strict=True))), "Cohen's kappa")
    assert found == pytest.approx(row["kappa"], abs=1e-6)


answers = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30)


@given(answers)
def test_cohens_kappa_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*pairs, strict=True)
    found = value(from_matrix([first, second]), "Cohen's kappa")
    if len({*first, *second}) == 1:
        assert found is None
    else:
        assert found == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


@given(answers)
def test_percent_of_two_people_is_the_share_of_equal_answers(pairs: list[tuple[int, int]]) -> None:
    found = value(from_matrix(list(zip(*pairs, strict=True))), "percent")
    assert found == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))


said = st.integers(0, 2) | st.none()


@given(st.lists(st.tuples(said, said, said), min_size=1, max_size=20))
def test_no_measure_is_a_nan_and_none_warns_whatever_is_missing(
    units: list[tuple[int | None, ...]],
) -> None:
    of = from_matrix(list(zip(*units, strict=True)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in MEASURES:
            found = measured(of, name, resamples=5)
            assert (found.value is None) == (found.note in (NOBODY_TWICE, ONE_ANSWER))
            if found.value is not None:
                assert -1 - 1e-9 <= found.value <= 1 + 1e-9 or name.startswith("alpha")
                assert found.n > 0


def test_an_answer_that_only_a_lonely_unit_has_changes_nothing() -> None:
    rows: list[list[Value | None]] = [[0, 1, 0, 1, 2], [0, 1, 1, 1, None]]
    for name in MEASURES:
        lonely = measured(from_matrix(rows), name, resamples=0)
        without = measured(from_matrix([row[:4] for row in rows]), name, resamples=0)
        assert lonely.value == without.value
        assert (lonely.n, lonely.expected) == (4, 5)


@pytest.mark.parametrize("name", MEASURES)
def test_full_agreement_is_one(name: str) -> None:
    of = from_matrix([[1, 2, 3, 1], [1, 2, 3, 1], [1, 2, 3, 1]])
    assert value(of, name) == pytest.approx(1.0)


@pytest.mark.parametrize("name", MEASURES)
def test_without_a_unit_that_two_rated_there_is_no_value_and_the_reason(name: str) -> None:
    rows: list[list[Value | None]] = [[1, None], [None, 0]]
    found = measured(from_matrix(rows), name)
    assert (found.value, found.low, found.n, found.expected) == (None, None, 0, 2)
    assert found.note is not None
    assert "two people" in found.note
    assert measured(ratings([]), name).value is None


@pytest.mark.parametrize("name", ["alpha, ordinal", "alpha, interval"])
def test_words_have_no_order(name: str) -> None:
    found = measured(from_matrix([["a", "b"], ["a", "b"]]), name)
    assert found.value is None
    assert found.note == "the answers are words without an order"


def test_an_interval_holds_its_value_and_is_the_same_for_the_same_seed() -> None:
    said = [
        (str(u), who, (u + (who == "c" and u % 3 == 0)) % 2) for u in range(60) for who in "abc"
    ]
    for one in all_measured(ratings(said), resamples=200, seed=4):
        assert one.value is not None
        assert one.low is not None
        assert one.high is not None
        assert one.low <= one.value <= one.high
        again = measured(ratings(said), one.name, resamples=200, seed=4)
        assert again == one


def test_cells_of_one_item_are_drawn_together() -> None:
    said = [
        (f"{item}/{cell}", who, (item + cell) % 2)
        for item in range(2)
        for cell in range(9)
        for who in "ab"
    ]
    one_group = ratings(said, {f"{item}/{cell}": "same" for item in (0, 1) for cell in range(9)})
    found = measured(one_group, "percent")
    assert (found.value, found.low, found.high) == (1.0, None, None)


def test_units_with_another_number_of_answers_are_left_out_of_fleiss_and_named() -> None:
    rows: list[list[Value | None]] = [[1, 0, 1, 1], [1, 0, 1, 0], [1, 0, 0, None]]
    found = measured(from_matrix(rows), "Fleiss's kappa")
    assert (found.n, found.expected) == (3, 4)
    assert found.note == "1 units have another number of answers than 3"
    whole = from_matrix([[1, 0, 1], [1, 0, 1], [1, 0, 0]])
    assert found.value == measured(whole, "Fleiss's kappa").value


def test_two_answers_of_one_person_on_one_unit_are_refused() -> None:
    with pytest.raises(UsageError, match="says both"):
        ratings([("u", "ann", True), ("u", "ann", False)])


def test_an_unknown_measure_is_named() -> None:
    with pytest.raises(UnknownName, match="Cohen"):
        measured(ratings([]), "Cohen kappa")
