"""Documents of the chain: pages that GDELT and the portal point at, or what one has already."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm import __version__, samples
from globesumm.errors import UsageError
from globesumm.languages import UNKNOWN
from globesumm.records import write_records
from globesumm.runs import digest
from globesumm.shards import run_stage
from globesumm.values import Document, Rejected
from retrieval.events.layout import Layout, Row
from retrieval.events.queries import Query
from retrieval.events.settings import SAMPLE, EventsConfig
from retrieval.events.sources import Work
from retrieval.events.titles import chosen_by_title
from retrieval.finish import with_own_ids
from retrieval.language import declared_code
from retrieval.portal.values import PortalEvent
from retrieval.url import is_web
from retrieval.wanted import Wanted, wanted_in

if TYPE_CHECKING:
    from retrieval.harvest import Harvest, Part

OTHER_LANGUAGE = "in other languages"
NOT_BY_TITLE = "not chosen by title"


@dataclass(slots=True, kw_only=True)
class Pages:
    """Which pages are had: those of `layout`'s tables, of `events`, for `queries`.

    `aside` counts GDELT's articles that are not asked for, by the reason.
    """

    config: EventsConfig
    layout: Layout
    events: Sequence[PortalEvent]
    queries: Sequence[Query]
    aside: Counter[str] = field(default_factory=Counter)

    def wanted(self) -> Iterator[Wanted | Rejected]:
        """GDELT's articles in the languages wanted, then what the portal cites."""
        if self.config.fetch.by_title is None:
            chosen = None
        else:
            chosen = chosen_by_title(
                self.config, self.layout, self.events, self.queries, self._articles()
            )
        self.aside.clear()
        for one in self._articles():
            if chosen is None or isinstance(one, Rejected) or one.url in chosen:
                yield one
            else:
                self.aside[NOT_BY_TITLE] += 1
        # What GDELT says of a page it knows (title, language, time) counts, so these come last.
        for event in self.events if self.config.fetch.cited else ():
            for source in event.sources:
                if source.url and is_web(source.url):
                    where = f"portal event {event.id}"
                    yield Wanted(url=source.url, where=where, outlet=source.outlet)

    def _articles(self) -> Iterator[Wanted | Rejected]:
        languages = {*self.config.languages, UNKNOWN, None}
        for product in ("gkg", "gal"):
            folder = self.layout.gdelt / product
            for one in wanted_in(folder) if folder.is_dir() else ():
                if isinstance(one, Wanted) and declared_code(one.language)[0] not in languages:
                    self.aside[OTHER_LANGUAGE] += 1
                else:
                    yield one


def harvest_plan(pages: Pages) -> "tuple[Harvest, list[Part], list[Rejected]]":
    """How pages are had, in which parts, and the rows that ask for none."""
    from retrieval.address import Routes
    from retrieval.extract_page import Extraction
    from retrieval.fetching import Fetching
    from retrieval.harvest import Harvest, plan

    table = pages.config.fetch
    Routes(table.connect_to)
    plain = Fetching()
    contact = table.contact
    if contact is not None and not (contact.isascii() and contact.isprintable()):
        raise UsageError("fetch.contact is sent in a header: write it in ASCII, in one line")
    fetching = Fetching(
        concurrency=table.concurrency,
        per_host=table.per_host,
        delay_seconds=table.delay_seconds,
        timeout_seconds=table.timeout_seconds,
        connect_to=dict(table.connect_to),
        user_agent=f"{plain.user_agent[:-1]}; {contact})" if contact else plain.user_agent,
    )
    harvest = Harvest(
        store=(pages.layout.pages / "pages").resolve(),
        fetching=fetching,
        extraction=Extraction(),
        retry=table.retry,
    )
    parts, refused = plan(pages.wanted(), key=f"events|{__version__}")
    return harvest, parts, refused


def have_pages(pages: Pages, work: Work) -> Row:
    """The pages as documents."""
    from retrieval.harvest import SUFFIX, harvest_shard
    from retrieval.harvest_results import DOCUMENT, again, write_results

    layout = pages.layout
    harvest, parts, refused = harvest_plan(pages)
    results = layout.pages / "results"
    again(results, parts, retry=harvest.retry, refetch=False)
    outcome = run_stage(
        partial(harvest_shard, harvest),
        [part.shard(layout.pages / "lists") for part in parts],
        results,
        suffix=SUFFIX,
        workers=work.workers,
        cluster=work.cluster,
        progress_name="shards of pages",
    )
    kinds = write_results(parts, results, refused, layout.pages).by_kind()
    documents = kinds.pop(DOCUMENT, 0)
    kinds += pages.aside
    failed = f"{len(outcome.failed)} shards failed" if outcome.failed else None
    return Row(
        stage="pages",
        what="rows",
        n=documents,
        of=documents + kinds.total(),
        left=dict(kinds.most_common()),
        note=failed,
        failed=len(outcome.failed),
    )


def have_documents(config: EventsConfig, layout: Layout) -> Row:
    """The documents that one has, in place of GDELT and pages; read again where files changed."""
    basis = digest([__version__, *config.documents, *map(_state_of, config.documents)])
    if layout.documents.is_file() and (row := layout.made("pages", basis)) is not None:
        return row
    kinds: Counter[str] = Counter()
    rejected: list[Rejected] = []

    def documents() -> Iterator[Document]:
        for one in with_own_ids(_own(config.documents)):
            if isinstance(one, Document):
                kinds["document"] += 1
                yield one
            else:
                kinds[one.kind or "unreadable"] += 1
                rejected.append(one)

    write_records(layout.documents, documents())
    write_records(layout.pages / "rejected.jsonl", rejected)
    number = kinds.pop("document", 0)
    row = Row(
        stage="pages",
        what="documents of one's own",
        n=number,
        of=number + kinds.total(),
        left=dict(kinds.most_common()),
    )
    return layout.mark(row, basis)


def _own(sources: Iterable[str]) -> Iterator[Document | Rejected]:
    from retrieval.read import read

    for source in sources:
        if source.startswith(SAMPLE):
            yield from read(samples.load(source.removeprefix(SAMPLE)).pages)
        else:
            yield from read(source)


def _state_of(source: str) -> Mapping[str, tuple[int, int]]:
    """Size and time of change of each file of a source."""
    if source.startswith(SAMPLE):
        return _state_of(str(samples.load(source.removeprefix(SAMPLE)).pages))
    path = Path(source)
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    states = ((str(file), file.stat()) for file in files if file.is_file())
    return {name: (state.st_size, state.st_mtime_ns) for name, state in states}
