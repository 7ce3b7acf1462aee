"""When a page was published, with its time zone where the page gives one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from retrieval.dates import DATE_ONLY, Moment, doubt, doubt_note, moment

_PUBLISHED = (
    "article:published_time",
    "article:published",
    "og:article:published_time",
    "og:published_time",
    "datepublished",
    "date.created",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
    "parsely-pub-date",
    "sailthru.date",
    "publishdate",
    "publish-date",
    "pubdate",
    "dc.date",
    "date",
)
_MODIFIED = ("article:modified_time", "og:updated_time", "datemodified", "dcterms.modified")
_IN_ARTICLE = "(//article//time | //main//time)[@datetime]"
# The byline stands just below the only headline, or in the block after the headline's own.
_BY_HEADLINE = (
    "(//h1[count(//h1) = 1]/following-sibling::*[position() <= 3]"
    " | //h1[count(//h1) = 1]/../following-sibling::*[1])/descendant-or-self::time[@datetime]"
)
_SAME_STORY = timedelta(hours=36)
_LONG_GAP = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Dates:
    """When a page was published and last changed (aware, UTC; None if not stated), and notes."""

    published: datetime | None
    modified: datetime | None = None
    notes: tuple[str, ...] = ()


def dates_of(
    tree: Any,
    markup: str,
    meta: Mapping[str, str],
    about: Mapping[str, Any],
    *,
    url: str | None,
    now: datetime,
) -> Dates:
    """The page's time of publication in UTC (None if it has none), of its last change, and notes.

    Order of trust: JSON-LD ``datePublished``, ``article:published_time`` and its like,
    ``itemprop="datePublished"``, ``<time datetime>`` in the article, then by the headline, then
    htmldate, which gives a day without a time.  A later source that names the zone or the hour
    is preferred if it means the same day.  A time of modification is never taken for it; one
    that is later becomes a note.
    """
    read = list(_stated(tree, meta, about))
    stated = [found for found in read if doubt(found.time, now) is None]
    chosen = next(iter(stated), None) or _guessed(markup, url, now)
    modified = _modified(meta, about, now)
    if chosen is None and read:
        why = doubt(read[0].time, now) or ""
        return Dates(None, modified, (doubt_note(read[0].time.isoformat(), why),))
    if chosen is None:
        return Dates(None, modified, ("published: not stated",))
    if chosen.note:
        near = [m for m in stated if not m.note and abs(m.time - chosen.time) <= _SAME_STORY]
        chosen = near[0] if near else chosen
    notes = [chosen.note] if chosen.note else []
    later = modified - chosen.time if modified else timedelta(0)
    if modified and later >= timedelta(minutes=1):
        far = "; more than 30 days later" if later > _LONG_GAP else ""
        notes.append(f"modified: {modified.isoformat()}{far}")
    return Dates(chosen.time, modified if later >= timedelta(0) else None, tuple(notes))


def _stated(tree: Any, meta: Mapping[str, str], about: Mapping[str, Any]) -> Iterator[Moment]:
    written: list[object] = [about.get("datePublished")]
    written += [meta.get(name) for name in _PUBLISHED]
    for element in tree.xpath('//*[@itemprop="datePublished"]')[:3]:
        written.append(element.get("content") or element.get("datetime") or element.text)
    for place in (_IN_ARTICLE, _BY_HEADLINE):
        for element in tree.xpath(place)[:1]:
            written.append(element.get("datetime"))
    for text in written:
        if isinstance(text, str) and (found := moment(text)):
            yield found


def _guessed(markup: str, url: str | None, now: datetime) -> Moment | None:
    """The day htmldate finds on the page; dates may stand in comments, which no tree keeps."""
    from htmldate import find_date

    try:
        day = find_date(markup, url=url, original_date=True, max_date=now + timedelta(days=1))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    found = Moment(datetime.fromisoformat(day).replace(tzinfo=UTC), DATE_ONLY) if day else None
    return found if found and doubt(found.time, now) is None else None


def _modified(meta: Mapping[str, str], about: Mapping[str, Any], now: datetime) -> datetime | None:
    """The first time of modification that the page states and that can be believed."""
    written = [about.get("dateModified"), *(meta.get(name) for name in _MODIFIED)]
    for text in written:
        found = moment(text) if isinstance(text, str) else None
        if found and doubt(found.time, now) is None:
            return found.time
    return None
