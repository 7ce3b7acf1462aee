"""Pairs of sentences with a known answer."""

from pathlib import Path

import pytest

from baselines.extractive.encoders import choose
from baselines.studies.alignment import aligned
from baselines.studies.alterations import KINDS, alter
from baselines.studies.multiling_data import load
from baselines.studies.sentence_pairs import across_languages, in_one_language, stated_too


def test_pairs_in_one_language_differ_in_the_altered_detail_alone(mini_multiling: Path) -> None:
    pairs = in_one_language(load(mini_multiling), seed=0, count=12)
    assert {pair.kind for pair in pairs} == {*KINDS, None}
    for pair in pairs:
        assert pair.left_language == pair.right_language
        assert pair.altered is not None
        assert pair.altered.text == pair.right != pair.left
        assert pair.published is not None


def test_pairs_are_spread_over_kinds_and_languages(mini_multiling: Path) -> None:
    pairs = in_one_language(load(mini_multiling), seed=0, count=6)
    altered = [(pair.kind, pair.left_language) for pair in pairs if pair.kind]
    assert sorted(altered) == sorted((kind, code) for kind in KINDS for code in ("en", "fr"))


def test_a_text_too_small_for_the_count_gives_fewer_pairs_and_none_twice(
    mini_multiling: Path,
) -> None:
    pairs = in_one_language(load(mini_multiling), seed=0, count=1000)
    assert 0 < len(pairs) < 1000
    assert len({(pair.id, pair.kind) for pair in pairs}) == len(pairs)


def test_translations_are_aligned_across_languages(mini_multiling: Path) -> None:
    pilot = load(mini_multiling)
    pairs = across_languages(pilot, 0, 6, choose("hashed-ngrams"), documents=6)
    assert pairs
    for pair in pairs:
        assert {pair.left_language, pair.right_language} == {"en", "fr"}
        assert (pair.kind is None) == (pair.altered is None)


def test_alignment_keeps_the_order_and_refuses_far_places_and_odd_lengths() -> None:
    encoder = choose("hashed-ngrams")
    left = ["The dam burst on Sunday.", "Soldiers were sent.", "An inquiry began on Friday."]
    assert aligned(left, left, encoder) == [(0, 0), (1, 1), (2, 2)]
    assert aligned(left, list(reversed(left)), encoder) == [(1, 1)]
    assert aligned(left, [], encoder) == []


@pytest.mark.parametrize(
    ("sentence", "kind", "translation", "expected"),
    [
        ("In all 340 houses stood there.", "number", "En tout 340 maisons.", True),
        ("In all 340 houses stood there.", "number", "En tout des maisons.", False),
        ("It burst in early June again.", "date", "Il a cédé en juin.", True),
        ("It burst in early June again.", "date", "Il a cédé en mai.", False),
        ("It was shut again later.", "negation", "Il a fermé.", True),
        ("It was shut again later.", "negation", "Il n'a pas ouvert.", False),
    ],
)
def test_only_a_detail_that_the_translation_states_too_is_altered(
    sentence: str, kind: str, translation: str, *, expected: bool
) -> None:
    changed = alter(sentence, "en", kind, 0)
    assert changed is not None
    assert stated_too(translation, "fr", "en", changed) is expected


@pytest.mark.slow
def test_the_real_texts_yield_the_pairs_that_the_study_asks_for(shared_data: Path) -> None:
    pairs = in_one_language(load(shared_data), seed=0, count=200)
    assert sum(pair.kind is not None for pair in pairs) == 200
    assert sum(pair.kind is None for pair in pairs) == 200
    assert len({pair.left_language for pair in pairs}) == 7
