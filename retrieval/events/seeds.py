"""The portal's events that are wanted, from `globesumm portal` or from a file of one's own."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from globesumm.errors import UnknownName, UsageError
from globesumm.records import read_records
from globesumm.values import Rejected
from retrieval.events.settings import PortalTable
from retrieval.portal.categories import categories
from retrieval.portal.output import read_events
from retrieval.portal.values import PortalEvent


@dataclass(slots=True, kw_only=True)
class Seeds:
    """The events `chosen`, of `found` ones; `aside` counts the others by why not."""

    chosen: list[PortalEvent] = field(default_factory=list)
    found: int = 0
    aside: Counter[str] = field(default_factory=Counter)
    rejected: list[Rejected] = field(default_factory=list)


def events_at(path: Path) -> Iterator[PortalEvent | Rejected]:
    """The events in a folder of days, or in one file of JSON Lines; raises `UsageError`."""
    if path.is_dir():
        folder = path / "events" if (path / "events").is_dir() else path
        yield from read_events(folder)
    elif path.is_file():
        yield from read_records(path, PortalEvent)
    else:
        raise UsageError(
            f"{path}: no file or folder of portal events there: globesumm portal writes one"
        )


def choose(events: Iterable[PortalEvent | Rejected], table: PortalTable) -> Seeds:
    """Those that `table` wants; a second one of the same id is rejected.

    Raises `UnknownName` for a category or an id that there is not.
    """
    for name in table.categories:
        if name not in categories():
            raise UnknownName("category", name, categories(), where="portal.categories")
    seeds = Seeds()
    ids: set[str] = set()
    for event in events:
        if isinstance(event, Rejected):
            seeds.rejected.append(event)
            continue
        if event.id in ids:
            seeds.rejected.append(Rejected(where=event.id, reason="two events have this id"))
            continue
        ids.add(event.id)
        seeds.found += 1
        if (reason := _unwanted(event, table, len(seeds.chosen))) is None:
            seeds.chosen.append(event)
        else:
            seeds.aside[reason] += 1
    for name in table.ids:
        if name not in ids:
            raise UnknownName("event", name, ids, where="portal.ids")
    return seeds


def _unwanted(event: PortalEvent, table: PortalTable, chosen: int) -> str | None:
    if table.ids and event.id not in table.ids:
        return "other ids"
    if table.categories and event.category not in table.categories:
        return "other categories"
    if not any(character.isalnum() for character in event.description):
        return "no description"
    if table.most is not None and chosen >= table.most:
        return f"after the first {table.most}"
    return None
