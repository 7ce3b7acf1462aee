"""How far everybody is, what it took, and what waits for an adjudicator.

Examples:
  globesumm label status study
  globesumm label status study --format tsv

"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.main import DONE
from globesumm.cli.scores import print_form
from globesumm.finite import counted
from globesumm.records import to_json

if TYPE_CHECKING:
    from annotation.labels.people import Standing
    from annotation.labels.project import Settings

HEADER = ("annotator", "done", "put off", "hours", "s/label", "checks right", "pay")
FORMS = ("table", "markdown", "latex", "tsv", "jsonl")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT")
    parser.add_argument("--format", choices=FORMS, default="table", help="(table)")


def run(options: argparse.Namespace) -> int:
    from annotation.labels.assignment import assign
    from annotation.labels.people import make_links, standing
    from annotation.labels.project import Project
    from annotation.labels.queue import disputes
    from metrics.printed import Table

    project = Project.open(options.project)
    make_links(project)
    planned = assign(project)
    people = [standing(project.store, name) for name in project.annotators]
    waiting = disputes(project.store)
    if options.format == "jsonl":
        for one in people:
            print(to_json(one))
        print(to_json({"items": planned.items, "short": planned.short, "decisions": waiting}))
        return DONE
    rows = tuple(_row(one, project.settings) for one in people)
    print_form(
        Table(header=HEADER, rows=rows, notes=(), number_header=HEADER, numbers=rows, named=1),
        options.format,
    )
    told = ", ".join(f"{count} {status}" for status, count in sorted(waiting.items()))
    print(
        f"\n{counted(planned.items, 'item')}, {counted(planned.assignments, 'answer')} "
        "wanted; of those that all have "
        f"answered: {told or 'none'}"
    )
    return DONE


def _row(one: "Standing", settings: "Settings") -> tuple[str, ...]:
    paid = settings.pay_per_label is not None or settings.pay_per_hour is not None
    pay = one.pay(settings.pay_per_label, settings.pay_per_hour)
    return (
        one.name,
        f"{one.done}/{one.total}",
        str(one.put_off),
        f"{one.seconds / 3600:.2f}",
        f"{one.seconds / one.labels:.1f}" if one.labels else "–",
        f"{one.right}/{one.checked}" if one.checked else "–",
        f"{pay:.2f} {settings.currency}" if paid else "–",
    )
