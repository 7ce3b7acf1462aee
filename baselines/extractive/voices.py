"""How many independent reports there are: copies of one wire story count as one voice."""

from baselines.extractive.claims import Claims
from baselines.extractive.graph import Edge


def voices(
    claims: Claims, edges: list[Edge], *, share: float = 0.6, copied: float = 0.9
) -> tuple[int, ...]:
    """The voice of each document: the place of the earliest document that it copies or is.

    Document B copies A if at least `share` of the sentences of the shorter one, and no fewer
    than three, are aligned with one of the other at a cosine of `copied` or more.  Translated
    copies count too, since the vectors are multilingual.
    """
    counts: dict[tuple[int, int], int] = {}
    for edge in edges:
        if edge.cosine >= copied:
            pair = claims.document[edge.left], claims.document[edge.right]
            counts[pair] = counts.get(pair, 0) + 1
    voice = list(range(len(claims.documents)))
    for (earlier, later), count in sorted(counts.items()):
        shorter = min(_length(claims, earlier), _length(claims, later))
        if count >= max(3, share * shorter):
            old, new = sorted((voice[earlier], voice[later]), reverse=True)
            voice = [new if place == old else place for place in voice]
    return tuple(voice)


def _length(claims: Claims, document: int) -> int:
    span = claims.spans[document]
    return int(span.stop - span.start)
