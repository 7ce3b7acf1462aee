"""Attention of the text after documents: every token sorts the documents for itself.

A document's place differs between queries and heads, so keys would have to be turned anew for
each of them.  Instead a key is turned once, by its place in a tile (a stretch of at most
`TILE` tokens of one document), and a query once for each tile, by its distance from where the
tile begins; what is left to do is one multiplication over all tiles of all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from globesumm.llm.pine.layout import Span
from globesumm.llm.pine.ordering import Documents, starts
from globesumm.llm.pine.rotation import Rotation

if TYPE_CHECKING:
    from torch import Tensor

TILE = 64
"""Tokens of a tile: fewer turn queries more often, more waste room at the ends of documents."""

MOST_SCORES = 1 << 24
"""Attention scores computed at a time, which bounds memory for long prompts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """Where in a batch the tokens of documents and of ordinary text lie; B rows, S slots.

    Slots are the tiles' tokens, padded; O is the number of ordinary tokens, padded.
    """

    documents: Documents
    slot_tokens: "Tensor"
    slot_groups: "Tensor"
    shares: "Tensor"
    tile_documents: "Tensor"
    tile_offsets: "Tensor"
    text_tokens: "Tensor"
    text_there: "Tensor"
    text_positions: "Tensor"
    groups: int

    @classmethod
    def of(
        cls,
        rows: Sequence[Sequence[Span]],
        lengths: Sequence[int],
        pads: Sequence[int],
        like: "Tensor",
    ) -> "Index":
        """Of rows with documents `rows` in `lengths` tokens, after `pads` tokens of padding."""
        import torch

        tokens, groups, owners, tiles, texts = [], [], [], [], []
        for spans, length, pad in zip(rows, lengths, pads, strict=True):
            row_tiles = [
                (number, offset, min(TILE, span.length - offset))
                for number, span in enumerate(spans)
                for offset in range(0, span.length, TILE)
            ]
            tiles.append([(number, offset) for number, offset, _ in row_tiles])
            slots = [
                (spans[number], offset + place if place < size else None)
                for number, offset, size in row_tiles
                for place in range(TILE)
            ]
            tokens.append([0 if at is None else pad + span.start + at for span, at in slots])
            groups.append([-1 if at is None else span.group for span, at in slots])
            owners.append([number for number, _, _ in row_tiles for _ in range(TILE)])
            covered = {place for span in spans for place in range(span.start, span.end)}
            texts.append([place for place in range(length) if place not in covered])
        device = like.device

        def table(values: Sequence[Sequence[int]], padding: int) -> "Tensor":
            width = max(len(row) for row in values)
            padded = [[*row, *[padding] * (width - len(row))] for row in values]
            return torch.tensor(padded, dtype=torch.long, device=device)

        positions = table(texts, -1)
        there = positions >= 0
        offsets = torch.tensor(list(pads), device=device)[:, None]
        documents = Documents.of(rows, device)
        slot_groups = table(groups, -1)
        held = torch.float64 if like.dtype == torch.float64 else torch.float32
        numbers = torch.arange(documents.lengths.shape[-1], device=device)
        owned = (table(owners, 0)[..., None] == numbers) & (slot_groups >= 0)[..., None]
        # An unused column of padding has length 0 and owns nothing.
        shares = owned.to(held) / documents.lengths[:, 0].clamp_min(1).to(held)
        return cls(
            documents=documents,
            slot_tokens=table(tokens, 0),
            slot_groups=slot_groups,
            shares=shares,
            tile_documents=table([[number for number, _ in row] for row in tiles], 0),
            tile_offsets=table([[offset for _, offset in row] for row in tiles], 0),
            text_tokens=positions.clamp_min(0) + offsets,
            text_there=there,
            text_positions=positions.clamp_min(0),
            groups=1 + max((span.group for spans in rows for span in spans), default=-1),
        )


class Reach:
    """The keys and values of one layer that queries after the documents can reach."""

    def __init__(self, index: Index, keys: "Tensor", values: "Tensor", rotation: Rotation) -> None:
        """`keys` and `values` are (B, key heads, tokens, size), the keys not turned."""
        import torch

        self._index, self._rotation = index, rotation
        self._plain, self._slot_values = (_taken(t, index.slot_tokens) for t in (keys, values))
        batch, heads, slots, size = self._plain.shape
        tiled = self._plain.reshape(batch, heads, slots // TILE, TILE, size)
        self._tiles = rotation.turn(tiled, torch.arange(TILE, device=keys.device))
        self._tiles = self._tiles.reshape(batch, heads, slots, size)
        text, self._text_values = (_taken(t, index.text_tokens) for t in (keys, values))
        self._text = rotation.turn(text, index.text_positions[:, None])
        self._positions, self._there = index.text_positions, index.text_there

    def extend(self, keys: "Tensor", values: "Tensor", positions: "Tensor") -> None:
        """Add text tokens at `positions` (B, tokens)."""
        import torch

        turned = self._rotation.turn(keys, positions[:, None])
        self._text = torch.cat((self._text, turned), dim=2)
        self._text_values = torch.cat((self._text_values, values), dim=2)
        self._positions = torch.cat((self._positions, positions), dim=1)
        self._there = torch.cat((self._there, torch.ones_like(positions, dtype=torch.bool)), dim=1)

    def attend(
        self, queries: "Tensor", positions: "Tensor", scaling: float, window: int | None
    ) -> "Tensor":
        """What `queries` (B, heads, Q, size), not turned, at `positions` (B, Q), take in."""
        import torch

        reached = self._tiles.shape[2] + self._text.shape[2]
        step = max(1, MOST_SCORES // max(1, queries.shape[0] * queries.shape[1] * reached))
        parts = [
            self._attend(
                queries[:, :, at : at + step], positions[:, at : at + step], scaling, window
            )
            for at in range(0, queries.shape[2], step)
        ]
        return parts[0] if len(parts) == 1 else torch.cat(parts, dim=2)

    def _attend(
        self, queries: "Tensor", positions: "Tensor", scaling: float, window: int | None
    ) -> "Tensor":
        import torch

        at = positions[:, None, :, None]
        turned = self._rotation.turn(queries, positions[:, None])
        scores = _matched(turned, self._text) * scaling
        behind = at - self._positions[:, None, None]
        seen = self._there[:, None, None] & (behind >= 0)
        scores = scores.masked_fill(
            ~(seen if window is None else seen & (behind < window)), -torch.inf
        )
        slots = self._tiles.shape[2]
        if slots:
            scores = torch.cat((self._on_documents(queries, at, scaling, window), scores), dim=-1)
        held = torch.promote_types(scores.dtype, torch.float32)
        weights = scores.softmax(dim=-1, dtype=held).to(queries.dtype)
        taken = _weighed(weights[..., slots:], self._text_values)
        return taken + _weighed(weights[..., :slots], self._slot_values) if slots else taken

    def _on_documents(
        self, queries: "Tensor", at: "Tensor", scaling: float, window: int | None
    ) -> "Tensor":
        import torch

        index = self._index
        begins = starts(self._importance(queries, scaling), index.documents)
        batch, heads, count, _ = queries.shape
        tiles = index.tile_documents.shape[1]
        which = index.tile_documents[:, None, None].expand(batch, heads, count, tiles)
        distance = at - begins.gather(-1, which) - index.tile_offsets[:, None, None]
        # A padding tile may seem to lie ahead; it is masked below.
        turned = self._rotation.turn(queries[..., None, :], distance.clamp_min(0))
        key_heads, size = self._tiles.shape[1], queries.shape[-1]
        grouped = turned.reshape(batch, key_heads, -1, tiles, size).transpose(2, 3)
        keys = self._tiles.reshape(batch, key_heads, tiles, TILE, size)
        scores = (grouped @ keys.transpose(-1, -2)).transpose(2, 3) * scaling
        scores = scores.reshape(batch, heads, count, tiles * TILE)
        hidden = (index.slot_groups < 0)[:, None, None]
        if window is not None:
            places = torch.arange(TILE, device=queries.device)
            hidden = hidden | ((distance[..., None] - places).flatten(-2) >= window)
        return scores.masked_fill(hidden, -torch.inf)

    def _importance(self, queries: "Tensor", scaling: float) -> "Tensor":
        """(B, heads, Q, D): attention without positions within each group, a document's mean."""
        import torch

        index = self._index
        scores = (_matched(queries, self._plain) * scaling).to(index.shares.dtype)
        weights = torch.zeros_like(scores)
        for group in range(index.groups):
            others = (index.slot_groups != group)[:, None, None]
            # A row without this group has nothing to weigh.
            weights += scores.masked_fill(others, -torch.inf).softmax(dim=-1).nan_to_num(0.0)
        return weights @ index.shares[:, None]


def _taken(states: "Tensor", tokens: "Tensor") -> "Tensor":
    """(B, heads, tokens, size) of the given tokens of each row."""
    batch, heads, _, size = states.shape
    where = tokens[:, None, :, None].expand(batch, heads, tokens.shape[1], size)
    return states.gather(2, where)


def _matched(queries: "Tensor", keys: "Tensor") -> "Tensor":
    """(B, heads, Q, K): products of queries with the keys that their heads share."""
    batch, heads, count, size = queries.shape
    grouped = queries.reshape(batch, keys.shape[1], -1, size)
    return (grouped @ keys.transpose(-1, -2)).reshape(batch, heads, count, -1)


def _weighed(weights: "Tensor", values: "Tensor") -> "Tensor":
    """(B, heads, Q, size): values of shared heads, summed by weight."""
    batch, heads, count, keys = weights.shape
    grouped = weights.reshape(batch, values.shape[1], -1, keys)
    return (grouped @ values).reshape(batch, heads, count, -1)
