"""Bounds on answers' forms: whatever fits such a form can be read, in every language."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.answer_forms import (
    issues_form,
    list_form,
    scripts_for,
    strategies_form,
    text_form,
)
from annotation.answers import list_reader, text_reader
from annotation.author import Author, Question
from globesumm.cli import main
from globesumm.cli.main import REFUSED
from globesumm.config import Decoded, Experiment
from globesumm.errors import UsageError
from globesumm.languages import LANGUAGES, script_letters
from globesumm.llm.answer_bounds import MOST, Bounds
from globesumm.llm.request import Message
from globesumm.llm.scripted import Scripted
from globesumm.prompts import Library
from globesumm.values import Passage, Sentence

PROMPTS = Library()
REPORT = Passage(
    documents=("a",),
    language="en",
    sentences=tuple(Sentence(text=f"Sentence {n}.", language="en") for n in range(9)),
)


def fitting(pattern: str, draw: st.DataObject) -> str:
    """A string that the pattern allows, its first letter and the rest drawn from its classes."""
    found = re.fullmatch(r"\^\[(.*)\]\[(.*)\]\{0,(\d+)\}\$", pattern)
    assert found
    first, rest = (st.from_regex(f"[{found[n]}]", fullmatch=True) for n in (1, 2))
    more = draw.draw(st.lists(rest, max_size=min(12, int(found[3]))))
    return str(draw.draw(first)) + "".join(more)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from(sorted(LANGUAGES)), st.integers(1, 5), st.integers(1, 40))
def test_every_list_and_text_that_fits_a_bounded_form_can_be_read_in_every_language(
    data: st.DataObject, language: str, items: int, characters: int
) -> None:
    bounds, scripts = Bounds(items, characters), scripts_for(language)
    form = json.loads(list_form(30, bounds, scripts))["properties"]["sentences"]
    assert (form["minItems"], form["maxItems"]) == (1, items)
    pattern = form["items"]["pattern"]
    count = data.draw(st.integers(1, items))
    said = [fitting(pattern, data) for _ in range(count)]
    assert all(len(one) <= characters and re.fullmatch(pattern[1:-1], one) for one in said)
    read = list_reader(language)(json.dumps({"sentences": said}))
    assert 1 <= len(read.items) <= count
    text = fitting(json.loads(text_form(bounds, scripts))["properties"]["text"]["pattern"], data)
    assert text_reader(language)(json.dumps({"text": text})).items == (text.strip(),)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(LANGUAGES)), st.characters(categories=["L"], max_codepoint=0xFFFF))
def test_a_bounded_string_holds_letters_of_the_languages_scripts_alone(
    language: str, letter: str
) -> None:
    scripts = scripts_for(language)
    pattern = Bounds(1, 3).string(scripts)["pattern"]
    held = any(re.match(f"[{script_letters(script)}]", letter) for script in scripts)
    assert bool(re.match(pattern, letter)) == held


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ja", "サッカーの「ニュース」、次々と。"),  # the long mark is of two scripts
        ("fa", "می\u200cخواهم ۱۲ نفر"),  # without the non-joiner it is another word
        ("ur", "لوگ مارے گئے۔"),
        ("ar", "قُتِلَ ١٢ شخصًا؛ أين؟"),
        ("am", "ሰዎች ሞቱ።"),
        ("hy", "Մարդիկ մահացան։"),
        ("hi", "लोग मारे गए १२।"),
        ("bo", "མི་ཤི།"),
        ("he", "ארה״ב וצה״ל"),
        ("fr", "L'eau monte, l’eau descend."),
        ("uk", "П'ять людей"),
        ("yo", "Àwọn ènìyàn ọ̀pọ̀"),  # no single character has both marks
        ("ca", "El col·legi"),
    ],
)
def test_a_bounded_string_holds_what_its_language_cannot_be_written_without(
    language: str, text: str
) -> None:
    assert re.match(Bounds(1, 80).string(scripts_for(language))["pattern"], text)
    for letter in "жह漢a":
        if not any(re.match(f"[{script_letters(one)}]", letter) for one in scripts_for(language)):
            assert not re.match(
                Bounds(1, 80).string(scripts_for(language))["pattern"], text + letter
            )


def test_the_script_of_the_source_counts_beside_that_of_its_language() -> None:
    assert scripts_for("en", "Корабль затонул") == ("Latn", "Cyrl")
    assert scripts_for("und", "船が沈んだ。ひらがな") == ("Hira",)
    assert Bounds(2, 9).string(()) == {"type": "string", "minLength": 1, "maxLength": 9}


def test_issues_and_strategies_are_bounded_and_a_conflict_that_is_there_is_settled() -> None:
    bounds, scripts = Bounds(2, 20), ("Latn",)
    issues = json.loads(issues_form([REPORT, REPORT], bounds, scripts))["properties"]["issues"]
    assert issues["maxItems"] == 2
    assert "minItems" not in issues  # there may be none
    assert issues["items"]["properties"]["sentences"]["maxItems"] == 2
    assert "pattern" in issues["items"]["properties"]["detail"]
    for conflicts, least in ((0, None), (1, 1), (3, 1)):
        form = json.loads(strategies_form(conflicts, bounds, scripts))["properties"]["strategies"]
        assert form.get("minItems") == least
        assert form["maxItems"] == max(1, min(conflicts, 2))


def test_without_bounds_forms_are_what_they_were_and_texts_have_none() -> None:
    plain: dict[str, Any] = json.loads(list_form(3))
    assert plain["properties"]["sentences"] == {
        "type": "array", "items": {"type": "string"}, "maxItems": 3,
    }  # fmt: skip
    question = Question(step="s", about="a", prompt=PROMPTS["direct.two"], text_in="el")
    asked = (Message("user", "x"),)
    model = Scripted(lambda _: "x", "tiny")
    assert Author(model=model).request(question, asked).schema is None
    bounded = Author(model=model, bounds=Bounds(2, 30))
    form = json.loads(bounded.request(question, asked).schema or "")
    pattern = form["properties"]["text"]["pattern"]
    assert "{0,59}" in pattern
    assert re.match(pattern, "Το πλοίο βυθίστηκε.")
    assert not re.match(pattern, "The ship sank.")
    plainly = Author(model=model, bounds=Bounds(2, 30), structured=False)
    assert plainly.request(question, asked).schema is None


@pytest.mark.parametrize(
    "said",
    ["", "8", "8x", "x80", "0x80", "8x0", f"8x{MOST + 1}", "8x80x1", "-8x80", "8 x 80", "８x８０"],
)
def test_bounds_that_are_none_are_refused_with_an_example(
    said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match="8x80"):
        Bounds.parse(said)
    if said and not said.startswith("-"):
        asked = ["annotate", "x", "--model", "m", "--out", "o", "--dry-run", "--bounded", said]
        assert main(asked) == REFUSED
        assert "8x80" in capsys.readouterr().err


def test_bounds_go_with_forms_that_servers_enforce() -> None:
    assert Bounds.parse("8x80") == Bounds(8, 80)
    with pytest.raises(ValueError, match="structured"):
        Experiment(decoding=Decoded(bounded=Bounds(8, 80), structured=False))
