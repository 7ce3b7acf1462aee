"""What makes a topic of what was read: sides with documents, ids told apart, texts cleaned.

What cannot stand is `Rejected` with a kind of `KINDS`; the rest goes on.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baselines.perspectives.values import KeyPoint, Side, Topic
from globesumm.languages import UNKNOWN
from globesumm.text.clean import clean
from globesumm.values import Document, Rejected

KINDS: Mapping[str, str] = {
    "bad-record": "not of the layout's form",
    "no-topic": "the topic has no name",
    "missing-side": "fewer than two sides have a document",
    "set-of-one": "a side has fewer documents than asked for",
    "empty-side": "a side without a name or without documents; the others of its topic go on",
    "empty-document": "a document without a letter or digit; the others of its side go on",
    "duplicate-id": "two documents of a topic have one id",
    "duplicate-side": "two sides of a topic have one name",
    "duplicate-topic": "a topic of this id was read before",
}
"""Every kind of rejection, with what it means."""

LEAST = 2
"""Documents that a side needs where nothing else is asked for: one is no set."""

LONGEST_NAME = 120
"""Characters of a topic's or side's name that are kept; they are shown in prompts and tables."""


_LINE_ENDS = re.compile(r"[\r\n]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A topic as it was read, before anybody looked whether it can stand; `where` names it."""

    where: str
    topic: Topic


def checked(
    found: Iterator[Found | Rejected], *, least: int = LEAST, detect: bool = True
) -> Iterator[Topic | Rejected]:
    """The topics that can stand, and what cannot; ids that occur again are rejected.

    `least` is how many documents a side needs.  With `detect` the language of a document
    without one is settled from its text, which a note of the document says.
    """
    seen: set[str] = set()
    for one in found:
        if isinstance(one, Rejected):
            yield one
            continue
        for made in _checked(one, least, detect):
            if isinstance(made, Topic):
                if made.id in seen:
                    yield refused(
                        one.where, "duplicate-topic", f"the id {made.id!r} was had before"
                    )
                    continue
                seen.add(made.id)
            yield made


def refused(where: str, kind: str, reason: str) -> Rejected:
    """A rejection of one of `KINDS`."""
    if kind not in KINDS:
        raise ValueError(f"not a kind of rejection: {kind}")
    return Rejected(where=where, reason=reason, kind=kind)


def one_line(name: str) -> str:
    """A name from a file in one line of bounded length, control characters gone."""
    return " ".join(clean(name).text.split())[:LONGEST_NAME].strip()


def lines_of(text: str) -> list[str]:
    """The documents of a side that stand in one text, one a line; blank lines are none.

    Only line feeds and carriage returns end a document: form feeds and Unicode's separators
    occur within documents taken from web pages.
    """
    return [line for line in _LINE_ENDS.split(text) if line.strip()]


def _checked(found: Found, least: int, detect: bool) -> Iterator[Topic | Rejected]:
    where, topic = found.where, found.topic
    name = one_line(topic.topic)
    if not name:
        yield refused(where, "no-topic", "the topic has no name")
        return
    named = [replace(side, name=one_line(side.name)) for side in topic.sides]
    if twice := _twice([side.name for side in named]):
        yield refused(where, "duplicate-side", f"two sides are called {twice!r}")
        return
    sides: list[Side] = []
    for side in named:
        documents: list[Document] = []
        for one in side.documents:
            text = clean(one.text)
            if not any(char.isalnum() for char in text.text):
                reason = f"document {one.id!r} of {side.name!r} has no letter or digit"
                yield refused(where, "empty-document", reason)
                continue
            documents.append(_settled(replace(one, text=text.text), detect))
        if documents and side.name:
            sides.append(_side(side, documents))
    whole = replace(topic, id=one_line(topic.id) or name, topic=name)
    made = _whole(where, whole, len(named), sides, least)
    yield made
    if isinstance(made, Topic):
        kept = {side.name for side in made.sides}
        for side in (one for one in named if one.name not in kept):
            lacks = "no documents" if side.name else "no name"
            yield refused(where, "empty-side", f"side {side.name!r} has {lacks}: it is left out")


def _side(side: Side, documents: Sequence[Document]) -> Side:
    """The side with texts that hold something; a key point of a document left out stays."""
    references = tuple(text for one in side.references if (text := clean(one).text.strip()))
    points = tuple(
        replace(one, text=text)
        for one in side.key_points
        if (text := " ".join(clean(one.text).text.split()))
    )
    return replace(side, documents=tuple(documents), references=references, key_points=points)


def _whole(
    where: str, topic: Topic, given: int, sides: Sequence[Side], least: int
) -> Topic | Rejected:
    if len(sides) < 2:
        held = f"only {sides[0].name!r} has" if sides else "none has"
        reason = f"a topic needs two sides with documents; of {given} named {held} one"
        return refused(where, "missing-side", reason)
    small = [side for side in sides if len(side.documents) < least]
    if small:
        one = small[0]
        count = f"{len(one.documents)} document{'s' if len(one.documents) > 1 else ''}"
        reason = f"side {one.name!r} has {count}, and {least} are asked for (--least)"
        return refused(where, "set-of-one", reason)
    ids = [document.id for side in sides for document in side.documents]
    if twice := _twice(ids):
        return refused(where, "duplicate-id", f"two documents have the id {twice!r}")
    alone = [side.name for side in sides if len(side.documents) == 1]
    notes = tuple(f"side {name!r} is a set of one document" for name in alone)
    return replace(topic, sides=tuple(sides), notes=(*topic.notes, *notes))


def _settled(document: Document, detect: bool) -> Document:
    if document.language != UNKNOWN or not detect:
        return document
    from retrieval.language import detect as detected

    found = detected(document.text).language
    if found == UNKNOWN:
        return document
    note = "language: settled from the text"
    return replace(document, language=found, language_detected=found, notes=(*document.notes, note))


def _twice(names: Sequence[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)


def key_points_of(texts: Sequence[str | KeyPoint]) -> tuple[KeyPoint, ...]:
    """Key points given as plain texts or whole."""
    return tuple(KeyPoint(text=one) if isinstance(one, str) else one for one in texts)
