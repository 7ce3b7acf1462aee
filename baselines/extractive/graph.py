"""Which sentences say the same thing, and which matter: the sentence graph.

LexRank (Erkan and Radev 2004) on raw cosines of these vectors is flat, since unrelated
sentences are nearly as close as related ones.  Edges therefore exist only above a floor, and
the same claim is recognised by mutual nearest neighbours rather than by a threshold alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.extractive.claims import Claims
from baselines.extractive.encoders import Floors


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """Sentences `left` < `right` (places in `Claims`) and their cosine."""

    left: int
    right: int
    cosine: float


def alignments(claims: Claims, floors: Floors) -> list[Edge]:
    """Pairs of sentences of different documents that make the same claim, closest first.

    Within each pair of documents the two must be each other's nearest neighbour, at or above
    the floor for their languages, and ahead of both runners-up by the margin.
    """
    found = [
        edge for place in range(len(claims.spans)) for edge in backwards(claims, floors, place)
    ]
    return closest_first(found)


def backwards(claims: Claims, floors: Floors, document: int) -> list[Edge]:
    """The alignments of one document with all before it, which later documents do not change."""
    rows = claims.spans[document]
    if rows.start == rows.stop:
        return []
    cosines = claims.cosines(rows, slice(0, rows.start))
    return [
        edge
        for columns in claims.spans[:document]
        if columns.stop > columns.start
        for edge in _between(claims, floors, cosines[:, columns], rows.start, columns.start)
    ]


def closest_first(edges: Iterable[Edge]) -> list[Edge]:
    """`edges` by falling cosine, then in reading order."""
    return sorted(edges, key=lambda edge: (-edge.cosine, edge.left, edge.right))


def _between(
    claims: Claims, floors: Floors, cosines: NDArray[np.float64], later: int, earlier: int
) -> Iterator[Edge]:
    """Edges between two documents whose sentences begin at `later` and `earlier`."""
    best_column, best_row = cosines.argmax(axis=1), cosines.argmax(axis=0)
    for row, column in enumerate(map(int, best_column)):
        if best_row[column] != row:
            continue
        left, right = earlier + column, later + row
        cosine = float(cosines[row, column])
        if cosine < floors.between(
            claims.sentences[left].language, claims.sentences[right].language
        ):
            continue
        if cosine < floors.certain:
            rivals = np.concatenate(
                (np.delete(cosines[row, :], column), np.delete(cosines[:, column], row))
            )
            if cosine < (rivals.max() + floors.margin if rivals.size else floors.alone):
                continue
        yield Edge(left=left, right=right, cosine=cosine)


def links(
    claims: Claims, floors: Floors, *, nearest: int = 30, block: int = 512
) -> dict[tuple[int, int], float]:
    """By how much two sentences, of one document or two, are closer than the link's floor.

    Only the `nearest` neighbours of each sentence count, so that the graph grows with the
    number of sentences and not with its square; blocks bound the memory.
    """
    codes = {code: number for number, code in enumerate(_languages(claims))}
    language = np.array([codes[sentence.language] for sentence in claims.sentences])
    support: dict[tuple[int, int], float] = {}
    for start in range(0, len(claims), block):
        rows = slice(start, min(start + block, len(claims)))
        above = claims.cosines(rows, slice(0, len(claims))) - floors.link
        above -= floors.link_nearer * (language[rows, None] == language[None, :])
        above[np.arange(rows.stop - start), np.arange(start, rows.stop)] = -1
        for row, surplus in enumerate(above, start=start):
            columns = np.flatnonzero(surplus > 0)
            if len(columns) > nearest:
                columns = columns[np.argsort(-surplus[columns], kind="stable")[:nearest]]
            for column in map(int, columns):
                support[min(row, column), max(row, column)] = float(surplus[column])
    return support


def closest_elsewhere(claims: Claims, voice: Sequence[int], block: int = 512) -> list[float]:
    """For each sentence the highest cosine with a sentence of another voice, -1 if none."""
    speaker = np.array([voice[document] for document in claims.document])
    closest: list[float] = []
    for start in range(0, len(claims), block):
        rows = slice(start, min(start + block, len(claims)))
        cosines = claims.cosines(rows, slice(0, len(claims)))
        cosines[speaker[rows, None] == speaker[None, :]] = -1
        closest += cosines.max(axis=1, initial=-1).tolist()
    return closest


def _languages(claims: Claims) -> list[str]:
    return sorted({sentence.language for sentence in claims.sentences})


def lexrank(claims: Claims, support: dict[tuple[int, int], float]) -> list[float]:
    """The PageRank of each sentence where `support` weighs the edges; the mean is 1.

    Rounded to six decimals, so that ties are ties on every machine.
    """
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(claims)))
    graph.add_weighted_edges_from((*pair, surplus) for pair, surplus in sorted(support.items()))
    ranks = nx.pagerank(graph, alpha=0.85, tol=1e-9, max_iter=500)
    return [round(ranks[node] * len(claims), 6) for node in range(len(claims))]
