"""What was fetched as WARC records, each a gzip member of its own."""

import io
import re
from datetime import UTC, datetime

from globesumm import __version__
from globesumm.errors import MissingPackage
from retrieval.answers import Exchange

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TRANSFER_ONLY = frozenset({"transfer-encoding", "connection", "keep-alive"})
"""Headers of the connection: the body is kept without its chunks, and must not claim them."""


def packed(hop: Exchange) -> bytes:
    """One exchange as a gzip member that holds a WARC response record."""
    headers = [
        (name, " ".join(value.split()))
        for name, value in hop.headers
        if _TOKEN.fullmatch(name) and name.lower() not in _TRANSFER_ONLY
    ]
    reason = " ".join(hop.reason.encode("ascii", "replace").decode().split())
    return _member(
        hop.url, "response", hop.body, (f"{hop.status} {reason}".strip(), headers), hop.at
    )


def about(name: str) -> bytes:
    """The record with which the file `name` begins: what wrote it."""
    fields = f"software: globesumm/{__version__}\r\nformat: WARC File Format 1.1\r\n"
    return _member(name, "warcinfo", fields.encode(), None, datetime.now(UTC))


def _member(
    uri: str,
    kind: str,
    payload: bytes,
    http: tuple[str, list[tuple[str, str]]] | None,
    at: datetime,
) -> bytes:
    try:
        from isal import igzip
        from warcio.statusandheaders import StatusAndHeaders
        from warcio.warcwriter import WARCWriter
    except ImportError as error:
        raise MissingPackage(error.name or "warcio", "keeping pages", "retrieval") from error
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=False, warc_version="1.1")
    headers = StatusAndHeaders(http[0], http[1], protocol="HTTP/1.1") if http else None
    named = {"WARC-Date": at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
    if kind == "warcinfo":
        named |= {"WARC-Filename": uri, "Content-Type": "application/warc-fields"}
    writer.write_record(
        writer.create_warc_record(
            "" if kind == "warcinfo" else uri,
            kind,
            payload=io.BytesIO(payload),
            length=len(payload),
            http_headers=headers,
            warc_headers_dict=named,
        )
    )
    compressed: bytes = igzip.compress(out.getvalue(), compresslevel=2)
    return compressed
