"""Events of one story: the portal lists them below one bullet, or one below the other."""

from collections.abc import Iterable
from pathlib import Path

from globesumm.values import Rejected
from retrieval.dataset.links import Link
from retrieval.events.seeds import events_at
from retrieval.portal.values import PortalEvent

STORY = "same story"


def stories_at(path: Path) -> list[Link]:
    """The links between the portal's events in `path` (a folder of `globesumm portal`, or a file).

    Raises `UsageError` where there are none.
    """
    return stories(one for one in events_at(path) if not isinstance(one, Rejected))


def stories(events: Iterable[PortalEvent]) -> list[Link]:
    """Links from each event to the one above it, and to the first of its nearest topic.

    A topic that lasts for months ties all its events: whoever has read the first knows the
    people and places of the last.
    """
    first: dict[str, str] = {}
    found: list[Link] = []
    for event in events:
        if event.parent is not None and event.parent != event.id:
            found.append(Link(left=event.parent, right=event.id, why=STORY))
        elif event.topics:
            topic = event.topics[-1]
            name = "\x00".join(topic.pages) or topic.text.casefold()
            owner = first.setdefault(name, event.id)
            if owner != event.id:
                found.append(Link(left=owner, right=event.id, why=STORY))
    return found


def among(found: Iterable[Link], events: Iterable[str]) -> list[Link]:
    """Links between `events` alone; events that are tied by absent ones are linked directly."""
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_edges_from((link.left, link.right) for link in found)
    there = [name for name in sorted(set(events)) if name in graph]
    number = {name: at for at, part in enumerate(nx.connected_components(graph)) for name in part}
    first: dict[int, str] = {}
    links: list[Link] = []
    for name in there:
        owner = first.setdefault(number[name], name)
        if owner != name:
            links.append(Link(left=owner, right=name, why=STORY))
    return links
