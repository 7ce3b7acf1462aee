"""From headings and bullets to events: which bullet is a topic, which is news, what is above it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256

from globesumm.values import Rejected
from retrieval.portal.categories import NOT_NEWS, class_of
from retrieval.portal.items import Item
from retrieval.portal.pieces import Inline, Piece, Text, compose
from retrieval.portal.values import Parsed, PortalEvent, Topic

NO_SOURCE = "no source"
NO_BULLET = "not in a list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a page comes from: `where` for messages, its title and revision where known."""

    where: str
    page: str | None = None
    revision: int | None = None

    def __str__(self) -> str:
        return self.where


@dataclass(slots=True, kw_only=True)
class _Bullet:
    """One bullet while its neighbours are still unknown."""

    level: int
    heading: str | None
    category: str | None
    above: "_Bullet | None"
    line: int | None
    pieces: list[Piece]
    notes: list[str]
    has_below: bool = False
    inline: Inline = field(default_factory=lambda: Inline(text=""))
    id: str | None = None

    def chain(self) -> list["_Bullet"]:
        """The bullets above, outermost first."""
        found: list[_Bullet] = []
        above = self.above
        while above is not None:
            found.append(above)
            above = above.above
        return found[::-1]

    @property
    def is_topic(self) -> bool:
        """Whether it only says what the bullets below it are about.

        A topic has no source.  It is links alone, or, with bullets below, words that are no
        sentence ("Aftermath of …").
        """
        inline = self.inline
        if inline.sources:
            return False
        return inline.only_links or (self.has_below and not inline.is_sentence)


def build(
    items: Iterable[Item | Rejected],
    origin: Origin,
    day: date | None,
    *,
    notes: Sequence[str] = (),
) -> Parsed:
    """The events of one day."""
    rejected: list[Rejected] = []
    bullets = list(_bullets(items, origin, rejected))
    news = [bullet for bullet in bullets if bullet.category != NOT_NEWS]
    topics = [bullet for bullet in news if bullet.is_topic]
    events = [bullet for bullet in news if not bullet.is_topic]
    if events and day is None:
        reason = f"nothing says which day these {len(events)} events are of"
        rejected.append(Rejected(where=str(origin), reason=reason))
    _identify(events, day)
    return Parsed(
        date=day,
        events=tuple(_event(bullet, day, origin) for bullet in events) if day else (),
        topics=sum(topic.has_below for topic in topics),
        empty_topics=sum(not topic.has_below for topic in topics),
        not_news=len(bullets) - len(news),
        rejected=tuple(rejected),
        notes=tuple(dict.fromkeys(notes)),
    )


def _bullets(
    items: Iterable[Item | Rejected], origin: Origin, rejected: list[Rejected]
) -> Iterator[_Bullet]:
    found: list[_Bullet] = []
    heading: str | None = None
    category: str | None = None
    open_bullets: list[_Bullet] = []
    for item in items:
        if isinstance(item, Rejected):
            rejected.append(item)
        elif item.kind == "heading":
            heading = compose(item.pieces).text.strip(" :") or None
            category = class_of(heading) if heading else None
            open_bullets = []
        elif item.kind == "more" and open_bullets:
            open_bullets[-1].pieces += [Text(" "), *item.pieces]
            open_bullets[-1].notes += item.notes
        else:
            level = max(1, item.level)
            if item.kind == "stray":
                if not _is_news(item, origin, rejected):
                    continue
                open_bullets = []
            while open_bullets and open_bullets[-1].level >= level:
                open_bullets.pop()
            above = open_bullets[-1] if open_bullets else None
            bullet = _Bullet(
                level=level,
                heading=heading,
                category=category,
                above=above,
                line=item.line,
                pieces=list(item.pieces),
                notes=[*item.notes, *([NO_BULLET] if item.kind == "stray" else [])],
            )
            open_bullets.append(bullet)
            found.append(bullet)
    for bullet in found:
        bullet.inline = compose(bullet.pieces)
        if bullet.inline.sources and not bullet.inline.text:
            where = f"{origin}:{bullet.line}" if bullet.line else str(origin)
            excerpt = " ".join(source.url or "" for source in bullet.inline.sources)[:200]
            rejected.append(
                Rejected(where=where, reason="a source without a word", excerpt=excerpt)
            )
    # A bullet without a word (a picture, an empty one) is nothing, and nothing is below it.
    said = [bullet for bullet in found if bullet.inline.text]
    for bullet in said:
        while bullet.above is not None and not bullet.above.inline.text:
            bullet.above = bullet.above.above
        if bullet.above is not None:
            bullet.above.has_below = True
    yield from said


def _is_news(item: Item, origin: Origin, rejected: list[Rejected]) -> bool:
    """Whether text outside any list is a bullet whose mark was forgotten: it has a source then."""
    inline = compose(item.pieces)
    if inline.sources:
        return True
    if inline.text:
        where = f"{origin}:{item.line}" if item.line else str(origin)
        reason = "text outside any list, without a source"
        rejected.append(Rejected(where=where, reason=reason, excerpt=inline.text[:200]))
    return False


def _identify(events: Sequence[_Bullet], day: date | None) -> None:
    """Ids made from the day and the content, so that they stay when a page gains other events."""
    used: Counter[str] = Counter()
    for bullet in events:
        first = next((source.url for source in bullet.inline.sources if source.url), "")
        content = f"{bullet.inline.text}\n{first}".encode(errors="backslashreplace")
        name = f"{day}.{sha256(content).hexdigest()[:8]}"
        used[name] += 1
        bullet.id = name if used[name] == 1 else f"{name}-{used[name]}"


def _event(bullet: _Bullet, day: date, origin: Origin) -> PortalEvent:
    inline, chain = bullet.inline, bullet.chain()
    names = {
        page: dict(there) for part in (*chain, bullet) for page, there in part.inline.names.items()
    }
    notes = [*bullet.notes, *([] if inline.sources else [NO_SOURCE])]
    return PortalEvent(
        id=bullet.id or "",
        date=day,
        description=inline.text,
        category=bullet.category,
        heading=bullet.heading,
        level=bullet.level,
        topics=tuple(
            Topic(text=above.inline.text.rstrip(" :"), level=above.level, pages=above.inline.pages)
            for above in chain
        ),
        parent=chain[-1].id if chain else None,
        sources=inline.sources,
        pages=inline.pages,
        names=names,
        page=origin.page,
        revision=origin.revision,
        line=bullet.line,
        notes=tuple(dict.fromkeys(notes)),
    )
