"""Files that hold one report each: an HTML page, a plain text."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from globesumm.errors import DataError, UnknownName
from globesumm.languages import parse
from globesumm.text.clean import decode
from globesumm.values import Document, Rejected
from retrieval.binary import refuse_broken, refuse_signature
from retrieval.dates import doubt, doubt_note, moment
from retrieval.draft import Draft, PageRefused, Piece, RawPage, Settings
from retrieval.files import plain_name, read_bytes

_DATE_IN_NAME = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.]?(\d\d)[-_.]?(\d\d)(?!\d)")
_ENDS_A_SENTENCE = tuple(".!?…。！？।۔:;,")
_LONGEST_TITLE = 250


def html(source: str, name: str, settings: Settings) -> Iterator[Piece]:
    """A saved page."""
    try:
        content = read_bytes(Path(source), settings.max_bytes)
        yield RawPage(content=content, where=source, id=name, picked=True)
    except DataError as error:
        yield rejected(source, error)


def text(source: str, name: str, settings: Settings) -> Iterator[Draft | Document | Rejected]:
    """A plain text; paragraphs are its lines.

    A first line that stands above a blank one and is no sentence is the title.  A file name
    may say the date (``2023-05-15``) and the language (``report.tr.txt``).
    """
    path = Path(source)
    try:
        content = read_bytes(path, settings.max_bytes)
        refuse_signature(content, source)
        decoded = decode(content)
        refuse_broken(content, decoded, source)
    except DataError as error:
        yield rejected(source, error)
        return
    title, body = _headed(decoded.text.strip())
    published, date_notes = _date_in_name(plain_name(path), settings.now)
    yield Draft(
        where=source,
        text=body,
        id=name,
        title=title,
        published=published,
        language=_language_in_name(plain_name(path)),
        notes=(*decoded.notes, *date_notes),
    )


def rejected(where: str, error: DataError) -> Rejected:
    """`error` as a record; the place is not said twice."""
    kind = error.kind if isinstance(error, PageRefused) else None
    return Rejected(where=where, reason=str(error).removeprefix(f"{where}: "), kind=kind)


def _headed(text: str) -> tuple[str | None, str]:
    """(title, rest) of a text; (None, text) if its first line is no title."""
    first, _, rest = text.partition("\n")
    first = first.strip()
    if not rest.strip() or rest.split("\n", 1)[0].strip() or len(first) > _LONGEST_TITLE:
        return None, text
    return (None, text) if first.endswith(_ENDS_A_SENTENCE) else (first, rest.strip())


def _date_in_name(name: str, now: datetime) -> tuple[datetime | None, tuple[str, ...]]:
    match = _DATE_IN_NAME.search(name)
    found = moment("-".join(match.groups())) if match else None
    if found is None:
        return None, ("published: not stated",)
    if why := doubt(found.time, now):
        return None, (doubt_note(found.time.date(), f"in the file name {why}"),)
    return found.time, ("published: from the file name, midnight UTC",)


def _language_in_name(name: str) -> str | None:
    parts = name.split(".")
    if len(parts) < 3 or not 2 <= len(parts[-2]) <= 3:
        return None
    try:
        return parse(parts[-2])
    except UnknownName:
        return None
