"""Whether a metric agrees with people: correlation, winrate and balanced accuracy.

FILE.jsonl holds one judged summary a line, `metric` the metric's value and `truth` what people
said (a number, or true and false), null where there is none:
{"document": "d1", "summary": "d1-a", "system": "a", "metric": 0.41, "truth": 3.5}

Correlations are given over all summaries at once (pooled), within each document and then
averaged (summary), and over the systems' means (system); intervals are 95 % bootstrap over
documents.  Where every truth is 0 or 1, balanced accuracy is added.

Examples:
  globesumm meta judged.jsonl
  globesumm meta judged.jsonl --better lower --ties skip --format markdown

"""

import argparse
import math
from pathlib import Path

from globesumm.cli.inputs import name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import print_form
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.records import to_json
from globesumm.values import Rejected

FORMS = ("table", "markdown", "jsonl", "tsv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE.jsonl")
    parser.add_argument(
        "--better",
        choices=("higher", "lower"),
        default="higher",
        help="which way the metric points; lower turns it round (higher)",
    )
    parser.add_argument(
        "--ties",
        choices=("half", "wrong", "skip"),
        default="half",
        help="a pair that the metric cannot tell apart counts so in the winrate (half)",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        metavar="X",
        help="for balanced accuracy the metric says yes above X, with --better lower below (0.5)",
    )
    parser.add_argument("--resamples", type=int, default=1000, metavar="N", help="(1000)")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (0)")
    parser.add_argument("--format", choices=FORMS, default="table", help="(table)")


def run(options: argparse.Namespace) -> int:
    from metrics.base import Better
    from metrics.meta import Judged, agreement, read_judged
    from metrics.tables import agreement_table

    _check(options)
    rows: list[Judged] = []
    rejected: list[Rejected] = []
    for one in read_judged(options.file):
        if isinstance(one, Judged):
            rows.append(one)
        else:
            rejected.append(one)
    name_rejected(rejected)
    if not rows:
        more = f": {rejected[0].where}: {rejected[0].reason}" if rejected else ""
        raise UsageError(
            f"{options.file} holds no judged summary that can be read{more}; "
            "globesumm meta --help says what a line holds"
        )
    found = agreement(
        rows,
        better=Better(options.better),
        ties=options.ties,
        threshold=options.threshold,
        resamples=options.resamples,
        seed=options.seed,
    )
    if options.threshold is not None and found[-1].name != "balanced accuracy":
        raise UsageError("--threshold is for judgements of 0 and 1, and some here are others")
    about = {
        "rows": len(rows),
        "rejected": len(rejected),
        "documents": len({row.document for row in rows}),
        "systems": len({row.system for row in rows}),
        "better": options.better,
        "ties": options.ties,
        "threshold": 0.5 if options.threshold is None else options.threshold,
        "resamples": options.resamples,
        "seed": options.seed,
    }
    if options.format == "jsonl":
        for agreed in found:
            print(to_json(agreed))
        print(to_json({"about": about}))
    else:
        unread = f"; {counted(len(rejected), 'line')} could not be read" if rejected else ""
        told = (
            "{rows} judged summaries of {documents} documents by {systems} systems".format(**about)
            + unread,
            "{better} is better; intervals: 95 %, percentile bootstrap over documents, "
            "{resamples} resamples, seed {seed}".format(**about),
        )
        print_form(agreement_table(found, told), options.format)
    return DONE_WITH_FAILURES if rejected else DONE


def _check(options: argparse.Namespace) -> None:
    if not 1 <= options.resamples <= 1_000_000:
        raise UsageError(f"--resamples is {options.resamples}: give a number from 1 to 1000000")
    if options.seed < 0:
        raise UsageError(f"--seed is {options.seed}: give a number from 0 up")
    if options.threshold is not None and not math.isfinite(options.threshold):
        raise UsageError(f"--threshold is {options.threshold}: give a finite number")
