"""Another project's items, labels, assignments, links and consents into this one.

The other project stays as it is.  Items that show something else under the same id come in under
another, with their labels; of two answers of one person the later counts, and all stay in the
record.  Each clash is named.  Merging again changes nothing more.

Examples:
  globesumm label merge study other-study
  globesumm label merge study other-study --rename "ann=ann of Lyon"

"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.progress import say

if TYPE_CHECKING:
    from annotation.labels.exchange.taking import Taking


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT")
    parser.add_argument("other", type=Path, metavar="OTHER")
    parser.add_argument(
        "--rename", action="append", default=[], metavar="OLD=NEW",
        help="an annotator of OTHER who is another person than the one of that name here",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    from annotation.labels.exchange.merging import merge
    from annotation.labels.project import Project

    called = _renamed(options.rename)
    report = merge(Project.open(options.project), Project.open(options.other), called)
    print_taken(report)
    return DONE_WITH_FAILURES if report.refused else DONE


def print_taken(report: "Taking") -> None:
    """Counts on stdout, each clash on stderr."""
    print(f"items: {report.items_added} new, {report.items_same} here already")
    print(f"labels: {report.labels_added} new, {report.labels_same} here already")
    for line in report.named:
        say(line)


def _renamed(given: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in given:
        old, equals, new = one.partition("=")
        if not equals or not old or not new.strip():
            raise UsageError(f"--rename {one}: write OLD=NEW")
        found[old] = new.strip()
    return found
