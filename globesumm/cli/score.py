"""Score the summaries of a run, or any system's.

A run is scored against the references its events hold; scores and signatures go to
RUN/scores.jsonl.  With --candidates a JSON Lines file is scored instead, one object a line:
{"id", "candidate", "references", "language", "documents"?}.

Examples:
  globesumm score runs/mine --metrics rouge,red
  globesumm score --candidates system.jsonl --metrics rouge --format jsonl

"""

import argparse
from pathlib import Path

from globesumm.cli.inputs import name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import print_lines, print_table
from globesumm.errors import UsageError
from globesumm.values import Rejected, Score


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", type=Path, metavar="RUN")
    parser.add_argument("--candidates", type=Path, metavar="FILE.jsonl")
    parser.add_argument("--metrics", default="rouge,red", metavar="NAMES", help="(rouge,red)")
    parser.add_argument(
        "--format", choices=("table", "markdown", "latex", "tsv", "jsonl"), default="table"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap intervals (0)")


def run(options: argparse.Namespace) -> int:
    if (options.run is None) == (options.candidates is None):
        raise UsageError("name either a RUN folder or --candidates FILE.jsonl")
    if options.run is not None:
        scores, failed = _score_run(options.run, options.metrics)
    else:
        scores, failed = _score_file(options.candidates, options.metrics)
    if options.format == "jsonl":
        print_lines(scores)
    else:
        print_table(scores, options.seed, options.format)
    return DONE_WITH_FAILURES if failed else DONE


def _score_run(folder: Path, names: str) -> tuple[list[Score], bool]:
    from baselines.experiment import score
    from globesumm.runs import Run

    run = Run.open(folder)
    with run.alone():
        scores = score(run, names.split(","))
    if not scores:
        raise UsageError(f"{folder} holds no summary yet: globesumm summarize makes them")
    return scores, bool(run.failures())


def _score_file(path: Path, names: str) -> tuple[list[Score], bool]:
    from metrics.base import Candidate
    from metrics.registry import metrics
    from metrics.scoring import read_candidates, score_all

    candidates: list[Candidate] = []
    rejected: list[Rejected] = []
    for found in read_candidates(path):
        if isinstance(found, Candidate):
            candidates.append(found)
        else:
            rejected.append(found)
    name_rejected(rejected)
    if not candidates:
        raise UsageError(f"{path} holds no candidate that can be read")
    computed = metrics(names)
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
    return score_all(computed, candidates) + unread, bool(rejected)
