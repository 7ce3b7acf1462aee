"""Summarize documents of an event: every prefix in time, with what its sources repeat,
leave out and contradict.

Each input is one event: a documents.jsonl, or anything `globesumm read` takes.  The same
command goes on where it was stopped.

Examples:
  globesumm summarize documents.jsonl --out runs/mine
  globesumm summarize pages/ --recipe crs.none.lead --target de --max-words 120 --out runs/lead

"""

import argparse
from dataclasses import replace
from pathlib import Path

from globesumm import config
from globesumm.cli.inputs import read_event, target_language
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.progress import say, track


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="*", metavar="DOCUMENTS", help="one event each")
    parser.add_argument("--out", type=Path, required=True, metavar="RUN", help="the run folder")
    parser.add_argument("--config", metavar="NAME|FILE", help="an experiment (see configs/)")
    parser.add_argument("--recipe", action="append", metavar="NAME", help="may be repeated")
    parser.add_argument("--model", metavar="NAME", help="extractive needs no model and is default")
    parser.add_argument("--target", metavar="CODE", help="the language to write (en)")
    parser.add_argument("--max-words", type=int, metavar="N", help="of every round's summary (250)")
    parser.add_argument("--seed", type=int, metavar="N")
    parser.add_argument("--format", metavar="FORM", help="of the inputs, as for globesumm read")
    parser.add_argument(
        "--reference", action="append", type=Path, default=[], metavar="FILE",
        help="a human summary to score against; may be repeated (with one input)",
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and stop")


def run(options: argparse.Namespace) -> int:
    from baselines.experiment import carry_out, settings
    from baselines.recipes import MODEL_ALIASES, parse_recipe
    from globesumm.errors import UnknownName
    from globesumm.runs import Run

    experiment = config.load(options.config) if options.config else config.Experiment()
    if options.recipe:
        experiment = replace(experiment, recipes=tuple(options.recipe))
    if options.model and options.model.casefold() not in MODEL_ALIASES:
        raise UnknownName("model", options.model, MODEL_ALIASES)
    experiment = replace(
        experiment,
        recipes=tuple(str(parse_recipe(name)) for name in experiment.recipes),
        target=target_language(options.target or experiment.target),
        seed=experiment.seed if options.seed is None else options.seed,
        inputs=tuple(options.inputs) or experiment.inputs,
    )
    if options.max_words is not None:
        if options.max_words < 1:
            raise UsageError(f"--max-words is {options.max_words}: give a number from 1 up")
        experiment = replace(experiment, max_words=options.max_words)
    if not experiment.inputs:
        raise UsageError("no documents: name a documents.jsonl, or a folder of pages")
    if options.reference and len(experiment.inputs) > 1:
        raise UsageError("--reference goes with one input: score other events with their own run")
    references = [_reference(path) for path in options.reference]
    inputs = [
        read_event(source, form=options.format, references=references)
        for source in experiment.inputs
    ]
    events = [one.event for one in inputs]
    rejected = [refusal for one in inputs for refusal in one.rejected]
    twice = {event.id for event in events if [other.id for other in events].count(event.id) > 1}
    if twice:
        raise UsageError(f"two inputs are called {', '.join(sorted(twice))}: rename one")
    if options.dry_run:
        documents = sum(len(event.documents) for event in events)
        print(
            f"{len(events)} events with {documents} documents x {len(experiment.recipes)} recipes "
            f"= {len(events) * len(experiment.recipes)} summaries; 0 model calls, no cost"
        )
        return DONE
    folder = Run.start(options.out, settings(experiment, events))
    with folder.alone():
        folder.write_events(events, rejected)
        outcome = carry_out(folder, experiment, track)
    for summary in folder.summaries():
        print(f"# {summary.event} by {summary.recipe} ({summary.model})\n\n{summary.text}\n")
    if outcome.kept:
        say(f"{outcome.kept} summaries were there already")
    for failure in folder.failures():
        say(f"failed: {failure.where}: {failure.reason}")
    say(f"run folder: {options.out}; next: globesumm score {options.out}")
    return DONE_WITH_FAILURES if outcome.failed or rejected else DONE


def _reference(path: Path) -> str:
    from globesumm.text.clean import decode

    try:
        return decode(path.read_bytes()).text.strip()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
