"""Annotate a data set: every prefix of every event, with where its reports repeat, leave out and
contradict, and how that is settled (crs.kis-clp.protocol).

EVENTS are files of whole events (the published GlobeSumm layout, events.jsonl), run folders,
sample:NAME, or anything `globesumm read` takes, one event each.  See with --dry-run what it
will ask and cost; the same command goes on where it was stopped.  RUN/annotation.jsonl has the
published layout; RUN/quality.jsonl is what a person should look at.

--check reads files in the published layout and says what is broken, by event and field.
--against scores the issues found between pairs of documents against what people marked: GOLD
names the pairs, which are taken from EVENTS and compared by --recipe.

Examples:
  globesumm annotate events.jsonl --model gpt-4o --out runs/silver --dry-run
  globesumm annotate events.jsonl --model gpt-4o --out runs/silver --most-spend 50
  globesumm annotate globesumm.jsonl --check
  globesumm annotate sample:titan-submersible --against gold.jsonl --out runs/pairs
  globesumm annotate --against multiling --data MultiLing/ --out runs/pairs

"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import target_language
from globesumm.cli.main import DONE, DONE_WITH_FAILURES, INTERRUPTED, REFUSED
from globesumm.cli.modelling import add_model_options
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say

if TYPE_CHECKING:
    from baselines.annotated import Annotated
    from baselines.grid.folder import GridFolder
    from globesumm.config import Experiment

RECIPE = "crs.kis-clp.protocol"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="*", metavar="EVENTS", help="what is annotated")
    parser.add_argument("--out", type=Path, metavar="RUN", help="the run folder")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and stop")
    parser.add_argument("--target", default="en", metavar="CODE", help="language to write (en)")
    parser.add_argument("--max-words", type=int, default=250, metavar="N", help="a summary (250)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="(0)")
    parser.add_argument("--retry-failed", action="store_true", help="take up again what failed")
    parser.add_argument("--replay", action="store_true", help="answer from the call store alone")
    parser.add_argument("--check", action="store_true", help="say what is broken in EVENTS")
    add_model_options(parser)
    group = parser.add_argument_group("scoring against people")
    group.add_argument("--against", metavar="GOLD", help="marks.jsonl, 'sample' or 'multiling'")
    group.add_argument("--data", type=Path, metavar="PATH", help="MultiLing 2011's folder")
    group.add_argument("--recipe", metavar="NAME", help="what compares the pairs")
    group.add_argument(
        "--gold",
        choices=("union", "majority", "intersection"),
        default="majority",
        help="how several annotators make one gold (majority)",
    )
    group.add_argument(
        "--match",
        choices=("overlap", "exact"),
        default="overlap",
        help="the same issue: a sentence in common on every side, or all (overlap)",
    )
    group.add_argument("--inspected", metavar="FILE", help="found right; named as GOLD is")


def run(options: argparse.Namespace) -> int:
    if not options.inputs and not options.against:
        raise UsageError("name what is annotated: files of events, run folders or sample:NAME")
    if options.check:
        from globesumm.cli.published_checks import check_files

        return check_files(options.inputs)
    options.target = target_language(options.target)
    if options.out is None:
        raise UsageError("name the run folder to write to: --out RUN")
    if options.against:
        from globesumm.cli.against import against

        return against(options)
    for name in ("recipe", "inspected", "data"):
        if getattr(options, name):
            raise UsageError(f"--{name} is for scoring: name the marks with --against GOLD")
    if not options.model:
        raise UsageError(f"{RECIPE} is carried out by a model: name it with --model")
    return _annotated(options)


def _annotated(options: argparse.Namespace) -> int:
    from baselines.grid.plan import plan_grid
    from globesumm.cli.experiment_events import read_events
    from globesumm.cli.one_cell import begun, carried_out, experiment_of, print_held
    from globesumm.cli.planned import print_plan

    experiment = experiment_of(options, RECIPE)
    events, rejected = read_events(experiment.inputs)
    plan = plan_grid(experiment, events)
    if options.dry_run:
        print_plan(plan)
        print_held(options.out)
        return DONE
    folder = begun(options, experiment, events, rejected)
    events.clear()
    with folder.alone():
        outcome = carried_out(options, experiment, folder, plan)
        if outcome.interrupted:
            return INTERRUPTED
        written = _written(experiment, folder)
    _print(written, folder)
    if outcome.stopped:
        return REFUSED
    return DONE_WITH_FAILURES if written.left_out or rejected else DONE


def _written(experiment: "Experiment", folder: "GridFolder") -> "Annotated":
    from baselines.annotated import Annotation
    from baselines.grid.authors import author_of, opened_models
    from globesumm.cli.one_cell import cell_of

    cell, [row] = cell_of(experiment), experiment.models
    with opened_models(experiment, store=folder.store, replay=True) as models:
        reader = author_of(experiment, row, models, cell.part.seed)
        made = Annotation(folder, folder.part(cell.part), str(cell.recipe), reader)
        return made.write(_language)


def _language(text: str) -> str | None:
    from retrieval.language import detect

    found = detect(text)
    return (found.outsider or found.language) if found.confident else None


def _print(written: "Annotated", folder: "GridFolder") -> None:
    from baselines.annotated import ANNOTATION, LEFT_OUT, QUALITY

    print(
        f"{written.events} of {counted(written.of, 'event')}, "
        f"{counted(written.rounds, 'round')} in {ANNOTATION}"
    )
    told = written.counts
    for name in ("issues", "strategies"):
        print(f"{told.get(name, 0)} {name}, {told.get(f'{name} linked', 0)} linked to the text")
    for total in written.quality:
        untold = f"; {total.untold} could not be told" if total.untold else ""
        print(
            f"{total.check}: {total.flagged} of {counted(total.made, 'field')} "
            f"flagged{untold} ({QUALITY})"
        )
    for one in written.left_out[:5]:
        say(f"left out: {one.where}: {one.reason}")
    if len(written.left_out) > 5:
        say(f"left out: {len(written.left_out) - 5} more ({folder.path / LEFT_OUT})")
    say(f"run folder: {folder.path}")
