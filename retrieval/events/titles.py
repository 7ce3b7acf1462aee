"""Which of GDELT's articles are worth asking for: those whose titles fit an event's query.

A day of GDELT is some 400,000 pages; of these a few thousand concern the events one is after.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from globesumm.records import read_own_records, write_records
from globesumm.runs import digest
from globesumm.values import Document, Rejected
from retrieval.events.candidates import Candidate, find
from retrieval.events.layout import Layout, Row, digest_of
from retrieval.events.queries import Query
from retrieval.events.settings import EventsConfig
from retrieval.language import declared_code
from retrieval.portal.values import PortalEvent
from retrieval.wanted import Wanted

STAGE = "titles"


def chosen_by_title(
    config: EventsConfig,
    layout: Layout,
    events: Sequence[PortalEvent],
    queries: Sequence[Query],
    articles: Iterable[Wanted | Rejected],
) -> set[str]:
    """The addresses of the `fetch.by_title` best articles an event and language, by BM25.

    The day of an article is when GDELT saw it.  One without a title or a known language is not
    chosen.  The choice is kept, and made anew when tables or queries change; starts Java.
    """
    path = layout.titles / "chosen.jsonl"
    table = replace(config.candidates, k=config.fetch.by_title or 1)
    texts = [(query.event, query.language, query.text) for query in queries]
    basis = digest([digest_of(layout.gdelt / "slots.jsonl"), table, config.languages, *texts])
    if path.is_file() and layout.made(STAGE, basis) is not None:
        return set(read_own_records(path, str))
    from retrieval.index import Index

    index = Index(layout.titles / "index")
    added = index.add(_titled(articles))
    found = [
        one for one in find(events, queries, index.folder, table) if isinstance(one, Candidate)
    ]
    chosen = sorted({one.document for one in found})
    write_records(path, chosen)
    number = added.added.total() + added.known.total()
    layout.mark(Row(stage=STAGE, what="titles", n=len(chosen), of=number), basis)
    return set(chosen)


def _titled(articles: Iterable[Wanted | Rejected]) -> Iterator[Document]:
    for one in articles:
        if isinstance(one, Wanted) and one.title:
            language, _ = declared_code(one.language)
            if language is not None:
                yield Document(
                    id=one.url, text="", title=one.title, language=language, published=one.seen
                )
