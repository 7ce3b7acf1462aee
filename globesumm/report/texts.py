"""Texts, languages, times and links as a browser needs them.

Everything that comes from documents or models is text here; the templates escape all of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from globesumm.languages import LANGUAGES
from globesumm.values import Document, Statement


@dataclass(frozen=True, slots=True)
class Text:
    """A text with what a browser needs to set it right."""

    text: str
    language: str
    direction: str


@dataclass(frozen=True, slots=True)
class Said:
    """One statement and who made it; `how` says why it stands here, where that is known.

    `number` is the document's place in the event, empty where it is not one of the event's.
    """

    outlet: str
    time: str
    language: str
    said: Text
    how: str = ""
    number: str = ""


def as_text(text: str, language: str) -> Text:
    """The text with its direction; "auto" for a language that is not known."""
    row = LANGUAGES.get(language)
    # Where the language is unknown the browser judges by the first strong letter.
    return Text(text, language if row else "", row.direction if row else "auto")


def language_name(code: str) -> str:
    """The English name of a language."""
    row = LANGUAGES.get(code)
    return row.name if row else "unknown language"


def time_of(document: Document) -> str:
    """When a report was published, to the minute."""
    return when(document.published)


def when(time: datetime | None) -> str:
    """A time in UTC to the minute."""
    # strftime pads no year below 1000 on Linux.
    return "undated" if time is None else f"{time.isoformat(' ', 'minutes')[:16]} UTC"


def said(statement: Statement, documents: Mapping[str, Document], *, how: str = "") -> Said:
    """The statement with what is known of its document; `documents` are in the event's order."""
    document = documents.get(statement.document)
    places = (place for place, name in enumerate(documents, 1) if name == statement.document)
    return Said(
        outlet=(document.source if document else None) or statement.document,
        time=time_of(document) if document else "",
        language=language_name(statement.language),
        said=as_text(statement.text, statement.language),
        how=how,
        number=str(next(places, "")),
    )


def safe_link(url: str | None) -> str:
    """`url` if a click on it can only open a web page, else nothing."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return ""
    safe = parts.scheme in {"http", "https"} and parts.netloc and (url or "").isprintable()
    return url or "" if safe else ""
