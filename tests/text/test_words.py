"""Words: tokens of any script, the same however the letters are composed."""

import json
import os
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.languages import LANGUAGES
from globesumm.text.words import count_words, words


def _reference() -> list[dict[str, Any]]:
    folder = os.environ.get("GLOBESUMM_DATA")
    if folder is None:
        pytest.skip("GLOBESUMM_DATA does not name the folder of reference data")
    text = (Path(folder) / "metrics/own/rouge_reference.json").read_text(encoding="utf-8")
    pairs: list[dict[str, Any]] = json.loads(text)
    return pairs


def test_token_counts_are_those_of_the_reference_scorers() -> None:
    for pair in _reference():
        assert count_words(pair["reference"], pair["lang"]) == pair["ref_tokens"]
        assert count_words(pair["candidate"], pair["lang"]) == pair["cand_tokens"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Dr. Ruiz said: 4.5% — “No!”", "dr ruiz said 4 5 no"),
        ("en", "don't re-use A_B", "don t re use a b"),
        ("fr", "L’ÉTÉ dernier, déjà", "l été dernier déjà"),
        ("de", "Größe STRASSE ẞ", "größe strasse ß"),
        ("el", "ΟΔΟΣ, Ελλάδα;", "οδος ελλάδα"),
        ("tr", "İstanbul'da IŞIK", "istanbul da ışık"),
        ("hi", "क़ानून हिन्दी में।", "क़ानून हिन्दी में"),
        ("he", "שָׁלוֹם עולם", "שָׁלוֹם עולם"),
        ("ar", "قالَ: ١٢ شخصًا؟", "قالَ ١٢ شخصًا"),
        ("ko", "정부가 4.5% 올렸다.", "정부가 4 5 올렸다"),
        ("zh", "政府提高了GDP 3%。", "政 府 提 高 了 gdp 3"),
        ("ja", "東京タワーはiPhone 15を", "東 京 タ ワ ー は iphone 15 を"),
        ("th", "สวัสดีครับ iPhone", "สวัสดี ครับ iphone"),
        ("en", "Tokyo (東京) and สวัสดีครับ", "tokyo 東 京 and สวัสดี ครับ"),
        ("xx", "any code", "any code"),
        ("en", "", ""),
        ("en", "… — !?", ""),
        ("en", "a\x00b \ud800", "a b"),
    ],
)
def test_words_are_runs_of_letters_marks_and_digits(
    language: str, text: str, expected: str
) -> None:
    assert words(text, language) == [
        unicodedata.normalize("NFC", word) for word in expected.split()
    ]


@given(st.text(max_size=200), st.sampled_from(list(LANGUAGES)))
def test_words_do_not_depend_on_how_letters_are_composed(text: str, language: str) -> None:
    found = words(unicodedata.normalize("NFC", text), language)
    assert found == words(unicodedata.normalize("NFD", text), language)
    assert len(found) == count_words(text, language)
    assert all(word and word == unicodedata.normalize("NFC", word) for word in found)


@given(st.text(alphabet=st.characters(categories=["L", "N", "Zs", "Po"]), max_size=200))
def test_no_letter_or_digit_is_lost(text: str) -> None:
    lowered = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    letters = [character for character in lowered if unicodedata.category(character)[0] in "LMN"]
    assert "".join(words(text, "en")) == "".join(letters)


@pytest.mark.parametrize("unit", ["a", "中", "สวัสดี", "\u0323\u0301", "a ", "İ"])
def test_time_grows_with_length_and_not_with_its_square(unit: str) -> None:
    text = "x" + unit * (500_000 // len(unit))
    started = time.perf_counter()
    count_words(text, "th")
    assert time.perf_counter() - started < 5
