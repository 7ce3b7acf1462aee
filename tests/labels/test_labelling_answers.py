"""Answers of every kind: what fits, what does not, and the one form in which they are kept."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.labels.guide import example, guide
from annotation.labels.kinds import KINDS, check_item, payload_of, read_answer
from annotation.labels.spans import spans
from annotation.labels.values import Item
from annotation.labels.wording import in_words
from globesumm.errors import DataError, UnknownName
from globesumm.records import to_json
from tests.labels.sample_items import ARABIC, GREEK, MARKUP, answer, items, review

ITEMS = {one.kind: one for one in items()}

WRONG: dict[str, list[Any]] = {
    "relevance": [
        {"relevant": True, "criteria": []},
        {"relevant": False, "criteria": ["same_event"]},
        {"relevant": True, "criteria": ["another"]},
        {"relevant": "yes"},
    ],
    "issues": [
        {"issues": [{"kind": "redundancy", "first": [1]}]},
        {"issues": [{"kind": "omission", "first": [1], "second": [1]}]},
        {"issues": [{"kind": "conflict", "first": [1], "second": [1]}]},
        {"issues": [{"kind": "redundancy", "first": [1], "second": [9]}]},
        {"issues": [{"kind": "redundancy", "first": [0], "second": [1]}]},
        {"reviewed": [True]},
        {"issues": [{"kind": "fight", "first": [1], "second": [1]}]},
    ],
    "key-facts": [{"key": None}, {}, {"key": True, "also": 1}],
    "fact-support": [{"supported": "maybe"}, {"key": True}],
    "matching": [{"sentences": [6]}, {"sentences": [-1]}, {"sentences": "all"}],
    "key-points": [
        {"points": [{"document": 3, "start": 0, "end": 2}]},
        {"points": [{"document": 1, "start": 5, "end": 5}]},
        {"points": [{"document": 1, "start": 0, "end": 10_000}]},
        {"points": [{"document": 1, "start": 0, "end": 2, "text": "no"}]},
        {"points": [{"document": 1, "start": 0, "end": 9}, {"document": 1, "start": 8, "end": 12}]},
        {"told": [{"document": 1, "start": 0, "end": 3}]},
        {"links": [[0, 0]]},
    ],
    "preference": [{"preferred": "c", "first": "a"}, {"preferred": "a"}],
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_that_fits_is_kept_in_one_form(kind: str) -> None:
    kept = read_answer(ITEMS[kind], answer(kind))
    assert read_answer(ITEMS[kind], kept) == kept
    assert to_json(read_answer(ITEMS[kind], dict(reversed(kept.items())))) == to_json(kept)
    assert all(in_words(ITEMS[kind], kept))


@pytest.mark.parametrize(("kind", "bad"), [(kind, bad) for kind in KINDS for bad in WRONG[kind]])
def test_an_answer_that_does_not_fit_is_refused_with_its_reason(kind: str, bad: Any) -> None:
    with pytest.raises(DataError, match="answer to"):
        read_answer(ITEMS[kind], bad)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
NAMES = st.sampled_from(
    [
        *("relevant", "criteria", "issues", "reviewed", "key", "supported", "sentences"),
        *("points", "told", "links", "preferred", "first", "kind", "second", "document"),
        *("start", "end"),
    ]
)


@given(st.sampled_from(list(KINDS)), ANYTHING | st.dictionaries(NAMES, ANYTHING, max_size=3))
def test_whatever_is_sent_as_an_answer_is_taken_or_refused(kind: str, sent: Any) -> None:
    try:
        kept = read_answer(ITEMS[kind], sent)
    except DataError:
        return
    assert read_answer(ITEMS[kind], kept) == kept


def test_the_order_in_which_things_were_marked_does_not_matter() -> None:
    marks = answer("issues")["issues"]
    assert read_answer(ITEMS["issues"], {"issues": marks}) == read_answer(
        ITEMS["issues"], {"issues": [*reversed(marks), marks[0]]}
    )
    points = [{"document": 1, "start": 3, "end": 8}, {"document": 1, "start": 0, "end": 2}]
    told = [{"start": 4, "end": 9}, {"start": 0, "end": 3}]
    first = read_answer(ITEMS["key-points"], {"points": points, "told": told, "links": [[0, 1]]})
    second = read_answer(
        ITEMS["key-points"], {"points": points[::-1], "told": told[::-1], "links": [[1, 0]]}
    )
    assert first == second
    assert first["links"] == [[1, 0]]


def test_a_highlight_counts_code_points_and_keeps_its_text() -> None:
    text = "🚢🚢 «Άλμα» sinks"
    one = Item(id="x", kind="key-points", payload={"documents": [{"text": text, "language": "el"}]})
    word = spans(text, "el")[0].words[1]
    said = {"points": [{"document": 1, "start": word.start, "end": word.end}]}
    [point] = read_answer(one, said)["points"]
    assert (point["start"], point["text"]) == (3, "«Άλμα»")


def test_a_review_wants_a_verdict_on_every_finding() -> None:
    one = review()
    assert read_answer(one, {"reviewed": [True, False]})["reviewed"] == [True, False]
    wrong: list[Any] = [{"reviewed": [True]}, {"reviewed": []}, answer("issues")]
    for bad in wrong:
        with pytest.raises(DataError, match="each of the 2 findings"):
            read_answer(one, bad)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_definitions_and_an_example_whose_answer_fits(kind: str) -> None:
    assert len(guide(kind).definitions) >= 3
    one = example(kind)
    assert one.gold
    assert read_answer(one, one.gold) == one.gold
    assert in_words(one, one.gold)


@pytest.mark.parametrize("kind", KINDS)
def test_a_payload_of_another_form_names_the_item(kind: str) -> None:
    with pytest.raises(DataError, match="item 'x'"):
        payload_of(Item(id="x", kind=kind, payload={"nothing": 1}))


def test_a_model_answer_or_known_answer_that_does_not_fit_is_refused_with_the_item() -> None:
    one = ITEMS["key-facts"]
    for wrong in (replace(one, gold={"key": "?"}), replace(one, models={"m": {}})):
        with pytest.raises(DataError, match="key-facts-1"):
            check_item(wrong)


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'relevance'"):
        payload_of(Item(id="x", kind="relevanz", payload={}))


def test_the_version_is_of_what_is_shown_alone() -> None:
    one = ITEMS["matching"]
    other = Item(id="y", kind=one.kind, payload=one.payload, models={"m": {}}, gold={}, event="e")
    assert other.version == one.version
    assert (
        Item(id=one.id, kind=one.kind, payload={**one.payload, "similar": []}).version
        != one.version
    )


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ARABIC["text"], "ar"),
        (GREEK, "el"),
        (MARKUP, "en"),
        ("日本語です。次の文。", "ja"),
        ("", "und"),
    ],
)
def test_every_word_of_a_text_can_be_reached_and_nothing_is_lost(text: str, language: str) -> None:
    words = [word for sentence in spans(text, language) for word in sentence.words]
    assert "".join(word.text + word.after for word in words) == text.lstrip()
    assert all(text[word.start : word.end] == word.text for word in words)


@given(st.text(max_size=60))
def test_any_text_is_cut_into_words_that_keep_their_places(text: str) -> None:
    words = [word for sentence in spans(text, "en") for word in sentence.words]
    assert all(text[word.start : word.end] == word.text for word in words)
    assert [word.start for word in words] == sorted({word.start for word in words})
