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
    tests, or for one's own network.  `connect_to` maps a host name, ``*.domain`` or ``*`` to
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
    """Why there is no page: the kind under which it is counted.  `CAUSES` says what each means."""

    NOT_WEB = "not-web"
    NOT_PUBLIC = "not-public"
    DISALLOWED = "robots-disallowed"
    ROBOTS_UNKNOWN = "robots-unreadable"
    GONE = "gone"
    REFUSED = "refused"
    STATUS = "other-status"
    BUSY = "busy"
    SERVER = "server-error"
    REDIRECTS = "redirect-loop"
    NOT_A_PAGE = "not-a-page"
    TOO_LARGE = "too-large"
    BROKEN = "broken-answer"
    TOO_SLOW = "too-slow"
    UNREACHABLE = "unreachable"
    GIVEN_UP = "host-given-up"
    UNCHANGED = "unchanged"


CAUSES: Mapping[Cause, str] = {
    Cause.NOT_WEB: "no http or https address, or one with a password in it",
    Cause.NOT_PUBLIC: "leads to an address that is not on the public internet",
    Cause.DISALLOWED: "the site's robots.txt asks programs to stay away from it",
    Cause.ROBOTS_UNKNOWN: "the site's robots.txt could not be read, so it is not known",
    Cause.GONE: "status 404 or 410",
    Cause.REFUSED: "status 401, 402, 403 or 451",
    Cause.STATUS: "another status than 200, below 500",
    Cause.BUSY: "status 429 after every retry",
    Cause.SERVER: "status 500 or more after every retry",
    Cause.REDIRECTS: "redirected in a circle, too often, or to what is no address",
    Cause.NOT_A_PAGE: "a picture, a film, a PDF by its content type",
    Cause.TOO_LARGE: "more bytes than a page may have, as sent or unpacked",
    Cause.BROKEN: "an answer that ends early or breaks the protocol",
    Cause.TOO_SLOW: "took longer than it may",
    Cause.UNREACHABLE: "no such host, or no connection",
    Cause.GIVEN_UP: "not asked: its host failed many times in a row",
    Cause.UNCHANGED: "asked again, and as it was",
}


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
    """A page could not be had; `cause` (also `kind`) says why in a word that can be counted."""

    def __init__(self, url: str, reason: str, cause: Cause) -> None:
        self.url, self.reason, self.cause, self.kind = url, reason, cause, str(cause)
        super().__init__(f"{url}: {reason}")
