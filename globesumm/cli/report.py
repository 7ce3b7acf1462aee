"""Write the HTML report of a run or grid, from the run folder alone.

One file without scripts of others and without any request: summaries with their sources, what
changed from round to round, conflicts, documents over time, scores, language bias, costs, what
failed, and what is missing with the command that makes it.  Of more than 40 events each gets a
file of its own in a folder beside it (RUN/report/).

Examples:
  globesumm report runs/mine
  globesumm report runs/demo --out demo.html

"""

import argparse
from pathlib import Path

from globesumm.cli.main import DONE
from globesumm.progress import visible


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to (RUN/report.html)")


def run(options: argparse.Namespace) -> int:
    from globesumm.report import write_report
    from globesumm.runs import Run

    print(visible(str(write_report(Run.open(options.run), options.out))))
    return DONE
