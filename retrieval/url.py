"""Web addresses: one normal form, and ids made from it."""

import re
import unicodedata
from functools import lru_cache
from hashlib import sha256
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit, urlunsplit

from retrieval.files import safe
from retrieval.wrapped_url import marks, unwrapped

_BLANK = re.compile(r"\s")
_CREDENTIALS = re.compile(r"(?<=://)[^/?#]*@")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_NO_PART = re.compile(
    r"\.amp(?=\.html?$|$)|(?<=/)amp\.html?$|;(?:jsessionid|phpsessid)=[^/;]*", re.IGNORECASE
)
_MEANING = re.compile(r"%(2f|3f|23|25)", re.IGNORECASE)
"""Escapes of what would mean something else as a letter."""

_UNPRINTABLE = re.compile(r"[\s\x00-\x20\x7f-\x9f\udc80-\udcff]+")
_MOST_ROUNDS = 10
_PUBLIC = frozenset({"co", "com", "org", "net", "gov", "edu", "ac", "or", "ne", "go"})
"""Names below a country under which sites are registered: amp.com.au is a site, com.au is none."""


def is_web(text: str) -> bool:
    """Whether `text` is an http or https address with a host and no blanks."""
    try:
        parts = urlsplit(text)
        return (
            parts.scheme.lower() in _DEFAULT_PORTS
            and bool(parts.hostname)
            and not _BLANK.search(text)
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        return False


def without_credentials(url: str) -> str:
    """`url` without a user name and password before its host: they are nobody else's business."""
    return _CREDENTIALS.sub("", url, count=1)


def has_credentials(url: str) -> bool:
    """Whether a user name or password stands before the host of `url`."""
    return _CREDENTIALS.search(url) is not None


@lru_cache(maxsize=16_384)
def normal(url: str) -> str:
    """`url` (a web address) in the form in which two addresses of one article are equal.

    Addresses inside those of archives, AMP caches and redirectors are unwrapped (see
    `wrapped_url`); scheme, ``www.``, ``m.`` and the like, default port, fragment, tracking
    parameters, AMP marks and a last slash are dropped; letters are written as themselves and in
    one Unicode form.  The path keeps its case, all other parameters stay, in the order of their
    names, since many sites name the article there, and so do fragments that are routes
    (``#!/a``, ``#/a``).  The form of the form is itself.
    """
    form = _form(url.strip())
    # What was escaped may turn out to be another mark, or another address.
    for _ in range(_MOST_ROUNDS):
        again = _form(form)
        if again == form:
            break
        form = again
    return form


def _form(url: str) -> str:
    parts = urlsplit(unwrapped(url))
    path = _tidy(parts.path)
    fragment = parts.fragment if parts.fragment.startswith(("!", "/")) else ""
    site = _site(parts.hostname, parts.port, parts.scheme)
    return urlunsplit(("http", site, path, _query(parts.query), fragment))


def host_of(url: str) -> str:
    """The host of a web address, in lower case and ASCII, without ``www.``; ``""`` without one."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return _ascii(host).removeprefix("www.")


def _site(host: str | None, port: int | None, scheme: str) -> str:
    labels = _ascii(host or "").split(".")
    while len(labels) > 2 and labels[0] in marks().prefixes and not _is_registry(labels[1:]):
        del labels[0]
    if len(labels) > 3 and labels[1] == "m":  # en.m.wikipedia.org
        del labels[1]
    name = ".".join(labels)
    name = f"[{name}]" if ":" in name else name
    plain = not port or port in {_DEFAULT_PORTS.get(scheme.lower()), _DEFAULT_PORTS["http"]}
    return name if plain else f"{name}:{port}"


def _is_registry(labels: list[str]) -> bool:
    return len(labels) == 2 and labels[0] in _PUBLIC and len(labels[1]) == 2


def _ascii(host: str) -> str:
    host = host.rstrip(".").lower()
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return host


def _query(query: str) -> str:
    pairs = {
        (name.removeprefix("amp;"), value)
        for name, value in parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
        if not marks().tracking.fullmatch(name.removeprefix("amp;"))
    }
    return urlencode(sorted(pairs), errors="surrogateescape")


def _tidy(path: str) -> str:
    """`path` without dot segments, AMP marks, session ids and a last slash."""
    path = _written(path)
    if "/." in path:
        path = urlsplit(urljoin("http://host/", re.sub("^/+", "/", path))).path
    segments = [segment for segment in path.rstrip("/").split("/") if segment.lower() != "amp"]
    return _NO_PART.sub("", "/".join(segments)).rstrip("/")


def _written(path: str) -> str:
    """`path` with percent-escapes as the letters they mean, where that loses nothing.

    Bytes that are not UTF-8 stay escaped: old sites write names in their own encoding, and two
    such names must not become one.
    """
    kept = _MEANING.sub(lambda found: f"%25{found[1].upper()}", path)
    text = unicodedata.normalize("NFC", unquote(kept, errors="surrogateescape"))
    return _UNPRINTABLE.sub(lambda found: quote(found[0], errors="surrogateescape"), text)


def url_id(url: str) -> str:
    """An id for the page at `url`: its host and eight digits of its normal form's SHA-256."""
    form = normal(url)
    host = urlsplit(form).hostname or "page"
    return f"{safe(host)}-{sha256(form.encode(errors='surrogatepass')).hexdigest()[:8]}"
