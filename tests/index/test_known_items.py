"""The document that a query was taken from is found, in each language, and no worse than before."""

import gzip
import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

pytest.importorskip("pyserini", reason="needs the extra retrieval")

from baselines.studies.known_items import Found, K, found_by_ours, found_by_pyserini, run
from baselines.studies.known_items_data import OWN, WANTED, Item, load, own
from globesumm.errors import DataError, UsageError
from globesumm.languages import GLOBESUMM

FLOORS: Mapping[str, tuple[float, float, float]] = {
    "ar": (87.8, 81.3, 97.3),
    "bg": (85.0, 78.0, 92.0),
    "ca": (95.0, 94.0, 96.0),
    "cs": (65.9, 50.7, 88.8),
    "da": (97.0, 94.1, 100.0),
    "de": (93.0, 90.0, 97.3),
    "el": (86.8, 80.6, 94.6),
    "en": (90.4, 86.3, 96.7),
    "es": (95.8, 93.4, 98.7),
    "fi": (89.0, 88.0, 90.0),
    "fr": (74.2, 62.6, 87.9),
    "he": (59.1, 45.0, 80.0),
    "hi": (89.0, 82.8, 97.9),
    "hu": (92.0, 90.0, 94.0),
    "it": (97.1, 94.2, 100.0),
    "ko": (99.0, 98.0, 100.0),
    "mk": (93.6, 90.0, 98.0),
    "nl": (95.4, 94.1, 98.0),
    "pl": (94.0, 92.0, 98.0),
    "pt": (100.0, 100.0, 100.0),
    "ro": (94.3, 91.2, 98.7),
    "ru": (94.9, 92.5, 98.3),
    "sq": (89.2, 82.0, 96.0),
    "sv": (83.3, 80.3, 86.2),
    "tr": (91.9, 87.8, 97.0),
    "uk": (96.0, 94.0, 98.0),
}
"""MRR@10, success@1 and success@5, times 100, of each language: what was reached.

They may only rise: a figure above its floor by more than `SLACK` asks for a new floor."""

SLACK = 0.5
ROUNDING = 1e-6

WRITTEN = ("bg", "ca", "da", "fi", "hu", "it", "ko", "mk", "nl", "pl", "pt", "sq", "sv", "uk")
"""The languages that public data sets leave without 50 documents."""


def _figures(found: Found) -> tuple[float, float, float]:
    return (100 * found.mrr, 100 * found.success(1), 100 * found.success(5))


@pytest.mark.parametrize("language", WRITTEN)
def test_the_texts_written_for_a_language_are_fifty_different_ones(language: str) -> None:
    items = own(language)
    assert len(items) == WANTED
    assert len({item.query for item in items}) == len({item.text for item in items}) == WANTED


@pytest.mark.parametrize("language", WRITTEN)
def test_a_written_title_stands_nowhere_in_its_text(language: str) -> None:
    assert not [item.query for item in own(language) if item.query.lower() in item.text.lower()]


def test_a_rank_counts_by_its_reciprocal_and_a_miss_as_zero() -> None:
    found = Found(analyzer="any", ranks=(1, 2, None, 6))
    assert found.mrr == pytest.approx((1 + 1 / 2 + 0 + 1 / 6) / 4)
    assert (found.success(1), found.success(5), found.success(K)) == (0.25, 0.5, 0.75)


def test_a_study_without_its_data_says_what_it_needs(tmp_path: Path) -> None:
    for data in (None, tmp_path / "nowhere", tmp_path):
        with pytest.raises(UsageError, match="--data"):
            load(data)


def test_the_first_question_of_a_paragraph_is_its_query_and_short_languages_get_written_texts(
    tmp_path: Path,
) -> None:
    asked = {"qas": [_question("a", "Which bridge was repaired?"), _question("b", "When was it?")]}
    paragraphs = [{"context": "The bridge over the river was repaired.", **asked}]
    with gzip.open(tmp_path / "xquad.en.json.gz", "wt", encoding="utf-8") as file:
        json.dump({"data": [{"paragraphs": paragraphs}]}, file)
    items = load(tmp_path)
    assert [item.query for item in items["en"]] == ["Which bridge was repaired?"]
    assert {item.source for item in items["bg"]} == {OWN}
    assert not items["ar"]


def test_equal_texts_and_queries_of_two_words_are_left_out(tmp_path: Path) -> None:
    pages = {
        "One": ("A bridge is repaired", "The old bridge over the river has been repaired."),
        "Same": ("A bridge is repaired", "Other words about it were published by the town."),
        "Short": ("Two words", "The library will stay open until midnight on Friday."),
    }
    (tmp_path / "uk").mkdir()
    (tmp_path / "uk" / "meta.info").write_text("{}")
    for name, (title, text) in pages.items():
        page = {"title": title, "body": {"sections": [{"headline": [], "paragraphs": [text]}]}}
        (tmp_path / "uk" / f"{name}.json").write_text(json.dumps({"V1": page}))
    assert [item.id for item in load(tmp_path)["en"]] == ["fundus-uk-One-V1"]


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"V1": 3}', '{"V1": {"body": {"summary": [1]}}}', '{"V1": {"body": "x"}}'],
)
def test_a_page_that_is_not_in_the_layout_is_an_error_with_its_name(
    content: str, tmp_path: Path
) -> None:
    (tmp_path / "uk").mkdir()
    (tmp_path / "uk" / "meta.info").write_text("{}")
    (tmp_path / "uk" / "Paper.json").write_text(content)
    with pytest.raises(DataError, match=r"Paper\.json"):
        load(tmp_path)


@pytest.mark.slow
def test_written_texts_are_found_at_least_as_well_as_with_pyserinis_defaults() -> None:
    items = {code: own(code) for code in WRITTEN}
    ours, theirs = found_by_ours(items), found_by_pyserini(items)
    for code in WRITTEN:
        assert all(
            a >= b for a, b in zip(_figures(ours[code]), _figures(theirs[code]), strict=True)
        )
    # What is compared with is what it says it is.
    for code in ("bg", "ca", "mk", "sq"):
        assert theirs[code].analyzer == "DefaultEnglishAnalyzer"
        assert ours[code].mrr > theirs[code].mrr
    assert theirs["ko"].analyzer == "CJKAnalyzer"


@pytest.fixture(scope="module")
def items() -> dict[str, list[Item]]:
    """All items of the public data sets that GLOBESUMM_DATA names; skips where there are none."""
    folder = os.environ.get("GLOBESUMM_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("GLOBESUMM_DATA does not name a folder of public data sets")
    return load(Path(folder))


@pytest.mark.slow
def test_every_language_of_the_paper_has_fifty_documents(items: dict[str, list[Item]]) -> None:
    assert set(items) == set(GLOBESUMM)
    assert not {code: len(held) for code, held in items.items() if len(held) < WANTED}


@pytest.mark.slow
def test_no_language_is_found_worse_than_its_floor_or_than_pyserinis_defaults(
    items: dict[str, list[Item]],
) -> None:
    ours, theirs = found_by_ours(items), found_by_pyserini(items)
    reached = {code: _figures(found) for code, found in ours.items()}
    assert set(FLOORS) == set(reached)
    for code, figures in reached.items():
        worse = [a for a, b in zip(figures, _figures(theirs[code]), strict=True) if a < b]
        assert not worse, f"{code}: {figures} against {_figures(theirs[code])}"
        for figure, floor in zip(figures, FLOORS[code], strict=True):
            assert figure >= floor - ROUNDING, f"{code}: {figures} fell below {FLOORS[code]}"
            assert figure <= floor + SLACK, f"{code}: raise its floor to {figures}"


@pytest.mark.slow
def test_a_study_gives_a_row_for_each_language_with_its_sources(tmp_path: Path) -> None:
    asked = {"qas": [_question("a", "Which bridge was repaired?")]}
    paragraphs = [{"context": "The bridge over the river was repaired.", **asked}]
    (tmp_path / "xquad.en.json").write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
    page = run(tmp_path, 0).markdown()
    assert "| en English | XQuAD 1 (fewer than 50) | 1 | 100.0 / 100.0 / 100.0 |" in page
    assert "| bg Bulgarian | own 50 | 50 |" in page


def _question(name: str, text: str) -> dict[str, object]:
    return {"id": name, "question": text, "answers": [{"text": "bridge", "answer_start": 4}]}
