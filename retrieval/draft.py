"""What passes between the parts of reading: settings in, drafts out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from globesumm.values import Rejected

MAX_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to read: `max_bytes` of one page, file or record; dates after `now` are not believed."""

    max_bytes: int = MAX_BYTES
    now: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One news report as its input states it, before ids and languages are settled.

    `where` names the place for error messages.  `language` is what the input declared, as it
    was written there.  `published` is aware.  `text` holds no headline.
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


Reader = Callable[[str, str, Settings], Iterator[Draft | Rejected]]
"""(path or address, name to make ids from, settings) → what was found there."""
