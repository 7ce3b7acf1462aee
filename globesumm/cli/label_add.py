"""More items for a labelling project, of the same kind or another.

Items of an id that is there already take the place of what was there; where what is shown has
changed, they are asked about again.  Who was to answer what stays as it is.

Examples:
  globesumm label add study --kind issues --from run
  globesumm label add study --kind relevance --from events.jsonl --sample 200 --seed 7

"""

import argparse
from pathlib import Path

from globesumm.cli.label_new import add_source_arguments, added, read_items


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT")
    add_source_arguments(parser)


def run(options: argparse.Namespace) -> int:
    from annotation.labels.project import Project

    project = Project.open(options.project)
    items, rejected = read_items(options)
    return added(project, items, rejected)
