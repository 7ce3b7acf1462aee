"""Sentences that make one claim, gathered from several documents."""

from dataclasses import dataclass

import numpy as np

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


def gather(claims: Claims, edges: list[Edge], floors: Floors) -> list[Cluster]:
    """Join aligned sentences, closest pairs first; in reading order of their first members.

    Two groups become one only if no document would speak twice in it and the mean cosine
    between them reaches the lower floor: chains of near neighbours would otherwise tie
    unrelated claims together.
    """
    group = {place: [place] for place in range(len(claims))}
    lowest = min(floors.same_language, floors.across_languages)
    for edge in edges:
        left, right = group[edge.left], group[edge.right]
        if left is right or _overlapping(claims, left, right):
            continue
        if _mean_cosine(claims, left, right) < lowest:
            continue
        joined = sorted(left + right)
        group.update(dict.fromkeys(joined, joined))
    distinct = {id(members): members for members in group.values()}
    return sorted(
        (Cluster(members=tuple(members)) for members in distinct.values()),
        key=lambda cluster: cluster.members,
    )


def _overlapping(claims: Claims, left: list[int], right: list[int]) -> bool:
    speakers = {claims.document[place] for place in left}
    return any(claims.document[place] in speakers for place in right)


def _mean_cosine(claims: Claims, left: list[int], right: list[int]) -> float:
    cosines = claims.vectors[left] @ claims.vectors[right].T
    return float(np.sum(cosines)) / (cosines.size * SCALE**2)
