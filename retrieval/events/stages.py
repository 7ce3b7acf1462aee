"""The stages of the chain in order; each is resumed by its own files, and gives its account."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from globesumm.errors import UnknownName
from globesumm.records import read_own_records, write_records
from globesumm.runs import digest
from globesumm.values import Document
from retrieval.events.candidates import Candidate, Unsearched, find
from retrieval.events.chain import Chain
from retrieval.events.layout import Row, digest_of
from retrieval.events.pages import have_documents, have_pages
from retrieval.events.queries import DESCRIPTION, LINKS, Query
from retrieval.events.sources import have_gdelt, have_portal
from retrieval.events.verifying import kept, verified

_CANDIDATES = 1
"""Version of what `candidates.jsonl` holds."""


def carry_out(chain: Chain, until: str | None = None) -> Iterator[Row]:
    """The account of each stage as it is done, the last one `until`."""
    for name, stage in STAGES.items():
        if (row := stage(chain)) is not None:
            yield row
        if name == until:
            return


def _portal(chain: Chain) -> Row | None:
    if chain.config.portal.events:
        return None
    return have_portal(chain.config, chain.layout, chain.work)


def _queries(chain: Chain) -> Row:
    seeds = chain.seeds()
    chain.rejected += seeds.rejected
    queries = chain.queries()
    by_person = sum(query.edited for query in queries)
    lacking = Counter(_short(query) for query in queries if not query.searched)
    aside = ", ".join(f"{count} {reason}" for reason, count in seeds.aside.items())
    notes = [f"for {len(seeds.chosen)} of {seeds.found} events" + (f" ({aside})" if aside else "")]
    notes += [f"{by_person} by people"] if by_person else []
    return Row(
        stage="queries",
        what="queries",
        n=len(queries) - lacking.total(),
        of=len(queries),
        left=dict(lacking),
        note="; ".join(notes),
        failed=lacking["the model failed"],
    )


def _short(query: Query) -> str:
    if query.edited:
        return "left empty"
    made_by_rule = query.origin in {LINKS, DESCRIPTION}
    return "no name in the language" if made_by_rule else "the model failed"


def _gdelt(chain: Chain) -> Row | None:
    if chain.config.documents:
        return None
    return have_gdelt(chain.config, chain.layout, chain.work)


def _pages(chain: Chain) -> Row:
    if chain.config.documents:
        return have_documents(chain.config, chain.layout)
    return have_pages(chain.pages(), chain.work)


def _index(chain: Chain) -> Row:
    layout = chain.layout
    basis = digest_of(layout.documents)
    if layout.index.is_dir() and (row := layout.made("index", basis)) is not None:
        return row
    from retrieval.index import Index

    added = Index(layout.index).add(read_own_records(layout.documents, Document))
    number = added.added.total() + added.known.total()
    left = Counter(one.kind or "other" for one in added.rejected)
    languages = len(added.added | added.known)
    row = Row(
        stage="index",
        what="documents",
        n=number,
        of=number + left.total(),
        left=dict(left),
        note=f"{languages} languages",
    )
    return layout.mark(row, basis)


def _candidates(chain: Chain) -> Row:
    layout, table = chain.layout, chain.config.candidates
    events, queries = chain.seeds().chosen, chain.queries()
    index = digest_of(layout.out / "stages" / "index.json")
    asked = [(query.event, query.language, query.text, query.note) for query in queries]
    days = [(event.id, str(event.date)) for event in events]
    basis = digest([_CANDIDATES, index, table, days, *asked])
    there = layout.candidates.is_file() and layout.unsearched.is_file()
    if there and (row := layout.made("candidates", basis)) is not None:
        return row
    found = list(find(events, queries, layout.index, table))
    candidates = [one for one in found if isinstance(one, Candidate)]
    lacking = [one for one in found if isinstance(one, Unsearched)]
    write_records(layout.candidates, candidates)
    write_records(layout.unsearched, lacking)
    row = Row(
        stage="candidates",
        what="queries",
        n=len({(one.event, one.language) for one in candidates}),
        of=len(queries),
        left=dict(Counter(one.reason for one in lacking).most_common()),
        note=f"{len(candidates)} candidates, at most {table.k} a query",
    )
    return layout.mark(row, basis)


STAGES: Mapping[str, Callable[[Chain], Row | None]] = {
    "portal": _portal,
    "queries": _queries,
    "gdelt": _gdelt,
    "pages": _pages,
    "index": _index,
    "candidates": _candidates,
    "verified": verified,
    "events": kept,
}
"""By name, in order.  One that has nothing to do (the documents are there) gives no account."""


def check_stage(until: str | None) -> None:
    """Raise `UnknownName` where `until` is no stage."""
    if until is not None and until not in STAGES:
        raise UnknownName("stage", until, STAGES)
