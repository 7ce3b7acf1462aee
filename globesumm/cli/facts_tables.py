"""The tables of ``globesumm facts``: whether a judge can be believed, and leaderboards."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from globesumm.cli.facts_inputs import given_sources
from globesumm.cli.facts_reading import read
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import FORMS, MARKS, print_form
from globesumm.errors import MissingPackage, UsageError
from globesumm.finite import counted
from globesumm.progress import say
from globesumm.records import to_json

if TYPE_CHECKING:
    from metrics.facts.leaderboard import Row
    from metrics.facts.verdicts import Verdicts

TABLES = {
    "meta": "whether a judge can be believed: stable, like other judges, close to people",
    "leaderboard": "systems by scenarios, groups of systems, deviations",
}


def add_tables(actions: Any) -> None:
    """The parsers of `TABLES`."""
    meta = actions.add_parser("meta", help=TABLES["meta"], allow_abbrev=False)
    kind = meta.add_mutually_exclusive_group(required=True)
    kind.add_argument(
        "--runs",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="verdicts of repeated runs of one judge",
    )
    kind.add_argument("--judges", nargs="+", metavar="NAME=FILE", help="verdicts of several judges")
    kind.add_argument("--people", type=Path, metavar="FILE", help="verdicts of people")
    meta.add_argument("--judge-file", type=Path, metavar="FILE", help="to hold against --people")
    meta.add_argument("--resamples", type=int, default=1000, metavar="N", help="(1000)")
    meta.add_argument("--seed", type=int, default=0, help="of the bootstrap (0)")
    board = actions.add_parser("leaderboard", help=TABLES["leaderboard"], allow_abbrev=False)
    board.add_argument("file", type=Path, nargs="?", metavar="VERDICTS.jsonl")
    board.add_argument(
        "--published", action="store_true", help="table 4 of OmniCSEval, its findings recomputed"
    )
    board.add_argument(
        "--systems", type=Path, metavar="FILE.tsv", help="system, reasoning, size, weights"
    )
    board.add_argument(
        "--summaries", type=Path, metavar="FILE.jsonl", help="with thinking_tokens, where recorded"
    )
    board.add_argument(
        "--plots", type=Path, metavar="DIR", help="figures 5 to 7: deviations, thinking tokens"
    )
    board.add_argument(
        "--sources", type=Path, metavar="SOURCES.jsonl",
        help="with --plots: orders scenarios by the length of their sources",
    )  # fmt: skip
    for parser in (meta, board):
        parser.add_argument("--format", choices=FORMS, default="table", help="(table)")


def run_table(options: argparse.Namespace) -> int:
    """Print one of `TABLES`."""
    return _meta(options) if options.action == "meta" else _leaderboard(options)


def _meta(options: argparse.Namespace) -> int:
    from metrics.facts.belief import alignment, robustness, stability
    from metrics.tables import agreement_table

    if not 1 <= options.resamples <= 1_000_000:
        raise UsageError(f"--resamples is {options.resamples}: give a number from 1 to 1000000")
    if options.seed < 0:
        raise UsageError(f"--seed is {options.seed}: give a number from 0 up")
    if (options.people is None) != (options.judge_file is None):
        raise UsageError("--people and --judge-file go together: whom to hold against whom")
    draws = {"resamples": options.resamples, "seed": options.seed}
    files = _files(options)
    held = {name: read(path) for name, path in files.items()}
    given: dict[str, list[Verdicts]] = {name: found for name, (found, _) in held.items()}
    if options.runs:
        found = stability(list(given.values()), **draws)
    elif options.judges:
        found = robustness(given, **draws)
    else:
        found = alignment(given["people"], given["judge"], **draws)
    if options.format == "jsonl":
        for one in found:
            print(to_json(one))
    else:
        told = (
            ", ".join(f"{name}: {counted(len(some), 'summary')}" for name, some in given.items()),
            "intervals: 95 %, percentile bootstrap over sources",
            f"{counted(options.resamples, 'resample')}, seed {options.seed}",
        )
        print_form(agreement_table(found, told), options.format)
    return DONE_WITH_FAILURES if any(rejected for _, rejected in held.values()) else DONE


def _files(options: argparse.Namespace) -> dict[str, Path]:
    if options.runs:
        return {f"run {number}": path for number, path in enumerate(options.runs, 1)}
    if options.people:
        return {"people": options.people, "judge": options.judge_file}
    files = {}
    for one in options.judges:
        name, equals, path = one.partition("=")
        if not equals or not name or not path:
            raise UsageError(f"--judges {one}: write NAME=FILE")
        if name in files:
            raise UsageError(f"--judges names {name!r} twice")
        files[name] = Path(path)
    return files


def _leaderboard(options: argparse.Namespace) -> int:
    from metrics.facts import groups
    from metrics.facts.leaderboard import board, published, read_traits, table
    from metrics.facts.records import Candidate, read_candidates

    if options.published == (options.file is not None):
        raise UsageError("name either a file of verdicts or --published")
    if options.sources and not options.plots:
        raise UsageError("--sources orders the scenarios of plots: give --plots DIR with it")
    rejected: list[Any] = []
    if options.published:
        rows = published()
    else:
        found, rejected = read(options.file)
        traits = read_traits(options.systems) if options.systems else {}
        summaries = read_candidates(options.summaries) if options.summaries else ()
        rows = board(found, traits, [one for one in summaries if isinstance(one, Candidate)])
    if options.plots:
        _draw(rows, options)
    if options.format == "jsonl":
        _print_lines(rows)
        return DONE_WITH_FAILURES if rejected else DONE
    print_form(table(rows), options.format)
    if kinds := groups.groups(rows):
        print()
        print_form(groups.table(kinds), options.format)
    if options.published:
        mark = MARKS.get(options.format, "- ")
        print()
        for one in groups.findings(rows):
            verdict = "holds" if one.holds else "differs"
            print(f"{mark}{verdict}: {one.said} ({one.where}): {one.figures}")
        for line in groups.misprints(rows):
            print(f"{mark}misprint: {line}")
    return DONE_WITH_FAILURES if rejected else DONE


def _draw(rows: "list[Row]", options: argparse.Namespace) -> None:
    """The plots; where the package for them is missing the tables are printed all the same."""
    from metrics.facts.plots import draw_plots
    from metrics.facts.statistics import by_complexity

    order = by_complexity(given_sources(options.sources)[0]) if options.sources else []
    try:
        drawn, missing = draw_plots(rows, options.plots, order)
    except MissingPackage as error:
        say(f"note: no plots: {error}")
        return
    for path in drawn:
        say(f"plot: {path}")
    for line in missing:
        say(f"note: not drawn: {line}")


def _print_lines(rows: "list[Row]") -> None:
    from metrics.facts.leaderboard import NAMES

    for row in rows:
        cells = {
            scenario: {name: row.cells[scenario, name] for name in NAMES}
            for scenario in row.scenarios
        }
        print(
            to_json(
                {
                    "system": row.system,
                    "scenarios": cells,
                    "overall": {name: row.overall(name) for name in NAMES},
                    "deviation": {name: row.deviation(name) for name in NAMES},
                    "thinking": row.thinking,
                    "thinking_in": row.thinking_in,
                }
            )
        )
