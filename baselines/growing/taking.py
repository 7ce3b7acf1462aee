"""New documents beside those that an event has: which are new, and where they belong."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from annotation.passages import in_order
from globesumm.errors import UsageError
from globesumm.values import Document, Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """An event with further documents.

    `fresh` are the ids that it did not have, in the order of time; `known` those that were given
    again, word for word.  `early` are the fresh ones that belong before a document that was
    there: rounds from their places on do not hold any more.
    """

    event: Event
    fresh: tuple[str, ...]
    known: tuple[str, ...]
    early: tuple[str, ...]


def take(event: Event, documents: Iterable[Document]) -> Taken:
    """`event` with `documents`, all in the order of time and then id, undated ones last.

    Raises `UsageError` for a document whose id is taken by another text: one of the two must be
    renamed, or the summary would speak of what its source no longer says.
    """
    held = {document.id: document for document in event.documents}
    fresh: dict[str, Document] = {}
    known: list[str] = []
    for one in documents:
        there = held.get(one.id) or fresh.get(one.id)
        if there is None:
            fresh[one.id] = one
        elif (there.text, there.published) == (one.text, one.published):
            known.append(one.id)
        else:
            raise UsageError(
                f"event {event.id!r} holds another document {one.id!r}, with another text or "
                "time: give the new one an id of its own (a corrected article is a new one)"
            )
    ordered = in_order((*event.documents, *fresh.values()))
    names = [document.id for document in ordered]
    last = max((place for place, name in enumerate(names) if name in held), default=-1)
    return Taken(
        event=replace(event, documents=tuple(ordered)) if fresh else event,
        fresh=tuple(name for name in names if name in fresh),
        known=tuple(dict.fromkeys(known)),
        early=tuple(name for name in names[:last] if name in fresh),
    )
