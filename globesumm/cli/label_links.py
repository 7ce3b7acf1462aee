"""Each annotator's personal link; whoever has it answers in their name.

Examples:
  globesumm label links study --at https://labels.example.org
  globesumm label links study --renew ada

"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.main import DONE
from globesumm.errors import UnknownName

if TYPE_CHECKING:
    from annotation.labels.project import Project


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT")
    parser.add_argument(
        "--at", default="http://127.0.0.1:8765", metavar="URL", help="(http://127.0.0.1:8765)"
    )
    parser.add_argument(
        "--renew", action="append", default=[], metavar="NAME", help="make the old link void"
    )


def run(options: argparse.Namespace) -> int:
    from annotation.labels.people import make_links, renew_link
    from annotation.labels.project import Project

    project = Project.open(options.project)
    make_links(project)
    for name in options.renew:
        if name not in project.annotators:
            raise UnknownName("annotator", name, project.annotators)
        renew_link(project, name)
    print_links(project, options.at.rstrip("/"))
    return DONE


def print_links(project: "Project", at: str) -> None:
    """A line for each annotator: name, role, link."""
    from annotation.labels.people import make_links

    for name, token in make_links(project).items():
        role = "adjudicator" if project.annotators[name].adjudicator else "annotator"
        print(f"{name}\t{role}\t{at}/a/{token}/", flush=True)
