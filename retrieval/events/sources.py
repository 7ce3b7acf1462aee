"""Where the events and the addresses of reports come from: the portal and GDELT's window."""

import os
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.errors import UsageError
from retrieval.events.layout import Layout, Row
from retrieval.events.settings import EventsConfig

if TYPE_CHECKING:
    from retrieval.gdelt.ingest import Request as GdeltRequest
    from retrieval.portal.client import Client
    from retrieval.portal.ingest import Request as PortalRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """How the work is placed: `workers` processes on this machine, or a Dask `cluster`."""

    workers: int | None = None
    cluster: str | None = None


def portal_request(config: EventsConfig, layout: Layout, work: Work) -> "PortalRequest":
    """The window of the portal; names are asked for unless saved pages are all there is."""
    from retrieval.portal.client import WIKIPEDIA, api_at
    from retrieval.portal.days import days_between
    from retrieval.portal.ingest import Request

    if config.first is None or config.last is None:
        raise UsageError("the portal's days need first and last")
    table = config.portal
    offline = table.saved is not None and table.api is None
    return Request(
        days=tuple(days_between(config.first, config.last)),
        out=layout.portal,
        cache=layout.portal / "cache",
        api=api_at(table.api or WIKIPEDIA),
        saved=Path(table.saved) if table.saved else None,
        languages=() if offline else config.languages,
        workers=work.workers,
        cluster=work.cluster,
    )


def have_portal(config: EventsConfig, layout: Layout, work: Work) -> Row:
    """The days of the portal with their events and names."""
    from retrieval.portal.client import Client, Manners, user_agent
    from retrieval.portal.ingest import carry_out
    from retrieval.portal.store import State

    request = portal_request(config, layout, work)
    opened: list[Client] = []

    def connect() -> "Client":
        if not opened:
            agent = user_agent(config.portal.contact or os.environ.get("GLOBESUMM_CONTACT"))
            manners = Manners(
                tries=config.portal.tries, first_wait_seconds=config.portal.wait_seconds
            )
            opened.append(Client(api=request.api, agent=agent, manners=manners))
        return opened[0]

    account = carry_out(request, connect)
    left = {str(state): account.number(state) for state in (State.MISSING, State.FAILED)}
    notes = [f"{len(account.rejected)} pieces could not be read"] if account.rejected else []
    if account.names.failed:
        notes.append(f"the names of {len(account.names.failed)} articles could not be had")
    if not request.languages:
        notes.append("no names in other languages: saved pages, and no api stated")
    return Row(
        stage="portal",
        what="days",
        n=account.number(State.HAD),
        of=len(account.days),
        left={state: count for state, count in left.items() if count},
        note="; ".join(notes) or None,
        failed=account.number(State.FAILED) + len(account.names.failed),
    )


def gdelt_request(config: EventsConfig, layout: Layout, work: Work) -> "GdeltRequest":
    """GDELT's window: the portal's days, and those around them in which reports are looked for."""
    from retrieval.gdelt.ingest import Request
    from retrieval.gdelt.names import Product, Stream
    from retrieval.gdelt.places import GDELT, article_list_beside, base_at
    from retrieval.gdelt.slots import window
    from retrieval.gdelt.web_base import Patience

    if config.first is None or config.last is None:
        raise UsageError("GDELT's window needs first and last")
    table, days = config.gdelt, config.candidates
    first = config.first - timedelta(days=days.days_before)
    last = config.last + timedelta(days=days.days_after)
    patience = Patience(tries=table.tries, first_wait_seconds=table.wait_seconds)
    base = table.base or GDELT
    gal = "gal" in table.streams
    return Request(
        window=window(f"{first}", f"{last}"),
        parts=tuple(
            (Stream(name), Product.GAL if name == "gal" else Product.GKG)
            for name in dict.fromkeys(table.streams)
        ),
        out=layout.gdelt,
        base=base_at(base, patience, "gdelt.base"),
        gal_base=(
            base_at(table.gal_base or article_list_beside(base), patience, "gdelt.gal_base")
            if gal
            else None
        ),
        keep=not table.drop_zips,
        workers=work.workers,
        cluster=work.cluster,
    )


def have_gdelt(config: EventsConfig, layout: Layout, work: Work) -> Row:
    """The tables of GDELT's window."""
    from retrieval.gdelt.account import State
    from retrieval.gdelt.ingest import carry_out, planned

    request = gdelt_request(config, layout, work)
    parts = carry_out(request, planned(request))
    states: Counter[str] = Counter()
    for state in State:
        states[str(state)] = sum(part.number(state) for part in parts)
    had = states.pop(str(State.HAD))
    articles = sum(part.counts.get("kept", 0) for part in parts)
    return Row(
        stage="gdelt",
        what="files",
        n=had,
        of=had + states.total(),
        left={state: count for state, count in states.items() if count},
        note=f"{articles} articles",
        failed=states[str(State.FAILED)],
    )
