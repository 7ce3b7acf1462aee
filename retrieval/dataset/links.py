"""Which events tell of one thing, so that they must not stand in two splits.

Two events are linked by a document of both (the same address or text), by near-duplicates
(`retrieval.duplicates.near`), or by being one happening under two ids: descriptions that share
most of their words, at most a few days apart.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from globesumm.text.words import words
from globesumm.values import Document, Event
from retrieval.dataset.takedown import digest
from retrieval.duplicates.near import THRESHOLD, near_duplicates
from retrieval.duplicates.near import signature as near_signature
from retrieval.url import is_web, normal

DAYS = 7
SHARE = 0.7
"""Words that two descriptions of one thing have in common, of all words of both."""

FEWEST_WORDS = 4
_COMMONEST = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Two events, and the documents that tie them (None where their descriptions do)."""

    left: str
    right: str
    why: str
    left_document: str | None = None
    right_document: str | None = None


def signature(threshold: float = THRESHOLD) -> str:
    """What decides the links, for records."""
    return f"links|address|text|{near_signature(threshold)}|description:{SHARE}@{DAYS}d"


def links(events: Sequence[Event], threshold: float = THRESHOLD) -> list[Link]:
    """Every link found between two of `events`; chains of them tie groups together."""
    found = [*_same_documents(events), *_near(events, threshold), *_same_happening(events)]
    return sorted(set(found), key=lambda one: (one.left, one.right, one.why, str(one)))


def groups(events: Sequence[Event], found: Iterable[Link]) -> list[tuple[str, ...]]:
    """The ids of events that are tied to one another, directly or by others, in order."""
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(event.id for event in events)
    graph.add_edges_from((link.left, link.right) for link in found)
    return sorted(tuple(sorted(group)) for group in nx.connected_components(graph))


def _same_documents(events: Sequence[Event]) -> Iterator[Link]:
    for why, key in (("same address", _address), ("same text", _text)):
        first: dict[str, tuple[str, str]] = {}
        for event in events:
            for document in event.documents:
                value = key(document)
                if value is None:
                    continue
                owner, other = first.setdefault(value, (event.id, document.id))
                if owner != event.id:
                    yield _link(owner, other, event.id, document.id, why)


def _near(events: Sequence[Event], threshold: float) -> Iterator[Link]:
    owners: dict[str, tuple[str, str]] = {}
    documents: list[Document] = []
    for event in events:
        for document in event.documents:
            name = str(len(owners))
            owners[name] = (event.id, document.id)
            documents.append(replace(document, id=name))
    for copy in near_duplicates(documents, threshold):
        (left, one), (right, other) = owners[copy.of], owners[copy.document]
        if left != right:
            yield _link(left, one, right, other, "near-duplicate")


def _same_happening(events: Sequence[Event]) -> Iterator[Link]:
    told = {event.id: frozenset(words(event.description, "en")) for event in events}
    holders: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        for word in told[event.id]:
            holders[word].append(event)
    most = max(20, int(_COMMONEST * len(events)))
    seen: set[tuple[str, str]] = set()
    for word in sorted(holders):
        # Words of every other description only cost time: near pairs share rarer ones as well.
        if len(holders[word]) > most:
            continue
        for place, one in enumerate(holders[word]):
            for other in holders[word][place + 1 :]:
                pair = (one.id, other.id)
                if pair not in seen:
                    seen.add(pair)
                    if _is_one(one, other, told[one.id], told[other.id]):
                        yield Link(left=one.id, right=other.id, why="same happening")


def _is_one(one: Event, other: Event, left: frozenset[str], right: frozenset[str]) -> bool:
    if min(len(left), len(right)) < FEWEST_WORDS:
        return False
    if one.date and other.date and abs((one.date - other.date).days) > DAYS:
        return False
    return len(left & right) >= SHARE * len(left | right)


def _link(left: str, one: str, right: str, other: str, why: str) -> Link:
    return Link(left=left, right=right, why=why, left_document=one, right_document=other)


def _address(document: Document) -> str | None:
    return normal(document.url) if document.url and is_web(document.url) else None


def _text(document: Document) -> str | None:
    text = " ".join(document.text.split())
    return digest(text) if text else None
