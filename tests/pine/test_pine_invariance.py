"""No order of the documents changes what a model says under PINE, and any changes it without."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.llm.pine import layout as layouts
from globesumm.llm.pine import ordering
from globesumm.llm.pine.attention import FAMILIES, Pine
from globesumm.llm.pine.layout import Piece, in_content_order
from tests.pine.tiny_models import logits, prompt, tiny, words

CLOSE = 1e-8
LENGTHS = (9, 70, 13, 1, 130, 9)
Build = Callable[..., tuple[Any, Pine]]


@pytest.fixture(scope="module")
def built() -> Build:
    """A model of a family with `Pine` around it, made once for each set of changes."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    made: dict[tuple[Any, ...], tuple[Any, Pine]] = {}

    def build(family: str, **changes: Any) -> tuple[Any, Pine]:
        key = (family, *sorted(changes.items()))
        if key not in made:
            model = tiny(family, **changes)
            made[key] = (model, Pine(model))
        return made[key]

    return build


@pytest.fixture(scope="module")
def documents() -> list[tuple[int, ...]]:
    draw = Random(1)
    return [words(draw, length) for length in LENGTHS]


def apart(one: Any, other: Any) -> float:
    return float((one - other).abs().max())


def by_document(found: Any, order: list[int], before: int = 4) -> list[Any]:
    """The logits within each document, in the order of their numbers, and those after them."""
    parts, at = {}, before
    for number in order:
        parts[number] = found[0, at : at + LENGTHS[number]]
        at += LENGTHS[number]
    return [*(parts[number] for number in sorted(parts)), found[0, at:]]


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=8, deadline=None, derandomize=True)
@given(order=st.permutations(range(len(LENGTHS))))
def test_no_permutation_changes_a_logit(
    built: Build, documents: list[tuple[int, ...]], family: str, order: list[int]
) -> None:
    model, pine = built(family)
    first = by_document(logits(pine, model, prompt(documents)), list(range(len(LENGTHS))))
    other = by_document(logits(pine, model, prompt([documents[n] for n in order])), order)
    assert max(map(apart, first, other)) < CLOSE


@pytest.mark.parametrize("family", FAMILIES)
def test_plain_attention_says_otherwise_in_another_order(
    built: Build, documents: list[tuple[int, ...]], family: str
) -> None:
    model, pine = built(family)
    plain = logits(None, model, prompt(documents))[:, -5:]
    turned = logits(None, model, prompt(documents[::-1]))[:, -5:]
    assert apart(plain, turned) > 1e-3
    assert apart(plain, logits(pine, model, prompt(documents))[:, -5:]) > 1e-3


@pytest.mark.parametrize("family", FAMILIES)
def test_what_documents_say_does_count(
    built: Build, documents: list[tuple[int, ...]], family: str
) -> None:
    model, pine = built(family)
    changed = [*documents[:-1], words(Random(2), LENGTHS[-1])]
    one, other = (logits(pine, model, prompt(given))[:, -5:] for given in (documents, changed))
    assert apart(one, other) > 1e-3


@pytest.mark.parametrize("family", FAMILIES)
def test_equal_importance_is_decided_by_content(
    built: Build, family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The same words in other orders: in the first layer, where states are words and importance
    # knows no positions, all of them are equally important to whatever asks.
    model, pine = built(family)
    draw = Random(11)
    said = words(draw, 12)
    tied = [tuple(draw.sample(said, len(said))) for _ in range(5)]
    orders = ([4, 3, 2, 1, 0], [1, 0, 2, 4, 3], [2, 0, 3, 1, 4])

    def most_apart() -> float:
        first = logits(pine, model, prompt(tied))[:, -5:]
        others = (logits(pine, model, prompt([tied[n] for n in order])) for order in orders)
        return max(apart(first, other[:, -5:]) for other in others)

    assert most_apart() < CLOSE
    # Decided by place instead, or by the rounding of sums, the orders would come apart.
    monkeypatch.setattr(layouts, "_content", lambda _: 0)
    assert most_apart() > 1e-6
    monkeypatch.undo()
    monkeypatch.setattr(ordering, "_NOISE", 0)
    assert most_apart() > 1e-6


def test_documents_that_say_the_same_may_stand_anywhere(
    built: Build, documents: list[tuple[int, ...]]
) -> None:
    model, pine = built("llama")
    twins = [documents[0], documents[1], documents[0], documents[2], documents[0]]
    first = logits(pine, model, prompt(twins))[:, -5:]
    for order in ([4, 3, 2, 1, 0], [0, 2, 4, 1, 3]):
        assert apart(first, logits(pine, model, prompt([twins[n] for n in order]))[:, -5:]) < CLOSE


@pytest.mark.parametrize("family", FAMILIES)
def test_one_document_is_plain_attention(
    built: Build, documents: list[tuple[int, ...]], family: str
) -> None:
    model, pine = built(family)
    alone = prompt([documents[1]])
    assert apart(logits(pine, model, alone), logits(None, model, alone)) < CLOSE


@pytest.mark.parametrize("family", FAMILIES)
def test_one_document_is_plain_attention_with_the_library_s_own_float32_angles(
    documents: list[tuple[int, ...]], family: str
) -> None:
    model = tiny(family)
    del model.model.rotary_emb.forward
    alone = prompt([documents[4]])
    assert apart(logits(Pine(model), model, alone), logits(None, model, alone)) < CLOSE


def test_no_document_is_plain_attention(built: Build) -> None:
    model, pine = built("llama")
    text = [Piece(words(Random(3), 40))]
    assert apart(logits(pine, model, text), logits(None, model, text)) < CLOSE


def test_a_document_without_tokens_is_none(built: Build, documents: list[tuple[int, ...]]) -> None:
    model, pine = built("llama")
    with_it = logits(pine, model, prompt([documents[0], (), documents[1]]))
    assert apart(with_it, logits(pine, model, prompt(documents[:2]))) < CLOSE
    alone = logits(pine, model, prompt([documents[0], ()]))
    assert apart(alone, logits(None, model, prompt(documents[:1]))) < CLOSE


def test_fifty_documents_have_no_order(built: Build) -> None:
    model, pine = built("llama")
    draw = Random(4)
    many = [words(draw, 1 + draw.randrange(30)) for _ in range(50)]
    shuffled = draw.sample(many, len(many))
    one, other = (logits(pine, model, prompt(given))[:, -5:] for given in (many, shuffled))
    assert apart(one, other) < CLOSE


def test_a_target_is_nearer_whatever_its_importance_and_wherever_it_stands(
    built: Build, documents: list[tuple[int, ...]]
) -> None:
    model, pine = built("llama")
    plain = logits(pine, model, prompt(documents))[:, -5:]
    aimed = logits(pine, model, prompt(documents, targets=[3]))[:, -5:]
    assert apart(plain, aimed) > 1e-6
    elsewhere = logits(pine, model, prompt(documents[::-1], targets=[2]))[:, -5:]
    assert apart(aimed, elsewhere) < CLOSE


@pytest.mark.parametrize("window", [8, 50])
def test_a_sliding_window_slides_over_the_positions_that_a_query_deals_out(
    built: Build, documents: list[tuple[int, ...]], window: int
) -> None:
    model, pine = built("mistral", sliding_window=window)
    first = logits(pine, model, prompt(documents))[:, -5:]
    assert apart(first, logits(pine, model, prompt(documents[::-1]))[:, -5:]) < CLOSE
    alone = prompt([documents[4]])
    assert apart(logits(pine, model, alone), logits(None, model, alone)) < CLOSE


def test_in_half_precision_documents_in_order_of_content_make_equal_bits(
    documents: list[tuple[int, ...]],
) -> None:
    import torch

    exact = tiny("qwen3")
    wanted = logits(Pine(exact), exact, prompt(documents))[:, -5:]
    model = exact.to(torch.bfloat16)
    pine = Pine(model)
    one, other = (
        logits(pine, model, in_content_order(prompt(given)))[:, -5:]
        for given in (documents, documents[::-1])
    )
    assert one.dtype == torch.bfloat16
    assert (one == other).all()
    # Eight bits of mantissa, three layers.
    assert apart(one.double(), wanted) < 0.1 * float(wanted.abs().max())
