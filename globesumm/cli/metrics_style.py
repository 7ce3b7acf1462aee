"""``globesumm metrics style`` and ``points``: how methods write, and what they include."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from globesumm.cli.facts_reading import read as read_verdicts
from globesumm.cli.inputs import name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import FORMS, print_form, unread
from globesumm.errors import MissingPackage, UsageError
from globesumm.progress import say
from globesumm.records import read_own_records, to_json
from globesumm.values import Rejected

if TYPE_CHECKING:
    from metrics.ranking import Scored

STYLE = "length, novel n-grams and extractive fragments of each method, and a picture"
POINTS = "key points included, omitted and hallucinated by each method"

_STYLE = """\
SCORES.jsonl is what globesumm score --metrics abstractiveness,length --format jsonl printed, or a
run's scores.jsonl (or the run's folder).  Arrows point to the more abstractive.

Examples:
  globesumm metrics style runs/mine --plot coverage-density.png
  globesumm score runs/mine --metrics abstractiveness,length    # what it reads
"""
_POINTS = """\
VERDICTS.jsonl is what globesumm facts evaluate (or match and verify) left in its folder; with
--known the file is of summaries that globesumm metrics check --save wrote.

Examples:
  globesumm metrics points study/verdicts.jsonl --format latex
  globesumm metrics points known.jsonl --known
"""


def add_style(actions: Any) -> None:
    for name, about, more, file in (
        ("style", STYLE, _STYLE, "SCORES.jsonl|RUN"),
        ("points", POINTS, _POINTS, "VERDICTS.jsonl"),
    ):
        parser = actions.add_parser(
            name,
            help=about,
            description=f"{about[0].upper()}{about[1:]}.\n\n{more}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        parser.add_argument("file", type=Path, metavar=file)
        if name == "style":
            parser.add_argument("--plot", type=Path, action="append", metavar="FILE.png|.svg")
        else:
            parser.add_argument(
                "--known", action="store_true", help="composed summaries, whose truth is known"
            )
        parser.add_argument("--format", choices=FORMS, default="table", help="(table)")


def run_points(options: argparse.Namespace) -> int:
    from metrics.inclusion import inclusion_table, of_known, of_verdicts
    from metrics.truth.known import Known

    rejected: list[Rejected] = []
    if options.known:
        rows = of_known(read_own_records(options.file, Known))
        if not rows:
            raise UsageError(
                f"{options.file} holds no summary with these values: globesumm score RUN --metrics "
                "abstractiveness,length makes them"
            )
    else:
        found, rejected = read_verdicts(options.file)
        rows = of_verdicts(found)
    if options.format == "jsonl":
        for row in rows:
            print(to_json(row))
    else:
        print_form(inclusion_table(rows, unread(rejected)), options.format, narrow=True)
    return DONE_WITH_FAILURES if rejected else DONE


def run_style(options: argparse.Namespace) -> int:
    from metrics.ranking.scores import read_scores
    from metrics.style import ARROWS, draw_coverage_density, style_table

    path: Path = options.file / "scores.jsonl" if options.file.is_dir() else options.file
    rows: list[Scored] = []
    rejected: list[Rejected] = []
    for one in read_scores(path):
        if isinstance(one, Rejected):
            rejected.append(one)
        else:
            rows.append(one)
    name_rejected(rejected)
    if not rows:
        raise UsageError(
            f"{path} holds no score that can be read; globesumm score --help says what a line holds"
        )
    table = style_table(rows, unread(rejected))
    if options.format == "jsonl":
        for row in rows:
            if row.metric in ARROWS:
                print(to_json(row))
    else:
        print_form(table, options.format, narrow=True)
    if options.plot:
        try:
            draw_coverage_density(rows, *options.plot)
        except MissingPackage as error:
            say(f"note: no plot: {error}")
        else:
            for drawn in options.plot:
                say(f"plot: {drawn}")
    return DONE_WITH_FAILURES if rejected else DONE
