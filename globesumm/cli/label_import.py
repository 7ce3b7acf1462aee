"""Items and labels from a file of globesumm label export, or from Label Studio, into a project.

Nothing is replaced or counted twice: an item that shows something else than the one of its id
comes in under another id, of two answers of one person to one item the later counts, and each
such clash is named.  Importing again changes nothing more.

Examples:
  globesumm label import study tasks.json --user 3=ada --user 5=ben
  globesumm label import study labels.csv

"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from globesumm.cli.inputs import name_rejected
from globesumm.cli.label_export import FORMS, form_of
from globesumm.cli.label_merge import print_taken
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--format", choices=FORMS, help="(by the ending of FILE)")
    parser.add_argument(
        "--user", action="append", default=[], metavar="NUMBER=NAME",
        help="who a user of Label Studio is",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    from annotation.labels.exchange import flat, jsonl, label_studio
    from annotation.labels.exchange.merging import take_in
    from annotation.labels.project import Project

    form = form_of(options.file, options.format)
    users = _users(options.user)
    project = Project.open(options.project)
    if form == "jsonl":
        found = jsonl.read(options.file)
    elif form == "label-studio":
        found = label_studio.read(options.file, users)
    else:
        found = flat.read(options.file, form)
    if found.rejected and not found.items and not found.labels:
        first = found.rejected[0]
        raise UsageError(f"{first.where}: {first.reason}; nothing in it can be taken")
    name_rejected(found.rejected)
    report = take_in(project, found.items, found.labels)
    print_taken(report)
    return DONE_WITH_FAILURES if found.rejected or report.refused else DONE


def _users(given: Sequence[str]) -> dict[int, str]:
    found = {}
    for one in given:
        number, equals, name = one.partition("=")
        if not equals or not number.strip().isdecimal() or len(number) > 18 or not name.strip():
            raise UsageError(f"--user {one}: write NUMBER=NAME, such as 3=ada")
        found[int(number)] = name.strip()
    return found
