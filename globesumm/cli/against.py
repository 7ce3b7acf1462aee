"""Issues found between pairs of documents against what people marked, printed as tables."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.main import DONE, DONE_WITH_FAILURES, INTERRUPTED, REFUSED
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say
from globesumm.records import read_record, write_records
from globesumm.values import Event, Rejected, Summary

if TYPE_CHECKING:
    from baselines.grid.folder import GridFolder
    from baselines.pairs import Judged
    from globesumm.config import Experiment
    from metrics.marks import Marked
    from metrics.where import Inspected

FREE, ASKING = "crs.none.extractive", "crs.none.protocol"
"""The recipes without and with a model, where none is named."""

TO_INSPECT, RESULTS = "to-inspect.jsonl", "where.jsonl"


def against(options: argparse.Namespace) -> int:
    """Compare every pair of the gold by one recipe, and print how it did."""
    from annotation.agreement import SHIPPED
    from baselines.grid.plan import plan_grid
    from baselines.pairs import pair_events
    from baselines.recipes import needs_model, parse_recipe
    from globesumm.cli.one_cell import begun, carried_out, experiment_of, print_held
    from globesumm.cli.planned import print_plan
    from metrics.marks import read_marks
    from metrics.where import read_inspected

    recipe = parse_recipe(options.recipe or (ASKING if options.model else FREE))
    if recipe.pipeline != "none":
        raise UsageError(
            f"{recipe}: people marked the documents' own sentences, and this recipe compares "
            "others; take one without a pipeline, such as crs.none.protocol"
        )
    if needs_model(recipe) and not options.model:
        raise UsageError(f"{recipe} is carried out by a model: name it with --model")
    shipped = SHIPPED.get(options.against)
    marked = read_marks(shipped.marks if shipped else Path(options.against))
    said = options.inspected
    looked = SHIPPED.get(said or "")
    sheet = looked.inspections if looked else Path(said) if said else None
    inspected = read_inspected(sheet) if sheet else []
    strangers = {one.pair for one in inspected} - {one.pair for one in marked}
    if strangers:
        say(
            f"{counted(len(strangers), 'inspected pair')} not in {options.against}: "
            f"{min(strangers)}"
        )
    if shipped and shipped.data and options.data is None:
        raise UsageError(
            f"--against {options.against} is on texts of the {shipped.data}, which do not come "
            "with the marks: name its folder with --data PATH"
        )
    read, rejected = _texts(options)
    experiment = experiment_of(options, str(recipe))
    events, lost = pair_events(read, marked)
    for one in lost:
        say(f"not scored: {one.where}: {one.reason}")
    if not events:
        raise UsageError(
            f"none of the {len(lost)} pairs of {options.against} can be scored: "
            "name the events that its pairs are of"
        )
    plan = plan_grid(experiment, events)
    if options.dry_run:
        print_plan(plan)
        print_held(options.out)
        return DONE
    folder = begun(options, experiment, events, [*rejected, *lost])
    with folder.alone():
        outcome = carried_out(options, experiment, folder, plan)
        if outcome.interrupted:
            return INTERRUPTED
        found, missing = _judged(options, experiment, folder, marked, inspected)
        write_records(folder.path / RESULTS, [one.result for one in found])
        waiting = [each for one in found for each in one.to_inspect]
        write_records(folder.path / TO_INSPECT, waiting)
    for one in missing:
        say(f"not scored: {one.where}: {one.reason}")
    _print(options, marked, found, [*lost, *missing], experiment)
    if waiting:
        say(f"{len(waiting)} wait to be inspected: {folder.path / TO_INSPECT} (docs/annotation.md)")
    if outcome.stopped:
        return REFUSED
    return DONE_WITH_FAILURES if lost or missing else DONE


def _texts(options: argparse.Namespace) -> tuple[list[Event], list[Rejected]]:
    """The events that the pairs are taken from: EVENTS, and the topics of the data set."""
    from globesumm.cli.experiment_events import read_events

    if options.data is None and not options.inputs:
        raise UsageError(
            "name the events of the pairs, or MultiLing 2011's folder with --data PATH"
        )
    if options.data is None:
        return read_events(tuple(options.inputs))
    from baselines.studies.multiling_data import load

    pilot = load(options.data)
    own = read_events(tuple(options.inputs)) if options.inputs else ([], [])
    # So that the run's settings tell where its texts are from.
    options.inputs = [*options.inputs, str(pilot.folder)]
    return [*own[0], *pilot.events()], [*own[1], *pilot.rejected]


def _judged(
    options: argparse.Namespace,
    experiment: "Experiment",
    folder: "GridFolder",
    marked: "Sequence[Marked]",
    inspected: "Sequence[Inspected]",
) -> "tuple[list[Judged], list[Rejected]]":
    """Every pair that was made, and those that were not, with the reason."""
    from baselines.pairs import Settings, judged
    from globesumm.cli.one_cell import cell_of
    from globesumm.runs import Failure

    cell, settings = cell_of(experiment), Settings(gold=options.gold, match=options.match)
    run, recipe = folder.part(cell.part), str(cell.recipe)
    found: list[Judged] = []
    missing: list[Rejected] = []
    for name, event in folder.events().items():
        path, failed = run.summary_path(recipe, name), run.failure_path(recipe, name)
        if path.exists():
            [done] = read_record(path, Summary).rounds
            marks = [one for one in marked if one.pair == name]
            found.append(judged(event, marks, done, settings, inspected))
        else:
            reason = read_record(failed, Failure).reason if failed.exists() else "not made yet"
            missing.append(Rejected(where=f"pair {name!r}", reason=reason))
    return found, missing


def _print(
    options: argparse.Namespace,
    marked: "Sequence[Marked]",
    found: "Sequence[Judged]",
    unscored: Sequence[Rejected],
    experiment: "Experiment",
) -> None:
    from baselines.studies.page import Page
    from baselines.studies.where_tables import sections
    from globesumm.text.sentences import SPLITTER

    scored = {one.result.pair for one in found}
    held = [one for one in marked if one.pair in scored]
    page = Page(
        title="Where: found against the marks",
        settings=(
            ("pairs scored", f"{len(found)} of {len(found) + len(unscored)}"),
            ("recipe", experiment.recipes[0]),
            ("model", experiment.models[0].asked_as if experiment.models else "none"),
            ("gold", f"{options.gold} of {_annotators(held)}"),
            ("the same issue", f"{options.match}, one to one"),
            ("sentences", SPLITTER),
        ),
        sections=sections(held, found, options.match),
    )
    print(page.markdown(), end="")


def _annotators(held: "Sequence[Marked]") -> str:
    names = sorted({one.annotator for one in held})
    return f"{counted(len(names), 'annotator')} ({', '.join(names)})"
