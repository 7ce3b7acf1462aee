"""Events of Wikipedia's Current Events Portal for a window of days, every day accounted for.

Each day is had, known to be missing, or failed with its cause.  Pages are kept by revision, so
the same command goes on where it was stopped and fetches nothing twice.  With --languages the
people, places and things an event speaks of get their names there, through language links.
Days are UTC; --to is included.

Examples:
  export GLOBESUMM_CONTACT=me@example.org
  globesumm portal --from 2023-05-01 --to 2023-10-31 --out portal --dry-run
  globesumm portal --from 2023-05-01 --to 2023-10-31 --out portal --languages globesumm
  globesumm portal --from 2023-10-07 --to 2023-10-07 --saved pages --out portal --format parquet

"""

import argparse
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import CLUSTER_HELP, name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say, visible

if TYPE_CHECKING:
    from retrieval.portal.client import Client
    from retrieval.portal.ingest import Account, Connect, Request

_MOST_LINES = 40
_BYTES_A_DAY = 4_500
"""Of a day's wikitext, on average over the days of 2017 to 2023 that were measured."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from retrieval.portal.client import WIKIPEDIA

    parser.add_argument("--from", dest="first", required=True, metavar="DAY", help="2023-05-01")
    parser.add_argument("--to", dest="last", required=True, metavar="DAY", help="2023-10-31")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--api", "--base", default=WIKIPEDIA, metavar="URL", help=f"a wiki or its API ({WIKIPEDIA})"
    )
    parser.add_argument(
        "--contact",
        metavar="ADDRESS",
        help="mail or web address for Wikimedia to reach you ($GLOBESUMM_CONTACT)",
    )
    parser.add_argument(
        "--saved", type=Path, metavar="FOLDER", help="saved wikitext or HTML pages, not the API"
    )
    parser.add_argument(
        "--languages",
        default="",
        metavar="CODES",
        help="names in these languages, with commas between; globesumm means all 26",
    )
    parser.add_argument(
        "--format", default="jsonl", metavar="FORM", help="jsonl or parquet (jsonl)"
    )
    parser.add_argument(
        "--pins", type=Path, metavar="FILE", help="a days.jsonl whose revisions are wanted"
    )
    parser.add_argument(
        "--refresh", action="store_true", help="ask for the newest revision of days kept, too"
    )
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="pages and names (OUT/cache)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (one a processor)")
    parser.add_argument("--cluster", metavar="ADDRESS", help=CLUSTER_HELP)
    parser.add_argument(
        "--maxlag",
        type=int,
        default=5,
        metavar="SECONDS",
        help="wait while the database lags more (5)",
    )
    parser.add_argument("--tries", type=int, default=8, metavar="N", help="for each request (8)")
    parser.add_argument(
        "--wait",
        type=float,
        default=2.0,
        metavar="SECONDS",
        help="before the second try; doubled each time, unless the API asks for a time (2)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be fetched, and stop"
    )


def run(options: argparse.Namespace) -> int:
    from retrieval.portal.account import days_not_had, table
    from retrieval.portal.ingest import carry_out
    from retrieval.portal.store import State

    request = _request(options)
    if options.dry_run:
        return _dry_run(request)
    account = carry_out(request, _connect(options, request))
    print("\n".join(table(account.days)))
    lines = list(days_not_had(account.days))
    print(visible("\n".join(lines[:_MOST_LINES])) if lines else "every day asked for is had")
    if len(lines) > _MOST_LINES:
        print(f"... and {len(lines) - _MOST_LINES} more")
    _tell(request, account)
    failed = account.number(State.FAILED) or account.rejected or account.names.failed
    return DONE_WITH_FAILURES if failed else DONE


def _request(options: argparse.Namespace) -> "Request":
    from retrieval.portal.client import api_at
    from retrieval.portal.days import days_between, parse_day
    from retrieval.portal.ingest import Request, pins_from
    from retrieval.portal.names import wanted_languages
    from retrieval.portal.output import suffix_of

    first, last = parse_day(options.first, "--from"), parse_day(options.last, "--to")
    if options.tries < 1 or not 0 <= options.wait < math.inf or options.maxlag < 0:
        raise UsageError("--tries is 1 or more, --wait and --maxlag 0 or more")
    if options.saved and (options.pins or options.refresh):
        raise UsageError("--pins and --refresh are for pages from the API, not for --saved ones")
    suffix_of(options.format)
    return Request(
        days=tuple(days_between(first, last)),
        out=options.out,
        cache=options.cache or options.out / "cache",
        api=api_at(options.api),
        saved=options.saved,
        languages=wanted_languages(options.languages),
        form=options.format,
        pins=pins_from(options.pins) if options.pins else {},
        refresh=options.refresh,
        workers=options.workers,
        cluster=options.cluster,
    )


def _connect(options: argparse.Namespace, request: "Request") -> "Connect":
    """The API, opened when first it is needed: with everything at hand nobody is asked."""
    from retrieval.portal.client import Client, Manners, user_agent

    opened: list[Client] = []

    def connect() -> "Client":
        if not opened:
            agent = user_agent(options.contact or os.environ.get("GLOBESUMM_CONTACT"))
            manners = Manners(
                maxlag=options.maxlag, tries=options.tries, first_wait_seconds=options.wait
            )
            opened.append(Client(api=request.api, agent=agent, manners=manners))
        return opened[0]

    return connect


def _dry_run(request: "Request") -> int:
    from retrieval.portal.ingest import present
    from retrieval.portal.pages import requests_for
    from retrieval.portal.store import State

    pages, lacking, rejected = present(request)
    name_rejected(rejected)
    states = [page.state for page in pages.values()]
    kept = request.events
    done = sum(kept.counts(str(day)) is not None for day in request.days)
    print(
        f"{counted(len(request.days), 'day', ',')} from {request.days[0]} to {request.days[-1]}: "
        f"{states.count(State.HAD):,} at hand, {states.count(State.MISSING):,} known missing, "
        f"{states.count(State.FAILED):,} not usable, {len(lacking):,} to fetch; "
        f"events of {done:,} are made"
    )
    requests = len(requests_for(request.wanted, lacking))
    print(
        f"{counted(len(lacking), 'page', ',')} in {counted(requests, 'request', ',')}, about "
        f"{counted(len(lacking) * _BYTES_A_DAY, 'byte', ',')}, would be fetched"
    )
    if request.languages:
        print(
            "names in "
            f"{' '.join(request.languages)}: of the articles the events link to, about 30 a day, "
            "50 to a request or less; those kept are not asked for again"
        )
    return DONE


def _tell(request: "Request", account: "Account") -> None:
    say(
        f"{counted(account.made, 'day')} made, {account.reused} were there already; "
        f"every day: {request.out / 'days.jsonl'}, events: {request.out / 'events'}"
    )
    if noted := sum(bool(day.notes) for day in account.days):
        say(
            f"{counted(noted, 'day')} with notes, as of what stands outside the day's frame: "
            "days.jsonl"
        )
    names = account.names
    if names.had:
        say(
            f"names of {counted(names.had, 'article')} fetched; {names.absent} of them do not exist"
        )
    if names.failed:
        say(
            f"the names of {counted(len(names.failed), 'article')} could not be had: "
            f"{names.causes[0]}"
        )
    name_rejected(account.rejected)
    if account.rejected:
        where = request.out / "rejected.jsonl"
        say(
            f"{counted(len(account.rejected), 'piece')} could not be read, each with its "
            f"reason: {where}"
        )
