"""The filter that keeps invented facts out: judges vote whether the summary states each one.

OmniCSEval, 3.3: three judges, and a fact that two of them call unsupported by the *summary* it
was taken from is discarded, since it would be held against the summary's faithfulness.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from globesumm.errors import UsageError

AGAINST = 2
"""Votes that discard a fact."""

Vote = bool | None
"""Whether a judge finds the fact in the summary; None where it gave no verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtered:
    """The places of facts kept and discarded, in order.

    `undecided` are those kept only because too few judges gave a verdict for anything else.
    """

    kept: tuple[int, ...]
    discarded: tuple[int, ...]
    undecided: tuple[int, ...] = ()

    @property
    def rate(self) -> float | None:
        """Discarded / all facts, 0 to 1; None without facts."""
        total = len(self.kept) + len(self.discarded)
        return len(self.discarded) / total if total else None


def consensus(votes: Sequence[Sequence[Vote]], against: int = AGAINST) -> Filtered:
    """`votes` holds for each fact one vote a judge."""
    if len({len(one) for one in votes}) > 1:
        raise ValueError("some facts have more votes than others")
    if votes and len(votes[0]) < against:
        raise UsageError(f"{len(votes[0])} judges cannot give {against} votes against a fact")
    kept, discarded, undecided = [], [], []
    for place, one in enumerate(votes):
        unsupported, missing = one.count(False), one.count(None)
        if unsupported >= against:
            discarded.append(place)
            continue
        kept.append(place)
        if unsupported + missing >= against:
            undecided.append(place)
    return Filtered(kept=tuple(kept), discarded=tuple(discarded), undecided=tuple(undecided))
