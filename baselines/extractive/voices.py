"""How many independent reports there are: copies of one wire story count as one voice."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from baselines.extractive.claims import Claims
from baselines.extractive.graph import Edge

SHARE = 0.5
LEAST = 3


def voices(claims: Claims, edges: Iterable[Edge], contradict: Callable[[Edge], bool]) -> list[int]:
    """The voice of each document: the place of the earliest document that it copies, or its own."""
    between: dict[tuple[int, int], list[Edge]] = defaultdict(list)
    for edge in edges:
        between[claims.document[edge.left], claims.document[edge.right]].append(edge)
    pairs = [pair for pair, found in between.items() if copies(claims, *pair, found, contradict)]
    return heard(len(claims.documents), pairs)


def copies(
    claims: Claims,
    earlier: int,
    later: int,
    edges: Sequence[Edge],
    contradict: Callable[[Edge], bool],
) -> bool:
    """Whether one of two documents copies the other, translated or not.

    It does if more than SHARE of the sentences of the shorter one, and no fewer than LEAST, are
    aligned (`edges`) with the other's and stand there in the same order, and no aligned two
    `contradict` each other in a number.  On one sample event and three real ones in seven
    languages, independent reports reached .46 and translated copies .31 to 1, four fifths of
    them .70 or more.  Short reports that tell one event share more, but not what they count: of
    1,313 aligned sentences of translations (MultiLing 2011; Arabic, English and French) no two
    differed in a number.
    """
    shorter = min(_length(claims, earlier), _length(claims, later))
    if len(edges) < LEAST or len(edges) <= SHARE * shorter:
        return False
    places = [(claims.position[edge.left], claims.position[edge.right]) for edge in edges]
    kept = _in_order(places)
    return kept >= LEAST and kept > SHARE * shorter and not any(map(contradict, edges))


def heard(documents: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """The voice of each of so many documents, where `pairs` of them copy each other."""
    voice = list(range(documents))
    for earlier, later in sorted(pairs):
        kept, dropped = sorted((voice[earlier], voice[later]))
        if kept != dropped:
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
