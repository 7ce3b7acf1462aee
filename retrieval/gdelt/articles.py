"""Documents out of GKG files: one row a document, the source of addresses.

Of the 27 columns seven are decoded; GCAM, seven tenths of the bytes, is stepped over.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from globesumm.languages import UNKNOWN
from retrieval.gdelt.fields import (
    address_fault,
    element,
    moment,
    plain,
    source_language,
    translated_from,
)
from retrieval.gdelt.names import Stream
from retrieval.gdelt.rows import Tally, rows, wrong_width

BAD_BYTES = "bytes that are no UTF-8 were replaced"
LATER = "published later than seen: left out"
_COLUMNS = 27
_WEB = b"1"


class Article(NamedTuple):
    """One web page as GDELT saw it; the columns are explained in ``records.toml``.

    `seen` and `published` are in UTC.  `title` is in the original language, unescaped.
    """

    id: str
    url: str
    title: str | None
    language: str
    language_code: str | None
    seen: datetime
    published: datetime | None
    source: str | None
    words: int | None
    notes: tuple[str, ...]


def articles(pieces: Iterable[bytes], stream: Stream, tally: Tally) -> Iterator[Article]:
    """The documents of one GKG file given in `pieces`; what else there is goes into `tally`.

    Raises `OfAnotherKind` where not one row is a row of GKG.
    """
    counts = tally.counts
    for number, row in rows(pieces, tally):
        cells = row.split(b"\t")
        if len(cells) != _COLUMNS:
            tally.reject(number, wrong_width(row, tally.product), row)
            continue
        seen = moment(cells[1])
        if seen is None:
            tally.reject(number, f"DATE {cells[1][:30]!r} is not a time", row)
        elif cells[2] != _WEB:
            counts["not_web"] += 1
        else:
            made = _article(cells, stream, seen, tally)
            if isinstance(made, str):
                tally.reject(number, made, row)
            else:
                counts["kept"] += 1
                yield made
    tally.close()


def _article(cells: list[bytes], stream: Stream, seen: datetime, tally: Tally) -> Article | str:
    """The document in a row, or why there is none."""
    counts = tally.counts
    notes: tuple[str, ...] = ()
    extras = cells[26]
    raw_title = element(extras, b"PAGE_TITLE") or b""
    try:
        title = plain(raw_title.decode()) if raw_title else None
        id_, source = cells[0].decode(), cells[3].decode()
    except UnicodeDecodeError:
        counts["bad_bytes"] += 1
        notes = (BAD_BYTES,)
        title = plain(raw_title.decode(errors="replace"))
        id_, source = cells[0].decode(errors="replace"), cells[3].decode(errors="replace")
    try:
        url = cells[4].decode()
    except UnicodeDecodeError:
        return "an address that is not UTF-8"
    if fault := address_fault(url):
        return fault
    written = element(extras, b"PAGE_PRECISEPUBTIMESTAMP")
    published = moment(written) if written else None
    if published is not None and published > seen:
        counts["published_later"] += 1
        published, notes = None, (*notes, LATER)
    code = translated_from(cells[25])
    language = "en" if code is None and stream is Stream.ENGLISH else source_language(code or "")
    if title is None:
        counts["untitled"] += 1
    if published is None:
        counts["undated"] += 1
    if language == UNKNOWN:
        counts["unknown_language"] += 1
    words = cells[15].rsplit(b",", 1)[-1]
    length = int(words) if words.isdigit() and len(words) < 10 else None
    return Article(id_, url, title, language, code, seen, published, source or None, length, notes)
