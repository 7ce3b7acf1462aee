"""What is wrong with an event before it may stand in a data set; nothing is dropped in silence."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any

from globesumm.languages import LANGUAGES
from globesumm.values import Document, Event
from retrieval.url import has_credentials, without_credentials

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
REPLACED = "characters that cannot be stored were replaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something a check found.

    `kind` is what findings are counted by; `left_out` says whether it cost the document (or,
    where `document` is None, the event) its place.
    """

    event: str
    kind: str
    document: str | None = None
    detail: str | None = None
    left_out: bool = False


def checked(events: Iterable[Event]) -> tuple[list[Event], list[Finding]]:
    """The events as they may be kept, and all that was found; ids are unique afterwards."""
    kept: list[Event] = []
    findings: list[Finding] = []
    seen: set[str] = set()
    for event in events:
        if event.id in seen:
            findings.append(Finding(event=event.id, kind="event id twice", left_out=True))
            continue
        one, found = check(event)
        findings += found
        if one is not None:
            seen.add(event.id)
            kept.append(one)
    return kept, findings


def check(event: Event) -> tuple[Event | None, list[Finding]]:
    """`event` without documents that cannot be used, or None where none is left."""
    found: list[Finding] = []

    def note(kind: str, document: str | None = None, **more: Any) -> None:
        found.append(Finding(event=event.id, kind=kind, document=document, **more))

    if _has_unstorable(event):
        event = _storable(event)
        event = replace(event, notes=(*event.notes, REPLACED))
        note("unstorable characters")
    documents: list[Document] = []
    for given in event.documents:
        document = given
        if given.url is not None and has_credentials(given.url):
            document = replace(given, url=without_credentials(given.url))
            note("user name or password in an address", given.id)
        if not document.text.strip():
            note("no text", document.id, left_out=True)
        elif document.id in {one.id for one in documents}:
            note("document id twice", document.id, left_out=True)
        else:
            documents.append(document)
            _look_at(document, note)
    if not documents:
        note("no documents", left_out=True)
        return None, found
    if not event.description.strip():
        note("no description")
    if event.date is None:
        note("no date")
    dates = [one.published for one in documents if one.published]
    if dates != sorted(dates):
        note("documents out of order")
    return replace(event, documents=tuple(documents)), found


def _look_at(document: Document, note: Any) -> None:
    if document.language not in LANGUAGES:
        note("unknown language", document.id, detail=document.language[:40])
    if document.published is None:
        note("no publication time", document.id)
    if document.url is None:
        note("no address", document.id)
    if _CONTROL.search(document.text):
        note("control characters", document.id)


def _has_unstorable(value: Any) -> bool:
    return any(_UNSTORABLE.search(text) for text in _texts(value))


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif is_dataclass(value):
        for one in fields(value):
            yield from _texts(getattr(value, one.name))
    elif isinstance(value, tuple):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, Mapping):
        for pair in value.items():
            yield from _texts(pair)


def _storable(value: Any) -> Any:
    """`value` with U+FFFD for what neither UTF-8 nor C strings carry."""
    if isinstance(value, str) and not isinstance(value, Enum):
        return _UNSTORABLE.sub("\ufffd", value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {one.name: _storable(getattr(value, one.name)) for one in fields(value)}
        return replace(value, **changed)
    if isinstance(value, tuple):
        return tuple(_storable(one) for one in value)
    if isinstance(value, dict):
        return {_storable(name): _storable(said) for name, said in value.items()}
    return value
