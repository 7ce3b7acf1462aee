"""How near two reports are, and the graph of those that may tell of one event.

Closeness is what a cosine says beyond that of unrelated reports, which is higher within one
language than across two: ``(cosine - background) / (1 - background)``, 0 for unrelated and 1 for
equal ones.  Shared names and numbers add to it, a fifth at most.  Two reports are tied if each
is among the other's nearest, they are near enough, and no more than the window apart in time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from globesumm.values import Document
from retrieval.clusters.backgrounds import Background
from retrieval.clusters.names import names, weighted
from retrieval.clusters.vectors import Vectors

_CELLS = 4_000_000
"""Of a block: pairs that are compared at once."""

_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What decides the clusters.

    `days`: the longest time between two reports that are tied; an undated one is tied to any.
    `floor`: the least closeness.  `neighbours`: how many nearest ones count.  `names`: the
    weight of shared names and numbers.  `density`: two groups become one event if the mean
    closeness between their members (0 for pairs that are not tied) is at least that.
    `seed`: of the order in which communities are sought.
    """

    days: float = 30.0
    floor: float = 0.2
    neighbours: int = 30
    names: float = 0.2
    density: float = 0.04
    seed: int = 0
    background: Background = field(default_factory=Background)

    @property
    def signature(self) -> str:
        """All of it in one line, for records."""
        space = self.background
        return (
            f"clusters|days:{self.days:g}|floor:{self.floor:g}|neighbours:{self.neighbours}"
            f"|names:{self.names:g}|potts:{self.density:g}|seed:{self.seed}"
            f"|background:{space.same_language:g}/{space.across_languages:g}"
        )


@dataclass(frozen=True, slots=True)
class Tie:
    """Two places in the list of documents, and their closeness."""

    left: int
    right: int
    closeness: float


def ties(documents: Sequence[Document], vectors: Vectors, settings: Settings) -> list[Tie]:
    """Every pair that is tied, each once, in order; memory is bounded by blocks of rows."""
    nearest = [dict(row) for row in _nearest(documents, vectors, settings)]
    return [
        Tie(place, other, closeness)
        for place, row in enumerate(nearest)
        for other, closeness in sorted(row.items())
        if place < other and place in nearest[other]
    ]


def _nearest(
    documents: Sequence[Document], vectors: Vectors, settings: Settings
) -> Iterator[list[tuple[int, float]]]:
    """For each document its nearest others that are near enough, with their closeness."""
    known: dict[str, int] = {}
    languages = np.array([known.setdefault(one.language, len(known)) for one in documents])
    times = np.array(
        [one.published.timestamp() / _DAY if one.published else np.nan for one in documents]
    )
    named: Any = weighted([names(one) for one in documents]) if settings.names else None
    space = settings.background
    size = max(1, _CELLS // max(1, len(documents)))
    for start in range(0, len(documents), size):
        stop = min(start + size, len(documents))
        same = languages[start:stop, None] == languages[None, :]
        base = np.where(same, space.same_language, space.across_languages)
        close: NDArray[np.float64] = (vectors[start:stop] @ vectors.T - base) / (1 - base)
        if named is not None:
            close += settings.names * (named[start:stop] @ named.T).toarray()
        apart = np.abs(times[start:stop, None] - times[None, :]) > settings.days  # NaN is not
        close[apart] = -np.inf
        close[np.arange(stop - start), np.arange(start, stop)] = -np.inf
        most = min(settings.neighbours, len(documents) - 1)
        for row in close:
            enough = np.flatnonzero(row >= settings.floor)
            order = enough[np.argsort(-row[enough], kind="stable")[:most]]
            yield [(int(at), float(row[at])) for at in order]
