"""PINE as computed against PINE as defined, one query and key at a time."""

from random import Random

import pytest

from globesumm.llm.pine.attention import FAMILIES, Pine
from globesumm.llm.pine.layout import Piece
from tests.pine.reference import reference_logits
from tests.pine.tiny_models import logits, prompt, tiny, words

pytest.importorskip("torch")
pytest.importorskip("transformers")


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_are_those_of_the_definition(family: str) -> None:
    draw = Random(5)
    pieces = prompt([words(draw, length) for length in (6, 11, 1, 8)], targets=[1])
    model = tiny(family)
    found = logits(Pine(model), model, pieces)[0]
    assert (found - reference_logits(model, pieces)).abs().max() < 1e-8


def test_two_groups_with_text_between_keep_to_the_definition() -> None:
    draw = Random(6)
    lengths = ((4, None), (5, 0), (9, 0), (3, 0), (4, None), (7, 1), (2, 1), (6, None))
    pieces = [Piece(words(draw, length), group) for length, group in lengths]
    model = tiny("llama")
    found = logits(Pine(model), model, pieces)[0]
    assert (found - reference_logits(model, pieces)).abs().max() < 1e-8


def test_a_prompt_may_begin_and_end_with_documents_of_adjacent_groups() -> None:
    draw = Random(7)
    pieces = [Piece(words(draw, 5), group) for group in (0, 0, 1, 1, 1)]
    model = tiny("qwen3")
    found = logits(Pine(model), model, pieces)[0]
    assert (found - reference_logits(model, pieces)).abs().max() < 1e-8


@pytest.mark.parametrize("window", [3, 12])
def test_windows_keep_to_the_definition(window: int) -> None:
    draw = Random(8)
    pieces = prompt([words(draw, length) for length in (6, 11, 8)])
    model = tiny("mistral", sliding_window=window)
    found = logits(Pine(model), model, pieces)[0]
    assert (found - reference_logits(model, pieces, window)).abs().max() < 1e-8
