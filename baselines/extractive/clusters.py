"""Sentences that make one claim, gathered from several documents."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.extractive.claims import SCALE, Claims
from baselines.extractive.encoders import Floors
from baselines.extractive.graph import Edge


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Places in `Claims` of the sentences that make one claim, in reading order.

    A claim that nobody repeats is a cluster of one.
    """

    members: tuple[int, ...]

    def documents(self, claims: Claims) -> set[int]:
        """Places of the documents that make the claim."""
        return {claims.document[member] for member in self.members}


class _Groups:
    """Sentences in groups, each with the sum of its vectors and the set of its documents (bits).

    The dot product of two sums is the sum of all cosines between two groups, and exact.
    """

    def __init__(self, claims: Claims) -> None:
        self._vectors = claims.vectors
        self.of = list(range(len(claims)))
        self.members = [[place] for place in self.of]
        self.speakers = [1 << document for document in claims.document]
        self._sums: dict[int, NDArray[np.float64]] = {}

    def _sum(self, group: int) -> NDArray[np.float64]:
        if group not in self._sums:
            self._sums[group] = self._vectors[group].astype(np.float64)
        return self._sums[group]

    def mean_cosine(self, left: int, right: int) -> float:
        pairs = len(self.members[left]) * len(self.members[right])
        return float(self._sum(left) @ self._sum(right)) / (pairs * SCALE**2)

    def join(self, left: int, right: int) -> None:
        into, gone = sorted((left, right), key=lambda group: -len(self.members[group]))
        self._sums[into] = self._sum(into) + self._sum(gone)
        del self._sums[gone]
        for place in self.members[gone]:
            self.of[place] = into
        self.members[into] += self.members[gone]
        self.members[gone] = []
        self.speakers[into] |= self.speakers[gone]


def gather(claims: Claims, edges: Iterable[Edge], floors: Floors) -> list[Cluster]:
    """Join aligned sentences in the order of `edges`; in reading order of their first members.

    Two groups become one only if no document would speak twice in it and the mean cosine
    between them reaches the lower floor: chains of near neighbours would otherwise tie
    unrelated claims together.
    """
    groups = _Groups(claims)
    of, speakers = groups.of, groups.speakers
    lowest = min(floors.same_language, floors.across_languages)
    for _, one, other in edges:
        left, right = of[one], of[other]
        if speakers[left] & speakers[right]:  # one and the same group, or a document in both
            continue
        if groups.mean_cosine(left, right) >= lowest:
            groups.join(left, right)
    found = [Cluster(members=tuple(sorted(members))) for members in groups.members if members]
    return sorted(found, key=lambda cluster: cluster.members)
