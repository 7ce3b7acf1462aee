"""How long an answer in a form can be, by which the live tests choose their limits."""

import json
from typing import Any

import pytest

from annotation.answer_forms import strategies_form, text_form
from globesumm.llm.answer_bounds import Bounds
from tests.live import longest


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        (text_form(Bounds(1, 3), ("Latn",)), '{ "text" : "ẞ’ﬀ" } '),
        (text_form(Bounds(3, 400), ("Latn",)), '{ "text" : "' + "ẞ" * 1000 + '" } '),
        (
            strategies_form(9, Bounds(2, 3), ("Grek",)),
            '{ "strategies" : [ '
            + " , ".join(['{ "cause" : "perspective" , "conflict" : 9 , "strategy" : "ᾧᾧᾧ" } '] * 2)
            + "] } ",
        ),
        (
            strategies_form(0, Bounds(1, 1), ("Latn",)),
            (
                '{ "strategies" : [ { "cause" : "perspective" , "conflict" : -1234567890123456 , '
                '"strategy" : "ẞ" } ] } '
            ),
        ),
    ],
)
def test_no_answer_is_longer_than_is_told_and_the_longest_nearly_as_long(
    form: str, answer: str
) -> None:
    json.loads(answer)
    size = len(answer.encode())
    assert size <= longest(json.loads(form)) <= size + size // 8 + 8


@pytest.mark.parametrize(
    "form",
    [
        {"type": "string"},
        {"type": "array", "items": {"type": "boolean"}},
        {"type": "object", "properties": {}, "additionalProperties": True},
    ],
)
def test_a_form_without_bounds_has_no_longest_answer(form: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="nothing bounds"):
        longest(form)
