"""Which sentences say the same thing, and which matter: the sentence graph.

LexRank (Erkan and Radev 2004) on raw cosines of these vectors is flat, since unrelated
sentences are nearly as close as related ones.  Edges therefore exist only above a floor, and
the same claim is recognised by mutual nearest neighbours rather than by a threshold alone.

Everything here takes documents in one after the other.  What a document changes about those
before it is worked out from its own rows of the cosine matrix, and the result is the same as
if all documents had come at once.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.extractive.claims import Claims
from baselines.extractive.encoders import Floors

NOBODY = -1
"""In place of a neighbour that there is not."""


class Edge(NamedTuple):
    """Sentences `left` < `right` (places in `Claims`); edges sort closest first.

    `distance` is one minus the cosine.
    """

    distance: float
    left: int
    right: int


def alignments(claims: Claims, floors: Floors) -> list[Edge]:
    """Pairs of sentences of different documents that make the same claim, closest first.

    Within each pair of documents the two must be each other's nearest neighbour, at or above
    the floor for their languages, and ahead of both runners-up by the margin.
    """
    return sorted(
        edge
        for document, rows in enumerate(claims.spans)
        for edges in backwards(
            claims, floors, document, claims.cosines(rows, slice(0, rows.stop))
        ).values()
        for edge in edges
    )


def backwards(
    claims: Claims, floors: Floors, document: int, cosines: NDArray[np.float64]
) -> dict[int, list[Edge]]:
    """The alignments of one document with each before it, which later documents do not change.

    `cosines` are those of its sentences with all sentences up to its own last.
    """
    start = claims.spans[document].start
    if not len(cosines):
        return {}
    found = {
        earlier: list(_between(claims, floors, cosines[:, columns], start, columns.start))
        for earlier, columns in enumerate(claims.spans[:document])
        if columns.stop > columns.start
    }
    return {earlier: edges for earlier, edges in found.items() if edges}


def _between(
    claims: Claims, floors: Floors, cosines: NDArray[np.float64], later: int, earlier: int
) -> Iterator[Edge]:
    """Edges between two documents whose sentences begin at `later` and `earlier`."""
    column_of, row_of = cosines.argmax(axis=1), cosines.argmax(axis=0)
    rows = np.flatnonzero(row_of[column_of] == np.arange(len(cosines)))
    lowest = min(floors.same_language, floors.across_languages)
    for row in rows[cosines[rows, column_of[rows]] >= lowest].tolist():
        column = int(column_of[row])
        left, right = earlier + column, later + row
        cosine = float(cosines[row, column])
        if cosine < floors.between(
            claims.sentences[left].language, claims.sentences[right].language
        ):
            continue
        if cosine < floors.certain and cosine < _least(cosines, row, column, floors):
            continue
        yield Edge(distance=1 - cosine, left=left, right=right)


def _least(cosines: NDArray[np.float64], row: int, column: int, floors: Floors) -> float:
    """What a pair must reach to be ahead of its rivals."""
    rivals = np.concatenate((cosines[row], cosines[:, column]))
    rivals[[column, cosines.shape[1] + row]] = -np.inf
    nearest = float(rivals.max())
    return floors.alone if nearest == -np.inf else nearest + floors.margin


class SentenceGraph:
    """A networkx graph whose edges weigh by how much two sentences are closer than the floor.

    An edge exists if one of the two sentences is among the `nearest` neighbours of the other,
    so that the graph grows with the number of sentences and not with its square.
    """

    def __init__(self, floors: Floors, nearest: int = 30) -> None:
        import networkx as nx

        self._graph: nx.Graph[int] = nx.Graph()
        self._floors, self._nearest = floors, nearest
        self._neighbours = np.zeros((0, nearest), dtype=np.int32)
        self._surplus = np.zeros((0, nearest))

    def add(self, cosines: NDArray[np.float64], same_language: NDArray[np.bool_]) -> None:
        """Take in sentences.

        Both arrays are (new sentences, all sentences, the new ones last).
        """
        new, every = cosines.shape
        if not new:
            return
        surplus = cosines - self._floors.link - self._floors.link_nearer * same_language
        surplus[np.arange(new), np.arange(every - new, every)] = NOBODY
        old = self._neighbours
        self._make_room(every)
        pushed = self._compete(surplus[:, : every - new], every - new)
        self._rank(
            np.arange(every - new, every),
            np.broadcast_to(np.arange(every, dtype=np.int32), surplus.shape),
            surplus,
        )
        self._graph.add_nodes_from(range(every - new, every))
        self._connect(np.arange(every - new, every), self._neighbours[:0])
        self._connect(pushed, old)
        self._disconnect(pushed, old)

    def _make_room(self, every: int) -> None:
        more = ((0, every - len(self._neighbours)), (0, 0))
        # Padding copies, so the neighbours of the round before stay as they were.
        self._neighbours = np.pad(self._neighbours, more, constant_values=NOBODY)
        self._surplus = np.pad(self._surplus, more, constant_values=0.0)

    def _compete(self, surplus: NDArray[np.float64], first: int) -> NDArray[np.int64]:
        """Let new sentences, from place `first` on, push out neighbours of old ones; whose."""
        if not surplus.shape[1]:
            return np.zeros(0, dtype=np.int64)
        pushed = np.flatnonzero(surplus.max(axis=0) > self._surplus[:first, -1])
        places = np.arange(first, first + len(surplus), dtype=np.int32)
        candidates = np.concatenate(
            (self._neighbours[pushed], np.broadcast_to(places, (len(pushed), len(places)))), axis=1
        )
        weighed = np.concatenate((self._surplus[pushed], surplus[:, pushed].T), axis=1)
        self._rank(pushed, candidates, weighed)
        return pushed

    def _rank(
        self,
        rows: NDArray[np.int64],
        candidates: NDArray[np.int32],
        surplus: NDArray[np.float64],
    ) -> None:
        """Keep the nearest candidates of each row; of equally near ones the earlier."""
        order = np.argsort(-surplus, axis=1, kind="stable")[:, : self._nearest]
        kept = np.take_along_axis(surplus, order, axis=1)
        width = order.shape[1]
        self._surplus[rows, :width] = np.where(kept > 0, kept, 0.0)
        self._neighbours[rows, :width] = np.where(
            kept > 0, np.take_along_axis(candidates, order, axis=1), NOBODY
        )

    def _connect(self, rows: NDArray[np.int64], old: NDArray[np.int32]) -> None:
        """Add edges to neighbours of `rows` that are not among their former ones in `old`."""
        now = self._neighbours[rows]
        fresh = now != NOBODY
        if len(old):
            fresh &= ~(now[:, :, None] == old[rows][:, None, :]).any(axis=2)
        one = np.broadcast_to(rows[:, None], now.shape)[fresh].tolist()
        weights = self._surplus[rows][fresh].tolist()
        self._graph.add_weighted_edges_from(zip(one, now[fresh].tolist(), weights, strict=True))

    def _disconnect(self, rows: NDArray[np.int64], old: NDArray[np.int32]) -> None:
        """Drop edges to former neighbours in `old` that neither end holds among its nearest."""
        former, now = old[rows], self._neighbours[rows]
        gone = (former != NOBODY) & ~(former[:, :, None] == now[:, None, :]).any(axis=2)
        one = np.broadcast_to(rows[:, None], gone.shape)[gone]
        other = former[gone]
        held = (self._neighbours[other] == one[:, None]).any(axis=1)
        self._graph.remove_edges_from(zip(one[~held].tolist(), other[~held].tolist(), strict=True))

    def edges(self) -> dict[tuple[int, int], float]:
        """The weight of each edge (left < right)."""
        weight: dict[tuple[int, int], float] = {}
        for one, other, data in self._graph.edges(data=True):
            weight[min(one, other), max(one, other)] = data["weight"]
        return weight

    def lexrank(self) -> list[float]:
        """The PageRank of each sentence; the mean is 1.

        Rounded to six decimals, so that ties are ties on every machine.
        """
        import networkx as nx

        count = self._graph.number_of_nodes()
        ranks = nx.pagerank(self._graph, alpha=0.85, tol=1e-9, max_iter=500)
        return [round(ranks[node] * count, 6) for node in range(count)]
