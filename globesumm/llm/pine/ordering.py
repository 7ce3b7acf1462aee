"""From importance to positions: documents sorted, nearest last, ties broken by content."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from globesumm.llm.pine.layout import Span

if TYPE_CHECKING:
    from torch import Tensor, device

_TIERS = 3
"""Of a group, from the nearest to what asks: itself, targets, all others."""

_NOISE = 1024
"""Units of rounding within which importances are equal: sums over other orders differ by a few."""


@dataclass(frozen=True, slots=True)
class Documents:
    """What sorting needs to know of documents; every tensor is whole numbers of shape (..., D).

    `tiers` sorts before importance does, `before` counts the document tokens of earlier groups,
    `ends` is where the group ends.  Padding has length 0 and a tier above all others.
    """

    lengths: "Tensor"
    ends: "Tensor"
    before: "Tensor"
    ranks: "Tensor"
    tiers: "Tensor"

    @classmethod
    def of(
        cls, rows: Sequence[Sequence[Span]], device: "device", own: int | None = None
    ) -> "Documents":
        """(rows, 1, 1, D): the documents of each row of a batch, padded to equal number.

        `own` is the number of the document that asks, which stands last in its own eyes.
        """
        import torch

        most = max((len(spans) for spans in rows), default=0)
        table = []
        for spans in rows:
            row = [
                (s.length, s.group_end, _before(spans, s), s.rank, _tier(s, own=place == own))
                for place, s in enumerate(spans)
            ]
            padding = (0, 0, 0, 0, _TIERS * (1 + max((s.group for s in spans), default=0)))
            table.append(row + [padding] * (most - len(row)))
        held = torch.tensor(table, dtype=torch.long, device=device).reshape(
            len(rows), 1, 1, most, 5
        )
        return cls(*held.unbind(-1))


def _before(spans: Sequence[Span], span: Span) -> int:
    return sum(other.length for other in spans if other.group < span.group)


def _tier(span: Span, *, own: bool) -> int:
    return _TIERS * span.group + (0 if own else 1 if span.target else 2)


def starts(importance: "Tensor", documents: Documents) -> "Tensor":
    """Where each document begins in the eyes of each query: whole numbers of the same shape.

    `importance` is (..., D), at least 0.  Within a group the most important document ends where
    the group ends, the next before it, and so on (Wang et al., section 3.3: more important,
    closer).  Values that differ by no more than rounding are equal, and content decides.
    """
    import torch

    shape = importance.shape

    def all_of(values: "Tensor") -> "Tensor":
        return values.expand(shape)

    order = importance.argsort(dim=-1, descending=True, stable=True)
    tiers = all_of(documents.tiers).gather(-1, order)
    order = order.gather(-1, tiers.argsort(dim=-1, stable=True))
    values, tiers = importance.gather(-1, order), all_of(documents.tiers).gather(-1, order)
    high, low = values[..., :-1], values[..., 1:]
    apart = (high - low) > _NOISE * torch.finfo(values.dtype).eps * high.abs()
    apart = apart | (tiers[..., 1:] != tiers[..., :-1])
    places = torch.zeros_like(order)
    places[..., 1:] = apart.cumsum(-1)
    ranks = all_of(documents.ranks).gather(-1, order)
    order = order.gather(-1, (places * shape[-1] + ranks).argsort(dim=-1, stable=True))
    nearer = all_of(documents.lengths).gather(-1, order).cumsum(-1)
    found = all_of(documents.ends + documents.before).gather(-1, order) - nearer
    return torch.empty_like(order).scatter(-1, order, found)
