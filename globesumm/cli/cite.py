"""Which sentences of which documents each sentence of a summary rests on.

Sentences that the merge took from documents are cited exactly.  All others are held against
every sentence of the documents by an entailer: sentence vectors (the default, a stand-in that
needs no model), shared words, a trained model of entailment, or a model that is asked.  What no
document is found to say is marked, with the nearest sentence beside it.  Everything goes to
RUN/citations.jsonl, verdicts to RUN/verdicts.sqlite, and nothing is asked twice.  With --labelled
an entailer is held against sources that a reader named for summaries of the sample events.

Examples:
  globesumm cite runs/mine
  globesumm cite runs/gpt --recipe crs.kis-clp.protocol --entailer judge --judge gpt-4o-mini
  globesumm cite --labelled --entailer vector --threshold 0.85
  globesumm cite runs/mine --entailer mdeberta-xnli --entailer-path models/mdeberta --prefixes

"""

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.judging import (
    add_entailer_options,
    add_judge_options,
    chosen_entailer,
    open_judge,
    told,
)
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UnknownName, UsageError
from globesumm.finite import counted
from globesumm.progress import say, track
from globesumm.records import to_json
from globesumm.values import Event, Summary

if TYPE_CHECKING:
    from baselines.citations import Citer
    from baselines.citations.labelled import Quality
    from globesumm.runs import Run
    from metrics.printed import Table

FORMS = ("text", "markdown", "jsonl")

NONE = "none"
"""The name for no entailer: only what the merge itself names is cited."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", type=Path, metavar="RUN")
    parser.add_argument(
        "--labelled",
        action="store_true",
        help="instead of a run: precision and recall on the sample events' labelled sentences",
    )
    add_choice(parser)
    parser.add_argument("--format", choices=FORMS, default="text", help="(text)")
    add_citing_options(parser)
    add_entailer_options(parser, "vector")
    add_judge_options(parser)


def add_choice(parser: argparse.ArgumentParser) -> None:
    """Which summaries of a run are meant."""
    parser.add_argument("--event", metavar="ID", help="only this event (all)")
    parser.add_argument("--recipe", metavar="NAME", help="only this recipe (all)")


def add_citing_options(parser: argparse.ArgumentParser) -> None:
    """How sentences are cited, beside the entailer that judges."""
    parser.add_argument("--prefixes", action="store_true", help="the summary of every round")
    parser.add_argument(
        "--judge-all",
        action="store_true",
        help="judge also the sentences whose source the merge names",
    )
    parser.add_argument(
        "--nearest",
        type=int,
        metavar="N",
        help="judge only the N nearest sentences by vectors, 0: all (20 with a model, else all)",
    )


def run(options: argparse.Namespace) -> int:
    from baselines.citations import Standing, markdown, text, write_citations
    from globesumm.runs import Run

    if (options.run is None) != options.labelled:
        raise UsageError("name either a RUN folder or --labelled")
    if options.labelled:
        return _labelled(options)
    folder = Run.open(options.run)
    with folder.alone(), ExitStack() as within:
        summaries, events = chosen(folder, options.event, options.recipe)
        by = citer(options, within, folder)
        made = [
            one
            for summary in track(summaries, "summaries cited", len(summaries))
            for one in by.cite(summary, events[summary.event], prefixes=options.prefixes)
        ]
        path = write_citations(folder, made)
    if options.format == "jsonl":
        for one in made:
            print(to_json(one))
    else:
        shown = markdown if options.format == "markdown" else text
        for (event, _, _), some in groupby(made, lambda one: (one.event, one.recipe, one.round)):
            print(shown(list(some), events[event]))
    say(f"{counted(len(made), 'sentence')} cited: {path}")
    unjudged = any(one.standing is Standing.UNJUDGED for one in made)
    return DONE_WITH_FAILURES if unjudged else DONE


def chosen(
    folder: "Run", event: str | None, recipe: str | None
) -> tuple[list[Summary], dict[str, Event]]:
    """The finished summaries that are meant, and the events by their ids.

    Raises `UnknownName` for an event or recipe of which the run has no summary, `UsageError`
    where it has none at all.
    """
    every = folder.summaries()
    if not every:
        raise folder.no_summary()
    events = {one.id: one for one in folder.events()}
    for kind, name, known in (
        ("event", event, {one.event for one in every}),
        ("recipe", recipe, {one.recipe for one in every}),
    ):
        if name is not None and name not in known:
            raise UnknownName(kind, name, known, where=str(folder.folder))
    wanted = [
        one
        for one in every
        if event in (None, one.event) and recipe in (None, one.recipe) and one.event in events
    ]
    return wanted, events


def _labelled(options: argparse.Namespace) -> int:
    """Print how well the entailer cites where a reader named the sources."""
    from baselines.citations.labelled import cited, labelled, quality
    from globesumm import samples
    from globesumm.cli.inputs import read_event

    if options.event or options.recipe or options.prefixes:
        raise UsageError("--event, --recipe and --prefixes choose within a RUN: leave them out")
    found = []
    with ExitStack() as within:
        by = citer(options, within)
        for name in track(samples.names(), "sample events"):
            pages = str(samples.load(name).pages)
            event = replace(read_event(pages).event, id=name)
            rows = labelled(event)
            found.append((name, quality(rows, cited(event, rows, by), by.method)))
    if options.format == "jsonl":
        for _, one in found:
            print(to_json(one))
        return DONE
    table = _quality_table(found)
    print(table.markdown() if options.format == "markdown" else table.text())
    return DONE


def _quality_table(found: "Sequence[tuple[str, Quality]]") -> "Table":
    from metrics.printed import Table

    header = ("event", "precision", "recall", "with a source", "without", "nearest right")
    rows = [
        (
            name,
            _percent(one.precision, one.right, one.cited),
            _percent(one.recall, one.right, one.labelled),
            f"{one.told_supported}/{one.supported}",
            f"{one.told_unsupported}/{one.unsupported}",
            f"{one.near}/{one.without}",
        )
        for name, one in found
    ]
    notes = (
        f"method: {found[0][1].method}",
        "with a source: sentences that have one and were cited with a right one",
        "without: sentences that have none and were marked so",
        "nearest right: sentences with a source, cited without any, whose nearest is a right one",
    )
    return Table(
        header=header, rows=tuple(rows), notes=notes, number_header=header, numbers=tuple(rows)
    )


def _percent(value: float | None, right: int, of: int) -> str:
    return "–" if value is None else f"{100 * value:.1f} ({right}/{of})"


def citer(options: argparse.Namespace, within: ExitStack, folder: "Run | None" = None) -> "Citer":
    """Who cites, as the options say; verdicts and calls are kept in the run `folder`, if any."""
    from baselines.citations import Citer
    from metrics.entailment import Remembering

    if options.nearest is not None and options.nearest < 0:
        raise UsageError(f"--nearest is {options.nearest}: give a number from 0 up")
    if options.entailer == NONE:
        if options.judge_all:
            raise UsageError("--judge-all asks an entailer: name another than none")
        return Citer(None)
    store = folder.folder / "calls.sqlite" if folder and options.judge else None
    entailer = chosen_entailer(options, open_judge(options, within, store))
    say(told(entailer))
    verdicts = folder.folder / "verdicts.sqlite" if folder else None
    kept = within.enter_context(Remembering(entailer, verdicts))
    return Citer(kept, judge_all=options.judge_all, nearest=options.nearest)
