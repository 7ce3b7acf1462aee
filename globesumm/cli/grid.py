"""Plan and run a grid: every recipe x model of an experiment file, each distinct call once.

CONFIG is a file or a shipped name: smoke, paper-table5, ablation, scale.  See what it will ask
and cost with --dry-run.  The same command goes on where it was stopped; finished calls are not
repeated.  At the end stand the scores and the tables in RUN/tables.

Examples:
  globesumm grid smoke
  globesumm grid paper-table5 data/globesumm.jsonl --dry-run
  globesumm grid mine.toml --out runs/mine --only 'crs.*.protocol'
  globesumm grid mine.toml --out runs/mine --fork runs/other-prompts

"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from globesumm import config
from globesumm.cli.accounts import tell_account
from globesumm.cli.drafting import say_blind, say_cautions
from globesumm.cli.experiment_events import each_event
from globesumm.cli.main import DONE, DONE_WITH_FAILURES, INTERRUPTED, REFUSED
from globesumm.cli.modelling import spent
from globesumm.cli.planned import print_plan
from globesumm.config import Experiment
from globesumm.errors import UnknownName, UsageError
from globesumm.finite import counted
from globesumm.progress import say, track
from globesumm.records import write_records
from globesumm.values import Rejected

if TYPE_CHECKING:
    from baselines.grid.authors import OpenedRows
    from baselines.grid.by_batch import Handed
    from baselines.grid.carry_out import Outcome
    from baselines.grid.cells import Cell
    from baselines.grid.event_file import EventFile
    from baselines.grid.folder import GridFolder
    from baselines.grid.plan import GridPlan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG", help="a file, or a name from configs/")
    parser.add_argument("inputs", nargs="*", metavar="DOCUMENTS", help="in place of its inputs")
    parser.add_argument("--out", type=Path, metavar="RUN", help="the run folder (runs/CONFIG)")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and stop")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="GLOB",
        help="cells to make now: of recipes, models or 'RECIPE by PART'; may be repeated",
    )
    parser.add_argument(
        "--retry-failed", action="store_true", help="take up again what failed before"
    )
    parser.add_argument(
        "--replay", action="store_true", help="answer from the call store alone, with no network"
    )
    parser.add_argument(
        "--fork", type=Path, metavar="NEW", help="a new run folder that takes over the calls of RUN"
    )
    parser.add_argument(
        "--no-wait",
        action="store_true",
        help="leave batches with their servers; the same command collects them later",
    )
    parser.add_argument("--at-once", type=int, metavar="N", help="calls in flight")


def run(options: argparse.Namespace) -> int:
    from baselines.grid.cells import cells, parts
    from baselines.grid.folder import STORE
    from baselines.grid.fork import started
    from baselines.grid.plan import plan_grid
    from baselines.grid.same_judge import same_judges
    from baselines.grid.scoring import check_metrics
    from baselines.grid.settings import grid_settings, part_settings

    experiment = _experiment(options)
    check_metrics(experiment)
    for line in same_judges(experiment):
        say(f"note: {line}")
    drafted = [one for cell in cells(experiment) if (one := cell.recipe.drafts)]
    say_cautions(experiment.drafts, drafted)
    chosen = _chosen(cells(experiment), options.only)
    out: Path = options.out or Path("runs") / Path(options.config).stem
    rejected: list[Rejected] = []
    with ExitStack() as within:
        events = within.enter_context(_events(experiment, rejected))
        plan = plan_grid(experiment, events, chosen)
        if options.dry_run:
            print_plan(plan)
            _print_held(out)
            return DONE
        if options.replay and not (out / STORE).is_file():
            raise UsageError(f"{out} holds no calls to answer from: run it without --replay first")
        settings = grid_settings(experiment, events.values())
        folder = started(out, settings, options.fork)
        within.enter_context(folder.alone())
        folder.write_events(events.values(), rejected)
        for part, recipes in parts(cells(experiment)).items():
            folder.part(part, part_settings(experiment, settings, part, recipes))
        outcome = _carried_out(options, experiment, chosen, folder, plan)
        if isinstance(outcome, str):
            say(f"stopped: {outcome}")
            return REFUSED
        if outcome.interrupted:
            return INTERRUPTED
        _print_tables(folder, experiment)
        if drafted:
            made = (one for run in folder.parts().values() for one in run.summaries())
            say_blind(made, folder.path)
    say(f"run folder: {folder.path}; tables: {folder.path / 'tables'}")
    if outcome.stopped is not None:
        say(f"stopped: {outcome.stopped}")
        return REFUSED
    return DONE_WITH_FAILURES if outcome.failed or outcome.skipped or rejected else DONE


def _experiment(options: argparse.Namespace) -> Experiment:
    experiment = config.load(options.config)
    if options.inputs:
        experiment = replace(experiment, inputs=tuple(options.inputs))
    if options.at_once is not None:
        if not 1 <= options.at_once <= 1024:
            raise UsageError(f"--at-once is {options.at_once}: give a number from 1 to 1024")
        limits = replace(experiment.limits, at_once=options.at_once)
        experiment = replace(experiment, limits=limits)
    return experiment


@contextmanager
def _events(experiment: Experiment, rejected: list[Rejected]) -> "Iterator[EventFile]":
    """The events of the experiment as its slice cuts them; what could not be read is `rejected`.

    They lie in a file for the time being, since all of them may be more than memory holds.
    """
    from baselines.grid.event_file import EventFile
    from baselines.grid.slices import Slicing

    slicing = Slicing(experiment.slice)
    with TemporaryDirectory(prefix="globesumm-") as folder:
        path = Path(folder) / "events.jsonl"
        write_records(path, slicing.cut(each_event(experiment.inputs, rejected)))
        for line in slicing.told():
            say(f"[slice] leaves out {line}")
        yield EventFile(path)


def _print_held(out: Path) -> None:
    """What a run folder that is there already holds, for the reader of a plan."""
    from baselines.grid.folder import STORE
    from globesumm.llm.call_store import CallStore
    from globesumm.runs import PARTS

    if not (out / "run.json").is_file():
        return
    summaries = len(list((out / PARTS).glob("*/summaries/*/*.json")))
    answers = 0
    if (out / STORE).is_file():
        store = CallStore(out / STORE, read_only=True)
        answers = len(store)
        store.close()
    print(
        f"{out} holds {counted(summaries, 'summary')} and {counted(answers, 'answer')}, which "
        "are not asked for again"
    )


def _chosen(every: "Sequence[Cell]", globs: Sequence[str]) -> "list[Cell]":
    """The cells that some of `globs` fits by recipe, model, part or whole name; all without any."""

    def names(cell: "Cell") -> tuple[str, ...]:
        return (str(cell.recipe), cell.part.model or "", cell.part.name, str(cell))

    for glob in globs:
        if not any(fnmatchcase(name, glob) for cell in every for name in names(cell)):
            raise UnknownName("cell", glob, dict.fromkeys(n for c in every for n in names(c) if n))
    if not globs:
        return list(every)
    return [
        cell for cell in every if any(fnmatchcase(n, glob) for n in names(cell) for glob in globs)
    ]


def _carried_out(
    options: argparse.Namespace,
    experiment: Experiment,
    chosen: "Sequence[Cell]",
    folder: "GridFolder",
    plan: "GridPlan",
) -> "Outcome | str":
    """Make the summaries and score them; why not, where something stopped it."""
    from baselines.grid.accounting import grid_account
    from baselines.grid.authors import maker_of, opened_models
    from baselines.grid.by_batch import ByBatch
    from baselines.grid.carry_out import carry_out
    from baselines.grid.live import Watch

    with opened_models(experiment, store=folder.store, replay=options.replay) as models:
        watch = Watch(
            lambda: models.meter.totals,
            calls=max(0, plan.calls - models.before.calls + models.before.failed),
            spend=experiment.limits.spend,
            spent_before=models.before.spend,
            currency=experiment.currency,
        )
        batches = ByBatch(folder, experiment, models, wait=not options.no_wait, told=say)
        try:
            if not options.replay and (left := _left(batches.prepare(chosen))):
                return left
            outcome = carry_out(
                folder,
                experiment,
                chosen,
                lambda cell: maker_of(experiment, cell, models),
                watch=watch,
                retry_failed=options.retry_failed,
            )
            _tell(outcome)
            tell_account(grid_account(folder, experiment, plan, chosen), folder.path)
            if outcome.stopped is not None:
                return outcome if outcome.interrupted else outcome.stopped
            if not options.replay and (left := _left(batches.judge())):
                return left
            _score(folder, experiment, models)
            # A cap that kept judges from judging leaves scores out, which a repetition gets.
            outcome = replace(outcome, stopped=models.meter.reached)
        finally:
            say(f"this time: {spent(models.meter.totals)}")
    return outcome


def _left(handed: "Handed") -> str | None:
    """Why the run cannot go on after batches, or None."""
    if handed.stopped is not None:
        return handed.stopped
    if handed.waiting:
        return (
            f"{counted(handed.waiting, 'call')} with their servers as batches: repeat the command "
            "later, "
            "which collects them and goes on"
        )
    return None


def _tell(outcome: "Outcome") -> None:
    told = [f"{counted(outcome.made, 'summary')} made", f"{outcome.kept} there already"]
    told += [f"{outcome.failed} failed"] if outcome.failed else []
    told += [f"{outcome.skipped} of events without text or reference"] if outcome.skipped else []
    told += [f"{outcome.left} left"] if outcome.left else []
    say(", ".join(told))


def _score(folder: "GridFolder", experiment: Experiment, models: "OpenedRows") -> None:
    from baselines.grid.scoring import judged_metrics, score_part
    from baselines.grid.uses import JUDGED_USES, NotedModels, write_judged_uses

    parts, noted = folder.parts(), NotedModels(models)
    # Scores of an earlier version did not say what they rest on.
    again = any(judge.model for judge in experiment.judges) and not (
        (folder.path / JUDGED_USES).exists()
    )
    try:
        with ExitStack() as within:
            events = folder.events().values()
            judged = judged_metrics(experiment, noted, events, folder.path, within)
            for run in track(parts.values(), "scores of parts", len(parts)):
                score_part(run, experiment, judged, again=again)
    finally:
        write_judged_uses(folder.path, noted.answered)


def _print_tables(folder: "GridFolder", experiment: Experiment) -> None:
    from baselines.tables import write_tables

    print(write_tables(folder.path, experiment).text().rstrip("\n"))
