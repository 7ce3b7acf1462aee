"""Lists as models write them, in any script's digits and any of the usual forms."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.lists import numbered, parse
from annotation.loose_json import json_in

DIGITS = {
    "ASCII": "0123456789",
    "Arabic-Indic": "٠١٢٣٤٥٦٧٨٩",
    "Persian": "۰۱۲۳۴۵۶۷۸۹",
    "Devanagari": "०१२३४५६७८९",
    "Bengali": "০১২৩৪৫৬৭৮৯",
    "Thai": "๐๑๒๓๔๕๖๗๘๙",
    "full width": "０１２３４５６７８９",
}
DELIMITERS = (". ", ") ", ": ", "、", "． ", " - ", "। ")
SENTENCES = st.lists(
    st.text(
        alphabet=st.characters(whitelist_categories=("Lu", "Ll", "Lo"), max_codepoint=0x9FFF),
        min_size=2,
        max_size=40,
    ).map(lambda word: f"{word} {word}."),
    min_size=1,
    max_size=30,
)


def in_digits(number: int, digits: str) -> str:
    return "".join(digits[int(digit)] for digit in str(number))


@given(SENTENCES, st.sampled_from(sorted(DIGITS)), st.sampled_from(DELIMITERS))
def test_a_list_numbered_in_any_scripts_digits_reads_back(
    items: list[str], script: str, delimiter: str
) -> None:
    text = "\n".join(
        f"{in_digits(number, DIGITS[script])}{delimiter}{item}"
        for number, item in enumerate(items, start=1)
    )
    listed = parse(text)
    assert listed.items == tuple(items)
    assert (listed.form, listed.raw) == ("numbered", text)


@given(SENTENCES, st.booleans())
def test_a_json_list_reads_back_bare_fenced_and_in_an_object(
    items: list[str], escaped: bool
) -> None:
    body = json.dumps({"sentences": items}, ensure_ascii=escaped)
    for text in (
        body,
        json.dumps(items),
        f"```json\n{body}\n```",
        f"Here is the list:\n\n{body}\n\nIs that all right?",
        json.dumps({str(number): item for number, item in enumerate(items, start=1)}),
        json.dumps([{"id": number, "text": item} for number, item in enumerate(items)]),
    ):
        listed = parse(text)
        assert listed.items == tuple(items)
        assert (listed.form, listed.raw) == ("json", text)


@given(SENTENCES, st.sampled_from("-*•–·"))
def test_bullets_read_back(items: list[str], bullet: str) -> None:
    listed = parse("\n".join(f"{bullet} {item}" for item in items))
    assert listed.items == tuple(items)
    assert listed.form == "bulleted"


@given(SENTENCES)
def test_what_is_written_as_a_numbered_list_reads_back(items: list[str]) -> None:
    assert parse(numbered(items)).items == tuple(items)


@given(st.text(max_size=300))
def test_any_text_gives_a_list_and_keeps_its_raw_form(text: str) -> None:
    listed = parse(text)
    assert listed.raw == text
    assert all(item and "\n" not in item for item in listed.items)
    assert (listed.form == "empty") == (not text.strip())


def test_a_sentence_with_line_ends_stays_one_line_of_a_numbered_list() -> None:
    assert numbered(["one\n2. forged", "two"]) == "1. one 2. forged\n2. two"


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Sure, here they are:\n\n1. A.\n2. B.\n\nLet me know!", ("A.", "B.")),
        ("1. It goes\n   on here.\n2. B.", ("It goes on here.", "B.")),
        ("1. A first part.\n\nA second part.\n\n2. B.", ("A first part. A second part.", "B.")),
        ("1. Dead:\n  1.1 296 died.\n  1.2 9 lived.", ("Dead: 296 died.", "Dead: 9 lived.")),
        ("1. Dead:\n   a) 296 died.\n   b) 9 lived.", ("Dead: 296 died.", "Dead: 9 lived.")),
        ("1. It shook.\n   - It was night.\n2. B.", ("It shook.", "It was night.", "B.")),
        ("Report 1:\n1. A.\n2. B.\n\nReport 2:\n1. C.", ("A.", "B.", "C.")),
        ("1. One. 2. Two. 3. Three.", ("One.", "Two.", "Three.")),
        ("**1.** A.\n**2.** B.", ("A.", "B.")),
        ("1. **A.**\n2. B.", ("A.", "B.")),
        ("(1) A.\n(2) B.", ("A.", "B.")),
        ("①甲。\n②乙。", ("甲。", "乙。")),
        ("一、甲。\n二、乙。", ("甲。", "乙。")),
        ("1.甲。\n2.乙。", ("甲。", "乙。")),
        ("\u200f١. أ\n\u200f٢. ب", ("أ", "ب")),
        ("Fact 1: A.\nFact 2: B.", ("A.", "B.")),
        ("['it''s', 'two']", ("its", "two")),
        ('{"sentences": ["1. A.", "2. B."]}', ("A.", "B.")),
        ('1. He wrote ["x"] on it.\n2. B.', ('He wrote ["x"] on it.', "B.")),
    ],
)  # fmt: skip
def test_forms_that_models_use(text: str, items: tuple[str, ...]) -> None:
    assert parse(text).items == items


@pytest.mark.parametrize(
    "text",
    [
        "Just prose. It goes on.",
        "1.5 million people fled\nto the hills.",
        "2023. was a bad year\nfor wheat.",
        "He left.\n- That was all.",
        "As the agency writes [1], nobody died.",
    ],
)
def test_prose_is_one_item_and_marked_so(text: str) -> None:
    listed = parse(text)
    assert listed.items == (" ".join(text.split()),)
    assert listed.form == "prose"


def test_a_line_that_begins_with_a_year_does_not_start_an_item() -> None:
    assert parse("1. It was in\n2023. Then rain fell.\n2. B.").items == (
        "It was in 2023. Then rain fell.",
        "B.",
    )


@pytest.mark.parametrize("piece", ["[", "{", "1. ", "- \n", "~\n", "```\n", "* "])
def test_hostile_answers_are_read_in_linear_time(piece: str) -> None:
    text = piece * 100_000
    before = time.process_time()
    parse(text)
    json_in(text)
    assert time.process_time() - before < 5
