"""Day pages: fetched once and kept by revision.

::

    FOLDER/2023-05-15.1155135755.wiki    the page's wikitext, byte for byte
    FOLDER/2023-05-15.1155135755.json    its title, revision, time of the revision, SHA-256
    FOLDER/2023-07-29.missing.json       Wikipedia has no such page

A page is there once its ``.json`` is.  Such a folder can be read with ``--saved`` too.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any

from globesumm.errors import DataError
from globesumm.progress import track
from globesumm.records import read_record, write_bytes, write_record
from retrieval.portal.client import (
    MOST_TITLES,
    ApiError,
    Client,
    batches,
    final,
    pages_in,
    renamed,
)
from retrieval.portal.days import day_in, title_of

_NAME = re.compile(r"(\d{4}-\d\d-\d\d)\.(\d{1,12})\.json")
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
        if gone.api != api:
            return None
        cause = f"{gone.page} did not exist on {gone.asked:%Y-%m-%d}"
        return DayPage(date=day, state=State.MISSING, cause=cause, page=gone.page)

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
        return self.folder / f"{day}.missing.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The days to have: a revision each where `pins` states one, else the newest kept or there.

    With `refresh`, what is kept is not believed to be the newest.
    """

    days: tuple[date, ...]
    api: str
    pins: Mapping[date, int]
    refresh: bool = False


def at_hand(wanted: Wanted, store: PageStore) -> dict[date, DayPage]:
    """The days that need no request."""
    found: dict[date, DayPage] = {}
    kept = store.listing()
    for day in wanted.days:
        revisions = kept.get(day, [])
        if pin := wanted.pins.get(day):
            page = store.had(day, pin) if pin in revisions else None
        elif wanted.refresh:
            page = None
        else:
            page = (store.had(day, revisions[-1]) if revisions else None) or store.gone(
                day, wanted.api
            )
        if page is not None:
            found[day] = page
    return found


def requests_for(wanted: Wanted, missing: Iterable[date]) -> list[tuple[str, list[str]]]:
    """What to ask for: ("titles" or "revids", values), each for one request."""
    days = list(missing)
    titles = [title_of(day) for day in days if day not in wanted.pins]
    pins = [str(wanted.pins[day]) for day in days if day in wanted.pins]
    groups = [pins[start : start + MOST_TITLES] for start in range(0, len(pins), MOST_TITLES)]
    return [("titles", group) for group in batches(titles)] + [
        ("revids", group) for group in groups
    ]


def fetch(
    wanted: Wanted, missing: Iterable[date], store: PageStore, client: Client
) -> dict[date, DayPage]:
    """Fetch the pages of the days that are not at hand; what became of each of them."""
    days = list(missing)
    found: dict[date, DayPage] = {}
    by_pin = {str(wanted.pins[day]): day for day in days if day in wanted.pins}
    for kind, values in track(requests_for(wanted, days), "portal pages"):
        asked = {value: by_pin[value] if kind == "revids" else _day(value) for value in values}
        try:
            found |= _fetch_some(kind, asked, store, client)
        except ApiError as error:
            for day in set(asked.values()) - found.keys():
                found[day] = DayPage(date=day, state=State.FAILED, cause=str(error))
    return found


def _day(title: str) -> date:
    day = day_in(title)
    if day is None:
        raise AssertionError(title)
    return day


def _fetch_some(
    kind: str, asked: Mapping[str, date], store: PageStore, client: Client
) -> dict[date, DayPage]:
    parameters = {
        "prop": "revisions",
        "rvprop": "ids|timestamp|content",
        "rvslots": "main",
        kind: "|".join(asked),
        **({"redirects": "1"} if kind == "titles" else {}),
    }
    moves: dict[str, str] = {}
    pages: dict[str, dict[str, Any]] = {}
    bad: set[str] = set()
    for answer in client.query(parameters):
        moves |= renamed(answer)
        query = answer.get("query")
        bad |= (
            {str(number) for number in (query.get("badrevids") or {})}
            if isinstance(query, dict)
            else set()
        )
        for page in pages_in(answer):
            # A part of an answer names all pages, with the text of some.
            kept = pages.setdefault(str(page["title"]), page)
            kept.update({key: page[key] for key in page if key not in kept})
    by_revision = {
        str(revision.get("revid")): page
        for page in pages.values()
        for revision in page.get("revisions") or []
    }
    found: dict[date, DayPage] = {}
    for value, day in asked.items():
        mine = by_revision.get(value) if kind == "revids" else pages.get(final(value, moves))
        found[day] = _taken(day, mine, store, client.api, pin=value if kind == "revids" else None)
    return found


def _taken(
    day: date, page: dict[str, Any] | None, store: PageStore, api: str, pin: str | None
) -> DayPage:
    def failed(cause: str) -> DayPage:
        return DayPage(date=day, state=State.FAILED, cause=f"{title_of(day)}: {cause}")

    if page is None:
        return failed(f"there is no revision {pin}" if pin else "the answer does not speak of it")
    if page.get("missing"):
        store.keep_gone(day, api)
        cause = f"{title_of(day)} does not exist"
        return DayPage(date=day, state=State.MISSING, cause=cause, page=title_of(day))
    if pin and day_in(str(page["title"])) != day:
        return failed(f"revision {pin} is of {page['title']}")
    revision = next(
        (it for it in page.get("revisions") or [] if pin is None or str(it.get("revid")) == pin),
        None,
    )
    if revision is None:
        return failed("no revision came")
    main = (revision.get("slots") or {}).get("main") or revision
    text, number = main.get("content"), revision.get("revid")
    if not isinstance(text, str) or not isinstance(number, int):
        hidden = " (it is hidden)" if main.get("texthidden") or revision.get("suppressed") else ""
        return failed(f"the text of revision {number} did not come{hidden}")
    store.keep(day, str(page["title"]), number, str(revision.get("timestamp", "")), text)
    return store.had(day, number) or failed("what was written could not be read again")
