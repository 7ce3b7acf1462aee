"""Why a draft was taken: every draft of a run's summaries, with what each proxy said of it.

RUN is a run folder or a grid.  Nothing is asked: drafts, scores and choices lie beside each
summary.  How often what happened stands in `globesumm compare RUN --table drafts`.

Examples:
  globesumm drafts runs/mine
  globesumm drafts runs/grid --recipe '*.rerank' --event marrakesh-earthquake --texts
  globesumm drafts runs/mine --round 3 --format markdown

"""

import argparse
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.main import DONE
from globesumm.cli.scores import print_form
from globesumm.errors import UsageError
from globesumm.progress import visible

if TYPE_CHECKING:
    from globesumm.values import Round, Summary

FORMS = ("table", "markdown", "latex", "tsv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("--recipe", default="*", metavar="GLOB", help="of these recipes (*)")
    parser.add_argument("--event", default="*", metavar="GLOB", help="of these events (*)")
    parser.add_argument("--round", type=int, metavar="N", help="this round (every)")
    parser.add_argument("--texts", action="store_true", help="the drafts in full")
    parser.add_argument("--format", choices=FORMS, default="table", help="(table)")


def run(options: argparse.Namespace) -> int:
    shown = 0
    for summary in _summaries(options):
        for made in summary.rounds:
            if options.round in (None, made.index):
                shown += _print(options, summary, made)
    if not shown:
        raise UsageError(
            f"{options.run}: no summary there has drafts of that recipe, event and round: recipes "
            "draw some that end in .rerank, .self-refine or .debate (globesumm recipes)"
        )
    return DONE


def _summaries(options: argparse.Namespace) -> "Iterator[Summary]":
    from globesumm.runs import PARTS, Run

    folder: Path = options.run
    Run.open(folder)
    parts = sorted(path.parent for path in (folder / PARTS).glob("*/run.json"))
    for part in parts or [folder]:
        for summary in Run(part).summaries():
            if fnmatchcase(summary.recipe, options.recipe) and fnmatchcase(
                summary.event, options.event
            ):
                yield summary


def _print(options: argparse.Namespace, summary: "Summary", made: "Round") -> bool:
    from baselines.drafts.record import choice_of, choice_table, drafts_of

    choice, drafts = choice_of(made), drafts_of(made)
    if choice is None:
        return False
    print(visible(f"# {summary.event} by {summary.recipe} ({summary.model}), round {made.index}\n"))
    print_form(choice_table(drafts, choice), options.format)
    if options.texts:
        for draft in drafts:
            print(visible(f"\n[{draft.number}] {draft.text or f'no text: {draft.reason}'}"))
    print()
    return True
