"""What the next run of a chain would do, told without a request, a call or a file."""

from collections.abc import Iterator

from globesumm.errors import UsageError
from globesumm.shards import finished
from retrieval.events.chain import Chain
from retrieval.events.pages import harvest_plan
from retrieval.events.queries import stale_queries
from retrieval.events.sources import gdelt_request, portal_request
from retrieval.events.wording import SOURCE

UNKNOWN = "not known before the stages above are done"


def lines(chain: Chain) -> Iterator[str]:
    """A line a stage: what is there, and what would be had."""
    config = chain.config
    if not config.portal.events:
        yield f"portal      {_portal(chain)}"
    yield f"queries     {_queries(chain)}"
    if config.documents:
        yield f"pages       documents of {len(config.documents)} sources would be read"
    else:
        yield f"gdelt       {_gdelt(chain)}"
        yield f"pages       {_pages(chain)}"
    table, keep = config.candidates, config.keep
    yield (
        f"candidates  the {table.k} best a language, k1 {table.k1:g}, b {table.b:g}, from "
        f"{table.days_before} days before to {table.days_after} after the event's day"
    )
    yield f"verified    {_verified(chain)}"
    yield (
        f"events      with at least {keep.documents} documents in at least {keep.languages} "
        f"languages; at most {keep.per_publisher or 'any number'} a publisher, "
        f"{keep.per_story or 'any number'} a story"
    )


def _portal(chain: Chain) -> str:
    from retrieval.portal.ingest import present

    request = portal_request(chain.config, chain.layout, chain.work)
    pages, lacking, _ = present(request)
    return f"{len(request.days)} days: {len(pages)} at hand, {len(lacking)} to fetch"


def _queries(chain: Chain) -> str:
    languages = len(chain.config.languages)
    try:
        events = chain.seeds().chosen
    except UsageError:
        return f"{languages} languages; the events are {UNKNOWN}"
    stale = stale_queries(events, chain.config.languages, chain.layout.queries, chain.translator)
    calls = sum(language != SOURCE for _, language in stale) if chain.translator else 0
    return (
        f"{len(events)} events x {languages} languages = {len(events) * languages}: "
        f"{len(stale)} to make, {calls} model calls"
    )


def _gdelt(chain: Chain) -> str:
    request = gdelt_request(chain.config, chain.layout, chain.work)
    slots = sum(1 for _ in request.window)
    products = {product for _, product in request.parts}
    there = sum(1 for product in products for _ in finished(request.out / product, ".jsonl"))
    return (
        f"{slots} quarter-hours x {len(request.parts)} streams = {slots * len(request.parts)} "
        f"files at most; {there} tables are there"
    )


def _pages(chain: Chain) -> str:
    from retrieval.page_store import Bucket, bucket_of

    if not chain.layout.gdelt.is_dir():
        return UNKNOWN
    if chain.config.fetch.by_title is not None:
        # To tell how many are had already, titles would have to be indexed.
        return f"the {chain.config.fetch.by_title} best an event and language by their titles"
    harvest, parts, refused = harvest_plan(chain.pages())
    pages = [page for part in parts for page in part.pages]
    buckets = {
        number: Bucket.as_it_is(harvest.store, number)
        for number in {bucket_of(page.url) for page in pages}
    }
    to_ask = sum(harvest.asks(page, buckets[bucket_of(page.url)]) for page in pages)
    return (
        f"{len(pages)} pages: {len(pages) - to_ask} kept, {to_ask} to ask for; "
        f"{len(refused)} rows name none"
    )


def _verified(chain: Chain) -> str:
    files = len(chain.config.verify.judgements) + chain.layout.judgements.exists()
    people = f"judgements of people from {files} files" if files else "no judgements of people yet"
    if not chain.config.judges or chain.config.model is None:
        return f"{people}; no model; what nobody judged: {chain.config.verify.unjudged}"
    name = chain.config.model.name
    return f"{people}; {name} is asked about the others, one call a candidate"
