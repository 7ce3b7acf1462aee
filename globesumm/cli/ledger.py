"""Every conflict over the rounds of a run: who says what, why, and what became of it.

For each conflict: the competing statements with outlet, language, country and time, the cause
and the strategy as far as a round judged them, the rounds in which it arose and was settled,
and what the last summary does about it, with its words.  By rules that read figures and
negations and compare sentence vectors; with --judge a model is asked, one question a round.
Everything goes to RUN/ledger.jsonl; --plots draws figures over time.

Examples:
  globesumm ledger runs/demo --recipe crs.none.extractive
  globesumm ledger runs/gpt --judge gpt-4o-mini --plots runs/gpt/plots --format markdown
  globesumm ledger --sample marrakesh-earthquake

"""

import argparse
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.cite import FORMS, add_choice, chosen
from globesumm.cli.judging import (
    add_entailer_options,
    add_judge_options,
    chosen_entailer,
    open_judge,
    told,
)
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say, track
from globesumm.records import to_json
from globesumm.values import Event, Summary

if TYPE_CHECKING:
    from baselines.ledger import Entry
    from globesumm.runs import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", type=Path, metavar="RUN")
    parser.add_argument(
        "--sample",
        metavar="EVENT",
        help="instead of a run: round records written by hand about a sample event",
    )
    add_choice(parser)
    parser.add_argument("--format", choices=FORMS, default="text", help="(text)")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="figures over time, as SVG")
    add_entailer_options(parser, "vector")
    add_judge_options(parser)


def run(options: argparse.Namespace) -> int:
    from baselines.ledger import Nearness, ledger
    from baselines.ledger.judging import ModelJudge
    from baselines.ledger.written import write_ledger
    from globesumm.runs import Run
    from metrics.entailment import Remembering

    if (options.run is None) == (options.sample is None):
        raise UsageError("name either a RUN folder or --sample EVENT")
    with ExitStack() as within:
        folder = Run.open(options.run) if options.run else None
        if folder:
            within.enter_context(folder.alone())
        summaries, events = _subjects(options, folder)
        store = folder.folder / "calls.sqlite" if folder and options.judge else None
        judge = open_judge(options, within, store)
        entailer = chosen_entailer(options, judge)
        say(told(entailer))
        verdicts = folder.folder / "verdicts.sqlite" if folder else None
        near = Nearness(within.enter_context(Remembering(entailer, verdicts)))
        asked = ModelJudge(judge) if judge else None
        made = [
            ledger(summary, events[summary.event], near, asked)
            for summary in track(summaries, "ledgers", len(summaries))
        ]
        entries = [entry for some in made for entry in some]
        if folder:
            path = write_ledger(folder, [(one.event, one.recipe) for one in summaries], entries)
    for summary, some in zip(summaries, made, strict=True):
        _show(options, summary, events[summary.event], some)
    if folder:
        say(f"{counted(len(entries), 'conflict')}: {path}")
    unjudged = any(entry.final.treatment is None for entry in entries)
    return DONE_WITH_FAILURES if unjudged else DONE


def _show(
    options: argparse.Namespace, summary: Summary, event: Event, entries: "list[Entry]"
) -> None:
    from baselines.ledger.figures import courses, draw
    from baselines.ledger.written import markdown, text
    from globesumm.runs import file_name

    over_time = courses(entries, summary, event)
    if options.format == "jsonl":
        for entry in entries:
            print(to_json(entry))
    else:
        shown = markdown if options.format == "markdown" else text
        title = (
            f"{summary.event} by {summary.recipe} ({', '.join([summary.model, *summary.notes])})"
        )
        print(shown(entries, over_time, title))
    if options.plots:
        for course in over_time:
            name = f"{file_name(summary.recipe)}-{file_name(summary.event)}-{course.entry}.svg"
            draw(course, options.plots / name)
            say(f"drawn: {options.plots / name}")
        if not over_time:
            say(f"no plot of {summary.event}: no conflict is about figures at two times or more")


def _subjects(
    options: argparse.Namespace, folder: "Run | None"
) -> tuple[list[Summary], dict[str, Event]]:
    if folder is not None:
        return chosen(folder, options.event, options.recipe)
    from baselines.ledger.written_rounds import names, written_rounds
    from globesumm import samples
    from globesumm.cli.inputs import read_event
    from globesumm.errors import UnknownName

    if options.event or options.recipe:
        raise UsageError("--event and --recipe choose within a RUN: leave them out with --sample")
    if options.sample not in names():
        raise UnknownName("sample with hand-written rounds", options.sample, names())
    event = replace(read_event(str(samples.load(options.sample).pages)).event, id=options.sample)
    return [written_rounds(event)], {event.id: event}
