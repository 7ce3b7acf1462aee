"""How pages are asked for: the settings of fetching, and the ways in which it fails."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from globesumm import __version__
from globesumm.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetching:
    """How pages are asked for.

    At most `concurrency` requests are open at once and `per_host` to one host, with
    `delay_seconds` (or what robots.txt asks for, up to a minute) between two to the same host.
    A hop may take `timeout_seconds` in all and a page `max_redirects` hops.  Status 429, 502,
    503 and 504 are asked again up to `retries` times, after what ``Retry-After`` says if that
    is at most a minute.  A host that fails `breaker_failures` times in a row is left alone for
    `breaker_seconds`; then one request tries it, and if that fails the pause is twice as long.

    With `allow_private`, addresses that are not on the public internet may be asked too: for
    tests, or for one's own network.  `connect_to` maps a host name, or ``*`` and a domain, to
    the ``address:port`` to connect to in its place, as a mirror of pages wants it; addresses
    named there may be private, all others still may not.
    """

    concurrency: int = 16
    per_host: int = 1
    delay_seconds: float = 1.0
    timeout_seconds: float = 30.0
    max_redirects: int = 8
    retries: int = 2
    breaker_failures: int = 5
    breaker_seconds: float = 300.0
    allow_private: bool = False
    connect_to: Mapping[str, str] = field(default_factory=dict)
    robots: bool = True
    user_agent: str = f"globesumm/{__version__} (multilingual news summarization research)"


class Cause(StrEnum):
    """Why there is no page, as one of few names that can be counted."""

    NOT_WEB = "not a web address"
    NOT_PUBLIC = "not a public address"
    DISALLOWED = "disallowed by robots.txt"
    ROBOTS_UNKNOWN = "robots.txt could not be read"
    GONE = "gone"
    REFUSED = "refused by the site"
    STATUS = "other status"
    BUSY = "site asks for less"
    SERVER = "server error"
    REDIRECTS = "redirected without end"
    NOT_A_PAGE = "content type is not a page"
    TOO_LARGE = "too large"
    BROKEN = "broken answer"
    TOO_SLOW = "took too long"
    UNREACHABLE = "unreachable"
    GIVEN_UP = "host given up"
    UNCHANGED = "unchanged"


PASSING = frozenset(
    {
        Cause.ROBOTS_UNKNOWN,
        Cause.BUSY,
        Cause.SERVER,
        Cause.BROKEN,
        Cause.TOO_SLOW,
        Cause.UNREACHABLE,
        Cause.GIVEN_UP,
    }
)
"""Causes that may be gone tomorrow; all others are an answer."""


class FetchError(DataError):
    """A page could not be had; `cause` says why in a word that can be counted."""

    def __init__(self, url: str, reason: str, cause: Cause) -> None:
        self.url, self.reason, self.cause = url, reason, cause
        super().__init__(f"{url}: {reason}")
