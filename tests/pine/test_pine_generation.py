"""Generating under PINE: the cache, batches, and permutations of documents."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from globesumm.llm.pine.attention import FAMILIES, Pine
from globesumm.llm.pine.layout import Piece, layout
from tests.pine.tiny_models import logits, prompt, tiny, tokens, words

pytest.importorskip("torch")
pytest.importorskip("transformers")

DRAW = Random(9)
DOCUMENTS = [words(DRAW, length) for length in (9, 70, 13, 1, 130)]
ROWS = [
    prompt(DOCUMENTS),
    prompt(DOCUMENTS[2:4], after=words(DRAW, 30)),
    [Piece(words(DRAW, 11))],
    [*prompt(DOCUMENTS[:2]), Piece(DOCUMENTS[2], 1), Piece(DOCUMENTS[3], 1), Piece((4, 5))],
]


def batch(rows: Sequence[Sequence[Piece]]) -> tuple[Any, Any]:
    """Token numbers and mask, padded on the left."""
    import torch

    ids = [tokens(row) for row in rows]
    width = max(map(len, ids))
    padded = [[2] * (width - len(row)) + row for row in ids]
    return torch.tensor(padded), torch.tensor(
        [[0] * (width - len(row)) + [1] * len(row) for row in ids]
    )


def step_logits(
    pine: Pine, model: Any, rows: Sequence[Sequence[Piece]], steps: Sequence[int]
) -> Any:
    """(steps + 1, rows, words): prefill, then one given token after the other with the cache."""
    import torch

    ids, mask = batch(rows)
    found = []
    with torch.no_grad(), pine.arranged([layout(row) for row in rows]):
        out = model(ids, attention_mask=mask, use_cache=True)
        found.append(out.logits[:, -1])
        for token in steps:
            cache = out.past_key_values if hasattr(out, "past_key_values") else out.cache
            more = torch.full((len(rows), 1), token)
            mask = torch.cat((mask, torch.ones_like(more)), dim=1)
            out = model(more, attention_mask=mask, use_cache=True, **{pine._cache_name: cache})
            found.append(out.logits[:, -1])
    return torch.stack(found)


def generated(
    pine: Pine, model: Any, rows: Sequence[Sequence[Piece]], *, cache: bool = True
) -> Any:
    import torch
    from transformers import GenerationConfig

    ids, mask = batch(rows)
    settings = GenerationConfig(  # type: ignore[no-untyped-call]
        max_new_tokens=12, do_sample=False, use_cache=cache, pad_token_id=2, eos_token_id=None
    )
    with torch.inference_mode(), pine.arranged([layout(row) for row in rows]):
        out = model.generate(input_ids=ids, attention_mask=mask, generation_config=settings)
    return out[:, ids.shape[1] :].tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_decoding_with_the_cache_equals_decoding_without(family: str) -> None:
    model = tiny(family)
    pine = Pine(model)
    steps = (20, 21, 22, 23)
    for row in ROWS:
        cached = step_logits(pine, model, [row], steps)[:, 0]
        whole = logits(pine, model, row, follow=steps)[0, -len(steps) - 1 :]
        assert (cached - whole).abs().max() < 1e-8


def test_a_window_forgets_nothing_that_another_order_would_bring_back() -> None:
    model = tiny("mistral", sliding_window=20)
    pine = Pine(model)
    steps = tuple(range(20, 50))
    cached = step_logits(pine, model, [ROWS[0]], steps)[:, 0]
    whole = logits(pine, model, ROWS[0], follow=steps)[0, -len(steps) - 1 :]
    assert (cached - whole).abs().max() < 1e-8


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_of_a_batch_are_what_they_are_alone(family: str) -> None:
    model = tiny(family)
    pine = Pine(model)
    steps = (20, 21, 22)
    together = step_logits(pine, model, ROWS, steps)
    for number, row in enumerate(ROWS):
        alone = step_logits(pine, model, [row], steps)[:, 0]
        assert (alone - together[:, number]).abs().max() < 1e-8


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_is_generated_for_every_order_of_documents(family: str) -> None:
    model = tiny(family)
    pine = Pine(model)
    first = generated(pine, model, [prompt(DOCUMENTS)])
    for order in ([4, 3, 2, 1, 0], [1, 0, 2, 3, 4], [2, 4, 0, 1, 3]):
        assert generated(pine, model, [prompt([DOCUMENTS[n] for n in order])]) == first
    assert generated(pine, model, [prompt(DOCUMENTS)], cache=False) == first


def test_the_model_is_as_before_afterwards() -> None:
    model = tiny("llama")
    row = prompt(DOCUMENTS)
    before = logits(None, model, row)
    pine = Pine(model)
    generated(pine, model, [row])
    ids = batch([row])[0]
    with pine.arranged([layout(row), layout(row)]), pytest.raises(ValueError, match="rows"):
        model(ids)
    assert (logits(None, model, row) == before).all()


def test_padding_on_the_right_is_refused() -> None:
    import torch

    model = tiny("llama")
    pine = Pine(model)
    ids, mask = batch([ROWS[1]])
    with pine.arranged([layout(ROWS[1])]), pytest.raises(ValueError, match="on the left"):
        model(torch.cat((ids, ids), 1), attention_mask=torch.cat((mask, 0 * mask), 1))
