"""Addresses → documents, in shards by host: fetch what is not kept yet, then extract it all.

A host lies in one shard, so its pace is kept however many processes work.  Pages go into the
store as they come; a shard that is killed goes on where it was.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from globesumm.errors import DataError
from globesumm.progress import say
from globesumm.records import read_own_records, to_json, write_bytes
from globesumm.shards import Shard
from globesumm.values import Document, Rejected
from retrieval.draft import RawPage
from retrieval.extract import extract
from retrieval.extract_page import Extraction
from retrieval.fetch_many import Unless, fetch_each, mixed
from retrieval.fetching import Cause, Fetching
from retrieval.language import declared_code
from retrieval.page_store import BUCKETS, Bucket, Kept, bucket_of
from retrieval.url import normal, url_id
from retrieval.wanted import REPEATED, Wanted

SUFFIX = ".jsonl"
PAGES_A_SHARD = 5000
_TOLD_EVERY = 500
RETRIED = "passing failures"
"""The count of pages that failed for a reason which may be gone tomorrow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One line of a shard's result: a document, or why there is none."""

    document: Document | None = None
    rejected: Rejected | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """How a shard is worked: where pages are kept, how they are asked for and extracted.

    With `retry` pages are asked for again that failed for a passing reason, with `refetch` all,
    unless they have not changed.  `workers` are the processes that extract.
    """

    store: Path
    fetching: Fetching
    extraction: Extraction
    retry: bool = False
    refetch: bool = False
    workers: int = 1

    def asks(self, page: Wanted, bucket: Bucket) -> bool:
        """Whether `page` is to be asked for, by what its bucket has of it."""
        kept = bucket.get(page.url)
        return kept is None or self.refetch or (self.retry and kept.is_passing)


def harvest_shard(harvest: Harvest, shard: Shard, path: Path) -> Mapping[str, int]:
    """The stage: the documents of the pages in the list `shard.source`, written to `path`."""
    wanted = list(read_own_records(Path(shard.source), Wanted))
    counts: Counter[str] = Counter(pages=len(wanted))
    with ExitStack() as stack:
        numbers = sorted({bucket_of(page.url) for page in wanted})
        buckets = {number: stack.enter_context(Bucket(harvest.store, number)) for number in numbers}
        _fetch(wanted, buckets, harvest, counts, shard.name)
        with path.open("wb") as out:
            for found in _results(wanted, buckets, harvest, counts, shard.name):
                out.write((to_json(found) + "\n").encode())
    return counts


def _fetch(
    wanted: Sequence[Wanted],
    buckets: Mapping[int, Bucket],
    harvest: Harvest,
    counts: Counter[str],
    name: str,
) -> None:
    """Ask for what is not kept, and keep what comes of it."""
    to_ask: list[tuple[str, Unless | None]] = []
    for page in wanted:
        bucket = buckets[bucket_of(page.url)]
        if harvest.asks(page, bucket):
            to_ask.append((page.url, _unless(bucket.get(page.url))))
    counts["kept before"] += len(wanted) - len(to_ask)
    counts["asked for"] += len(to_ask)
    if not to_ask:
        return
    turns = mixed(to_ask, lambda one: one[0])
    answers = fetch_each(turns, harvest.fetching, harvest.extraction.max_bytes)
    for done, (url, answer) in enumerate(answers, start=1):
        buckets[bucket_of(url)].add(url, answer)
        if done % _TOLD_EVERY == 0:
            say(f"{name}: {done} of {len(to_ask)} pages asked for")


def _unless(kept: Kept | None) -> Unless | None:
    """Asks for a page only if it is not as it was kept."""
    if kept is None or kept.final is None:
        return None
    headers = {"If-None-Match": kept.etag, "If-Modified-Since": kept.modified}
    stated = {name: value for name, value in headers.items() if value}
    return (kept.final, stated) if stated else None


def _results(
    wanted: Sequence[Wanted],
    buckets: Mapping[int, Bucket],
    harvest: Harvest,
    counts: Counter[str],
    name: str,
) -> Iterator[Found]:
    """The documents in the order of the list, then what could not be fetched."""
    missing: list[Rejected] = []

    def pages() -> Iterator[RawPage]:
        for page in wanted:
            bucket = buckets[bucket_of(page.url)]
            kept = bucket.get(page.url)
            if kept is None:
                continue
            try:
                yield _known(bucket.page(kept, harvest.extraction.max_bytes), page)
            except DataError as error:
                counts[RETRIED] += kept.is_passing
                missing.append(_missing(page, kept, error))

    extracted = extract(pages(), workers=harvest.workers, settings=harvest.extraction)
    for done, one in enumerate(extracted, start=1):
        if done % _TOLD_EVERY == 0:
            say(f"{name}: {done} of {len(wanted)} pages extracted")
        if isinstance(one, Document):
            counts["documents"] += 1
            yield Found(document=one)
        else:
            counts["rejected"] += 1
            yield Found(rejected=one)
    for rejected in missing:
        counts["rejected"] += 1
        yield Found(rejected=rejected)


def _known(raw: RawPage, page: Wanted) -> RawPage:
    """A kept page with what its row said; it cannot have been published after it was seen."""
    times = [time for time in (raw.seen, page.seen) if time is not None]
    return replace(
        raw,
        where=page.url,
        id=url_id(page.url),
        requested=page.url,
        title=page.title,
        language=page.language,
        seen=min(times, default=None),
    )


def _missing(page: Wanted, kept: Kept, error: DataError) -> Rejected:
    return Rejected(
        where=page.url,
        reason=kept.reason or str(error),
        kind=kept.cause or Cause.BROKEN,
        url=page.url,
        language=declared_code(page.language)[0],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The pages of one shard, and its name, which changes with them."""

    name: str
    pages: tuple[Wanted, ...]

    def shard(self, folder: Path) -> Shard:
        """The shard, its list written into `folder`."""
        path = folder / f"{self.name}.jsonl"
        if not path.exists():
            write_bytes(path, _lines(self.pages))
        return Shard(self.name, str(path.resolve()))


def plan(
    rows: Iterable[Wanted | Rejected], key: str, per_shard: int = PAGES_A_SHARD
) -> tuple[list[Part], list[Rejected]]:
    """The pages of a list in parts by host, and the rows that ask for none.

    An address of a page asked for above is `Rejected` as repeated.  `key` is what else decides
    the results: a part is named by it and by its pages, so that a changed list is a new part.
    A part holds about `per_shard` pages and whole hosts.
    """
    rejected: list[Rejected] = []
    first: dict[bytes, str] = {}
    by_bucket: dict[int, list[Wanted]] = {}
    for row in rows:
        if isinstance(row, Rejected):
            rejected.append(row)
            continue
        form = sha256(normal(row.url).encode(errors="surrogatepass")).digest()[:12]
        if form in first:
            reason = f"same page as {first[form]}"
            rejected.append(Rejected(where=row.where, reason=reason, kind=REPEATED, url=row.url))
            continue
        first[form] = row.url
        by_bucket.setdefault(bucket_of(row.url), []).append(row)
    parts = []
    for group in _groups(by_bucket, per_shard):
        pages = tuple(page for number in group for page in by_bucket[number])
        digest = sha256(key.encode() + b"\0" + _lines(pages)).hexdigest()[:10]
        parts.append(Part(name=f"{group[0]:02x}-{group[-1]:02x}-{digest}", pages=pages))
    return parts, rejected


def _groups(by_bucket: Mapping[int, Sequence[Wanted]], per_shard: int) -> Iterator[list[int]]:
    group: list[int] = []
    size = 0
    for number in range(BUCKETS):
        here = len(by_bucket.get(number, ()))
        if group and size + here > per_shard:
            yield group
            group, size = [], 0
        if here:
            group.append(number)
            size += here
    if group:
        yield group


def _lines(pages: Iterable[Wanted]) -> bytes:
    return "".join(to_json(page) + "\n" for page in pages).encode()
