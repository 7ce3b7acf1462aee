"""A topic, the sides that speak on it, and each side's documents.

The perspective paper has two sides, left and right; here a topic has two or more of any kind.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from globesumm.languages import UNKNOWN
from globesumm.values import Document, Event


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPoint:
    """One point that a side makes, in a sentence of its own (perspective paper, section 3.1).

    `excerpt` is the stretch of `document` that makes it, word for word, and `reversed` the point
    turned into its opposite; both are None where nobody gave them.
    """

    text: str
    document: str | None = None
    excerpt: str | None = None
    reversed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one side has published: its documents, and what people wrote about it."""

    name: str
    documents: tuple[Document, ...]
    references: tuple[str, ...] = ()
    key_points: tuple[KeyPoint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Two or more sides on one topic; ids of documents are unique within it.

    `id` tells topics of one name apart.  References and key points are in `reference_language`.
    """

    id: str
    topic: str
    sides: tuple[Side, ...]
    reference_language: str = "en"
    notes: tuple[str, ...] = ()

    def others(self, side: Side) -> tuple[Side, ...]:
        """Every side but `side`."""
        return tuple(one for one in self.sides if one.name != side.name)

    @property
    def languages(self) -> tuple[str, ...]:
        """The known languages of the documents, in alphabetical order."""
        found = {document.language for side in self.sides for document in side.documents}
        return tuple(sorted(found - {UNKNOWN}))


def event_of_side(topic: Topic, side: Side) -> Event:
    """The documents of one side as an event, for everything that works on events."""
    return Event(
        id=side_id(topic, side),
        description=topic.topic,
        documents=side.documents,
        references=side.references,
        reference_language=topic.reference_language,
        notes=topic.notes,
    )


def side_id(topic: Topic, side: Side) -> str:
    """``<topic>/<side>``: what one summary is of."""
    return f"{topic.id}/{side.name}"


def each_side(topics: Sequence[Topic]) -> Iterator[tuple[Topic, Side]]:
    """Every side of every topic, in order."""
    for topic in topics:
        for side in topic.sides:
            yield topic, side
