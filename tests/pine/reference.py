"""PINE by its definition, one query, head and key at a time: slow, and nothing shared with ours.

Wang et al., section 3.3: attention within a document is causal and between documents of a group
goes both ways; a document that asks is the last of its group; the others stand before it, the
more important the closer; a token after the documents sorts them for itself.
"""

import math
from collections.abc import Sequence
from typing import Any

from globesumm.llm.pine.layout import Piece


def reference_logits(model: Any, pieces: Sequence[Piece], window: int | None = None) -> Any:
    """(tokens, words) for the prompt `pieces`, in their order."""
    import torch

    ids = torch.tensor([token for piece in pieces for token in piece.tokens])
    decoder = model.model
    states = decoder.embed_tokens(ids)
    with torch.no_grad():
        for layer in decoder.layers:
            attended = _attention(
                layer.self_attn, layer.input_layernorm(states), pieces, decoder, window
            )
            states = states + attended
            states = states + layer.mlp(layer.post_attention_layernorm(states))
        return model.lm_head(decoder.norm(states))


def _attention(
    module: Any, states: Any, pieces: Sequence[Piece], decoder: Any, window: int | None
) -> Any:
    import torch

    count, size = len(states), module.head_dim
    query, key, value = (
        project(states).view(count, -1, size)
        for project in (module.q_proj, module.k_proj, module.v_proj)
    )
    if hasattr(module, "q_norm"):
        query, key = module.q_norm(query), module.k_norm(key)
    shared = query.shape[1] // key.shape[1]
    frequencies = decoder.rotary_emb.inv_freq.double()
    owner = [n for n, piece in enumerate(pieces) for _ in piece.tokens]
    begin = [sum(len(p.tokens) for p in pieces[:n]) for n in range(len(pieces))]
    out = torch.zeros(count, query.shape[1], size, dtype=states.dtype)
    for head in range(query.shape[1]):
        q, k, v = query[:, head], key[:, head // shared], value[:, head // shared]
        scores = q @ k.T / math.sqrt(size)
        for asking in range(count):
            at, places = _places(asking, scores, pieces, owner, begin)
            seen = [j for j, p in places.items() if p <= at and (window is None or at - p < window)]
            turned = torch.stack([_turned(k[j], places[j], frequencies) for j in seen])
            weights = (turned @ _turned(q[asking], at, frequencies) / math.sqrt(size)).softmax(-1)
            out[asking, head] = weights @ v[seen]
    return module.o_proj(out.reshape(count, -1))


def _turned(vector: Any, position: int, frequencies: Any) -> Any:
    import torch

    half = len(frequencies)
    cos, sin = (position * frequencies).cos(), (position * frequencies).sin()
    left, right = vector[:half], vector[half:]
    return torch.cat((left * cos - right * sin, right * cos + left * sin))


def _places(
    asking: int, scores: Any, pieces: Sequence[Piece], owner: list[int], begin: list[int]
) -> tuple[int, dict[int, int]]:
    """The position of the query, and of every key that it may see, as the query sees them."""
    own = owner[asking]
    members: dict[int, list[int]] = {}
    for n, piece in enumerate(pieces):
        if piece.group is not None:
            members.setdefault(piece.group, []).append(n)
    places: dict[int, int] = {}
    for n, piece in enumerate(pieces):
        if piece.group is None and n <= own:
            places |= {begin[n] + i: begin[n] + i for i in range(len(piece.tokens))}
    at = asking
    spans = [range(b, b + len(p.tokens)) for b, p in zip(begin, pieces, strict=True)]
    asks = [asking] if pieces[own].group is None else spans[own]
    for group in members.values():
        if begin[group[0]] > asking and own not in group:
            continue
        end = begin[group[-1]] + len(pieces[group[-1]].tokens)
        near = sorted(
            (n for n in group if n != own),
            key=lambda n: (
                pieces[n].target,
                _importance(
                    asks, spans[n], [j for m in group if m != own for j in spans[m]], scores
                ),
            ),
            reverse=True,
        )
        for n in [own] * (own in group) + near:
            end -= len(pieces[n].tokens)
            places |= {begin[n] + i: end + i for i in range(len(pieces[n].tokens))}
        if own in group:
            at = places[asking]
    return at, places


def _importance(asks: Sequence[int], other: range, over: list[int], scores: Any) -> float:
    total = 0.0
    for i in asks:
        weights = scores[i][over].softmax(-1)
        total += float(sum(w for j, w in zip(over, weights, strict=True) if j in other))
    return total / len(other)
