"""Records with named fields (a table's row, a JSON object) → drafts.

`ALIASES` says which names mean what; the first one that is filled counts.  Names are compared
without case, blanks, underscores or hyphens.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from globesumm.errors import DataError
from globesumm.records import from_plain
from globesumm.values import Document, Rejected
from retrieval.dates import doubt, doubt_note, moment
from retrieval.draft import Draft, Settings
from retrieval.structured import name_of
from retrieval.url import without_credentials

ALIASES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "docid", "documentid", "articleid", "uid"),
    "text": ("text", "article", "body", "content", "maintext", "fulltext", "articlebody"),
    "title": ("title", "headline"),
    "language": ("language", "lang", "langabbr", "languagecode", "langfull"),
    "published": (
        *("published", "date", "publisheddate", "publishdate", "publishedat", "datepublished"),
        *("datepublish", "pubdate", "publicationdate", "publishingdate", "timestamp", "time"),
    ),
    "source": ("source", "outlet", "publisher", "sitename", "site", "sourcedomain", "domain"),
    "url": ("url", "link", "uri", "sourceurl"),
}

_OWN = {"id", "text", "language", "language_declared", "language_detected", "notes"}


def folded(name: str) -> str:
    """`name` as it stands in `ALIASES`."""
    return "".join(char for char in name.casefold() if char.isalnum())


def is_known(name: str) -> bool:
    """Whether some field goes by `name`."""
    return any(folded(name) in names for names in ALIASES.values())


def drafts_of(
    record: Mapping[str, Any], where: str, settings: Settings
) -> Iterator[Draft | Document | Rejected]:
    """The reports in one record: itself, or the ``news`` list of a published GlobeSumm event.

    A record in the layout of `Document` is taken as it is, languages and notes included, but
    for a date on which nothing can have been published.
    """
    news = record.get("news")
    if isinstance(news, list):
        for number, item in enumerate(news):
            place = f"{where}: news.{number}"
            if isinstance(item, dict):
                yield draft_of_fields(item, place, settings)
            else:
                yield Rejected(where=place, reason=f"not an object but {type(item).__name__}")
    elif record.keys() >= _OWN:
        try:
            yield _believed(from_plain(Document, dict(record), where), settings)
        except DataError as error:
            yield Rejected(where=where, reason=str(error).removeprefix(f"{where}: "))
        except OverflowError:
            # The first and last hours of the calendar exist in some zones and not in UTC.
            yield Rejected(where=where, reason="published: lies outside the calendar in UTC")
    else:
        yield draft_of_fields(record, where, settings)


def _believed(document: Document, settings: Settings) -> Document:
    """`document` without a date that cannot be, and without a password in its address."""
    time = document.published
    why = doubt(time, settings.now) if time else None
    notes = (*document.notes, doubt_note(time.isoformat(), why)) if time and why else None
    if notes:
        document = replace(document, published=None, notes=notes)
    return replace(document, url=document.url and without_credentials(document.url))


def draft_of_fields(record: Mapping[str, Any], where: str, settings: Settings) -> Draft | Rejected:
    """One report from fields that go by any of their `ALIASES`."""
    given = {folded(name): value for name, value in record.items() if value not in (None, "")}
    found = {
        field: next((given[name] for name in names if name in given), None)
        for field, names in ALIASES.items()
    }
    text = _body(found["text"])
    if text is None:
        names = ", ".join(sorted(str(name) for name in record)) or "none"
        return Rejected(where=where, reason=f"no text (fields: {names[:200]})")
    written = None if found["published"] is None else str(found["published"])
    time = moment(written) if written else None
    why = doubt(time.time, settings.now) if time else "cannot be read in one way"
    if written and why:
        notes: tuple[str, ...] = (doubt_note(written, why),)
        time = None
    else:
        notes = (time.note,) if time and time.note else ()
    return Draft(
        where=where,
        text=text,
        id=_written(found["id"]),
        title=_written(found["title"]),
        published=time.time if time else None,
        source=name_of(found["source"]),
        url=without_credentials(_written(found["url"]) or "") or None,
        language=_written(found["language"]),
        notes=notes,
    )


def _body(value: object) -> str | None:
    """Text, or paragraphs in a list; None where there is nothing to read."""
    if isinstance(value, list):
        value = "\n".join(item for item in value if isinstance(item, str))
    return value if isinstance(value, str) and value.strip() else None


def _written(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value).strip() or None
