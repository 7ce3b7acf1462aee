"""From an event to what a schema works on: one passage a document, oldest first."""

from datetime import UTC, datetime

from globesumm.text import sentences
from globesumm.values import Document, Event, Passage, Round, Sentence, Statement

UNDATED = "no publication time: placed after the dated documents"
EMPTY = "no sentence in the text"


def passages(event: Event) -> list[Passage]:
    """Each document of `event` as a passage of its sentences, in chronological order.

    The order is publication time, then document id; a document without a time is kept, last,
    and noted (the paper is silent on both).  A document without a sentence gives an empty,
    noted passage, so that no document disappears from the count of rounds.
    """
    return [_passage(document) for document in in_order(event.documents)]


def in_order(documents: tuple[Document, ...]) -> list[Document]:
    """`documents` by publication time, then id; undated ones last, by id."""
    return sorted(documents, key=_moment)


def sentences_of(round_: Round, target: str) -> list[Sentence]:
    """The sentences of a round's summary: the merge's own, else as the text is split."""
    if round_.sentences:
        return list(round_.sentences)
    return [Sentence(text=one, language=target) for one in sentences.split(round_.summary, target)]


def _moment(document: Document) -> tuple[bool, datetime, str]:
    undated = document.published is None
    return undated, document.published or datetime.max.replace(tzinfo=UTC), document.id


def _passage(document: Document) -> Passage:
    texts = sentences.split(document.text, document.language)
    notes = [UNDATED] if document.published is None else []
    if not texts:
        notes.append(EMPTY)
    return Passage(
        documents=(document.id,),
        language=document.language,
        sentences=tuple(
            _sentence(document, index, text) for index, text in enumerate(texts, start=1)
        ),
        notes=tuple(notes),
    )


def _sentence(document: Document, index: int, text: str) -> Sentence:
    statement = Statement(document=document.id, index=index, language=document.language, text=text)
    return Sentence(text=text, language=document.language, statements=(statement,))
