"""Summarize documents of an event: every prefix in time, with what its sources repeat,
leave out and contradict.

Each input is one event: a documents.jsonl, or anything `globesumm read` takes; or it is a file of
events, as `globesumm events` writes it.  Without --model
the extractive merge does it; with one, the GlobeSumm method (crs.kis-clp.protocol) or the
--recipe named.  The same command goes on where it was stopped; finished calls are not repeated.

Examples:
  globesumm summarize documents.jsonl --out runs/mine
  globesumm summarize documents.jsonl --model gpt-4o --out runs/gpt --dry-run
  globesumm summarize documents.jsonl --model llama3:8b --base-url http://127.0.0.1:11434 --out r
  globesumm summarize documents.jsonl --model gpt-4o --recipe sts.none.direct.rerank --out r
  globesumm summarize later.jsonl --append --out runs/mine

"""

import argparse
from contextlib import ExitStack, nullcontext
from dataclasses import fields, replace
from difflib import SequenceMatcher
from pathlib import Path

from annotation.plan import PlannedStep
from globesumm import config
from globesumm.cli.accounts import tell_account
from globesumm.cli.drafting import STORE, add_draft_options, drafting, say_blind, say_cautions
from globesumm.cli.experiment_events import holds_events, read_events
from globesumm.cli.growing import add_append_options, append
from globesumm.cli.inputs import read_event, target_language
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.modelling import (
    add_model_options,
    author,
    opened,
    spent,
    unopened,
    watching,
    with_model,
)
from globesumm.config import Experiment
from globesumm.errors import UnknownName, UsageError
from globesumm.finite import counted
from globesumm.llm.errors import LimitReached
from globesumm.progress import say, track, visible
from globesumm.values import Event, Recipe, Rejected


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="*", metavar="DOCUMENTS", help="one event each")
    parser.add_argument("--out", type=Path, required=True, metavar="RUN", help="the run folder")
    parser.add_argument("--config", metavar="NAME|FILE", help="an experiment (see configs/)")
    parser.add_argument("--recipe", action="append", metavar="NAME", help="may be repeated")
    parser.add_argument("--target", metavar="CODE", help="the language to write (en)")
    parser.add_argument("--max-words", type=int, metavar="N", help="of every round's summary (250)")
    parser.add_argument("--seed", type=int, metavar="N")
    parser.add_argument("--format", metavar="FORM", help="of the inputs, as for globesumm read")
    parser.add_argument(
        "--reference",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="a human summary to score against; may be repeated (with one input)",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and stop")
    add_model_options(parser)
    add_draft_options(parser)
    add_append_options(parser)


def run(options: argparse.Namespace) -> int:
    from baselines.experiment import carry_out, settings
    from baselines.planned import asked, planned_calls
    from globesumm.runs import Run

    if options.append:
        return append(options)
    if options.event or options.redo:
        given = "--event" if options.event else "--redo"
        raise UsageError(f"{given} goes with --append, which folds articles into a finished event")
    experiment = _experiment(options)
    events, rejected = _events(options, experiment)
    modelled = bool(options.model) and not _is_alias(options.model)
    model = (unopened if options.dry_run else opened)(options) if modelled else None
    writer = author(options, model, experiment.seed) if model else None
    with ExitStack() as within:
        drawn = drafting(options, experiment.drafts, within)
        decided = settings(experiment, events, writer, drawn)
        planned = planned_calls(experiment, events, writer, drawn) if writer else []
    say_cautions(drawn.settings, _methods(experiment))
    if options.dry_run:
        return _dry_run(experiment, events, planned)
    if model:
        model.check()
    folder = Run.start(options.out, decided)
    with folder.alone():
        folder.write_events(events, rejected)
        if writer is None:
            outcome = carry_out(folder, experiment, track)
        else:
            calls = sum(step.calls for _, step in planned)
            with ExitStack() as within, opened(options, options.out / STORE) as kept:
                drawn = drafting(options, experiment.drafts, within, writer=kept)
                try:
                    with watching(kept, calls) if calls else nullcontext():
                        outcome = carry_out(
                            folder,
                            experiment,
                            author=with_model(writer, kept),
                            at_once=options.at_once,
                            drafting=drawn,
                        )
                except LimitReached:
                    told = asked(folder, experiment, with_model(writer, kept), drawn)
                    tell_account(told, folder.folder)
                    raise
                say(f"this time: {spent(kept.totals)}")
                say(f"whole run: {spent(kept.run_totals())}")
                told = asked(folder, experiment, with_model(writer, kept), drawn)
            tell_account(told, folder.folder)
    for summary in folder.summaries():
        head = f"# {summary.event} by {summary.recipe} ({summary.model})"
        print(visible(f"{head}\n\n{summary.text}\n"))
    if outcome.kept:
        say(f"{counted(outcome.kept, 'summary')} there already")
    if _methods(experiment):
        say_blind(folder.summaries(), options.out)
    for failure in folder.failures():
        say(f"failed: {failure.where}: {failure.reason}")
    say(f"run folder: {options.out}; next: globesumm score {options.out}")
    return DONE_WITH_FAILURES if outcome.failed or rejected else DONE


def _methods(experiment: Experiment) -> list[str]:
    """The methods of drafts that its recipes take."""
    from baselines.recipes import parse_recipe

    return [found for name in experiment.recipes if (found := parse_recipe(name).drafts)]


def _experiment(options: argparse.Namespace) -> Experiment:
    from baselines.recipes import MODEL_DEFAULT, parse_recipe

    experiment = config.load(options.config) if options.config else Experiment()
    _check_whole(experiment, options.config)
    if options.recipe:
        experiment = replace(experiment, recipes=tuple(options.recipe))
    elif options.model and not _is_alias(options.model) and not options.config:
        experiment = replace(experiment, recipes=(MODEL_DEFAULT,))
    if options.max_words is not None and options.max_words < 1:
        raise UsageError(f"--max-words is {options.max_words}: give a number from 1 up")
    try:
        experiment = replace(
            experiment,
            recipes=tuple(str(parse_recipe(name)) for name in experiment.recipes),
            target=target_language(options.target or experiment.target),
            seed=experiment.seed if options.seed is None else options.seed,
            inputs=tuple(options.inputs) or experiment.inputs,
            max_words=experiment.max_words if options.max_words is None else options.max_words,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not experiment.inputs:
        raise UsageError("no documents: name a documents.jsonl, or a folder of pages")
    return experiment


TAKEN = ("inputs", "recipes", "target", "max_words", "seed", "metrics", "drafts")
"""What of an experiment file decides here; a file with more is a grid's."""


def _check_whole(experiment: Experiment, name: str | None) -> None:
    """Refuse an experiment of which only a part would be carried out."""
    plain = Experiment()
    more = [
        field.name
        for field in fields(experiment)
        if field.name not in TAKEN and getattr(experiment, field.name) != getattr(plain, field.name)
    ]
    if experiment.drafts.judge:
        more.append("drafts.judge")
    if "all" in experiment.recipes:
        more = ['recipes = "all"', *more]
    if more:
        raise UsageError(
            f"--config {name} says more than summarize carries out ({', '.join(more)}): "
            f"globesumm grid {name} does it; or name recipe and model with --recipe and --model"
        )


def _is_alias(model: str) -> bool:
    """Whether the name stands for a recipe without a model; a slip of it is told."""
    from baselines.recipes import MODEL_ALIASES

    name = model.casefold()
    for alias in MODEL_ALIASES:
        if name != alias and SequenceMatcher(None, name, alias).ratio() > 0.8:
            raise UnknownName("model", model, MODEL_ALIASES)
    return name in MODEL_ALIASES


def _events(
    options: argparse.Namespace, experiment: Experiment
) -> tuple[list[Event], list[Rejected]]:
    if options.reference and len(experiment.inputs) > 1:
        raise UsageError("--reference goes with one input: score other events with their own run")
    references = [_reference(path) for path in options.reference]
    events: list[Event] = []
    rejected: list[Rejected] = []
    for source in experiment.inputs:
        if options.format is None and holds_events(source):
            found, refused = read_events((source,))
            if references and len(found) > 1:
                raise UsageError(f"--reference goes with one event, and {source} has {len(found)}")
            events += [replace(one, references=(*one.references, *references)) for one in found]
            rejected += refused
        else:
            one = read_event(source, form=options.format, references=references)
            events.append(one.event)
            rejected += one.rejected
    names = [event.id for event in events]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"two inputs are called {', '.join(twice)}: rename one")
    return events, rejected


def _dry_run(
    experiment: Experiment, events: list[Event], planned: list[tuple[Recipe, PlannedStep]]
) -> int:
    documents = sum(len(event.documents) for event in events)
    print(
        f"{counted(len(events), 'event')} with {counted(documents, 'document')} x "
        f"{counted(len(experiment.recipes), 'recipe')} "
        f"= {counted(len(events) * len(experiment.recipes), 'summary')}"
    )
    if not planned:
        print("0 model calls, no cost")
        return DONE
    print(f"{'recipe':<34} {'step':<24} {'calls':>7} {'prompt tokens':>14} {'answer tokens':>14}")
    for recipe, step in planned:
        most = "<=" if step.early else ""
        print(
            f"{recipe!s:<34} {step.step:<24} {most + str(step.calls):>7} {step.prompt_tokens:>14} "
            f"{step.answer_tokens:>14}"
        )
    calls = sum(step.calls for _, step in planned)
    prompt = sum(step.prompt_tokens for _, step in planned)
    answer = sum(step.answer_tokens for _, step in planned)
    early = any(step.early for _, step in planned)
    most = f"<={calls}" if early else f"{calls}"
    print(f"{'in all':<34} {'':<24} {most:>7} {prompt:>14} {answer:>14}")
    print("calls are exact while every answer is usable; tokens are estimates")
    if early:
        print("<=: not made where a model finds nothing to change, or where drafts are one text")
    return DONE


def _reference(path: Path) -> str:
    from globesumm.text.clean import decode

    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: cannot be read (no regular file)")
    try:
        text = decode(path.read_bytes()).text.strip()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    if not any(character.isalpha() for character in text):
        raise UsageError(f"{path}: holds no text to score against: write a summary into it")
    return text
