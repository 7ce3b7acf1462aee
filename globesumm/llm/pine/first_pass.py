"""Attention over a whole prompt: text before, documents among one another, text after.

Each row is computed by itself, without padding, so a row is what it would be alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from globesumm.llm.pine.layout import Block, Layout, Span
from globesumm.llm.pine.ordering import Documents, starts
from globesumm.llm.pine.reach import MOST_SCORES, Index, Reach
from globesumm.llm.pine.rotation import Rotation

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class _Part:
    """One block with what all layers need to know of it."""

    block: Block
    documents: Documents | None
    index: Index | None


class FirstPass:
    """The order of work over one row of `length` tokens, the same for every layer."""

    def __init__(self, layout: Layout, length: int, like: "Tensor") -> None:
        """`like` has the device and number type of the states."""
        import torch

        self._spans, self._length = layout.documents, length
        device = like.device
        places = torch.arange(length, device=device)
        self._positions = places
        self._offsets = places.clone()
        self._owners = torch.full((length,), len(self._spans), device=device)
        for number, span in enumerate(self._spans):
            self._offsets[span.start : span.end] -= span.start
            self._owners[span.start : span.end] = number
        self._parts = []
        for block in layout.blocks(length):
            earlier = self._spans[: layout.before(block.start)]
            documents = index = None
            if block.document is not None:
                group = self._spans[block.document].group
                seen = [span for span in self._spans if span.group <= group]
                documents = Documents.of([seen], device, own=block.document)
            elif earlier:
                index = Index.of([earlier], [block.end], [0], like)
            self._parts.append(_Part(block, documents, index))

    def attend(
        self,
        queries: "Tensor",
        keys: "Tensor",
        values: "Tensor",
        *,
        rotation: Rotation,
        scaling: float,
        window: int | None,
    ) -> "Tensor":
        """(heads, tokens, size) from states of that shape, none of them turned."""
        import torch

        turned = rotation.turn(keys, self._offsets)
        found = []
        for part in self._parts:
            block, asking = part.block, queries[:, part.block.start : part.block.end]
            if part.documents is not None:
                seen = _Seen(queries, keys, turned, values, scaling=scaling, window=window)
                found.append(self._document(block, part.documents, seen, rotation))
            elif part.index is not None:
                end = block.end
                reach = Reach(part.index, keys[None, :, :end], values[None, :, :end], rotation)
                at = self._positions[None, block.start : end]
                found.append(reach.attend(asking[None], at, scaling, window)[0])
            else:
                found.append(
                    _attention(
                        rotation.turn(asking, self._positions[: block.end]),
                        turned[:, : block.end],
                        values[:, : block.end],
                        seen=self._behind(block.end, window),
                        scaling=scaling,
                    )
                )
        return torch.cat(found, dim=1)

    def _document(
        self, block: Block, documents: Documents, seen: "_Seen", rotation: Rotation
    ) -> "Tensor":
        """A document as it asks: itself last, the others of its group before it by importance."""
        import torch

        own = self._spans[block.document or 0]
        importance = seen.importance(own, self._spans[: documents.lengths.shape[-1]])
        begins = starts(importance, documents)[0, :, 0]
        end, heads = own.group_end, len(seen.queries)
        # Text keeps its place: it was turned to it, and is turned by 0 now.
        shifts = torch.cat((begins, torch.zeros_like(begins[:, :1])), dim=1)
        shifts = shifts[:, self._owners[:end].clamp_max(begins.shape[1])]
        inside = self._positions[: own.length]
        at = end - own.length + inside
        others = self._owners[:end] != block.document
        mask = (others | (inside[:, None] >= self._offsets[:end]))[None]
        if seen.window is not None:
            distance = at[:, None] - (shifts + self._offsets[:end])[:, None]
            mask = mask & (distance < seen.window)
        return _attention(
            rotation.turn(seen.queries[:, own.start : own.end], at),
            rotation.turn(_spread(seen.turned[:, :end], heads), shifts),
            seen.values[:, :end],
            seen=mask,
            scaling=seen.scaling,
        )

    def _behind(self, end: int, window: int | None) -> "Tensor | None":
        """Who sees whom in plain text before any document; None is plain causal order."""
        if window is None:
            return None
        distance = self._positions[:end, None] - self._positions[:end]
        return ((distance >= 0) & (distance < window))[None]


@dataclass(frozen=True, slots=True)
class _Seen:
    """The states of one row in one layer."""

    queries: "Tensor"
    keys: "Tensor"
    turned: "Tensor"
    values: "Tensor"
    scaling: float
    window: int | None

    def importance(self, own: Span, spans: Sequence[Span]) -> "Tensor":
        """(1, heads, 1, D): how much `own` attends to each document, without positions.

        The softmax runs over the documents of one group, `own` left out; its values are summed
        over both documents and divided by the other's length (section 3.3).
        """
        import torch

        heads, size = len(self.queries), self.queries.shape[-1]
        held = torch.promote_types(self.queries.dtype, torch.float32)
        asking = self.queries[:, own.start : own.end]
        found = torch.zeros(heads, len(spans), dtype=held, device=asking.device)
        for group in sorted({span.group for span in spans}):
            members = [(n, s) for n, s in enumerate(spans) if s.group == group and s != own]
            begin, end = members[0][1].group_start, members[0][1].group_end
            keys = self.keys[:, begin:end].transpose(-1, -2)
            hidden = torch.zeros(end - begin, dtype=torch.bool, device=asking.device)
            if group == own.group:
                hidden[own.start - begin : own.end - begin] = True
            step = max(1, MOST_SCORES // max(1, heads * (end - begin)))
            for at in range(0, own.length, step):
                grouped = asking[:, at : at + step].reshape(len(self.keys), -1, size)
                scores = ((grouped @ keys) * self.scaling).to(held)
                weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
                summed = weights.reshape(heads, -1, end - begin).sum(dim=1)
                for number, span in members:
                    part = summed[:, span.start - begin : span.end - begin]
                    found[:, number] += part.sum(dim=-1) / span.length
        return found[None, :, None]


def _spread(states: "Tensor", heads: int) -> "Tensor":
    """Key heads repeated for the query heads that share them."""
    return states.repeat_interleave(heads // len(states), dim=0)


def _attention(
    queries: "Tensor", keys: "Tensor", values: "Tensor", *, seen: "Tensor | None", scaling: float
) -> "Tensor":
    """Attention of turned states to the keys that are `seen` (1 or heads, Q, K)."""
    from torch.nn.functional import scaled_dot_product_attention

    heads = len(queries)
    attended = scaled_dot_product_attention(
        queries[None],
        _spread(keys, heads)[None],
        _spread(values, heads)[None],
        attn_mask=None if seen is None else seen[None],
        is_causal=seen is None,
        scale=scaling,
    )
    return attended[0]
