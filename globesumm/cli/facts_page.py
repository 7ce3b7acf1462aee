"""The page on which every fact of a study can be looked up."""

import argparse
from pathlib import Path
from typing import Any

from globesumm.cli.facts_inputs import given_sources
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.finite import counted

PAGE = "every key fact and every fact of a summary with its verdict, as one HTML page"


def add_page(actions: Any) -> None:
    """The parser of ``facts report``."""
    page = actions.add_parser("report", help=PAGE, allow_abbrev=False)
    page.add_argument("folder", type=Path, metavar="DIR", help="with matches.jsonl, support.jsonl")
    page.add_argument("--out", type=Path, metavar="FILE.html", help="(DIR/facts.html)")
    page.add_argument(
        "--sources", type=Path, metavar="SOURCES.jsonl", help="for the languages of documents"
    )
    page.add_argument(
        "--system", action="append", default=[], metavar="NAME", help="only this one's; repeatable"
    )
    page.add_argument(
        "--id", action="append", default=[], metavar="ID", help="only of this source; repeatable"
    )


def run_page(options: argparse.Namespace) -> int:
    """Write the page and say where."""
    from globesumm.report.facts import write_facts_page

    sources, bad = given_sources(options.sources) if options.sources else ([], False)
    out = options.out or options.folder / "facts.html"
    shown = write_facts_page(options.folder, out, sources, systems=options.system, ids=options.id)
    print(f"{out}: {counted(shown, 'summary')}")
    return DONE_WITH_FAILURES if bad else DONE
