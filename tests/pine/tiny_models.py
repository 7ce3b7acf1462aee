"""Tiny random decoders of every family, in true float64, and prompts of random tokens for them."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from globesumm.llm.pine.attention import Pine
from globesumm.llm.pine.layout import Layout, Piece, layout

VOCABULARY = 97

SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 48,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 2048,
    "initializer_range": 0.15,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "pad_token_id": 2,
}


def tiny(family: str, **changes: Any) -> Any:
    """A random model of `family`, whose norms and angles are float64 as its weights are.

    The library computes both in float32 whatever the weights are, which would hide, and now and
    then enlarge, differences of rounding.
    """
    import torch
    import transformers

    kinds = {
        "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
        "mistral": (transformers.MistralConfig, transformers.MistralForCausalLM),
        "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM),
        "qwen3": (transformers.Qwen3Config, transformers.Qwen3ForCausalLM),
    }
    torch.set_num_threads(1)
    torch.manual_seed(0)
    config, kind = kinds[family]
    sizes = SIZES | ({"sliding_window": None} if family == "mistral" else {}) | changes
    model = kind(config(**sizes)).to(torch.float64).eval()
    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm"):
            module.forward = _norm(module)
    model.model.rotary_emb.forward = _angles(model.model.rotary_emb)
    return model


def _norm(module: Any) -> Any:
    def forward(states: Any) -> Any:
        mean = states.pow(2).mean(-1, keepdim=True)
        return module.weight * states / (mean + module.variance_epsilon).sqrt()

    return forward


def _angles(rotary: Any) -> Any:
    def forward(states: Any, position_ids: Any = None) -> Any:
        import torch

        angles = position_ids[..., None].double() * rotary.inv_freq.double()
        both = torch.cat((angles, angles), dim=-1)
        scale = rotary.attention_scaling
        return (both.cos() * scale).to(states.dtype), (both.sin() * scale).to(states.dtype)

    return forward


def words(draw: Random, count: int) -> tuple[int, ...]:
    """Random tokens, none of them special."""
    return tuple(draw.randrange(3, VOCABULARY) for _ in range(count))


def prompt(
    documents: Sequence[Sequence[int]],
    before: Sequence[int] = (5, 6, 7, 8),
    after: Sequence[int] = (9, 10, 11, 12, 13),
    *,
    targets: Iterable[int] = (),
) -> list[Piece]:
    """Text, documents without order, text."""
    aimed = set(targets)
    return [
        Piece(tuple(before)),
        *(Piece(tuple(tokens), 0, n in aimed) for n, tokens in enumerate(documents)),
        Piece(tuple(after)),
    ]


def tokens(pieces: Iterable[Piece]) -> list[int]:
    return [token for piece in pieces for token in piece.tokens]


def logits(
    pine: Pine | None, model: Any, *rows: Sequence[Piece], follow: Sequence[int] = ()
) -> Any:
    """(rows, tokens, words) after each prompt and `follow`, rows padded on the left.

    Without `pine`, with the model's usual attention.
    """
    import torch

    ids = [[*tokens(row), *follow] for row in rows]
    width = max(map(len, ids))
    given = torch.tensor([[2] * (width - len(row)) + row for row in ids])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in ids])
    with torch.no_grad():
        if pine is None:
            return model(given, attention_mask=mask).logits
        layouts: list[Layout] = [layout(row) for row in rows]
        with pine.arranged(layouts):
            return model(given, attention_mask=mask).logits
