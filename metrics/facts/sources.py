"""What summaries are judged against: conversations and the documents of news events."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from globesumm.errors import DataError, UnknownName
from globesumm.languages import UNKNOWN, parse
from globesumm.records import from_plain, read_plain_records
from globesumm.values import Event, Rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one speaker says at once."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Turns in order; `corpus` is the collection it comes from, within a `scenario`."""

    id: str
    turns: tuple[Turn, ...]
    language: str = "en"
    corpus: str | None = None
    scenario: str | None = None
    reference: str | None = None

    @property
    def text(self) -> str:
        """One turn a line, behind its speaker."""
        return "\n".join(f"{_line(turn.speaker)}: {_line(turn.text)}" for turn in self.turns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One text of a source in one language: a conversation, or one document of an event."""

    id: str
    text: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What was summarized; a conversation has one part, an event one for each document.

    `speakers` is how many take part in a conversation.  `reference` is the first human summary,
    in `reference_language` where that is stated, and `further_references` are the others.
    """

    id: str
    parts: tuple[Part, ...]
    scenario: str | None = None
    corpus: str | None = None
    reference: str | None = None
    speakers: int | None = None
    further_references: tuple[str, ...] = ()
    reference_language: str | None = None


def of_conversation(conversation: Conversation) -> Source:
    """The conversation as a source of one part."""
    part = Part(id=conversation.id, text=conversation.text, language=conversation.language)
    return Source(
        id=conversation.id,
        parts=(part,),
        scenario=conversation.scenario,
        corpus=conversation.corpus,
        reference=conversation.reference,
        speakers=len({_line(turn.speaker).casefold() for turn in conversation.turns}),
    )


def of_event(event: Event) -> Source:
    """The event as a source of one part a document, headlines before their texts."""
    return Source(
        id=event.id,
        parts=tuple(
            Part(
                id=document.id,
                text=f"{document.title}\n{document.text}" if document.title else document.text,
                language=document.language,
            )
            for document in event.documents
        ),
        scenario=event.category,
        reference=event.references[0] if event.references else None,
        further_references=event.references[1:],
        reference_language=event.reference_language if event.references else None,
    )


def read_sources(path: Path) -> Iterator[Source | Rejected]:
    """Conversations (objects with ``turns``), events (with ``documents``) and sources as this
    package writes them (with ``parts``), of a JSON Lines file.

    ``turns`` are objects with ``speaker`` and ``text``, or pairs of the two.  A line of another
    form, without a word in it, or with an id that was there before, is `Rejected`.
    """
    seen: set[str] = set()
    for record in read_plain_records(path):
        if isinstance(record, Rejected):
            yield record
            continue
        where, plain = record
        try:
            found = _source(plain, where)
        except DataError as error:
            yield Rejected(where=where, reason=str(error).removeprefix(f"{where}: "))
            continue
        if found.id in seen:
            yield Rejected(where=where, reason=f"the source {found.id!r} was on a line before")
            continue
        telling = tuple(part for part in found.parts if any(map(str.isalnum, part.text)))
        if not telling:
            yield Rejected(where=where, reason=f"the source {found.id!r} has no text")
            continue
        seen.add(found.id)
        # A document without a word supports nothing, and no judge need be asked about it.
        parts = tuple(replace(part, language=known_language(part.language)) for part in telling)
        yield replace(found, parts=parts)


def _source(plain: dict[str, object], where: str) -> Source:
    if "parts" in plain:
        return from_plain(Source, plain, where)
    if "documents" in plain:
        return of_event(from_plain(Event, plain, where))
    turns = plain.get("turns")
    if isinstance(turns, list):
        pairs = [
            {"speaker": turn[0], "text": turn[1]}
            if isinstance(turn, list) and len(turn) == 2
            else turn
            for turn in turns
        ]
        plain = plain | {"turns": pairs}
    return of_conversation(from_plain(Conversation, plain, where))


def known_language(code: str) -> str:
    """The canonical code of a language however it was written, ``"und"`` for one not known."""
    try:
        return parse(code)
    except UnknownName:
        return UNKNOWN


def _line(text: str) -> str:
    return " ".join(text.split())
