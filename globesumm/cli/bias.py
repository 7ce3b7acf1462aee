"""Which languages of its sources a summary draws on, and whether that is more than chance.

Holds every document of an event against every sentence of its summary: score and normalized
score of each language, with intervals, a test that shuffles languages within events, and the
same with position, length and number of facts held equal.  --calibrate FOLDER corrects for
what the entailer overlooks in each language; --controlled FOLDER has the same reports told in
languages drawn by lot.  Both want translations, files called REPORT.language as MultiLing's.

Tables (CSV, Markdown, LaTeX) and plots (PNG, SVG) go to RUN/bias or --out.  The default
entailer compares sentence vectors: a stand-in, which the report says.  With --candidates a
file of any system's summaries is read, one object a line: {"event", "candidate", "language",
"documents": [{"id", "text", "language", "published"?}], "recipe"?}.

Examples:
  globesumm bias runs/mine --dry-run
  globesumm bias runs/mine --calibrate MultiLing/SourceTexts
  globesumm bias runs/gpt runs/qwen --entailer mdeberta-xnli --entailer-path models/x --out both
  globesumm bias --controlled MultiLing/SourceTexts --recipe sts.none.extractive --out lots

"""

import argparse
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import name_rejected
from globesumm.cli.judging import (
    add_entailer_options,
    add_judge_options,
    chosen_entailer,
    open_judge,
    told,
)
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import print_form
from globesumm.cli.translations import calibration, controlled, told_again, told_how, translated
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say, track
from globesumm.runs import alone
from globesumm.values import Rejected

if TYPE_CHECKING:
    from metrics.bias.calibration import Calibration
    from metrics.bias.items import Items
    from metrics.bias.report import BiasReport
    from metrics.entailment import Entailer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN")
    parser.add_argument("--candidates", type=Path, metavar="FILE.jsonl")
    parser.add_argument("--recipe", action="append", default=[], metavar="NAME", help="only these")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="(RUN/bias)")
    parser.add_argument("--dry-run", action="store_true", help="how many pairs, and stop")
    parser.add_argument("--seed", type=int, default=0, help="of all draws (0)")
    parser.add_argument(
        "--permutations", type=int, default=2000, metavar="N", help="of the tests (2000)"
    )
    parser.add_argument(
        "--format", choices=("table", "markdown", "latex"), default="table", help="printed (table)"
    )
    group = parser.add_argument_group("translations")
    group.add_argument("--calibrate", type=Path, metavar="FOLDER", help="translated reports")
    group.add_argument(
        "--calibrate-reports", type=int, default=12, metavar="N", help="taken over all events (12)"
    )
    group.add_argument("--controlled", type=Path, metavar="FOLDER", help="translated reports")
    group.add_argument("--draws", type=int, default=5, metavar="N", help="tellings an event (5)")
    group.add_argument(
        "--first", type=int, metavar="N", help="tell the first N sentences of a report alone (all)"
    )
    group.add_argument(
        "--max-words", type=int, default=250, metavar="N", help="of a controlled summary (250)"
    )
    group.add_argument(
        "--kept",
        choices=("drawn", "facts"),
        default="drawn",
        help="drawn: sentences of the summary that rest on a report; facts: sentences of the "
        "report that the summary entails (drawn)",
    )
    add_entailer_options(parser, "vector")
    add_judge_options(parser)


def run(options: argparse.Namespace) -> int:
    from metrics.bias.written import tables, write_plots, write_tables

    _check(options)
    systems, rejected, failed = _systems(options)
    if options.dry_run:
        return _dry_run(options, systems)
    out: Path = options.out or options.runs[0] / "bias"
    if options.out is not None and out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is no folder")
    with ExitStack() as within:
        within.enter_context(alone(_locked(out)))
        entailer = _entailer(options, out, within)
        say(told(entailer))
        reports = _observed(options, entailer, systems)
        found = controlled(options, entailer, systems) if options.controlled else {}
        about = {
            "controlled": told_how(options, entailer) if found else "",
            "report": f"entailer: {told(entailer)}",
        }
        held = [
            (name, heading, replace(table, notes=(note, *table.notes)))
            for name, heading, table in tables(reports, found)
            for note in (about["controlled" if name.startswith("controlled-") else "report"],)
        ]
        written = write_tables(out, held)
        plots, refused = write_plots(out, reports, found)
    for _, heading, table in held:
        print(f"# {heading}\n")
        print_form(table, options.format)
        print()
    for reason in refused:
        say(f"no plot: {reason}")
    say(f"{counted(len(written), 'table')} and {counted(len(plots), 'plot')} in {out}")
    for reason in failed:
        say(f"not in the report: {reason}")
    unjudged = any(report.judged < report.expected for report in reports)
    return DONE_WITH_FAILURES if unjudged or rejected or failed else DONE


def _locked(out: Path) -> Path:
    """The folder that no other process may work in: the run that `out` is in, else `out`."""
    return out.parent if (out.parent / "run.json").is_file() else out


def _check(options: argparse.Namespace) -> None:
    if options.runs and options.candidates:
        raise UsageError("name RUN folders or --candidates FILE.jsonl, not both")
    if not options.runs and not options.candidates and not options.controlled:
        raise UsageError("name a RUN folder, --candidates FILE.jsonl or --controlled FOLDER")
    if options.out is None and len(options.runs) != 1 and not options.dry_run:
        raise UsageError("say with --out FOLDER where the report is to go")
    for name, least in (
        *(("seed", 0), ("permutations", 1), ("calibrate_reports", 1)),
        *(("draws", 1), ("first", 1), ("max_words", 1)),
    ):
        value = getattr(options, name)
        if value is not None and value < least:
            raise UsageError(
                f"--{name.replace('_', '-')} is {value}: give a number from {least} up"
            )
    for folder in (options.calibrate, options.controlled):
        if folder is not None and not folder.is_dir():
            raise UsageError(
                f"{folder} is no folder with translated reports: name one with files "
                "REPORT.language, such as M0012.greek"
            )


def _systems(
    options: argparse.Namespace,
) -> tuple[dict[str, "Items"], list[Rejected], list[str]]:
    """The summaries by system, what could not be read, and which summaries are missing."""
    from globesumm.runs import Run
    from metrics.bias.items import by_recipe, of_runs, read_items

    rejected: list[Rejected] = []
    failed: list[str] = []
    if options.candidates:
        items = []
        for one in read_items(options.candidates):
            if isinstance(one, Rejected):
                rejected.append(one)
            elif not options.recipe or one[1].recipe in options.recipe:
                items.append(one)
        name_rejected(rejected)
        systems = by_recipe(items)
    else:
        runs = [Run.open(folder) for folder in options.runs]
        # One that holds none would be a system that is missing without a word.
        for held in runs:
            if not held.summaries() and (held.parts() or not held.failures()):
                raise held.no_summary()
        systems = of_runs(runs, options.recipe)
        failed = [f"{one.where}: {one.reason}" for held in runs for one in held.failures()]
    if not systems and (options.runs or options.candidates):
        wanted = f" by {', '.join(options.recipe)}" if options.recipe else ""
        more = f" ({rejected[0].where}: {rejected[0].reason})" if rejected else ""
        raise UsageError(
            f"there is no summary{wanted} to report on{more}: globesumm summarize makes some"
        )
    return systems, rejected, failed


def _dry_run(options: argparse.Namespace, systems: dict[str, "Items"]) -> int:
    from metrics.bias.observations import plan

    for system, items in systems.items():
        size = plan(items)
        print(
            f"{system}: {counted(size.events, 'event')}, "
            f"{counted(size.documents, 'document')} of {counted(size.words, 'word')}, "
            f"{counted(size.pairs, 'pair')} to judge"
        )
    if options.controlled:
        reports = sum(len(story.reports) for story in translated(options.controlled, None))
        print(
            f"controlled test: {counted(len(told_again(options, systems)), 'recipe')}, "
            f"{counted(options.draws, 'telling')} of {counted(reports, 'report')} each"
        )
    return DONE


def _entailer(options: argparse.Namespace, out: Path, within: ExitStack) -> "Entailer":
    from metrics.entailment import Remembering

    judge = open_judge(options, within, out / "calls.sqlite" if options.judge else None)
    inside = chosen_entailer(options, judge)
    return within.enter_context(Remembering(inside, out / "verdicts.sqlite"))


def _observed(
    options: argparse.Namespace, entailer: "Entailer", systems: dict[str, "Items"]
) -> list["BiasReport"]:
    from metrics.bias.items import usual_target
    from metrics.bias.observations import observe
    from metrics.bias.report import bias_report

    if not systems:
        return []
    observations = [
        one
        for system, items in systems.items()
        for one in observe(entailer, track(items, f"{system}: events", len(items)), system)
    ]
    known: dict[str, Calibration] = {}
    note = None
    if options.calibrate:
        known, note = calibration(options, entailer, usual_target(systems))
    reports = bias_report(
        observations,
        entailer,
        calibration=known,
        permutations=options.permutations,
        seed=options.seed,
    )
    return [replace(one, notes=(*one.notes, note)) if note else one for one in reports]
