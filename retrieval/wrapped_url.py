"""Addresses inside addresses: archives, AMP caches, redirectors, translated pages.

Which they are is in ``globesumm/data/addresses.toml``.  An archive's short names
(``archive.ph/AbCdE``) say nothing about what they hold and stay as they are.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

_INSIDE = re.compile(r"https?(?::|%3a)(?:/|%2f){1,2}[^/]", re.IGNORECASE)
_ABBREVIATED = re.compile(
    r"^(?:/[^/]+)*/\d{4,14}[a-z_]{0,4}/(?=[^/.]+\.[^/]*[a-z])(.+)$", re.IGNORECASE
)
_AMP_CACHE = re.compile(r"^/(?:[civ]|wp)/(s/)?(.+)$")
_AMP_VIEWER = re.compile(r"^/amp/(s/)?(.+)$")
_GOOGLE_OR_BING = re.compile(r"^(?:www\.)?(?:google\.[a-z]{2,3}(?:\.[a-z]{2})?|bing\.com)$")
_GOOGLE_CACHE = re.compile(r"^cache:(?:[\w-]+:)?(.+?)(?:\s.*)?$", re.DOTALL)
_TRANSLATED = ".translate.goog"
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+\.?|[\da-f:.]*:[\da-f:.]*", re.IGNORECASE)
_DEEPEST = 5


@dataclass(frozen=True, slots=True)
class Marks:
    """The table in ``addresses.toml``."""

    tracking: re.Pattern[str]
    prefixes: frozenset[str]
    archives: frozenset[str]
    redirectors: dict[str, tuple[str, ...]]


@cache
def marks() -> Marks:
    """The table, read once."""
    source = files("globesumm").joinpath("data", "addresses.toml")
    table = tomllib.loads(source.read_text(encoding="utf-8"))
    names = "|".join(re.escape(name).replace(r"\*", r"[\w-]+") for name in table["tracking"])
    return Marks(
        tracking=re.compile(names, re.IGNORECASE),
        prefixes=frozenset(table["prefixes"]),
        archives=frozenset(table["archives"]),
        redirectors={place: tuple(names) for place, names in table["redirectors"].items()},
    )


def unwrapped(url: str) -> str:
    """The address of the page that `url` stands for: itself, or the one inside it.

    Never raises: what cannot be split is left as it is.
    """
    for _ in range(_DEEPEST):
        try:
            inner = _inner(urlsplit(url))
            if inner is None or not _HOST.fullmatch(urlsplit(inner).hostname or ""):
                return url
        except ValueError:
            return url
        url = inner
    return url


def _inner(parts: SplitResult) -> str | None:
    host = (parts.hostname or "").rstrip(".").lower()
    query = f"?{parts.query}" if parts.query else ""
    if host in marks().archives:
        return _archived(parts.path + query)
    if host.endswith("cdn.ampproject.org"):
        return _amp(_AMP_CACHE.match(parts.path), query)
    if _GOOGLE_OR_BING.match(host) and (found := _amp(_AMP_VIEWER.match(parts.path), query)):
        return found
    if host.endswith(_TRANSLATED):
        name = host.removesuffix(_TRANSLATED).replace("--", "\0").replace("-", ".")
        name = name.replace("\0", "-")
        return f"https://{name}{parts.path}{query}"
    fields = parse_qs(parts.query)
    if host == "webcache.googleusercontent.com":
        match = _GOOGLE_CACHE.match(fields.get("q", [""])[0])
        return _web(match[1]) if match else None
    for name in marks().redirectors.get(host + parts.path, ()):
        if found := _web(fields.get(name, [""])[0], bare=False):
            return found
    return None


def _archived(rest: str) -> str | None:
    if match := _INSIDE.search(rest):
        inner = rest[match.start() :]
        if "%" in match[0]:
            inner = unquote(inner)
        return re.sub(r"^(https?):/+", r"\1://", inner, flags=re.IGNORECASE)
    match = _ABBREVIATED.match(rest)
    return f"http://{match[1]}" if match else None


def _amp(match: re.Match[str] | None, query: str) -> str | None:
    if match is None:
        return None
    host, slash, path = match[2].partition("/")
    if "." not in host:
        return None
    return f"http{'s' if match[1] else ''}://{host}{slash}{path}{query}"


def _web(text: str, *, bare: bool = True) -> str | None:
    if re.search(r"\s", text):
        return None
    if re.match(r"https?://[^/]", text, re.IGNORECASE):
        return text
    return f"http://{text}" if bare and "." in text.partition("/")[0] else None
