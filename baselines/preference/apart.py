"""Train and test articles kept apart: by id, by address, and by what they say.

A model that was trained on drafts of a report has seen the report, so a test side that has it,
or a copy of it, tells nothing (the paper splits PoliSum into 1,716 and 100, section 4).
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from baselines.perspectives.values import Topic
from globesumm.errors import UsageError
from globesumm.values import Document
from retrieval.duplicates.near import near_duplicates
from retrieval.url import is_web, normal

MOST_NAMED = 3

_COUNTER = re.compile(r"(?:[^\d]{0,40}[-_ ])?[a-z]?\d{1,4}")
"""An id such as ``left-1``, which layouts without ids of their own give in every topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Topics to train and to test on; `notes` say what the drawing could not keep to."""

    train: tuple[Topic, ...]
    test: tuple[Topic, ...]
    notes: tuple[str, ...] = ()


def check_apart(train: Sequence[Topic], test: Sequence[Topic], near: float = 0.8) -> None:
    """Raise `UsageError` naming what is in both: an id, a report's id, address or text, or a copy.

    `near` is the share of common shingles from which two texts of one language are copies
    (`retrieval.duplicates.near`).
    """
    both = [*train, *test]
    crossing = [
        f"test topic {both[max(at, other)].id!r} and train topic {both[min(at, other)].id!r}: {why}"
        for at, other, why in _shared(both, near)
        if (at < len(train)) != (other < len(train))
    ]
    if crossing:
        more = f" (and {len(crossing) - MOST_NAMED} more)" if len(crossing) > MOST_NAMED else ""
        told = "; ".join(crossing[:MOST_NAMED])
        raise UsageError(
            f"train and test are not apart: {told}{more}. Leave those topics out of one of them, "
            "or give held_out instead of test, which keeps them together"
        )


def split(topics: Sequence[Topic], held_out: int, seed: int, near: float = 0.8) -> Split:
    """`held_out` topics drawn at random, the rest to train on; those that overlap stay together.

    Raises `UsageError` where nothing would be left to train on, or to test.
    """
    if held_out >= len(topics):
        raise UsageError(
            f"held_out is {held_out} of {len(topics)} topics: nothing is left to train on; "
            "give a lower number"
        )
    groups = _groups(topics, near)
    random.Random(seed).shuffle(groups)  # noqa: S311  (a draw that is to be repeated)
    chosen: set[int] = set()
    for group in groups:
        if len(chosen) + len(group) <= held_out:
            chosen.update(group)
    if not chosen or len(chosen) == len(topics):
        raise UsageError(
            "the topics share so many reports that none can be held out without its copies: "
            "globesumm duplicates leaves copies out"
        )
    notes = []
    if len(chosen) < held_out:
        notes.append(
            f"{len(chosen)} topics held out and not {held_out}: topics that share reports stay "
            "together"
        )
    return Split(
        train=tuple(topic for at, topic in enumerate(topics) if at not in chosen),
        test=tuple(topic for at, topic in enumerate(topics) if at in chosen),
        notes=tuple(notes),
    )


def _groups(topics: Sequence[Topic], near: float) -> list[list[int]]:
    """Places of topics that are linked by what they share, each group in order."""
    parent = list(range(len(topics)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    for at, other, _ in _shared(topics, near):
        low, high = sorted((root(at), root(other)))
        parent[high] = low
    groups: dict[int, list[int]] = {}
    for at in range(len(topics)):
        groups.setdefault(root(at), []).append(at)
    return list(groups.values())


def _shared(topics: Sequence[Topic], near: float) -> Iterator[tuple[int, int, str]]:
    """(place, place, why) of topics that share something, each link once."""
    first: dict[tuple[str, str], int] = {}
    documents: list[Document] = []
    owner: dict[str, int] = {}
    called: dict[str, str] = {}
    for at, topic in enumerate(topics):
        for kind, key, why in _marks(topic):
            seen = first.setdefault((kind, key), at)
            if seen != at:
                yield seen, at, why
        for document in (one for side in topic.sides for one in side.documents):
            # Ids are unique within a topic alone.
            name = f"{at:09d}/{len(documents)}"
            owner[name], called[name] = at, document.id
            documents.append(replace(document, id=name))
    for copy in near_duplicates(documents, near):
        one, other = owner[copy.of], owner[copy.document]
        if one != other:
            names = f"{called[copy.document]!r} is a near-duplicate of {called[copy.of]!r}"
            yield one, other, f"document {names} ({copy.similarity:.2f})"


def _marks(topic: Topic) -> Iterator[tuple[str, str, str]]:
    """(kind, key, why) of everything by which another topic is known to share a report."""
    yield "topic", topic.id, f"both have the id {topic.id!r}"
    for document in (one for side in topic.sides for one in side.documents):
        if document.url or document.source or not _COUNTER.fullmatch(document.id.casefold()):
            yield "id", document.id, f"both have a document {document.id!r}"
        if document.url and is_web(document.url):
            yield "url", normal(document.url), f"both have a document from {document.url}"
        text = " ".join(document.text.split()).casefold()
        yield "text", text, f"document {document.id!r} is in both, word for word"
