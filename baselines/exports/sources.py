"""Texts for forms of other tools: the documents of an event as one, and all that they can hold."""

from collections.abc import Sequence
from typing import TypeVar

from globesumm.values import Document, Event
from metrics.base import printable

T = TypeVar("T")


def sound(value: T) -> T:
    """`value` with lone surrogates, which other tools' files cannot hold, as U+FFFD in all texts.

    Goes into dictionaries, lists and tuples; what is of another type stays as it is.
    """
    held: object = value
    if isinstance(held, str):
        held = printable(held)[0]
    elif isinstance(held, dict):
        held = {sound(key): sound(one) for key, one in held.items()}
    elif isinstance(held, list | tuple):
        held = type(held)(sound(one) for one in held)
    return held  # type: ignore[return-value]  # of the type it came in


def input_text(event: Event, documents: Sequence[str], whole: Sequence[str]) -> str:
    """`documents` (ids) with heading and, where they are in `whole`, their text.

    The headings of the others say what a prefix held before; its texts stand where they were new.
    """
    by_id = {one.id: one for one in event.documents}
    told = [_told(by_id[name], name in set(whole)) for name in documents if name in by_id]
    return "\n\n".join((event.description, *told))


def _told(document: Document, whole: bool) -> str:
    time = f"{document.published:%Y-%m-%d %H:%MZ} " if document.published else ""
    outlet = f"{document.source}: " if document.source else ""
    heading = f"[{time}{document.language}] {outlet}{document.title or document.id}"
    return f"{heading}\n{document.text}" if whole else heading
