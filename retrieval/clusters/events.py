"""Documents → clusters → events."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from globesumm.values import Document, Event
from retrieval.clusters.closeness import Settings, ties
from retrieval.clusters.vectors import Vectors
from retrieval.event import event_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustered:
    """`events` are the clusters that are large enough, `left_out` counts documents of others.

    The reasons are ``alone``, ``fewer documents`` and ``fewer languages``.
    """

    events: tuple[Event, ...]
    left_out: Counter[str]


def clusters(
    documents: Sequence[Document], vectors: Vectors, settings: Settings
) -> list[tuple[int, ...]]:
    """Places of the documents of each cluster, the earliest place first.

    Communities of the graph of ties, so that a chain of near neighbours does not join two
    stories as connected components would.  Plain modularity joins more the larger the graph is,
    and less where reports have more ties than elsewhere; the constant Potts model (Traag et al.,
    2011) has one measure for all: `settings.density`.  It is sought by Louvain's method (Blondel
    et al., 2008), for which loops make the degrees of all documents equal.
    The same documents in the same order give the same clusters.
    """
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(documents)))
    for tie in ties(documents, vectors, settings):
        graph.add_edge(tie.left, tie.right, weight=max(tie.closeness, 1e-6))
    degrees = dict(graph.degree(weight="weight"))
    most = max(degrees.values(), default=0.0)
    if not most:
        return [(place,) for place in range(len(documents))]
    graph.add_edges_from(
        (place, place, {"weight": (most - degree) / 2})
        for place, degree in degrees.items()
        if degree < most
    )
    found = nx.community.louvain_communities(
        graph,
        weight="weight",
        resolution=settings.density * len(documents) / most,
        seed=settings.seed,
    )
    return sorted(tuple(sorted(members)) for members in found)


def cluster(
    documents: Sequence[Document],
    vectors: Vectors,
    settings: Settings,
    *,
    least_documents: int = 2,
    least_languages: int = 1,
) -> Clustered:
    """The events among `documents`: an id, the first report's title, and its time.

    The order of `documents` does not matter; ids must differ.
    """
    order = sorted(range(len(documents)), key=lambda place: documents[place].id)
    ordered = [documents[place] for place in order]
    events: list[Event] = []
    left_out: Counter[str] = Counter()
    for members in clusters(ordered, vectors[order], settings):
        told = [ordered[place] for place in members]
        if reason := _too_small(told, least_documents, least_languages):
            left_out[reason] += len(told)
        else:
            events.append(event_of(told))
    events.sort(key=lambda one: (one.date is None, one.date and one.date.timestamp(), one.id))
    return Clustered(events=tuple(events), left_out=left_out)


def _too_small(told: Sequence[Document], documents: int, languages: int) -> str | None:
    if len(told) < documents:
        return "alone" if len(told) == 1 else "fewer documents"
    return "fewer languages" if len({one.language for one in told}) < languages else None
