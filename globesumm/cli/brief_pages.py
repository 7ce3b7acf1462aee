"""Pages and files of a brief: fetched as `globesumm fetch` does, read as `globesumm read` does."""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.records import read_own_records, write_records
from globesumm.runs import BRIEF
from globesumm.values import Document, Event, Rejected

if TYPE_CHECKING:
    from retrieval.portal.values import PortalEvent

_HEAD = 1 << 20


def add_page_options(parser: argparse.ArgumentParser) -> None:
    """How pages are asked for."""
    group = parser.add_argument_group("pages from the web")
    group.add_argument("--contact", metavar="TEXT", help="your mail or web address, sent along")
    group.add_argument(
        "--delay", type=float, default=1.0, metavar="SECONDS", help="between requests to a host (1)"
    )
    group.add_argument(
        "--page-timeout", type=float, default=30.0, metavar="SECONDS", help="for one answer (30)"
    )
    group.add_argument(
        "--connect-to", action="append", default=[], metavar="HOST=ADDRESS:PORT",
        help="where to connect in place of a host, *.domain or *: a mirror, for instance",
    )  # fmt: skip


def fetch_options(options: argparse.Namespace, source: Path, out: Path) -> argparse.Namespace:
    """What `globesumm fetch` is asked, with its own defaults for the rest."""
    from globesumm.cli import fetch
    from globesumm.cli.main import Parser

    parser = Parser(prog="globesumm brief")
    fetch.add_arguments(parser)
    asked = [str(source), "--out", str(out), "--workers", "1"]
    asked += ["--delay", str(options.delay), "--timeout", str(options.page_timeout)]
    asked += ["--contact", options.contact] if options.contact else []
    for one in options.connect_to:
        asked += ["--connect-to", one]
    made: argparse.Namespace = parser.parse_args(asked)
    return made


def fetched(
    options: argparse.Namespace, rows: Iterable[Mapping[str, str | None]], *, again: bool
) -> tuple[list[Document], list[Rejected]]:
    """The pages of `rows` (with ``url``), and by name those that became no document.

    Address guards, robots.txt, WARC and the gate are those of `globesumm fetch`.  With `again`
    pages that are there are asked for once more, and taken anew where they have changed.
    """
    from globesumm.cli import fetch

    place = options.out / BRIEF
    write_records(place / "addresses.jsonl", rows)
    asked = fetch_options(options, place / "addresses.jsonl", place / "fetched")
    done = place / "fetched" / "documents.jsonl"
    asked.refetch = again and done.is_file()
    asked.retry = True  # what failed for a passing reason may be had by the same command
    with redirect_stdout(sys.stderr):
        fetch.run(asked)
    if not done.is_file():
        where = str(asked.source)
        return [], [Rejected(where=where, reason="names no page that may be asked for")]
    refused = read_own_records(done.with_name("rejected.jsonl"), Rejected)
    return list(read_own_records(done, Document)), list(refused)


def read_source(options: argparse.Namespace, source: str) -> tuple[list[Document], list[Rejected]]:
    """The documents of a file, folder, feed or address; the pages behind a feed are fetched."""
    from globesumm.cli.fetch import fetching_of
    from retrieval.draft import Settings
    from retrieval.read import read

    asked = fetch_options(options, Path("-"), options.out)
    own = (one.resolve() for one in options.out.rglob("*") if one.is_file())
    settings = Settings(
        fetching=fetching_of(asked),
        follow=True,
        leave_out=frozenset(own if options.out.is_dir() else ()),
    )
    documents: list[Document] = []
    rejected: list[Rejected] = []
    for one in read(source, settings=settings):
        if isinstance(one, Document):
            documents.append(one)
        else:
            rejected.append(one)
    return documents, rejected


def named_event(events: Sequence[Event], name: str | None, source: str) -> Event:
    """The one event of a file, or the one that is named; raises `UsageError`."""
    by_id = {one.id: one for one in events}
    if name is not None:
        if name not in by_id:
            raise UnknownName("event", name, by_id, where=source)
        return by_id[name]
    if len(events) != 1:
        some = ", ".join(list(by_id)[:5])
        raise UsageError(f"{source} holds {len(events)} events: name one with --event ({some})")
    return events[0]


def portal_row(source: str, name: str | None) -> "PortalEvent | None":
    """The event of a file or folder of `globesumm portal`; None for any other source.

    Raises `UsageError` where it holds several and none is named.
    """
    from retrieval.events.seeds import events_at
    from retrieval.portal.values import PortalEvent

    path = Path(source)
    if not _holds_portal_events(path):
        return None
    try:
        rows = [one for one in events_at(path) if isinstance(one, PortalEvent)]
    except DataError:
        return None
    named = {one.id: one for one in rows}
    if not named:
        return None
    if name is not None and name not in named:
        raise UnknownName("event", name, named, where=source)
    if name is None and len(named) > 1:
        some = ", ".join(list(named)[:5])
        raise UsageError(f"{source} holds {len(named)} events: name one with --event ({some})")
    return named[name] if name is not None else rows[0]


def _holds_portal_events(path: Path) -> bool:
    if path.is_dir():
        return (path / "events").is_dir() and (path / "days.jsonl").is_file()
    if path.suffix != ".jsonl" or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.readline(_HEAD)
    return all(key in head for key in (b'"sources"', b'"description"', b'"date"'))
