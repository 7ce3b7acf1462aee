"""One day as a shard: its page in, its events out."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from hashlib import sha256
from pathlib import Path

from globesumm.errors import DataError
from globesumm.records import from_json, to_json, write_text
from globesumm.shards import Shard
from globesumm.text.clean import decode_markup
from retrieval.files import read_bytes
from retrieval.portal.events import Origin
from retrieval.portal.html import read_html
from retrieval.portal.names import NameStore
from retrieval.portal.output import write_events
from retrieval.portal.saved import LARGEST_SAVED
from retrieval.portal.store import DayPage
from retrieval.portal.values import Parsed, PortalEvent
from retrieval.portal.wikitext import read_wikitext

RULES = 2
"""Version of the rules by which pages are read; results of other rules are not mixed."""


def shard_of(page: DayPage) -> Shard:
    """The shard of a day that is had; its name is the day."""
    return Shard(str(page.date), to_json(page))


def read_day(page: DayPage) -> Parsed:
    """The day in its page.

    Raises `DataError` if the page is not what it was when it was listed, or is no portal page.
    """
    path = Path(page.path or "")
    content = read_bytes(path, LARGEST_SAVED)
    if sha256(content).hexdigest() != page.sha256:
        raise DataError(f"{path}: was changed since it was listed; repeat the command")
    origin = Origin(where=str(path), page=page.page, revision=page.revision)
    if page.form == "html":
        (day,) = read_html(content, origin, page.date)
        return day
    # Wikitext is UTF-8, but saved pages come from editors that write something else.
    decoded = decode_markup(content, "utf-8")
    if content.strip() and not decoded.text.strip():
        raise DataError(f"{path}: holds no text")
    days = read_wikitext(decoded.text, origin, _day_in_a_longer_page(decoded.text, page.date))
    day = next(day for day in days if day.date == page.date)
    return replace(day, notes=(*decoded.notes, *day.notes))


def _day_in_a_longer_page(text: str, day: date) -> date | None:
    """None where the page holds several days, `day` among them; else `day`, whatever it says."""
    from retrieval.portal.wrapper import framed

    stated = {frame.day for frame in framed(text)[0]}
    return None if len(stated) > 1 and day in stated else day


def links_of_day(shard: Shard, path: Path) -> Mapping[str, int]:
    """Stage: the titles that a day's events and topics link to, one a line."""
    titles = titles_in(read_day(from_json(DayPage, shard.source)).events)
    write_text(path, "".join(f"{title}\n" for title in titles))
    return {"titles": len(titles)}


def titles_in(events: Iterable[PortalEvent]) -> list[str]:
    """The articles that events and the topics above them link to, each once."""
    found: dict[str, None] = {}
    for event in events:
        for pages in (*(topic.pages for topic in event.topics), event.pages):
            found |= dict.fromkeys(pages)
    return list(found)


def events_of_day(
    shard: Shard, path: Path, *, form: str, languages: tuple[str, ...], names: str | None
) -> Mapping[str, int]:
    """Stage: the events of a day as a table, with the names of what they speak of.

    `names` is the path of a `NameStore`.  Raises `DataError` where the names of an article were
    not to be had: a day never looks whole that is not.
    """
    parsed = read_day(from_json(DayPage, shard.source))
    events: Iterable[PortalEvent] = parsed.events
    named = 0
    if languages and names is not None:
        known = NameStore(Path(names)).names(titles_in(events), languages)
        events = [_with_names(event, known, languages) for event in events]
        named = sum(len(there) for event in events for there in event.names.values())
    write_events(path, events, form)
    return {**parsed.counts(), "names": named}


def _with_names(
    event: PortalEvent, known: Mapping[str, Mapping[str, str]], languages: tuple[str, ...]
) -> PortalEvent:
    names: dict[str, dict[str, str]] = {}
    for title in titles_in([event]):
        # What the bullet itself says holds only where Wikipedia has no link.
        there = {**event.names.get(title, {}), **known.get(title, {})}
        kept = {language: there[language] for language in languages if language in there}
        if kept:
            names[title] = kept
    return replace(event, names=names)
