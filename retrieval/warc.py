"""WARC files as a source: Common Crawl News, other people's crawls, and what was fetched here.

Records are streamed, so a file may have any size.  A record that is broken is a `Rejected` with
its place in the file, and reading goes on at the next one.
"""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from globesumm.errors import DataError, MissingPackage
from globesumm.values import Rejected
from retrieval.answers import is_readable, media_type
from retrieval.draft import RawPage
from retrieval.fetching import Cause
from retrieval.files import refuse_irregular
from retrieval.url import has_credentials, is_web, url_id, without_credentials
from retrieval.warc_stream import PACKED, HeaderStream, Member, next_start

BROKEN = "broken-record"
"""The kind of a record that cannot be read."""

_KINDS_OF_PAGES = frozenset({"response", "resource"})
_BLOCK = 64 * 1024


def pages_in(path: Path, max_bytes: int) -> Iterator[RawPage | Rejected]:
    """The pages in a WARC file, plain or ``.gz``, in its order; by name what is no page.

    Records of other types (requests, metadata, revisits), redirects and what is no text by its
    own account (pictures, styles) are passed over.  A broken record has the kind `BROKEN`,
    other statuses and pages above `max_bytes` have those of fetching.  Raises `DataError` if
    the file cannot be opened and `MissingPackage` without warcio.
    """
    loader = _loader()
    refuse_irregular(path)
    try:
        with path.open("rb") as file:
            yield from _pages(file, str(path), loader, max_bytes)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from error


def page_at(path: Path, offset: int, max_bytes: int) -> RawPage:
    """The page whose record begins at `offset` of a file written here; a `DataError` if none."""
    with path.open("rb") as file:
        file.seek(offset)
        lines = HeaderStream(Member(file))
        try:
            found = next(_in_stream(lines, f"{path}:{offset}", _loader(), max_bytes), None)
        except Exception as error:
            raise DataError(f"{path}:{offset}: a broken record ({error})") from error
    if not isinstance(found, RawPage):
        reason = found.reason if found else "no page there"
        raise DataError(f"{path}:{offset}: {reason}")
    return found


@cache
def _loader() -> Any:
    try:
        from warcio.recordloader import ArcWarcRecordLoader
    except ImportError as error:
        raise MissingPackage("warcio", "reading WARC files", "retrieval") from error
    # It warns of what is odd in a record in the record's own words, terminal codes and all.
    logging.getLogger("warcio").addHandler(logging.NullHandler())
    return ArcWarcRecordLoader()


def _pages(file: BinaryIO, name: str, loader: Any, max_bytes: int) -> Iterator[RawPage | Rejected]:
    packed = file.read(len(PACKED)) == PACKED
    file.seek(0)
    start: int | None = 0
    left = b""
    while start is not None:
        where = f"{name}:{start}"
        member = Member(file, left) if packed else None
        lines = HeaderStream(member or file)
        try:
            yield from _in_stream(lines, where if packed else name, loader, max_bytes)
            if member is None:
                return
            left = member.left or file.read(_BLOCK)
            start = file.tell() - len(left)
            if not left:
                return
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001  # hostile bytes: the parser's own and any other
            start = start if packed else lines.at
            said = " ".join(str(error).split())[:150] or "it ends early"
            yield Rejected(where=f"{name}:{start}", reason=f"a broken record ({said})", kind=BROKEN)
            start = next_start(file, start + 1, packed=packed)
            left = b""
            file.seek(start or 0)


def _in_stream(
    lines: HeaderStream, where: str, loader: Any, max_bytes: int
) -> Iterator[RawPage | Rejected]:
    """The pages in one gzip member, or in a whole file that is not packed.

    A page is passed on when the next record, or the end, has been reached without an error.
    """
    found: RawPage | Rejected | None = None
    while True:
        line = lines.first_line()
        if found is not None:
            yield found
        if not line:
            return
        record = loader.parse_record_stream(lines, line)
        place = where if lines.packed else f"{where}:{lines.at}"
        found = _page(record, place, max_bytes)
        while record.raw_stream.read(_BLOCK):
            pass
        if getattr(record.raw_stream, "limit", 0) > 0:
            raise EOFError("it ends early")


def _page(record: Any, where: str, max_bytes: int) -> RawPage | Rejected | None:
    if record.rec_type not in _KINDS_OF_PAGES:
        return None
    url = record.rec_headers.get_header("WARC-Target-URI") or ""
    if not is_web(url) or has_credentials(url):
        shown = without_credentials(url)[:200]
        return Rejected(where=where, reason=f"no web address ({shown!r})", kind=Cause.NOT_WEB)
    http = record.http_headers
    status = http.get_statuscode() if http else "200"
    if status != "200":
        if status.startswith("3") and http.get_header("location"):
            return None
        cause = Cause.GONE if status in {"404", "410"} else Cause.STATUS
        return Rejected(where=where, reason=f"status {status[:10]}", kind=cause, url=url)
    stated = http.get_header("content-type") if http else record.content_type
    kind, charset = media_type(stated)
    if not is_readable(kind):
        return None
    content = record.content_stream().read(max_bytes + 1)
    if len(content) > max_bytes:
        reason = f"larger than {max_bytes} bytes"
        return Rejected(where=where, reason=reason, kind=Cause.TOO_LARGE, url=url)
    return RawPage(
        content=content,
        where=where,
        id=url_id(url),
        url=url,
        requested=url,
        charset=charset,
        seen=_moment(record.rec_headers.get_header("WARC-Date")),
    )


def _moment(text: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat((text or "").strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
