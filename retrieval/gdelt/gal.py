"""GDELT's Article List: title, description and language of each page it saw, in small files.

There is no list of these files: each minute of a quarter-hour may have one (two to five have).
They are the cheap stand-in for a page that is gone.
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from globesumm.languages import UNKNOWN
from globesumm.values import Document
from retrieval.gdelt.failures import OfAnotherKind
from retrieval.gdelt.fields import address_fault, moment, plain, source_language
from retrieval.gdelt.rows import Tally, rows
from retrieval.gdelt.slots import stamp
from retrieval.gdelt.zips import believable
from retrieval.url import normal, url_id

PARTIAL = "partial: the page is gone, only GDELT's title and description are left"
_PIECE = 64 * 1024
_MINUTES = 15


class Listing(NamedTuple):
    """One page in the Article List; the columns are explained in ``records.toml``."""

    url: str
    title: str | None
    description: str | None
    language: str
    language_code: str | None
    seen: datetime
    source: str | None
    notes: tuple[str, ...]


def minute_files(slot: datetime) -> list[str]:
    """The names of the files that the quarter-hour from `slot` on may have."""
    minutes = (slot + timedelta(minutes=minute) for minute in range(_MINUTES))
    return [f"{stamp(minute)}.gal.json.gz" for minute in minutes]


def listings(path: Path, tally: Tally) -> Iterator[Listing]:
    """The pages in the Article List file at `path`; what else there is goes into `tally`.

    Raises `OfAnotherKind` if it is not gzip, is damaged, expands beyond belief, or holds not one
    record of the list.
    """
    for number, row in rows(_unzipped(path), tally):
        try:
            made = _listing(json.loads(row))
        except (ValueError, RecursionError) as error:
            made = f"not JSON ({error})"
        if isinstance(made, str):
            tally.reject(number, made, row)
            continue
        tally.counts["kept"] += 1
        tally.counts["untitled"] += made.title is None
        tally.counts["unknown_language"] += made.language == UNKNOWN
        yield made
    tally.close()


def stand_in(listing: Listing) -> Document:
    """What is left of a page that is gone, marked as partial: to match by, not to summarize."""
    return Document(
        id=url_id(listing.url),
        text=listing.description or "",
        language=listing.language,
        title=listing.title,
        source=listing.source,
        url=listing.url,
        language_declared=listing.language_code,
        notes=(PARTIAL, f"seen by GDELT at {listing.seen:%Y-%m-%d %H:%M} UTC"),
    )


def stand_ins(urls: Iterable[str], found: Iterable[Listing]) -> dict[str, Document]:
    """For each of `urls` that is among `found`, its stand-in; the first sighting counts."""
    wanted: dict[str, list[str]] = {}
    for url in urls:
        wanted.setdefault(normal(url), []).append(url)
    made: dict[str, Document] = {}
    for listing in found:
        for url in wanted.get(normal(listing.url), ()):
            made.setdefault(url, stand_in(listing))
    return made


def _listing(record: Any) -> Listing | str:
    if not isinstance(record, Mapping):
        return "not a JSON object"
    url, notes = _text(record, "url"), []
    if url is None:
        return "no address"
    if fault := address_fault(url):
        return fault
    seen = _seen(_text(record, "date") or "")
    if seen is None:
        return f"date {str(record.get('date'))[:30]!r} is not a time"
    if "\ufffd" in "".join(filter(None, (_text(record, "title"), _text(record, "desc")))):
        notes.append("letters are missing in the title or description")
    code = _text(record, "lang")
    return Listing(
        url,
        plain(_text(record, "title") or ""),
        plain(_text(record, "desc") or ""),
        source_language((code or "").lower()[:20]),
        code,
        seen,
        plain(_text(record, "outletName") or "") or _text(record, "domain"),
        tuple(notes),
    )


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    if not isinstance(value, str) or not value:
        return None
    # JSON may escape half of a surrogate pair, which is no text anybody can store.
    return value.encode("utf-8", errors="replace").decode()


def _seen(written: str) -> datetime | None:
    if written.isdigit():
        return moment(written.encode("ascii", errors="replace"))
    try:
        found = datetime.fromisoformat(written)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _unzipped(path: Path) -> Iterator[bytes]:
    size, taken = 0, path.stat().st_size
    if not taken:
        raise OfAnotherKind(f"{path.name}: not a whole gzip file (it is empty)")
    try:
        with gzip.open(path) as file:
            while piece := file.read(_PIECE):
                size += len(piece)
                believable(size, taken, path.name)
                yield piece
    except (EOFError, zlib.error, OSError) as error:
        raise OfAnotherKind(f"{path.name}: not a whole gzip file ({error})") from error
