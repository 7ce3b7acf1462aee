"""Score the summaries of a run, or any system's.

A run is scored against the references its events hold; scores and signatures go to
RUN/scores.jsonl beside those of other metrics, and no summary is made again.  With --candidates
a JSON Lines file is scored instead, one object a line:
{"id", "candidate", "references", "language", "documents"?, "recipe"?, "round"?}.

Examples:
  globesumm score runs/mine --metrics rouge,red
  globesumm score runs/mine --metrics red --prefixes --by prefix
  globesumm score runs/mine --metrics rouge --compare
  globesumm score runs/mine --metrics nic,cre --entailer true --judge gpt-3.5-turbo
  globesumm score --candidates system.jsonl --metrics rouge --format jsonl

"""

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import name_rejected
from globesumm.cli.judging import (
    add_entailer_options,
    add_judge_options,
    cause_lines,
    judged_metrics,
)
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import (
    FORMS,
    MARKS,
    Slicing,
    by_recipe,
    print_comparisons,
    print_lines,
    print_table,
)
from globesumm.config import METRICS
from globesumm.errors import UsageError
from globesumm.values import Event, Rejected, Score

if TYPE_CHECKING:
    from metrics.comparison import Comparison

OF_EVENTS = ("category", "languages")
"""Slices that only a run can be cut into: a file of candidates says nothing of its events."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", type=Path, metavar="RUN")
    parser.add_argument("--candidates", type=Path, metavar="FILE.jsonl")
    usual = ",".join(METRICS)
    parser.add_argument("--metrics", default=usual, metavar="NAMES", help=f"({usual})")
    parser.add_argument("--format", choices=FORMS, default="table", help="(table)")
    parser.add_argument(
        "--by",
        choices=("language", "category", "prefix", "languages"),
        help="a row for each language, category of event, round, or number of languages",
    )
    parser.add_argument(
        "--prefixes", action="store_true", help="score the summary of every round of a run"
    )
    parser.add_argument(
        "--compare", action="store_true", help="test each pair of recipes on the same items"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap intervals (0)")
    parser.add_argument(
        "--annotation",
        type=Path,
        metavar="RUN",
        help="CRE's conflicts from its last rounds (those marked for the events)",
    )
    add_entailer_options(parser, None)
    add_judge_options(parser)


def run(options: argparse.Namespace) -> int:
    from metrics.aggregate import slice_keys

    _check(options)
    events: list[Event] = []
    causes: list[str] = []
    if options.run is not None:
        scores, events, failed, causes = _score_run(options)
    else:
        scores, failed = _score_file(options)
    slicing = Slicing(options.by, slice_keys(events)[options.by]) if options.by else None
    compared = _compared(scores, options.seed) if options.compare else None
    if options.format == "jsonl":
        print_lines(scores, options.seed, slicing, compared)
    else:
        print_table(scores, options.seed, options.format, slicing)
        for line in causes:
            print(MARKS.get(options.format, "- ") + line)
        if compared is not None:
            print()
            print_comparisons(compared, options.format)
    return DONE_WITH_FAILURES if failed else DONE


def _check(options: argparse.Namespace) -> None:
    if (options.run is None) == (options.candidates is None):
        raise UsageError("name either a RUN folder or --candidates FILE.jsonl")
    if options.seed < 0:
        raise UsageError(f"--seed is {options.seed}: give a number from 0 up")
    if options.candidates is not None and options.prefixes:
        raise UsageError("--prefixes is for a RUN: a candidates file is scored line by line")
    if options.candidates is not None and options.by in OF_EVENTS:
        raise UsageError(
            f"--by {options.by} is for a RUN: a candidates file does not hold its events; "
            "slice it by language or prefix"
        )


def _compared(scores: list[Score], seed: int) -> "list[Comparison]":
    from metrics.comparison import compare_all

    # What bad lines would have held belongs to no recipe.
    systems = by_recipe([score for score in scores if score.recipe])
    scored = dict.fromkeys(score.metric for score in scores if score.value is not None)
    return compare_all(systems, list(scored), seed=seed)


def _score_run(
    options: argparse.Namespace,
) -> tuple[list[Score], list[Event], bool, list[str]]:
    """Scores, events, whether summaries are missing, and lines on the causes of conflicts."""
    from baselines.experiment import candidates, score
    from globesumm.runs import Run

    folder: Path = options.run
    run = Run.open(folder)
    events = run.events()
    with run.alone(), ExitStack() as within:
        given = judged_metrics(options, within, events, folder)
        names = options.metrics.split(",")
        scores = score(run, names, prefixes=options.prefixes, given=given)
        causes = cause_lines(given.get("cre"), candidates(run))
    if not scores:
        raise run.no_summary()
    return scores, events, bool(run.failures()), causes


def _score_file(options: argparse.Namespace) -> tuple[list[Score], bool]:
    from metrics.base import Candidate
    from metrics.registry import metrics
    from metrics.scoring import one_metric_a_column, read_candidates, score_all

    path: Path = options.candidates
    candidates: list[Candidate] = []
    rejected: list[Rejected] = []
    for found in read_candidates(path):
        if isinstance(found, Candidate):
            candidates.append(found)
        else:
            rejected.append(found)
    name_rejected(rejected)
    if not candidates:
        raise UsageError(
            f"{path} holds no candidate that can be read; "
            "globesumm score --help says what a line holds"
        )
    with ExitStack() as within:
        computed = metrics(options.metrics, judged_metrics(options, within))
        one_metric_a_column(computed)
        scores = score_all(computed, candidates)
    # What could not be read stays in every denominator.
    unread = [
        Score(
            id=bad.where,
            metric=column.name,
            value=None,
            signature=str(metric.signature),
            note=f"not read: {bad.reason}",
        )
        for bad in rejected
        for metric in computed
        for column in metric.columns
    ]
    return scores + unread, bool(rejected)
