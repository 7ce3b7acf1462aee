"""The sample events from raw pages to a scored report: no key, no network, no model server.

Reads the HTML pages of the sample events (written for this project about real happenings, the
outlets invented), summarizes every prefix in time, reports what the sources repeat, leave out
and contradict, scores the summaries, cites each sentence, follows each conflict over the rounds,
and writes the run folder with report.html.

Examples:
  globesumm demo
  globesumm demo --event titan-submersible --out runs/titan

"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm import config, samples
from globesumm.cli.inputs import read_event
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import print_table
from globesumm.cli.told import print_conflicts, print_documents, print_summary
from globesumm.progress import say, track
from globesumm.values import Event, Issue, IssueKind, Rejected

if TYPE_CHECKING:
    from globesumm.runs import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("runs/demo"), metavar="RUN")
    parser.add_argument("--event", help=f"only this sample ({', '.join(samples.names())})")


def run(options: argparse.Namespace) -> int:
    from baselines.experiment import carry_out, score, settings
    from baselines.recipes import DEFAULT
    from globesumm.report import write_report
    from globesumm.runs import Run

    experiment = config.load("demo")
    events, rejected = _events([options.event] if options.event else samples.names())
    folder = Run.start(options.out, settings(experiment, events))
    with folder.alone():
        folder.write_events(events, rejected)
        outcome = carry_out(folder, experiment, track)
        say("scores (the encoder for Red loads once) ...")
        scores = score(folder, experiment.metrics)
        say("citations and conflict ledger ...")
        checked = _checked(folder, events)
        report = write_report(folder)
    shown = {summary.event: summary for summary in folder.summaries() if summary.recipe == DEFAULT}
    first = events[0]
    print_documents(first)
    if first.id in shown:
        print_summary(shown[first.id])
        print_conflicts(first, shown[first.id])
    for event in events:
        if event.id in shown:
            _print_detection(event, shown[event.id].rounds[-1].issues)
    print("\n## Scores\n")
    print_table(scores)
    print(f"\n{checked}\nrun folder: {options.out}\nreport:     {report}")
    for failure in folder.failures():
        say(f"failed: {failure.where}: {failure.reason}")
    return DONE_WITH_FAILURES if outcome.failed or rejected else DONE


def _checked(folder: "Run", events: Sequence[Event]) -> str:
    """Cite every summary and list every conflict, as `cite` and `ledger` do; both in two lines."""
    from baselines.citations import Citer, Standing, write_citations
    from baselines.ledger import Nearness, ledger
    from baselines.ledger.written import counts, write_ledger
    from metrics.entailment import Remembering, VectorStandIn

    of = {event.id: event for event in events}
    summaries = folder.summaries()
    with Remembering(VectorStandIn(), folder.folder / "verdicts.sqlite") as entailer:
        citer, near = Citer(entailer), Nearness(entailer)
        cited = [line for one in summaries for line in citer.cite(one, of[one.event])]
        entries = [entry for one in summaries for entry in ledger(one, of[one.event], near)]
    write_citations(folder, cited)
    write_ledger(folder, [(one.event, one.recipe) for one in summaries], entries)
    sourced = sum(one.standing is Standing.SUPPORTED for one in cited)
    return (
        f"citations:  {sourced} of {len(cited)} sentences have a source (globesumm cite RUN)\n"
        f"ledger:     {counts(entries)} (globesumm ledger RUN)"
    )


def _events(names: list[str]) -> tuple[list[Event], list[Rejected]]:

    events: list[Event] = []
    rejected: list[Rejected] = []
    for name in names:
        sample = samples.load(name)
        read = read_event(
            str(sample.pages), description=sample.description, references=[sample.reference]
        )
        event = replace(
            read.event, id=sample.id, category=sample.category, conflicts=sample.conflicts
        )
        events.append(event)
        rejected += read.rejected
    return events, rejected


def _print_detection(event: Event, found: Sequence[Issue]) -> None:
    from baselines.detection import compare

    marked = samples.load(event.id).issues
    print(f"\n## What was planted in {event.id}, and what was found\n")
    for kind in IssueKind:
        held = compare(found, marked, kind)
        total = len(held.found) + len(held.missed)
        precision = "-" if held.precision is None else f"{held.precision:.2f}"
        causes = ""
        if kind is IssueKind.CONFLICT:
            parts = (f"{cause} {a}/{b}" for cause, (a, b) in held.by_cause().items())
            causes = f"; by cause: {', '.join(parts)}"
        print(
            f"{kind + ':':<11} {len(held.found)} of {total} planted found; {held.right} of "
            f"{held.reported} reported are among the planted (precision {precision}){causes}"
        )
