"""Words on live sources: GDELT's titles, the pages behind the best, and an index of them."""

import argparse
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.brief_words import queries_of
from globesumm.errors import UsageError
from globesumm.languages import GLOBESUMM
from globesumm.progress import say
from globesumm.records import write_records
from globesumm.runs import BRIEF

if TYPE_CHECKING:
    from baselines.briefs import Request
    from retrieval.events.settings import EventsConfig
    from retrieval.portal.values import PortalEvent

LIVE = "live"
"""Within the folder ``brief`` of a run: a chain of `globesumm events`, up to its index."""

ASKED = "asked"


def live_index(
    options: argparse.Namespace, request: "Request", portal: "PortalEvent | None"
) -> Path:
    """The index of the pages whose titles, as GDELT has them, fit the words best.

    The stages are those of `globesumm events` from its queries on: each goes on where it was
    stopped, and nothing is fetched twice.  Raises `UsageError` for days that cannot be meant.
    """
    from retrieval.events.chain import Chain, alone, start
    from retrieval.events.layout import Layout
    from retrieval.events.sources import Work
    from retrieval.events.stages import carry_out
    from retrieval.portal.values import PortalEvent

    first, last = _days(request.gdelt or "")
    place = options.out / BRIEF / LIVE
    described = portal.description if portal else request.text
    names: Mapping[str, Mapping[str, str]] = portal.names if portal else {}
    event = PortalEvent(
        id=ASKED, date=first, description=described, names=names,
        pages=portal.pages if portal else (),
    )  # fmt: skip
    languages = request.languages or tuple(GLOBESUMM)
    chain = Chain(
        config=_config(options, request, place, (first, last), languages),
        layout=Layout(place),
        work=Work(workers=1),
    )
    start(chain)
    with alone(chain):
        write_records(place / "portal.jsonl", [event])
        _write_queries(options, request, place, languages, portal)
        for row in carry_out(chain, "index"):
            left = ", ".join(f"{count} {reason}" for reason, count in row.left.items())
            say("; ".join(filter(None, (f"{row.stage}: {row.n} of {row.of} {row.what}", left))))
    return chain.layout.index


def _config(
    options: argparse.Namespace,
    request: "Request",
    place: Path,
    days: tuple[date, date],
    languages: tuple[str, ...],
) -> "EventsConfig":
    from retrieval.events.settings import (
        CandidateTable,
        EventsConfig,
        FetchTable,
        GdeltTable,
        PortalTable,
    )

    first, last = days
    return EventsConfig(
        first=first,
        last=first,
        languages=languages,
        portal=PortalTable(events=str(place / "portal.jsonl")),
        gdelt=GdeltTable(base=options.gdelt_base),
        fetch=FetchTable(
            contact=options.contact,
            by_title=request.depth,
            delay_seconds=options.delay,
            timeout_seconds=options.page_timeout,
            connect_to=dict(_pair(one) for one in options.connect_to),
        ),
        candidates=CandidateTable(
            k=request.depth, days_before=0, days_after=(last - first).days, undated=True
        ),
    )


def _write_queries(
    options: argparse.Namespace,
    request: "Request",
    place: Path,
    languages: tuple[str, ...],
    portal: "PortalEvent | None",
) -> None:
    """Each language's words as a person's lines: those of the request, else as they stand."""
    from retrieval.events.queries import Query

    words = queries_of(options, request, languages, portal)
    write_records(
        place / "queries.jsonl",
        [Query(event=ASKED, language=one, text=words.get(one, request.text)) for one in languages],
    )


def _days(text: str) -> tuple[date, date]:
    first, mark, last = text.partition("..")
    try:
        days = date.fromisoformat(first), date.fromisoformat(last if mark else first)
    except ValueError:
        raise UsageError(f"--gdelt {text}: write FIRST..LAST, as 2023-09-09..2023-09-11") from None
    if days[1] < days[0]:
        raise UsageError(f"--gdelt {text}: the last day is before the first")
    return days


def _pair(text: str) -> tuple[str, str]:
    host, _, place = text.partition("=")
    return host, place
