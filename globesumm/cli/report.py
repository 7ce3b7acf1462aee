"""Write the HTML report of a run, from the run folder alone.

Examples:
  globesumm report runs/mine
  globesumm report runs/demo --out demo.html

"""

import argparse
from pathlib import Path

from globesumm.cli.main import DONE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("--out", type=Path, metavar="FILE", help="(RUN/report.html)")


def run(options: argparse.Namespace) -> int:
    from globesumm.report import write_report
    from globesumm.runs import Run

    print(write_report(Run.open(options.run), options.out))
    return DONE
