"""How many independent reports there are: copies of one wire story count as one voice."""

from bisect import bisect_left
from collections import defaultdict

from baselines.extractive.claims import Claims
from baselines.extractive.graph import Edge


def voices(claims: Claims, edges: list[Edge], *, share: float = 0.5, least: int = 3) -> list[int]:
    """The voice of each document: the place of the earliest document that it copies, or its own.

    One document copies another, translated or not, if at least `share` of the sentences of the
    shorter one, and no fewer than `least`, are aligned with the other's and stand there in the
    same order.  On one sample event and three real ones in seven languages, independent reports
    reached .46 and translated copies .31 to 1, four fifths of them .70 or more.
    """
    aligned: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for edge in edges:
        pair = claims.document[edge.left], claims.document[edge.right]
        aligned[pair].append((claims.position[edge.left], claims.position[edge.right]))
    voice = list(range(len(claims.documents)))
    for (earlier, later), places in sorted(aligned.items()):
        shorter = min(_length(claims, earlier), _length(claims, later))
        if _in_order(places) >= max(least, share * shorter):
            kept, dropped = sorted((voice[earlier], voice[later]))
            voice = [kept if place == dropped else place for place in voice]
    return voice


def _in_order(places: list[tuple[int, int]]) -> int:
    """How many pairs at most can be kept so that both sides rise (longest increasing run)."""
    ends: list[int] = []
    for _, right in sorted(places):
        place = bisect_left(ends, right)
        ends[place : place + 1] = [right]
    return len(ends)


def _length(claims: Claims, document: int) -> int:
    span = claims.spans[document]
    return int(span.stop - span.start)
