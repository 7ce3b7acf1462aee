"""Novel n-grams and fragments equal hand-computed values and a plain reading of the paper."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.values import Document, Sentence
from metrics.abstractiveness import Abstractiveness, Length
from metrics.base import Candidate, Measured, Metric
from metrics.fragments import Fragments, TooRepetitive, greedy, longest


def held(text: str, *sources: str, language: str = "en", source_language: str = "en") -> Candidate:
    documents = tuple(
        Document(id=str(place), text=one, language=source_language)
        for place, one in enumerate(sources)
    )
    return Candidate(id="x", text=text, language=language, documents=documents)


def measured(metric: Metric, candidate: Candidate) -> dict[str, Measured]:
    (found,) = metric.measure([candidate])
    return dict(found)


def values(metric: Metric, candidate: Candidate) -> dict[str, float | None]:
    return {name: one.value for name, one in measured(metric, candidate).items()}


def published(summary: list[str], text: list[str]) -> Fragments:
    """Figure 3 of Grusky et al. (2018), line by line: slow, and with its jump."""
    lengths = []
    i = j = 0
    while i < len(summary):
        best = 0
        while j < len(text):
            if summary[i] == text[j]:
                i2, j2 = i, j
                while i2 < len(summary) and j2 < len(text) and summary[i2] == text[j2]:
                    i2, j2 = i2 + 1, j2 + 1
                best = max(best, i2 - i)
                j = j2
            else:
                j += 1
        if best:
            lengths.append(best)
        i, j = i + max(best, 1), 0
    return Fragments(lengths=tuple(lengths), words=len(summary))


def exact(summary: list[str], text: list[str]) -> Fragments:
    """At each place the longest stretch that occurs anywhere, by looking for every length."""
    joined = [tuple(text[a:b]) for a in range(len(text)) for b in range(a + 1, len(text) + 1)]
    known = set(joined)
    lengths = []
    i = 0
    while i < len(summary):
        found = [n for n in range(1, len(summary) - i + 1) if tuple(summary[i : i + n]) in known]
        if found:
            lengths.append(max(found))
        i += max(found, default=1)
    return Fragments(lengths=tuple(lengths), words=len(summary))


some_words = st.lists(st.sampled_from("abc"), max_size=14)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=14), some_words)
@settings(max_examples=400, deadline=None)
def test_fragments_are_those_of_the_published_algorithm_and_of_a_plain_search(
    summary: list[str], text: list[str]
) -> None:
    assert greedy(summary, [text]) == published(summary, text)
    assert longest(summary, [text]) == exact(summary, text)


def test_the_published_algorithm_misses_a_longer_match_and_the_exact_one_does_not() -> None:
    summary, text = ["a", "a", "b"], ["a", "a", "a", "b"]
    assert greedy(summary, [text]).density == pytest.approx(5 / 3)
    assert longest(summary, [text]).density == 3
    assert greedy(summary, [text]).coverage == longest(summary, [text]).coverage == 1


SOURCE = "The ferry sank off the island on Monday, and twelve people died in the cold water."


def test_values_equal_those_computed_by_hand() -> None:
    # Words: the ferry sank on monday | divers found twelve people; nine, of which six shared:
    # fragments "the ferry sank" (3), "on monday" (2), "twelve people" (2); "divers found" is new.
    text = "The ferry sank on Monday; divers found twelve people."
    found = values(Abstractiveness(), held(text, SOURCE))
    assert found == pytest.approx(
        {
            "novel1": 2 / 9,
            "novel2": 4 / 8,  # sank on, monday divers, divers found, found twelve
            "novel3": 6 / 7,  # all but "the ferry sank"
            "novel4": 1.0,
            "fragment-coverage": 7 / 9,
            "fragment-density": (9 + 4 + 4) / 9,
        }
    )
    assert values(Length(), held(text, SOURCE)) == {"words": 9.0, "compression": 16 / 9}


def test_a_copy_is_wholly_extractive_and_other_words_are_wholly_new() -> None:
    copy = values(Abstractiveness(), held(SOURCE, SOURCE))
    assert [copy[f"novel{size}"] for size in (1, 2, 3, 4)] == [0, 0, 0, 0]
    assert (copy["fragment-coverage"], copy["fragment-density"]) == (1, 16)
    other = values(Abstractiveness(), held("Nobody knows why ships capsize.", SOURCE))
    assert [other[f"novel{size}"] for size in (1, 2, 3, 4)] == [1, 1, 1, 1]
    assert (other["fragment-coverage"], other["fragment-density"]) == (0, 0)


# One sentence of five words or more each, in every script, with its first word changed for "x".
SCRIPTS = {
    "en": "twelve people died at sea",
    "ru": "двенадцать человек погибли в море",
    "ar": "توفي اثنا عشر شخصا غرقا",
    "hi": "समुद्र में बारह लोगों की मौत",
    "el": "δώδεκα άνθρωποι πέθαναν στη θάλασσα",
    "he": "שנים עשר בני אדם טבעו",
    "zh": "十二人在海上遇难",
    "th": "มีผู้เสียชีวิตสิบสองคนในทะเล",
    "ko": "바다에서 열두 명이 목숨을 잃었다",
}


@pytest.mark.parametrize("language", SCRIPTS)
def test_a_copy_is_a_copy_in_every_script(language: str) -> None:
    text = SCRIPTS[language]
    found = values(Abstractiveness(), held(text, text, language=language, source_language=language))
    assert found["novel1"] == found["novel4"] == 0
    assert found["fragment-coverage"] == 1
    changed = values(
        Abstractiveness(), held("x " + text, text, language=language, source_language=language)
    )
    assert changed["novel1"]
    assert changed["fragment-coverage"] == pytest.approx(1 - changed["novel1"])


def test_no_fragment_and_no_gram_crosses_from_one_source_to_the_next() -> None:
    found = values(Abstractiveness(), held("one two three four", "one two", "three four"))
    assert found["fragment-density"] == 2
    assert found["novel2"] == pytest.approx(1 / 3)
    assert found["novel4"] == 1


def test_a_text_is_held_against_sources_in_its_own_language_and_the_others_are_named() -> None:
    candidate = Candidate(
        id="x",
        text="the ferry sank",
        language="en",
        documents=(
            Document(id="a", text="the ferry sank", language="en"),
            Document(id="b", text="die fähre sank", language="de"),
        ),
    )
    found = measured(Abstractiveness(), candidate)
    assert found["novel1"] == Measured(0, "1 of 2 sources in other languages than the text")
    foreign = measured(Abstractiveness(), held("the ferry", "die fähre", source_language="de"))
    assert foreign["novel1"].value is None
    assert "other languages" in str(foreign["novel1"].note)
    unknown = measured(Abstractiveness(), held("the ferry", "the ferry", source_language="und"))
    assert unknown["novel1"] == Measured(0)


def test_a_text_of_mixed_languages_is_held_against_all_of_them() -> None:
    candidate = Candidate(
        id="x",
        text="ignored",
        language="en",
        sentences=(
            Sentence(text="the ferry sank", language="en"),
            Sentence(text="die fähre sank", language="de"),
        ),
        documents=(
            Document(id="a", text="the ferry sank", language="en"),
            Document(id="b", text="die fähre sank", language="de"),
        ),
    )
    assert values(Abstractiveness(), candidate)["fragment-coverage"] == 1


NOTHING: dict[str, tuple[Candidate, str]] = {
    "no text": (held("", SOURCE), "the text has no word"),
    "no source": (held("the ferry"), "there is no source to hold it against"),
    "an empty source": (held("the ferry", " "), "there is no source to hold it against"),
    "a source of signs": (held("the ferry", "…!"), "no source has a word"),
}


@pytest.mark.parametrize("what", NOTHING)
@pytest.mark.parametrize("make", [Abstractiveness, Abstractiveness.exact])
def test_what_cannot_be_computed_is_unscored_with_its_reason(what: str, make: Any) -> None:
    candidate, reason = NOTHING[what]
    assert {(one.value, one.note) for one in measured(make(), candidate).values()} == {
        (None, reason)
    }


def test_a_gram_longer_than_the_text_is_unscored_and_shorter_ones_are_not() -> None:
    found = measured(Abstractiveness(), held("the ferry", SOURCE))
    assert (found["novel2"].value, found["novel3"].value) == (0, None)
    assert found["novel3"].note == "the text has fewer than 3 words"


def test_endless_repetition_ends_soon_with_a_reason() -> None:
    started = time.monotonic()
    with pytest.raises(TooRepetitive):
        longest(["a", "x"] * 20_000, [["a"] * 40_000])
    found = measured(Abstractiveness(), held("a x " * 20_000, "a " * 40_000))
    assert time.monotonic() - started < 60
    assert found["fragment-density"].value is None
    assert "repeat themselves" in str(found["fragment-density"].note)
    assert found["novel1"].value == 0.5


@pytest.mark.parametrize("make", [Abstractiveness, Abstractiveness.exact, Length])
@given(text=st.text(max_size=80), source=st.text(max_size=80))
@settings(max_examples=40, deadline=None)
def test_any_text_and_source_get_values_within_their_bounds_or_reasons(
    make: Any, text: str, source: str
) -> None:
    metric: Metric = make()
    columns = {column.name: column for column in metric.columns}
    for score in metric.score([held(text, source, text)]):
        if score.value is None:
            assert score.note
            continue
        column = columns[score.metric]
        assert column.low is None or score.value >= column.low
        assert column.high is None or score.value <= column.high
        # Its own text is among the sources: nothing is new.
        if score.metric.startswith("novel"):
            assert score.value == 0
