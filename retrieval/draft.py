"""What passes between the parts of reading: settings in, drafts out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from globesumm.errors import DataError
from globesumm.values import Document, Rejected
from retrieval.fetching import Fetching

__all__ = ["MAX_BYTES", "Draft", "Fetching", "Piece", "Reader", "Settings"]

MAX_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to read.

    `max_bytes` is the most one page or text may have.  Dates more than a day after `now` are
    not believed.  `fetching` says how pages are fetched, and with `follow` the pages behind a
    feed's links are fetched too.  The files `leave_out` (absolute, links resolved) are passed
    over in folders: what is written there is no news.
    """

    max_bytes: int = MAX_BYTES
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    fetching: Fetching = field(default_factory=Fetching)
    follow: bool = False
    leave_out: frozenset[Path] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One news report as its input states it, before ids and languages are settled.

    `where` names the place for error messages.  `language` is what the input declared, as it
    was written there.  `published` and `modified` are aware.  `text` holds no headline.
    `prior` is the language that whoever pointed at the report gave it.
    """

    where: str
    text: str
    id: str | None = None
    title: str | None = None
    published: datetime | None = None
    source: str | None = None
    url: str | None = None
    language: str | None = None
    notes: tuple[str, ...] = ()
    modified: datetime | None = None
    authors: tuple[str, ...] = ()
    prior: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawPage:
    """A page as it came, and what is known about it from elsewhere.

    `where` names the place for messages (an address or a path) and `id` the document to come;
    without one it is made from the content.  `url` is the address after redirects, `requested`
    the one first asked for, `charset` what the server said.  `title` and `language` (any
    spelling of a code) are what pointed at the page said, GDELT or the portal for instance, and
    `seen` (aware) when it was first seen: nothing was published later than a day after that.
    A page that was `picked` by hand may be as short as it is.
    """

    content: bytes
    where: str
    id: str | None = None
    url: str | None = None
    requested: str | None = None
    charset: str | None = None
    title: str | None = None
    language: str | None = None
    seen: datetime | None = None
    picked: bool = False


class PageRefused(DataError):
    """A page that becomes no document; `kind` is the short, stable name of the reason."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(message)


Piece = Draft | RawPage | Document | Rejected
"""What a reader finds: a page still to be extracted, a report, a whole document, a refusal."""

Reader = Callable[[str, str, Settings], Iterator[Piece]]
"""(path or address, name to make ids from, settings) → what was found there."""
