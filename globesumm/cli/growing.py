"""What ``globesumm summarize --append`` does: new articles into a finished event."""

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from globesumm.cli.drafting import STORE, drafting
from globesumm.cli.inputs import read_event, target_language
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.modelling import author, opened, spent, unopened, with_model
from globesumm.config import Experiment
from globesumm.errors import GlobeSummError, RunMismatch, UnknownName, UsageError
from globesumm.finite import counted
from globesumm.progress import say, visible
from globesumm.runs import PARTS, Run
from globesumm.values import Document, Event, Recipe, Rejected, Summary

if TYPE_CHECKING:
    from annotation.author import Author
    from baselines.growing import Fold, Taken
    from baselines.recipes import Drafting


def add_append_options(parser: argparse.ArgumentParser) -> None:
    """The options that fold new articles into a finished run."""
    group = parser.add_argument_group("new articles of an event whose run is finished")
    group.add_argument(
        "--append",
        action="store_true",
        help="fold DOCUMENTS into the event of --out as its next rounds; earlier ones are kept",
    )
    group.add_argument("--event", metavar="ID", help="the event, where the run has several")
    group.add_argument(
        "--redo",
        action="store_true",
        help="take also articles older than the last one; rounds are made again from their place",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """What became of one growth: `fresh` are the ids that are new to `event`.

    `waiting` summaries did not cover all of it; whether any of them `failed` to grow.
    """

    event: Event
    fresh: tuple[str, ...]
    waiting: int
    failed: bool


def append(options: argparse.Namespace) -> int:
    """Fold the documents named into one event of the run; see `add_append_options`."""
    from baselines.growing import keep_rejected

    _check(options)
    folder = Run.open(options.out)
    _experiment(options, folder)
    with folder.alone():
        event = _event(options, folder)
        documents, rejected = _documents(options)
        done = fold_in(options, folder, event, documents)
        if not options.dry_run:
            keep_rejected(folder, rejected)
    if not done.waiting:
        say(f"nothing to fold: every summary of {event.id} speaks for all its documents")
    return DONE_WITH_FAILURES if done.failed or rejected else DONE


def fold_in(
    options: argparse.Namespace, folder: Run, event: Event, documents: Sequence[Document]
) -> Folded:
    """Fold `documents` into `event` of the run `folder`, which the caller holds alone.

    Summaries that an earlier call left ungrown are grown too.
    """
    from baselines.growing.folding import covers
    from baselines.growing.record import write_grown
    from baselines.growing.taking import take

    experiment = _experiment(options, folder)
    with ExitStack() as within:
        taken = take(event, documents)
        waiting = [
            one
            for one in folder.summaries()
            if one.event == event.id and not covers(one, taken.event)
        ]
        _tell(options, taken)
        recipes = [one.recipe for one in waiting]
        writer, drawn = _same_settings(options, experiment, folder, within, recipes)
        failed = False
        if options.dry_run:
            _dry_run(taken, waiting)
        else:
            if taken.fresh:
                write_grown(folder, taken.event)
            failed = _fold_all(
                options,
                experiment,
                folder,
                within,
                event=taken.event,
                waiting=waiting,
                writer=writer,
                drawn=drawn,
            )
    return Folded(event=taken.event, fresh=taken.fresh, waiting=len(waiting), failed=failed)


def _fold_all(
    options: argparse.Namespace,
    experiment: Experiment,
    folder: Run,
    within: ExitStack,
    *,
    event: Event,
    waiting: Sequence[Summary],
    writer: "Author | None",
    drawn: "Drafting",
) -> bool:
    """Fold what is new into each summary, and say what changed; whether any failed."""
    from baselines.growing import Growth, fold, keep
    from baselines.recipes import maker, needs_model, parse_recipe
    from globesumm.llm.errors import ModelError

    kept = None
    if writer is not None and any(needs_model(parse_recipe(one.recipe)) for one in waiting):
        kept = within.enter_context(opened(options, options.out / STORE))
        kept.check()
        writer = with_model(writer, kept)
        drawn = drafting(options, experiment.drafts, within, writer=kept)
    failed = False
    for earlier in waiting:
        recipe: Recipe = parse_recipe(earlier.recipe)
        by = maker(recipe, experiment.seed, writer, drafting=drawn)
        try:
            made = fold(event, earlier, by, max_words=experiment.max_words, seed=experiment.seed)
        except ModelError:
            raise
        except GlobeSummError as error:
            # Its earlier summary is there and counts, so it is no failure of the run's.
            failed = True
            say(f"failed: {earlier.recipe} on {event.id}: {error}; its earlier summary stays")
            continue
        held = set(earlier.rounds[-1].documents) if earlier.rounds else set()
        growth = Growth(
            event=event.id,
            recipe=earlier.recipe,
            added=tuple(name for name in made.summary.rounds[-1].documents if name not in held),
            kept=made.kept,
            made=made.made,
            changes=made.changes,
        )
        dropped = keep(folder, growth)
        folder.write_summary(made.summary)
        _print(growth.added, earlier, made)
        if dropped:
            say(f"no longer of this text, so dropped from {', '.join(dropped)}: make them anew")
    if kept is not None:
        say(f"this time: {spent(kept.totals)}")
    return failed


def _print(added: Sequence[str], earlier: Summary, made: "Fold") -> None:
    marks = {"kept": " ", "added": "+", "removed": "-", "reworded": "~"}
    if earlier.recipe.startswith("sts."):
        rounds = "single turn: its one round was made again over all documents"
    else:
        rounds = f"{counted(made.kept, 'round')} kept, {made.made} made"
    lines = [f"# {earlier.event} by {earlier.recipe}: {', '.join(added)} folded in; {rounds}", ""]
    for change in made.changes:
        if change.kind == "reworded":
            lines += [f"~ {change.before}", f"  became: {change.after}"]
        else:
            lines.append(f"{marks[change.kind]} {change.after or change.before}")
    print(visible("\n".join([*lines, ""])))


def _tell(options: argparse.Namespace, taken: "Taken") -> None:
    if taken.known:
        say(f"there already, not folded again: {', '.join(taken.known)}")
    if not taken.early:
        return
    if not options.redo:
        raise UsageError(
            f"{', '.join(taken.early)}: older than the event's last article (or dated, where that "
            "has no date), so the rounds from there on would have to be made again: --redo makes "
            "them, or leave these articles out"
        )
    say(f"older than the last article, so rounds are made again from there: {taken.early[0]}")


def _dry_run(taken: "Taken", waiting: Sequence[Summary]) -> None:
    from annotation.passages import in_order

    names = [document.id for document in in_order(taken.event.documents)]
    first = min((names.index(name) for name in (*taken.early, *taken.fresh)), default=len(names))
    for one in waiting:
        total = max(1, len(names) - 1)
        if one.recipe.startswith("sts."):
            told = f"its one round again, over {counted(len(names), 'document')}"
        else:
            still = max(0, min(first - 1, len(one.rounds)))
            told = f"{counted(still, 'round')} kept, {total - still} to make"
        print(f"{one.event} by {one.recipe}: {told}")


def _check(options: argparse.Namespace) -> None:
    if options.config or options.reference:
        given = "--config" if options.config else "--reference"
        raise UsageError(f"{given} does not go with --append: the run's own settings hold")
    if not options.inputs:
        raise UsageError("no documents: name the new articles, a documents.jsonl or a page")


def _experiment(options: argparse.Namespace, folder: Run) -> Experiment:
    """The run's own settings, with what the command line says in their place, to be compared."""
    held = folder.record().settings
    recipes, target = held.get("recipes"), held.get("target")
    words, seed = held.get("max_words"), held.get("seed") or 0
    whole = isinstance(recipes, str) and isinstance(target, str)
    whole = whole and type(words) is int and type(seed) is int  # True is no number
    if not whole or options.out.resolve().parent.name == PARTS:
        raise UsageError(
            f"{options.out} is no run of globesumm summarize: only such a run can grow"
        )
    try:
        return replace(
            Experiment(),
            recipes=tuple(options.recipe or str(recipes).split()),
            target=target_language(options.target or str(target)),
            max_words=int(str(words)) if options.max_words is None else options.max_words,
            seed=int(str(seed)) if options.seed is None else options.seed,
        )
    except ValueError as error:
        raise UsageError(f"{options.out} cannot grow so: {error}") from error


def _event(options: argparse.Namespace, folder: Run) -> Event:
    events = {event.id: event for event in folder.events()}
    if options.event is not None:
        if options.event not in events:
            raise UnknownName("event", options.event, events, where=str(options.out))
        return events[options.event]
    if not events:
        raise UsageError(f"{folder.events_path} holds no event: name a run that holds one")
    if len(events) != 1:
        raise UsageError(
            f"{options.out} holds {len(events)} events: name the one that grows with --event "
            f"({', '.join(list(events)[:5])})"
        )
    return next(iter(events.values()))


def _documents(options: argparse.Namespace) -> tuple[list[Document], list[Rejected]]:
    found: list[Document] = []
    rejected: list[Rejected] = []
    for source in options.inputs:
        one = read_event(source, form=options.format)
        found += one.event.documents
        rejected += one.rejected
    return found, rejected


def _same_settings(
    options: argparse.Namespace,
    experiment: Experiment,
    folder: Run,
    within: ExitStack,
    recipes: Sequence[str],
) -> "tuple[Author | None, Drafting]":
    """Who writes, after it is sure that the run was made by the same; else `RunMismatch`."""
    from baselines.experiment import settings
    from baselines.recipes import needs_model, parse_recipe

    modelled = options.model is not None and options.model.casefold() != "extractive"
    if not modelled and any(needs_model(parse_recipe(one)) for one in recipes):
        raise UsageError(
            f"{options.out} was made with a model ({folder.record().settings.get('models')}): "
            "name it with --model, and with the options of the first command"
        )
    writer = None
    if modelled:
        model = unopened(options) if options.dry_run else opened(options)
        writer = author(options, within.enter_context(model), experiment.seed)
    drawn = drafting(options, experiment.drafts, within)
    asked = settings(experiment, folder.events(), writer, drawn)
    held = folder.record().settings
    differing = [
        f"{name}: {held.get(name)!r} there, {asked.get(name)!r} asked"
        for name in sorted(held.keys() | asked.keys())
        if name not in {"data", "events"} and held.get(name) != asked.get(name)
    ]
    if differing:
        raise RunMismatch(str(options.out), differing)
    return writer, drawn
