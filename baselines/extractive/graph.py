"""Which sentences say the same thing, and which matter: the sentence graph.

LexRank (Erkan and Radev 2004) on raw cosines of these vectors is flat, since unrelated
sentences are nearly as close as related ones.  Edges therefore exist only above a floor, and
the same claim is recognised by mutual nearest neighbours rather than by a threshold alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

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
    edges = [
        edge
        for later in range(len(claims.spans))
        for earlier in range(later)
        for edge in _between(claims, floors, earlier, later)
    ]
    return sorted(edges, key=lambda edge: (-edge.cosine, edge.left, edge.right))


def _between(claims: Claims, floors: Floors, earlier: int, later: int) -> Iterator[Edge]:
    rows, columns = claims.spans[earlier], claims.spans[later]
    if rows.start == rows.stop or columns.start == columns.stop:
        return
    cosines = claims.cosines(rows, columns)
    best_column, best_row = cosines.argmax(axis=1), cosines.argmax(axis=0)
    for row, column in enumerate(best_column):
        if best_row[column] != row:
            continue
        left, right = rows.start + row, columns.start + int(column)
        cosine = float(cosines[row, column])
        languages = claims.sentences[left].language, claims.sentences[right].language
        if cosine < floors.between(*languages):
            continue
        rivals = np.concatenate(
            (np.delete(cosines[row, :], column), np.delete(cosines[:, column], row))
        )
        runner_up = float(rivals.max()) if rivals.size else 0.0
        if cosine < floors.certain and cosine - runner_up < floors.margin:
            continue
        yield Edge(left=left, right=right, cosine=cosine)


def links(claims: Claims, floors: Floors, block: int = 512) -> Iterator[Edge]:
    """Pairs of sentences, of one document or two, close enough to support one another."""
    total = len(claims)
    for start in range(0, total, block):
        rows = slice(start, min(start + block, total))
        cosines = claims.cosines(rows, slice(start, total))
        for row, column in np.argwhere(np.triu(cosines >= floors.link, k=1)):
            yield Edge(
                left=start + int(row),
                right=start + int(column),
                cosine=float(cosines[row, column]),
            )


def lexrank(claims: Claims, edges: list[Edge]) -> list[float]:
    """The PageRank of each sentence in the graph of `edges`, scaled so that the mean is 1.

    Rounded to six decimals, so that ties are ties on every machine.
    """
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(claims)))
    graph.add_weighted_edges_from((edge.left, edge.right, edge.cosine) for edge in edges)
    ranks = nx.pagerank(graph, alpha=0.85, tol=1e-9, max_iter=500)
    return [round(ranks[node] * len(claims), 6) for node in range(len(claims))]
