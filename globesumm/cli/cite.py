"""Which sentences of which documents each sentence of a summary rests on.

Sentences that the merge took from documents are cited exactly.  All others are held against
every sentence of the documents by an entailer: sentence vectors (the default, a stand-in that
needs no model), shared words, a trained model of entailment, or a model that is asked.  What no
document is found to say is marked, with the nearest sentence beside it.  Everything goes to
RUN/citations.jsonl, verdicts to RUN/verdicts.sqlite, and nothing is asked twice.

Examples:
  globesumm cite runs/mine
  globesumm cite runs/gpt --recipe crs.kis-clp.protocol --entailer judge --judge gpt-4o-mini
  globesumm cite runs/mine --entailer mdeberta-xnli --entailer-path models/mdeberta --prefixes

"""

import argparse
from contextlib import ExitStack
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
from globesumm.progress import say, track
from globesumm.records import to_json
from globesumm.values import Event, Summary

if TYPE_CHECKING:
    from baselines.citations import Citer
    from globesumm.runs import Run

FORMS = ("text", "markdown", "jsonl")

NONE = "none"
"""The name for no entailer: only what the merge itself names is cited."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN")
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

    folder = Run.open(options.run)
    summaries, events = chosen(folder, options.event, options.recipe)
    with folder.alone(), ExitStack() as within:
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
    say(f"{len(made)} sentences cited: {path}")
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
        raise UsageError(f"{folder.folder} holds no summary yet: globesumm summarize makes them")
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


def citer(options: argparse.Namespace, within: ExitStack, folder: "Run") -> "Citer":
    """Who cites, as the options say; verdicts and calls are kept in the run folder."""
    from baselines.citations import Citer
    from metrics.entailment import Remembering

    if options.nearest is not None and options.nearest < 0:
        raise UsageError(f"--nearest is {options.nearest}: give a number from 0 up")
    if options.entailer == NONE:
        if options.judge_all:
            raise UsageError("--judge-all asks an entailer: name another than none")
        return Citer(None)
    judge = open_judge(options, within, folder.folder / "calls.sqlite" if options.judge else None)
    entailer = chosen_entailer(options, judge)
    say(told(entailer))
    kept = within.enter_context(Remembering(entailer, folder.folder / "verdicts.sqlite"))
    return Citer(kept, judge_all=options.judge_all, nearest=options.nearest)
