"""Lists of pages to fetch: addresses one a line, rows of GDELT or of the portal, tables.

What a row says about its page besides the address (title, language, when it was seen) goes with
it, since it tells a wrong page from the right one and settles short texts' languages.
"""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, MissingPackage
from globesumm.records import read_plain_records
from globesumm.text.clean import clean, decode
from globesumm.values import Rejected
from retrieval.fetching import Cause
from retrieval.files import COMPRESSED, files_below, plain_name, refuse_irregular
from retrieval.url import has_credentials, is_web, without_credentials

REPEATED = "same-address"
"""The kind of an address that names the page of an earlier one."""

ARCHIVE = ".warc"
"""The ending of files that hold pages, not addresses (see `retrieval.harvest_archives`)."""

_ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".tsv": "tsv",
    ".tab": "tsv",
}
_TEXTS = frozenset({".txt", ".urls", ".text", ""})
_NAMES: Mapping[str, tuple[str, ...]] = {  # whatever their case
    "url": ("url", "link", "address", "documentidentifier", "sourceurl", "mentionidentifier"),
    "title": ("title", "headline", "page_title"),
    "language": ("language", "lang", "lang_abbr", "language_code"),
    "seen": ("seen", "seendate", "date"),
    "outlet": ("outlet", "source", "outletname", "domain"),
}
_LONGEST_LINE = 1024 * 1024
_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)T?(\d\d)(\d\d)(\d\d)Z?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A page to fetch: `where` it is asked for, and what is said about it there.

    `seen` (aware) is when GDELT or another saw it first; nothing on it was published later.
    """

    url: str
    where: str
    title: str | None = None
    language: str | None = None
    seen: datetime | None = None
    outlet: str | None = None


def wanted_in(source: Path) -> Iterator[Wanted | Rejected]:
    """The pages that a list asks for, in its order, and by name the rows that ask for none.

    `source` is a text of one address a line (``#`` begins a comment), JSON Lines with a field
    ``url`` or a list ``sources`` of such objects, a table with tabs between, with or without a
    header, or a folder of such files, hidden ones and those of ``_`` folders aside; ``.gz`` is
    unpacked, and WARC files are passed over.  A row without an address, or with one that may
    not be asked for, is `Rejected`.
    """
    if not source.is_dir():
        yield from _in_file(source)
        return
    for path in files_below(source):
        if isinstance(path, Rejected):
            yield path
        elif not any(part.startswith("_") for part in path.relative_to(source).parts[:-1]):
            yield from _in_file(path)


def _in_file(path: Path) -> Iterator[Wanted | Rejected]:
    ending = Path(plain_name(path)).suffix.lower()
    if ending == ARCHIVE:
        return
    kind = _ENDINGS.get(ending)
    if kind is None and ending not in _TEXTS:
        reason = f"files ending in {ending!r} are no lists of addresses"
        yield Rejected(where=str(path), reason=reason, kind="not-a-list")
        return
    if kind in {"jsonl", "parquet"} and path.suffix.lower() == COMPRESSED:
        yield Rejected(where=str(path), reason="is packed: unpack it first", kind="not-a-list")
        return
    try:
        refuse_irregular(path)
        if kind == "jsonl":
            yield from _of_rows(read_plain_records(path))
        elif kind == "parquet":
            yield from _of_rows(_parquet(path))
        else:
            yield from _lines(path, table=kind == "tsv")
    except (DataError, OSError, EOFError, zlib.error) as error:
        reason = " ".join(str(error).removeprefix(f"{path}: ").split()) or type(error).__name__
        yield Rejected(where=str(path), reason=reason[:200], kind="not-a-list")


def _parquet(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingPackage("pyarrow", "reading Parquet", "retrieval") from error
    number = 0
    try:
        with ParquetFile(path) as file:
            for batch in file.iter_batches():
                for row in batch.to_pylist():
                    number += 1
                    yield f"{path}: row {number}", row
    except (ArrowException, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        raise DataError(f"{path}: no Parquet that can be read ({reason})") from error


def _of_rows(rows: Iterable[tuple[str, dict[str, Any]] | Rejected]) -> Iterator[Wanted | Rejected]:
    for row in rows:
        if isinstance(row, Rejected):
            yield row
            continue
        where, fields = row
        sources = fields.get("sources")
        if isinstance(sources, list) and not fields.get("url"):
            inner = [source for source in sources if isinstance(source, dict)]
            for source in inner:
                if source.get("url"):
                    yield _wanted(source, where)
        else:
            yield _wanted(fields, where)


def _lines(path: Path, *, table: bool) -> Iterator[Wanted | Rejected]:
    header: list[str] | None = None
    with gzip.open(path) if path.suffix.lower() == COMPRESSED else path.open("rb") as file:
        number = 0
        while line := file.readline(_LONGEST_LINE + 1):
            number += 1
            where = f"{path}:{number}"
            if len(line) > _LONGEST_LINE:
                raise DataError(f"{where}: line longer than {_LONGEST_LINE} bytes")
            text = decode(line).text.lstrip("\ufeff").strip("\r\n")
            if not text.strip() or (not table and text.lstrip().startswith("#")):
                continue
            if not table and "\t" not in text:
                yield _wanted({"url": text.strip()}, where)
                continue
            cells = [cell.strip() for cell in text.split("\t")]
            if header is None and number == 1 and not any(map(is_web, cells)):
                header = cells
            elif header is not None:
                yield _wanted(dict(zip(header, cells, strict=False)), where)
            else:
                url = next((cell for cell in cells if is_web(cell)), cells[0])
                yield _wanted({"url": url}, where)


def _wanted(fields: Mapping[str, Any], where: str) -> Wanted | Rejected:
    folded = {key.lower(): value for key, value in fields.items()}
    found = {name: _first(folded, names) for name, names in _NAMES.items()}
    url = found["url"] or ""
    shown = without_credentials(url)[:200] or None
    if not url:
        return Rejected(where=where, reason="no address", kind=Cause.NOT_WEB)
    if not is_web(url):
        reason = "not an http or https address"
        return Rejected(where=where, reason=reason, excerpt=shown, kind=Cause.NOT_WEB)
    if has_credentials(url):
        reason = "a user name or password in a web address is never sent or stored"
        return Rejected(where=where, reason=reason, excerpt=shown, kind=Cause.NOT_WEB)
    return Wanted(
        url=url,
        where=where,
        title=found["title"],
        language=found["language"],
        seen=_moment(found["seen"]),
        outlet=found["outlet"],
    )


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = fields.get(name)
        if isinstance(value, datetime):
            return value.isoformat()
        if isinstance(value, str | int) and (text := clean(str(value)).text.strip()):
            return text
    return None


def _moment(text: str | None) -> datetime | None:
    """A time as GDELT writes it (14 digits, UTC) or in ISO 8601, else None."""
    if match := _DIGITS.fullmatch(text or ""):
        try:
            return datetime(*map(int, match.groups()), tzinfo=UTC)  # type: ignore[misc,arg-type]
        except ValueError:
            return None
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
