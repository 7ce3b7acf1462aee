"""What a server said: one exchange, a page with all its hops, and bodies unpacked within limits."""

import zlib
from dataclasses import dataclass
from datetime import datetime

from retrieval.fetching import Cause, FetchError

ACCEPTED = "gzip, deflate"
"""The content encodings that are asked for, and the only ones that are unpacked."""

READABLE = ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml")
_MARKUP_ENDINGS = ("+xml",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request's answer as it came: `body` is still packed as its headers say.

    `headers` are in the server's order and spelling; `at` is when it was asked.
    """

    url: str
    at: datetime
    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """The first header of that name, whatever its case."""
        return next((value for key, value in self.headers if key.lower() == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A page as it came: `url` after redirects, `kind` its media type, `charset` if stated.

    `content` is unpacked; `hops` are the exchanges that led to it, its own the last.
    """

    url: str
    content: bytes
    kind: str
    charset: str | None = None
    hops: tuple[Exchange, ...] = ()


def is_readable(kind: str) -> bool:
    """Whether a media type is one of pages, feeds or texts; an empty one may be."""
    return not kind or kind.startswith(READABLE) or kind.endswith(_MARKUP_ENDINGS)


def media_type(value: str | None) -> tuple[str, str | None]:
    """(media type in lower case, charset or None) of a Content-Type header."""
    kind, _, rest = (value or "").partition(";")
    for part in rest.split(";"):
        name, _, stated = part.partition("=")
        if name.strip().lower() == "charset":
            return kind.strip().lower(), stated.strip().strip("\"'") or None
    return kind.strip().lower(), None


def unpacked(body: bytes, encoding: str | None, url: str, max_bytes: int) -> bytes:
    """`body` without its content encoding; a `FetchError` if that breaks or passes `max_bytes`.

    Unpacking stops at the limit, so a small body that would grow to gigabytes costs nothing.
    """
    names = [name.strip().lower() for name in (encoding or "").split(",")]
    for name in reversed([name for name in names if name not in {"", "identity"}]):
        if name not in {"gzip", "x-gzip", "deflate"}:
            reason = f"content encoding {name[:40]!r} was not asked for and is not read"
            raise FetchError(url, reason, Cause.BROKEN)
        try:
            body = _inflated(body, max_bytes, raw=name == "deflate" and not _has_header(body))
        except (zlib.error, EOFError) as error:
            raise FetchError(
                url, f"its {name} encoding is broken ({error})", Cause.BROKEN
            ) from error
    if len(body) > max_bytes:
        raise FetchError(url, f"larger than {max_bytes} bytes", Cause.TOO_LARGE)
    return body


def _has_header(body: bytes) -> bool:
    """Whether a deflate body has the zlib header that the standard wants and some servers omit."""
    return len(body) > 1 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0


def _inflated(body: bytes, max_bytes: int, *, raw: bool) -> bytes:
    parts: list[bytes] = []
    room = max_bytes + 1
    while body and room > 0:
        packer = zlib.decompressobj(-zlib.MAX_WBITS if raw else zlib.MAX_WBITS + 32)
        parts.append(packer.decompress(body, room))
        room -= len(parts[-1])
        if not packer.eof:
            if room > 0:
                raise EOFError("it ends early")
            break
        # Several gzip members are one body; what is no member after one is padding.
        body = packer.unused_data if packer.unused_data[:2] == b"\x1f\x8b" else b""
    return b"".join(parts)
