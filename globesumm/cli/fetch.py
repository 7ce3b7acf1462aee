"""Fetch the pages of a list, keep them, and turn them into documents.

SOURCE is a text of addresses, rows of `globesumm gdelt` or `globesumm portal` (JSON Lines or
Parquet, a file or a folder), or a table with tabs; or WARC files (Common Crawl News), whose pages
need no fetching.  OUT gets

  pages/            what servers sent, as WARC files: nothing in it is asked for twice
  documents.jsonl   the documents
  rejected.jsonl    every other row and page, with the reason
  drops.tsv         how many pages of each host and language became what

The same command goes on where it was stopped, and asks for nothing that it has.

Examples:
  globesumm fetch articles.jsonl --out pages --contact mail@example.org
  globesumm fetch urls.txt --out pages --retry

"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm import __version__
from globesumm.cli.inputs import CLUSTER_HELP, name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say, visible
from globesumm.values import Rejected

if TYPE_CHECKING:
    from globesumm.shards import Outcome
    from retrieval.extract_page import Extraction
    from retrieval.fetching import Fetching
    from retrieval.harvest import Harvest, Part
    from retrieval.harvest_archives import Archive
    from retrieval.harvest_results import Account

CONCURRENCY = 64
CONTACT = "GLOBESUMM_CONTACT"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", type=Path, help="a file or folder that lists addresses")
    parser.add_argument("--out", type=Path, default=Path("fetched"), metavar="FOLDER")
    parser.add_argument(
        "--store", type=Path, metavar="FOLDER", help="where pages are kept (OUT/pages)"
    )
    parser.add_argument("--language", metavar="CODE", help="the language of every document")
    parser.add_argument(
        "--languages", metavar="CODES", help="the languages to consider, with commas between"
    )
    parser.add_argument(
        "--contact",
        metavar="TEXT",
        help=f"your mail or web address, sent to every site ({CONTACT})",
    )
    parser.add_argument(
        "--delay", type=float, default=1.0, metavar="SECONDS", help="between requests to a host (1)"
    )
    parser.add_argument(
        "--concurrency", type=int, default=CONCURRENCY, metavar="N",
        help=f"requests open at once in each process ({CONCURRENCY})",
    )  # fmt: skip
    parser.add_argument(
        "--per-host", type=int, default=1, metavar="N", help="requests open at once to a host (1)"
    )
    parser.add_argument(
        "--timeout", type=float, default=30.0, metavar="SECONDS", help="for one answer (30)"
    )
    parser.add_argument(
        "--retry", action="store_true",
        help="ask again for pages that failed for a reason which may be gone (timeouts, 5xx)",
    )  # fmt: skip
    parser.add_argument(
        "--refetch", action="store_true", help="ask again for every page, if it has changed"
    )
    parser.add_argument(
        "--connect-to", action="append", default=[], metavar="HOST=ADDRESS:PORT",
        help="where to connect in place of a host, *.domain or *: a mirror, for instance",
    )  # fmt: skip
    parser.add_argument("--workers", type=int, metavar="N", help="processes (one a processor)")
    parser.add_argument("--cluster", metavar="ADDRESS", help=CLUSTER_HELP)
    parser.add_argument(
        "--outlets", type=Path, action="append", default=[], metavar="FILE",
        help="a table of domains: GDELT's countries, or your own columns (docs/fetching.md)",
    )  # fmt: skip
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be asked for, and ask for nothing"
    )


def run(options: argparse.Namespace) -> int:
    from globesumm.shards import check_place, run_stage
    from retrieval.harvest import SUFFIX, Harvest, plan
    from retrieval.harvest_archives import archives_in, work_shard
    from retrieval.harvest_results import again, write_results
    from retrieval.outlets import outlets_in
    from retrieval.wanted import wanted_in

    if not options.source.exists():
        raise UsageError(f"{options.source} does not exist: name a file or folder of addresses")
    check_place(options.workers, options.cluster)
    harvest = Harvest(
        store=(options.store or options.out / "pages").resolve(),
        fetching=fetching_of(options),
        extraction=_extraction(options),
        retry=options.retry,
        refetch=options.refetch,
    )
    outlets = outlets_in(options.outlets)
    lists, refused = plan(wanted_in(options.source), key=_key(options))
    archives = archives_in(options.source, key=_key(options))
    if options.dry_run:
        return _dry_run(lists, archives, refused, harvest)
    parts: list[Part | Archive] = [*lists, *archives]
    if not parts:
        name_rejected(refused)
        raise UsageError(
            f"{options.source} names no page that may be asked for: give addresses, one a line, or "
            "what globesumm gdelt or portal wrote"
        )
    results = options.out / "results"
    again(results, parts, retry=options.retry, refetch=options.refetch)
    outcome = run_stage(
        partial(work_shard, harvest),
        [part.shard(options.out / "lists") for part in parts],
        results,
        suffix=SUFFIX,
        workers=options.workers,
        cluster=options.cluster,
        progress_name="shards of pages",
    )
    account = write_results(parts, results, refused, options.out, outlets.completed)
    return _tell(account, outcome, options.out, retried=options.retry)


def _tell(account: "Account", outcome: "Outcome", out: Path, *, retried: bool) -> int:
    """What became of the pages: one line on stdout, the rest on stderr."""
    from retrieval.harvest import RETRIED
    from retrieval.harvest_results import DOCUMENT

    kinds = account.by_kind()
    languages = account.languages()
    total, documents = sum(kinds.values()), kinds.pop(DOCUMENT, 0)
    print(
        f"{documents} of {counted(total, 'row')} became documents in "
        f"{counted(len(languages), 'language')} "
        f"({' '.join(sorted(languages)) or 'none'}): {visible(str(out / 'documents.jsonl'))}"
    )
    asked, before = outcome.counts.get("asked for", 0), outcome.counts.get("kept before", 0)
    if outcome.done and (asked or before):
        say(f"{counted(asked, 'page')} asked for, {before} kept from before")
    if not outcome.done:
        say("nothing was asked for: all is there")
    if kinds:
        said = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        say(f"{sum(kinds.values())} rejected ({said}): {out / 'rejected.jsonl'}")
        say(f"by host and language: {out / 'drops.tsv'}")
    for alarm in account.counts.alarms():
        say(f"alarm: {alarm}")
    again = "the same command" if retried else "--retry"
    if passing := outcome.counts.get(RETRIED, 0):
        say(f"{passing} failed for a reason that may be gone: {again} asks for them again")
    for failure in outcome.failed:
        say(f"{failure.where} is missing: {failure.kind}: {failure.message}")
    return DONE_WITH_FAILURES if kinds or outcome.failed else DONE


def _dry_run(
    parts: Sequence["Part"],
    archives: Sequence["Archive"],
    refused: Sequence[Rejected],
    harvest: "Harvest",
) -> int:
    from retrieval.harvest_results import hosts
    from retrieval.page_store import Bucket, bucket_of

    pages = [page for part in parts for page in part.pages]
    buckets = {number: Bucket.as_it_is(harvest.store, number)
               for number in {bucket_of(page.url) for page in pages}}  # fmt: skip
    to_ask = [page for page in pages if harvest.asks(page, buckets[bucket_of(page.url)])]
    slowest = max(hosts(to_ask).items(), key=lambda item: item[1], default=("", 0))
    name_rejected(refused)
    print(
        f"{len(to_ask)} of {counted(len(pages), 'page')} would be asked for, of "
        f"{counted(len(hosts(to_ask)), 'host')}; "
        f"{len(pages) - len(to_ask)} kept, {counted(len(refused), 'row')} without one"
    )
    if archives:
        size = sum(archive.path.stat().st_size for archive in archives)
        say(f"{counted(len(archives), 'WARC file')} ({size / 1e6:.0f} MB) would be read")
    if to_ask:
        seconds = slowest[1] * harvest.fetching.delay_seconds
        say(
            f"{slowest[0]} has the most, {slowest[1]}: at least {seconds:.0f} s at one every "
            f"{harvest.fetching.delay_seconds:g} s"
        )
    return DONE


def fetching_of(options: argparse.Namespace) -> "Fetching":
    """How pages are asked for, as the options of this verb say; raises `UsageError`."""
    from retrieval.address import Routes
    from retrieval.fetching import Fetching

    for name, least in (("concurrency", 1), ("per_host", 1), ("timeout", 0.001), ("delay", 0)):
        if not getattr(options, name) >= least:
            raise UsageError(f"--{name.replace('_', '-')} must be at least {least:g}")
    places = dict(_pair(text) for text in options.connect_to)
    Routes(places)
    plain = Fetching(
        concurrency=options.concurrency,
        per_host=options.per_host,
        delay_seconds=options.delay,
        timeout_seconds=options.timeout,
        connect_to=places,
    )
    contact = " ".join(visible(options.contact or os.environ.get(CONTACT, "")).split())
    if not contact:
        return plain
    if not contact.isascii():
        raise UsageError(f"--contact (or {CONTACT}) is sent in a header: write it in ASCII")
    return replace(plain, user_agent=f"{plain.user_agent[:-1]}; {contact})")


def _pair(text: str) -> tuple[str, str]:
    host, mark, place = text.partition("=")
    if not mark or not host or not place:
        raise UsageError(f"--connect-to {text}: write HOST=ADDRESS:PORT")
    return host, place


def _extraction(options: argparse.Namespace) -> "Extraction":
    from retrieval.extract_page import Extraction

    candidates = tuple(options.languages.split(",")) if options.languages else None
    extraction = Extraction(language=options.language, candidates=candidates)
    extraction.check()
    return extraction


def _key(options: argparse.Namespace) -> str:
    """What decides the results besides the pages."""
    return f"{options.language}|{options.languages}|{__version__}"
