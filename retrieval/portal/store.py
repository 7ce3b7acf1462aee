"""Day pages on disk, by revision.

::

    FOLDER/2023-05-15.1155135755.wiki    the page's wikitext, byte for byte
    FOLDER/2023-05-15.1155135755.json    its title, revision, time of the revision, SHA-256
    FOLDER/2023-07-29.missing.json       the wiki has no such page

A page is there once its ``.json`` is.  Such a folder can be read with ``--saved`` too.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from globesumm.errors import DataError
from globesumm.records import read_record, write_bytes, write_record
from retrieval.portal.days import title_of

_NAME = re.compile(r"(\d{4}-\d\d-\d\d)\.(\d{1,12})\.json")
GONE = ".missing.json"
"""Ends the name of a file that says that a wiki had no page of a day."""

_MAY_YET_APPEAR = timedelta(days=3)
"""A day this young may get its page yet, so that it is missing is not kept."""


class State(StrEnum):
    """What there is of a day."""

    HAD = "had"
    MISSING = "known missing"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPage:
    """A day of the window with its page, or with the reason why there is none.

    `form` is "wikitext" or "html"; `sha256` is of the file at `path`.
    """

    date: date
    state: State
    cause: str | None = None
    path: str | None = None
    form: str | None = None
    page: str | None = None
    revision: int | None = None
    revision_time: str | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The facts beside a kept page."""

    date: date
    page: str
    revision_id: int
    revision_timestamp: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """That a wiki had no page of a day, and when it was asked."""

    date: date
    page: str
    api: str
    asked: datetime


@dataclass(frozen=True, slots=True)
class PageStore:
    """The folder of kept pages."""

    folder: Path

    def listing(self) -> Mapping[date, list[int]]:
        """The revisions of each day that are kept, oldest first."""
        found: dict[date, list[int]] = {}
        for path in self.folder.glob("*.json") if self.folder.is_dir() else ():
            if name := _NAME.fullmatch(path.name):
                found.setdefault(date.fromisoformat(name[1]), []).append(int(name[2]))
        return {day: sorted(revisions) for day, revisions in found.items()}

    def had(self, day: date, revision: int) -> DayPage | None:
        """A kept revision of a day, or None if it is not whole."""
        stem = self.folder / f"{day}.{revision}"
        path = stem.with_name(f"{stem.name}.wiki")
        try:
            kept = read_record(path.with_suffix(".json"), Kept)
            content = path.read_bytes()
        except (OSError, DataError):
            return None
        if kept.date != day or sha256(content).hexdigest() != kept.sha256:
            return None
        return DayPage(
            date=day,
            state=State.HAD,
            path=str(path.resolve()),
            form="wikitext",
            page=kept.page,
            revision=kept.revision_id,
            revision_time=kept.revision_timestamp,
            sha256=kept.sha256,
        )

    def gone(self, day: date, api: str) -> DayPage | None:
        """That `api` has no page of `day`, if that is known."""
        try:
            gone = read_record(self._gone(day), Gone)
        except DataError:
            return None
        return _missing(gone) if gone.api == api else None

    def keep(self, day: date, page: str, revision: int, time: str, text: str) -> None:
        """Write a page, its facts last."""
        content = text.encode("utf-8", errors="surrogatepass")
        path = self.folder / f"{day}.{revision}.wiki"
        write_bytes(path, content)
        kept = Kept(
            date=day,
            page=page,
            revision_id=revision,
            revision_timestamp=time,
            sha256=sha256(content).hexdigest(),
        )
        write_record(path.with_suffix(".json"), kept)
        self._gone(day).unlink(missing_ok=True)

    def keep_gone(self, day: date, api: str) -> None:
        """Write that there is no page, unless it may yet appear."""
        asked = datetime.now(UTC)
        if asked.date() - day >= _MAY_YET_APPEAR:
            gone = Gone(date=day, page=title_of(day), api=api, asked=asked.replace(microsecond=0))
            write_record(self._gone(day), gone)

    def _gone(self, day: date) -> Path:
        return self.folder / f"{day}{GONE}"


def gone_page(path: Path) -> DayPage:
    """What the file at `path` says: that a wiki had no page of a day.  Raises `DataError`."""
    return _missing(read_record(path, Gone))


def _missing(gone: Gone) -> DayPage:
    cause = f"{gone.page} did not exist on {gone.asked:%Y-%m-%d}"
    return DayPage(date=gone.date, state=State.MISSING, cause=cause, page=gone.page)
