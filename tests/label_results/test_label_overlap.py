"""Overlap of highlights: the published rule on cases worked out by hand, and its chance level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.labels.agreement.chance import by_chance, drawn, fitted
from annotation.labels.agreement.overlap import SHARED, Overlap, overlap, overlaps, pairs
from globesumm.errors import UnknownName


def test_what_one_contains_of_the_other_is_a_match() -> None:
    first = ["the ferry sank at dawn", "forty were saved"]
    second = ["ferry sank", "the captain fled the scene", "forty were saved by rescuers"]
    found = overlap(first, second)
    assert (found.matched, found.of_first, found.of_second) == (2, 1.0, 2 / 3)
    assert found.mean == pytest.approx(5 / 6)


def test_a_common_subsequence_of_more_than_half_of_the_shorter_is_a_match() -> None:
    # Of "a b c d" and "a x b y c z": a, b, c are three of four words.
    assert pairs(["a b c d"], ["a x b y c z"]) == [(0, 0)]
    # Two of four are exactly half, and half is not more than half.
    assert pairs(["a b c d"], ["a x b y e z"]) == []


def test_the_first_that_matches_is_taken_and_not_the_best() -> None:
    # "a b c" matches both; it takes the first, and nothing is left for the second.
    assert pairs(["a b c", "a b"], ["a b x", "a b c"]) == [(0, 0), (1, 1)]
    assert pairs(["a b c"], ["a b x", "a b c"]) == [(0, 0)]


def test_each_excerpt_is_matched_once() -> None:
    found = overlap(["forty saved", "forty saved"], ["forty saved"])
    assert (found.matched, found.of_first, found.of_second) == (1, 0.5, 1.0)


def test_who_highlights_nothing_has_no_share() -> None:
    found = overlap([], ["forty saved"])
    assert (found.of_first, found.of_second, found.mean) == (None, 0.0, None)
    assert overlap([" "], ["\n"]) == Overlap(first=0, second=0, matched=0)


def test_means_leave_out_texts_without_highlights_and_say_so() -> None:
    given_ = [Overlap(first=1, second=2, matched=1), Overlap(first=0, second=2, matched=0)]
    found = overlaps(given_)
    assert (found.mean, found.n, found.expected) == (0.75, 1, 2)
    # The deviation is that of the single shares 1 and 1/2.
    assert found.deviation == pytest.approx(0.25)
    assert overlaps([]).note == "no text that two people highlighted"
    assert overlaps([Overlap(first=0, second=0, matched=0)]).note == "nothing is highlighted"


@pytest.mark.parametrize("shared", SHARED)
def test_highlights_of_oneself_match_wholly_in_every_script(shared: str) -> None:
    texts = [
        "الحكومة أعلنت",
        "नदी में बाढ़",
        "מעבורת טבעה",
        "Έξι νεκροί",
        "연락선이 침몰했다",
        "渡船沉没",
    ]
    assert overlap(texts, texts, shared).mean == 1.0


excerpts = st.lists(st.text(alphabet="ab ", min_size=1, max_size=8), max_size=6)


@given(excerpts, excerpts, st.sampled_from(sorted(SHARED)))
def test_matches_are_one_to_one_and_shares_between_0_and_1(
    first: list[str], second: list[str], shared: str
) -> None:
    found = pairs(first, second, shared)
    assert len({a for a, _ in found}) == len({b for _, b in found}) == len(found)
    one = overlap(first, second, shared)
    assert one.mean is None or 0 <= one.mean <= 1


def test_an_unknown_way_to_compare_is_named() -> None:
    with pytest.raises(UnknownName, match="substring"):
        pairs(["a"], ["a"], "substrings")


def test_counts_and_lengths_are_fitted_to_people() -> None:
    fit = fitted([["a b c", "a"], ["a b"], []])
    assert fit is not None
    assert fit.counts == pytest.approx((1.0, (2 / 3) ** 0.5))
    assert fit.lengths == pytest.approx((2.0, (2 / 3) ** 0.5))
    assert fitted([[], [" "]]) is None


def test_random_highlights_have_the_counts_and_lengths_of_people() -> None:
    fit = fitted([["a b c"] * 4])
    assert fit is not None
    text = " ".join(map(str, range(100)))
    held = drawn(text, fit, np.random.default_rng(0))
    assert [len(one.split()) for one in held] == [3, 3, 3, 3]
    assert all(one in text for one in held)
    assert drawn("", fit, np.random.default_rng(0)) == []


def test_chance_has_the_overlap_that_can_be_worked_out() -> None:
    # One highlight of one word among n: two people meet in 1 of n cases.
    found = by_chance(["a b c d"], [["a"]], draws=4000, seed=1)
    assert found.mean == pytest.approx(0.25, abs=0.03)
    assert (found.n, found.expected) == (4000, 4000)
    # A highlight of the whole text is always the same.
    assert by_chance(["a b"], [["a b"]], draws=10).mean == 1.0


def test_without_highlights_there_is_no_chance_level() -> None:
    found = by_chance(["a b"], [[]])
    assert (found.mean, found.note) == (None, "people highlighted nothing")
