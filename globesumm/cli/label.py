"""People's judgements: make a labelling project, serve it, and see how far it is.

A project is a folder: project.toml says who answers what and how (edit it), labels.sqlite holds
items and labels.  Each annotator gets a link of their own; docs/labelling.md describes it all.

Examples:
  globesumm label new study --kind relevance --from events.jsonl --annotator ada:en,fr
  globesumm label links study
  globesumm label serve study
  globesumm label status study

"""

import argparse
import importlib
import sqlite3
from typing import Any

ACTIONS = {
    "new": "a project with items of one kind, from what other verbs write",
    "add": "more items, of the same or another kind",
    "serve": "the pages on which people judge, on 127.0.0.1 unless told otherwise",
    "links": "each annotator's personal link",
    "status": "how far everybody is: done, time, pay, checks, what is still open",
    "agreement": "how far people agree, with each other, with checks and over time",
    "results": "one answer an item, and the files that other verbs take",
    "export": "items and labels as JSON Lines, CSV, TSV or Label Studio's JSON",
    "import": "items and labels from such a file",
    "merge": "another project's items and labels into this one",
}
"""Action to one line of help; each is a module ``label_<action>`` as of a verb."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, line in ACTIONS.items():
        module = _module(name)
        one = actions.add_parser(
            name,
            help=line,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.add_arguments(one)


def run(options: argparse.Namespace) -> int:
    try:
        status: int = _module(options.action).run(options)
    except sqlite3.Error as error:
        from annotation.labels.project import DATABASE
        from annotation.labels.store import in_words

        raise in_words(error, options.project / DATABASE) from error
    return status


def _module(action: str) -> Any:
    return importlib.import_module(f"globesumm.cli.label_{action}")
