"""The day pages of a window: which are at hand, and fetching the others in few requests."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from globesumm.progress import track
from retrieval.portal.batches import MOST_TITLES, batches, final, pages_in, renamed
from retrieval.portal.client import ApiError, Client
from retrieval.portal.days import day_in, title_of
from retrieval.portal.store import DayPage, PageStore, State


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
        if day > datetime.now(UTC).date():
            return failed("lies in the future")
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
