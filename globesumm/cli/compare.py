"""Compare the cells of a grid, or of any run, with one another and with the GlobeSumm paper.

Everything is computed from the run folder; nothing is summarized, scored or asked.  Without
--table every cell is shown; `globesumm grid` writes all tables and plots into the run folder,
and so does --write.  With --paper the paper's own tables are computed again from its rows.

Examples:
  globesumm compare runs/grid
  globesumm compare runs/grid --table 5 --intervals
  globesumm compare runs/grid --table findings --table paper-delta --format markdown
  globesumm compare runs/mine --config configs/mine.toml --write
  globesumm compare --paper --table 9

"""

import argparse
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.main import DONE
from globesumm.cli.scores import print_form
from globesumm.errors import UnknownName, UsageError
from globesumm.progress import say

if TYPE_CHECKING:
    from metrics.printed import Table

FORMS = ("table", "markdown", "latex", "tsv")
OF_THE_PAPER = ("5", "6", "8", "9", "10", "11", "findings")
"""What --paper can show, in the order in which it does."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", type=Path, metavar="RUN")
    parser.add_argument("--paper", action="store_true", help="the paper's own numbers")
    parser.add_argument(
        "--table",
        action="append",
        default=[],
        metavar="NAME",
        help="all, 5, 6, 8, 9, 10, 11, findings, paper-delta, pairs, every-pair, conflicts, "
        "cost, drafts, contamination, languages, prefix (all; with --paper each of the paper's)",
    )
    parser.add_argument("--intervals", action="store_true", help="in the paper's layouts too")
    parser.add_argument("--format", choices=FORMS, default="table", help="(table)")
    parser.add_argument(
        "--config",
        metavar="NAME",
        help="the experiment, for prices, sizes and cutoffs of models (the one last written with)",
    )
    parser.add_argument(
        "--write", action="store_true", help="all tables and plots into RUN/tables and RUN/plots"
    )


def run(options: argparse.Namespace) -> int:
    if options.paper == (options.run is not None):
        raise UsageError("name a RUN folder, or --paper for the paper's own tables")
    for heading, table in _paper(options) if options.paper else _run(options):
        print(f"# {heading}\n")
        print_form(table, options.format)
        print()
    return DONE


def _paper(options: argparse.Namespace) -> "list[tuple[str, Table]]":
    from baselines.tables.layouts import layouts
    from baselines.tables.paper_tables import FINDINGS, paper_table

    if options.write or options.config or options.intervals:
        raise UsageError("--write, --config and --intervals are for a RUN, not for --paper")
    headings = {str(number): f"Table {number}: {one.caption}" for number, one in layouts().items()}
    headings[FINDINGS] = "The paper's findings on its own numbers"
    names = _known(options.table or OF_THE_PAPER, OF_THE_PAPER)
    return [(headings[name], paper_table(name)) for name in names]


def _run(options: argparse.Namespace) -> "list[tuple[str, Table]]":
    from baselines.tables.comparing import KINDS, Compared
    from baselines.tables.written import write_all
    from globesumm.config import load
    from globesumm.runs import Run

    Run.open(options.run)
    names = _known(options.table or ["all"], KINDS)
    held = Compared(options.run, load(options.config) if options.config else None)
    found = []
    for name in names:
        kind = KINDS[name]
        make = kind.detailed if options.intervals and kind.detailed else kind.make
        found.append((kind.about, make(held)))
    if options.write:
        for line in write_all(held):
            say(line)
    return found


def _known(names: Iterable[str], known: Collection[str]) -> list[str]:
    chosen = list(dict.fromkeys(names))
    for name in chosen:
        if name not in known:
            raise UnknownName("table", name, known)
    return chosen
