"""Means, intervals, comparisons and tables."""

import math
import random
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.errors import UsageError
from globesumm.records import to_json
from globesumm.values import Document, Event, Rejected, Round, Score, Sentence, Summary
from metrics import (
    Aggregate,
    Better,
    Column,
    Rouge,
    aggregate,
    candidates_of,
    compare,
    read_candidates,
    slice_keys,
    slices,
    table,
)
from metrics.comparison import holm
from metrics.permutation import paired_permutation
from metrics.scoring import records

COLUMN = Column(name="rouge1", better=Better.HIGHER, low=0.0, high=1.0)


def score(
    value: float | None,
    number: int = 0,
    *,
    signature: str = "rouge|v:1",
    note: str | None = None,
    language: str | None = None,
    event: str | None = None,
    round: int | None = None,  # noqa: A002
) -> Score:
    return Score(
        id=f"item{number}",
        metric="rouge1",
        value=value,
        signature=signature,
        note=note,
        language=language,
        event=event,
        round=round,
    )


values = st.lists(st.one_of(st.none(), st.floats(-2, 2)), min_size=1, max_size=30)


@given(values, st.randoms(use_true_random=False))
def test_the_order_of_scores_never_changes_an_aggregate(
    given_values: list[float | None], shuffler: random.Random
) -> None:
    scores = [score(v, i, note=None if v else "why") for i, v in enumerate(given_values)]
    first = aggregate(scores, resamples=50)
    shuffler.shuffle(scores)
    assert aggregate(scores, resamples=50) == first


@given(values)
def test_an_aggregate_is_the_mean_of_what_was_scored_within_its_interval(
    given_values: list[float | None],
) -> None:
    (found,) = aggregate([score(value) for value in given_values], resamples=200)
    known = [value for value in given_values if value is not None]
    assert (found.n, found.expected) == (len(known), len(given_values))
    if not known:
        assert found.mean is None
    else:
        assert found.mean == pytest.approx(math.fsum(known) / len(known))
    if found.low is not None and found.high is not None:
        assert min(known) - 1e-9 <= found.low <= found.high <= max(known) + 1e-9
    assert (found.low is None) == (len(known) < 2)


def test_reasons_for_missing_values_are_counted() -> None:
    (found,) = aggregate([score(None, note="b"), score(None, note="a"), score(None, note="b")])
    assert found.reasons == (("b", 2), ("a", 1))
    assert found.mean is None


def test_a_bootstrap_interval_covers_the_true_mean_about_as_often_as_it_says() -> None:
    numbers = np.random.default_rng(1)
    covered = 0
    for trial in range(200):
        draws = numbers.normal(0.3, 0.1, 40)
        (found,) = aggregate([score(float(v)) for v in draws], resamples=300, seed=trial)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.3 <= found.high
    assert 0.88 <= covered / 200 <= 0.99


def test_unequal_signatures_in_one_column_are_refused_with_what_differs() -> None:
    scores = [
        score(0.5, signature="rouge|stem:none|v:1"),
        score(0.5, signature="rouge|stem:porter|v:1"),
    ]
    with pytest.raises(UsageError, match="stem: none / porter"):
        aggregate(scores)


def test_a_table_refuses_rows_with_unequal_signatures() -> None:
    rows = {
        name: aggregate([score(0.5, signature=signature)])
        for name, signature in (("a", "rouge|v:1"), ("b", "rouge|v:2"))
    }
    with pytest.raises(UsageError, match="v: 1 / 2"):
        table(rows, [COLUMN])


def test_slices_split_by_language_prefix_category_and_number_of_languages() -> None:
    event = Event(
        id="e",
        description="",
        category="disaster",
        documents=tuple(Document(id=c, text="", language=c) for c in ("en", "fr", "en")),
    )
    scores = [
        score(0.1, 1, language="en", event="e", round=10),
        score(0.3, 2, language="en", event="e", round=9),
        score(0.5, 3, language="fr", event="other", round=9),
    ]
    keys = slice_keys([event])
    found = {
        name: {k: a[0].mean for k, a in slices(scores, key).items()} for name, key in keys.items()
    }
    assert found == {
        "language": {"en": pytest.approx(0.2), "fr": 0.5},
        "prefix": {"9": pytest.approx(0.4), "10": 0.1},
        "category": {"disaster": pytest.approx(0.2), "(not stated)": 0.5},
        "languages": {"2": pytest.approx(0.2), "(not stated)": 0.5},
    }
    assert list(found["prefix"]) == ["9", "10"]


def test_a_paired_permutation_test_gives_the_value_counted_by_hand() -> None:
    # Signs of (1, 2, 3): sums ±6, ±4, ±2, ±0, ±0; as far from 0 as 6: two of eight.
    assert paired_permutation(np.array([1.0, 2, 3])) == 0.25


def test_random_permutations_come_near_the_exact_value() -> None:
    scipy = pytest.importorskip("scipy.stats")
    numbers = np.random.default_rng(3)
    differences = numbers.normal(0.2, 1, 40)
    expected = scipy.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=9999, random_state=0
    ).pvalue
    assert paired_permutation(differences) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("seed", range(4))
def test_above_the_exact_size_the_test_is_as_good_as_counting_every_change_of_sign(
    seed: int,
) -> None:
    differences = np.random.default_rng(seed).normal(0.3, 1, 16)
    signs = (np.arange(1 << 16)[:, None] >> np.arange(16) & 1) * 2.0 - 1
    counted = np.mean(np.abs(signs @ differences) >= abs(differences.sum()) * (1 - 1e-12))
    assert paired_permutation(differences) == pytest.approx(counted, rel=0.02)


def test_the_ways_for_more_and_for_fewer_pairs_meet() -> None:
    differences = np.random.default_rng(5).normal(0.15, 1, 257)
    many = paired_permutation(differences)
    few = paired_permutation(np.delete(differences, np.abs(differences).argmin()))
    assert 0 < many < 0.2
    assert many == pytest.approx(few, rel=0.03)


def test_a_clear_difference_survives_a_correction_over_many_tests() -> None:
    differences = np.random.default_rng(0).normal(1, 0.2, 74)
    assert paired_permutation(differences) == pytest.approx(2 / 2**74, rel=1e-6)
    assert holm([paired_permutation(differences)] * 1000)[0] == pytest.approx(0, abs=1e-15)
    assert paired_permutation(np.zeros(74)) == 1
    assert paired_permutation(np.array([1.0, -1.0] * 20)) == 1


def test_systems_are_compared_on_the_items_that_both_have() -> None:
    left = [score(0.5 + i / 100, i) for i in range(12)] + [score(None, 12, note="no")]
    right = [score(0.4 + i / 100, i) for i in range(13)]
    (found,) = compare({"a": left, "b": right}, "rouge1", resamples=500)
    assert (found.left, found.right, found.n, found.expected) == ("a", "b", 12, 13)
    assert found.difference == pytest.approx(0.1)
    assert found.p_permutation == pytest.approx(2 / 2**12)
    assert found.p_bootstrap is not None
    assert found.p_bootstrap < 0.01
    assert found.p_adjusted == found.p_permutation


def test_equal_systems_do_not_differ() -> None:
    same = [score(i / 10, i) for i in range(10)]
    (found,) = compare({"a": same, "b": list(reversed(same))}, "rouge1", resamples=200)
    assert (found.difference, found.p_permutation, found.p_bootstrap) == (0, 1, 1)


def test_pairing_needs_one_score_an_item_and_one_signature() -> None:
    with pytest.raises(UsageError, match="two scores of rouge1 for the item 'item1'"):
        compare({"a": [score(0, 1), score(1, 1)], "b": [score(0, 1)]}, "rouge1")
    with pytest.raises(UsageError, match="unequal signatures"):
        compare({"a": [score(0)], "b": [score(0, signature="rouge|v:2")]}, "rouge1")
    with pytest.raises(UsageError, match="no scores of metric 'red'"):
        compare({"a": [score(0)]}, "red")


def test_one_common_item_gives_a_difference_without_a_test() -> None:
    (found,) = compare({"a": [score(0.5)], "b": [score(0.25)]}, "rouge1")
    assert (found.difference, found.p_permutation, found.low) == (0.25, None, None)


def test_holms_correction_gives_the_textbook_values() -> None:
    # Smallest first: .005 × 4, .01 × 3, .03 × 2, .04 × 1 raised to the .06 before it.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([None, 0.6, 0.7]) == [None, 1.0, 1.0]


def rows() -> dict[str, list[Aggregate]]:
    return {
        "a|b & c": aggregate([score(0.4812), score(0.4), score(None, note="no <reference>")]),
        "d": [],
    }


def test_markdown_shows_direction_interval_n_of_n_and_reasons() -> None:
    found = table(rows(), [COLUMN]).markdown()
    assert found.splitlines()[:4] == [
        "| system | rouge1 ↑ |",
        "| --- | ---: |",
        "| a\\|b & c | 44.06 [40.00, 48.12] (2/3) |",
        "| d | – |",
    ]
    assert "- rouge1 ↑: rouge\\|v:1" in found
    assert "- a\\|b & c, rouge1: no &lt;reference> (1)" in found
    assert "- d, rouge1: not computed" in found


def test_latex_escapes_what_latex_would_read() -> None:
    found = table(rows(), [COLUMN], intervals=False).latex()
    assert r"a\textbar{}b \& c & 44.06 (2/3) \\" in found
    assert r"system & rouge1 $\uparrow$ \\" in found


def test_tsv_has_a_column_for_each_number() -> None:
    header, first, second, *notes = table(rows(), [COLUMN]).tsv().splitlines()
    assert header.split("\t") == [
        "system",
        *(f"rouge1{end}" for end in ("", "_low", "_high", "_n", "_expected")),
    ]
    assert first.split("\t") == ["a|b & c", "44.0600", "40.0000", "48.1200", "2", "3"]
    assert second.split("\t") == ["d", "", "", "", "", ""]
    assert all(note.startswith("# ") for note in notes)


def test_a_candidates_file_yields_candidates_and_named_rejections(tmp_path: Path) -> None:
    path = tmp_path / "candidates.jsonl"
    path.write_text(
        '{"id": "1", "candidate": "ok", "references": ["ok"], "language": "heb"}\n'
        '{"id": "2", "candidate": "ok", "language": "klingonese"}\n'
        '{"id": "1", "candidate": "again", "language": "en"}\n'
        '{"id": "3", "candidate": 7, "language": "en"}\n'
        '{"id": "4", "candidate": "ok", "language": "en", "reference": []}\n'
        '{"id": "5", "candidate": "ok", "language": "en", "documents": ["one", "two"]}\n'
        "no json\n"
    )
    found = list(read_candidates(path))
    kept = [one for one in found if not isinstance(one, Rejected)]
    assert [(one.id, one.language) for one in kept] == [("1", "he"), ("5", "en")]
    assert [document.text for document in kept[1].documents] == ["one", "two"]
    reasons = [one.reason for one in found if isinstance(one, Rejected)]
    assert [one.where for one in found if isinstance(one, Rejected)] == [
        f"{path}:{line}" for line in (2, 3, 4, 5, 7)
    ]
    assert "klingonese" in reasons[0]
    assert "was on a line before" in reasons[1]
    assert "candidate" in reasons[2]
    assert "reference" in reasons[3]


def summary() -> tuple[Summary, Event]:
    documents = tuple(
        Document(id=name, text="", language="fr", published=datetime(2026, 1, day, tzinfo=UTC))
        for day, name in enumerate(("d1", "d2"), 1)
    )
    rounds = (
        Round(index=1, documents=("d1",), added=("d1",), summary="One."),
        Round(
            index=2,
            documents=("d1", "d2"),
            added=("d2",),
            summary="One. Deux.",
            sentences=(Sentence(text="One.", language="en"), Sentence(text="Deux.", language="fr")),
        ),
    )
    made = Summary(
        event="e",
        recipe="crs.none.direct",
        model="m",
        target="en",
        text="One. Deux.",
        rounds=rounds,
    )
    return made, Event(id="e", description="", documents=documents, references=("One.",))


def test_a_summarys_last_round_is_held_against_the_references_and_earlier_ones_are_not() -> None:
    first, last = candidates_of(*summary(), prefixes=True)
    assert (first.id, first.references, len(first.documents)) == ("e#1", (), 1)
    assert (last.id, last.references, len(last.documents)) == ("e", ("One.",), 2)
    assert last.sentences is not None
    assert candidates_of(*summary()) == [last]
    assert Rouge().score([last])[0].recipe == "crs.none.direct"


def test_printed_records_end_with_the_aggregate() -> None:
    *single, last = records(Rouge(types=("rouge1",)).score(candidates_of(*summary())))
    assert list(single[0]) == ["id", "metric", "value", "signature", "note", "recipe", "round"]
    assert last["aggregate"][0]["mean"] == single[0]["value"]
    assert to_json(last)
