"""A data set from events: checked, split, counted, described, ready for the hub.

SOURCE is a file of events (events.jsonl, or the layout of the published GlobeSumm data), or the
folder of a data set.  OUT gets data/ (Parquet and JSON Lines by split), README.md (the data
card), statistics/ and accounts of all that was left out; docs/dataset.md describes them.  What is
in OUT stays, with its split: the same command with more events adds what is new.

Examples:
  globesumm dataset events.jsonl --out data-set --takedown removed.txt
  globesumm dataset data-set --out addresses --urls-only
  globesumm dataset addresses --rehydrate --out data-set-again

"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import DataError, UsageError
from globesumm.finite import counted
from globesumm.progress import say, track, visible
from globesumm.records import read_own_records, read_records, write_records
from globesumm.values import Document, Event, Rejected

if TYPE_CHECKING:
    from annotation.published import Published
    from retrieval.dataset.addresses import Rehydrated
    from retrieval.dataset.build import Built, Settings
    from retrieval.dataset.links import Link
    from retrieval.dataset.takedown import Takedown

LAYOUTS = ("globesumm",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", type=Path, help="a file of events, or a data set's folder")
    parser.add_argument("--out", type=Path, default=Path("data-set"), metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the splits (0)")
    parser.add_argument(
        "--takedown", type=Path, metavar="FILE",
        help="addresses, domains and ids that must not be in it, one a line",
    )  # fmt: skip
    parser.add_argument(
        "--portal", type=Path, metavar="PATH",
        help="as of globesumm portal: events of one story go into one split",
    )  # fmt: skip
    parser.add_argument(
        "--urls-only", action="store_true", help="ids, addresses and digests, and no text"
    )
    parser.add_argument(
        "--layout", choices=LAYOUTS, help="write the published data's layout too, below OUT/layout"
    )
    parser.add_argument(
        "--run", type=Path, metavar="FOLDER",
        help="with --layout: a run of crs.kis-clp.protocol whose rounds go into it",
    )  # fmt: skip
    parser.add_argument("--name", metavar="TEXT", help="the title on the data card")
    parser.add_argument(
        "--licence", metavar="ID", help="the licence on the data card, as the hub names it (other)"
    )
    parser.add_argument(
        "--rehydrate", action="store_true",
        help="SOURCE has addresses alone: fetch their texts, and say what is not as it was",
    )  # fmt: skip
    parser.add_argument(
        "--exact", action="store_true", help="with --rehydrate: leave out texts that changed"
    )
    parser.add_argument(
        "--fetched", type=Path, metavar="FOLDER",
        help="with --rehydrate: where pages are kept, as of globesumm fetch (OUT with -pages)",
    )  # fmt: skip
    parser.add_argument(
        "--fetch-option", action="append", default=[], metavar="OPTION",
        help="with --rehydrate: an option of globesumm fetch, for instance --contact=MAIL",
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="check, and write nothing")


def run(options: argparse.Namespace) -> int:
    from retrieval.dataset.stories import stories_at
    from retrieval.dataset.takedown import Takedown, read_takedown

    _check(options)
    takedown = read_takedown(options.takedown) if options.takedown else Takedown()
    settings = _settings(options)
    related = stories_at(options.portal) if options.portal else []
    if options.rehydrate:
        return _rehydrate(options, settings, takedown, related)
    events, known, rejected = _source(options.source)
    if options.dry_run:
        return _dry_run(events, takedown)
    from retrieval.dataset.build import build

    built = build(events, options.out, settings, takedown, known=known, related=related)
    failures = _tell(built, options.out)
    if options.layout:
        failures += _write_layout(options.out, options.run, _published(options.source))
    return DONE_WITH_FAILURES if failures or rejected else DONE


def _check(options: argparse.Namespace) -> None:
    if not options.source.exists():
        raise UsageError(f"{options.source} does not exist: name a file of events or a data set")
    if options.source.resolve() == options.out.resolve():
        raise UsageError("--out is the folder that is read: name another")
    if options.layout and options.urls_only:
        raise UsageError("--layout holds texts, and --urls-only none: give one of them")
    if options.run and not options.layout:
        raise UsageError("--run gives rounds to --layout globesumm: add it")
    if not options.rehydrate and (options.exact or options.fetched or options.fetch_option):
        raise UsageError("--exact, --fetched and --fetch-option belong to --rehydrate: add it")
    if options.rehydrate and (options.urls_only or options.dry_run):
        raise UsageError("--rehydrate puts texts back: leave out --urls-only and --dry-run")


def _settings(options: argparse.Namespace) -> "Settings":
    from retrieval.dataset.build import LICENCE, NAME, Settings

    return Settings(
        seed=options.seed,
        texts=not options.urls_only,
        name=options.name or NAME,
        licence=options.licence or LICENCE,
    )


def _source(source: Path) -> tuple[list[Event], Mapping[str, str], list[Rejected]]:
    """Events, the splits they have already, and what could not be read."""
    from globesumm.cli.experiment_events import read_events
    from retrieval.dataset.folder import Folder

    folder = Folder(source)
    if source.is_dir() and folder.exists:
        events = folder.events()
        if events and not any(one.text for event in events for one in event.documents):
            raise UsageError(f"{source} holds addresses without texts: --rehydrate fetches them")
        return events, folder.known(), []
    events, rejected = read_events((str(source),))
    return events, {}, rejected


def _dry_run(events: Sequence[Event], takedown: "Takedown") -> int:
    from retrieval.dataset.checks import checked
    from retrieval.dataset.links import groups, links

    kept, findings = checked(takedown.apply(events))
    related = [group for group in groups(kept, links(kept)) if len(group) > 1]
    documents = sum(len(event.documents) for event in kept)
    told = f"{counted(len(events), 'event')}, {counted(documents, 'document')}"
    print(f"{len(kept)} of {told}: nothing written")
    _say_findings(_counted([one.kind for one in findings]))
    if related:
        say(f"{sum(map(len, related))} events are related, in {counted(len(related), 'group')}")
    return DONE


def _tell(built: "Built", out: Path) -> int:
    """One line on stdout, the accounts on stderr; returns how many things are amiss."""
    from retrieval.dataset.splits import SPLITS

    counts = built.statistics
    sizes = ", ".join(f"{name} {counts.events[name]}" for name in SPLITS)
    print(
        f"{counted(sum(counts.events.values()), 'event')} ({sizes}), "
        f"{counted(sum(counts.documents.values()), 'document')} in "
        f"{counted(len(counts.languages), 'language')}: {visible(str(out))}"
    )
    say(
        f"new: {counted(built.added_events, 'event')}, {counted(built.added_documents, 'document')}"
    )
    if built.kept:
        say(f"{counted(built.kept, 'known document')} changed since: the published text stays")
    _say_findings(built.findings)
    if built.left_out:
        say(f"left out, documents or events: {len(built.left_out)}: {out / 'checks.jsonl'}")
    for entry, count in built.taken.items():
        say(f"taken out: {counted(count, 'document')} by {visible(entry)}")
    for entry in built.idle:
        say(f"takedown entry {visible(entry[:200])} met no document")
    if built.leaks:
        say(f"{counted(built.leaks, 'link')} between two splits: {out / 'leaks.jsonl'}")
    if built.unplotted:
        say(f"no plots: {built.unplotted}")
    return built.leaks


def _say_findings(findings: Mapping[str, int]) -> None:
    if findings:
        said = ", ".join(f"{kind} {count}" for kind, count in sorted(findings.items()))
        say(f"checks: {said}")


def _counted(names: Sequence[str]) -> Mapping[str, int]:
    return {name: names.count(name) for name in names}


def _published(source: Path) -> "Mapping[str, Published]":
    """By event id what a file of the published layout holds besides events."""
    from annotation.published import Published, read_published

    if not source.is_file():
        return {}
    found = (one for one in read_published(source) if isinstance(one, Published))
    return {one.event.id: one for one in found}


def _write_layout(out: Path, run_folder: Path | None, published: "Mapping[str, Published]") -> int:
    """The events of each split in the published layout; returns how many lack their rounds."""
    from annotation.passages import in_order
    from annotation.published import Published, republished, to_published, write_published
    from annotation.published.layout import RECIPE
    from globesumm.runs import Run
    from retrieval.dataset.folder import Folder
    from retrieval.dataset.splits import SPLITS

    summaries = {}
    if run_folder is not None:
        made = Run(run_folder).summaries()
        summaries = {one.event: one for one in made if one.recipe == RECIPE}
        if not summaries:
            raise UsageError(f"--run {run_folder}: holds no summary by {RECIPE}")
    folder, without = Folder(out), 0
    for split in SPLITS:
        records = []
        for event in track(list(read_own_records(folder.data(split, ".jsonl"), Event)), split):
            ordered = replace(event, documents=tuple(in_order(event.documents)))
            bare = Published(event=ordered, kis={}, clp={}, relevant={})
            if event.id in published and published[event.id].event.documents == event.documents:
                bare = published[event.id]
            try:
                summary = summaries.get(event.id)
                records.append(to_published(event, summary) if summary else republished(bare))
            except DataError as error:
                say(f"without rounds: {error}")
                records.append(republished(replace(bare, summary=None)))
            without += bool(summaries) and "GPT4" not in records[-1]
        write_published(out / "layout" / f"{split}.jsonl", records)
    say(f"in the published layout: {out / 'layout'}")
    if without:
        say(f"{counted(without, 'event')} without rounds there")
    return without


def _rehydrate(
    options: argparse.Namespace,
    settings: "Settings",
    takedown: "Takedown",
    related: "Sequence[Link]",
) -> int:
    from globesumm.cli import fetch
    from globesumm.cli.main import Parser
    from retrieval.dataset.addresses import rehydrate
    from retrieval.dataset.build import build
    from retrieval.dataset.folder import Folder

    rows = Folder(options.source).rows() if Folder(options.source).exists else []
    if not rows:
        raise UsageError(f"{options.source} is no data set of addresses (made by --urls-only)")
    pages: Path = options.fetched or options.out.with_name(f"{options.out.name}-pages")
    wanted = pages / "addresses.jsonl"
    listed = [{"url": row.url, "language": row.language} for row in rows if row.url]
    write_records(wanted, listed)
    parser = Parser(prog="globesumm fetch")
    fetch.add_arguments(parser)
    fetch.run(parser.parse_args([str(wanted), "--out", str(pages), *options.fetch_option]))
    documents, reasons = _fetched(pages)
    found = rehydrate(rows, documents, reasons, exact=options.exact)
    write_records(pages / "differences.jsonl", found.differences)
    _say_differences(found, pages)
    if not found.events:
        raise UsageError(f"no text could be fetched: see {pages / 'differences.jsonl'}")
    built = build(
        found.events, options.out, settings, takedown, known=found.splits, related=related
    )
    amiss = _tell(built, options.out)
    return DONE_WITH_FAILURES if amiss or found.differences else DONE


def _fetched(pages: Path) -> tuple[list[Document], Mapping[str, str]]:
    """What was fetched, and by address why the rest was not."""
    path, refused = pages / "documents.jsonl", pages / "rejected.jsonl"
    documents = [
        one
        for one in (read_records(path, Document) if path.exists() else ())
        if isinstance(one, Document)
    ]
    rejected = read_own_records(refused, Rejected) if refused.exists() else ()
    reasons = {one.url: f"{one.kind or 'rejected'}: {one.reason}" for one in rejected if one.url}
    return documents, reasons


def _say_differences(found: "Rehydrated", pages: Path) -> None:
    say(f"{found.same} of {counted(found.of, 'text')} the same to the letter")
    if found.differences:
        counts = _counted([one.kind for one in found.differences])
        said = ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))
        say(f"not as they were: {said}: {pages / 'differences.jsonl'}")
