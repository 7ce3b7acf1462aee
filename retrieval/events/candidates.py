"""What BM25 finds for an event's queries, language by language, within days of the event."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.progress import track
from globesumm.values import Document
from retrieval.events.queries import Query
from retrieval.events.settings import CandidateTable
from retrieval.portal.values import PortalEvent
from retrieval.url import is_web, normal

if TYPE_CHECKING:
    from retrieval.index import Hit, Index

LONGEST_QUERY = 1000
"""Characters of a query that are searched: Lucene refuses one of more than 1,024 words."""

CITED = "cited by the portal"
NOT_INDEXED = "no document in this language"
NO_ANALYZER = "no analyzer for this language"
BLANK = "the query was left empty"
NOTHING = "no document holds a word of the query within the days"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A document that may report an event: its BM25 `rank` (from 1) and `score` in its language.

    `reason` says how it was found.  Scores of different languages cannot be compared.
    """

    event: str
    document: str
    language: str
    rank: int
    score: float
    reason: str
    title: str | None = None
    url: str | None = None
    source: str | None = None
    published: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsearched:
    """A language in which nothing was found for an event, and why."""

    event: str
    language: str
    reason: str


Found = Mapping[tuple[str, str], "list[Candidate] | str"]


def find(
    events: Sequence[PortalEvent], queries: Sequence[Query], index: Path, table: CandidateTable
) -> Iterator[Candidate | Unsearched]:
    """Candidates, and why there are none, in order of event, language and rank; starts Java."""
    from retrieval.index import Index

    opened = Index(index)
    by_id = {event.id: event for event in events}
    found: dict[tuple[str, str], list[Candidate] | str] = {}
    try:
        for language in track(sorted({query.language for query in queries}), "languages searched"):
            mine = [query for query in queries if query.language == language]
            found |= _in_language(opened, language, mine, by_id, table)
    finally:
        opened.close()
    places = {event.id: place for place, event in enumerate(events)}
    for key in sorted(found, key=lambda key: (places[key[0]], key[1])):
        there = found[key]
        if isinstance(there, str):
            yield Unsearched(event=key[0], language=key[1], reason=there)
        else:
            yield from there


def _in_language(
    index: "Index",
    language: str,
    queries: Sequence[Query],
    events: Mapping[str, PortalEvent],
    table: CandidateTable,
) -> Found:
    from retrieval.index import analyses

    if language not in analyses():
        return {(query.event, language): NO_ANALYZER for query in queries}
    if not (index.folder / language / "analysis.json").is_file():
        return {(query.event, language): NOT_INDEXED for query in queries}
    found: dict[tuple[str, str], list[Candidate] | str] = {}
    by_day: dict[date, dict[str, Query]] = {}
    for query in queries:
        if query.searched:
            by_day.setdefault(events[query.event].date, {})[query.event] = query
        else:
            found[query.event, language] = query.note or BLANK
    for day, asked in by_day.items():
        for name, hits in _searched(index, language, day, asked, table):
            documents = [(hit, index.document(hit)) for hit in hits]
            found[name, language] = [
                _candidate(events[name], asked[name], hit, document) for hit, document in documents
            ] or NOTHING
    return found


def _searched(
    index: "Index", language: str, day: date, asked: Mapping[str, Query], table: CandidateTable
) -> "Iterator[tuple[str, list[Hit]]]":
    from retrieval.index import Bm25, Window

    window = Window.around(day, table.days_before, table.days_after, undated=table.undated)
    how = Bm25(k=table.k, k1=table.k1, b=table.b)
    texts = {name: (query.text or "")[:LONGEST_QUERY] for name, query in asked.items()}
    return index.search_many(texts, language, how, window)


def _candidate(event: PortalEvent, query: Query, hit: "Hit", document: Document) -> Candidate:
    cited = {normal(source.url) for source in event.sources if source.url and is_web(source.url)}
    reason = f"BM25 in {hit.language}, rank {hit.rank}, query from {query.origin}"
    if len(query.text or "") > LONGEST_QUERY:
        reason = f"{reason}, its first {LONGEST_QUERY} characters"
    if document.url and is_web(document.url) and normal(document.url) in cited:
        reason = f"{reason}; {CITED}"
    return Candidate(
        event=event.id,
        document=document.id,
        language=hit.language,
        rank=hit.rank,
        score=round(hit.score, 6),
        reason=reason,
        title=document.title,
        url=document.url,
        source=document.source,
        published=document.published,
    )
