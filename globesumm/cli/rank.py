"""Methods ranked by their scores on the same documents: Bradley-Terry abilities with intervals.

SCORES.jsonl holds one score a line, null where there is none:
{"method": "rerank", "document": "d1", "score": 0.41}
or is the scores.jsonl of a run (or the run's folder, or what --format jsonl of a scoring command
printed): its recipes are the methods, its texts the documents, and --metric names the column.

On every document a method beats those that score lower; equal scores are half a win for each.
An ability is in logits: a gap of 1 means that the better of the two wins 73 % of documents.
Intervals are 95 %, from a bootstrap over documents.  --penalty is in virtual ties a pair, without
which methods that never lose have no finite ability; 0 is plain maximum likelihood.
--wins averages compares average scores in each resample, as the perspective paper does: that
gives an order but no sizes, since no likelihood of such outcomes has a maximum.

Examples:
  globesumm rank scores.jsonl
  globesumm rank runs/mine --metric rouge2 --plot rank.png
  globesumm rank scores.jsonl --ties random --seed 7 --format markdown
  globesumm rank scores.jsonl --wins averages --pairs
  globesumm rank results/preferences.jsonl

"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import FORMS, print_form, unread
from globesumm.errors import MissingPackage, UnknownName, UsageError
from globesumm.finite import counted
from globesumm.progress import say
from globesumm.records import to_json
from globesumm.values import Rejected

if TYPE_CHECKING:
    from metrics.base import Better
    from metrics.ranking import Ranking, Scored, Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="SCORES.jsonl|RUN")
    parser.add_argument("--metric", metavar="COLUMN", help="which, where the file holds several")
    parser.add_argument(
        "--by-event",
        action="store_true",
        help="an event is a document; several scores of a method on one are averaged",
    )
    parser.add_argument(
        "--better",
        choices=("higher", "lower"),
        help="which way scores point (that of the metric where it is known, else higher)",
    )
    parser.add_argument(
        "--wins",
        choices=("documents", "averages"),
        default="documents",
        help="compare on each document, or by average scores as the paper does (documents)",
    )
    parser.add_argument(
        "--ties",
        choices=("split", "random"),
        default="split",
        help="equal scores are half a win each, or a coin decides as in the paper (split)",
    )
    parser.add_argument("--sigma", type=float, default=1.0, metavar="X", help="scale (1)")
    parser.add_argument(
        "--penalty", type=float, default=1.0, metavar="X", help="virtual ties a pair (1)"
    )
    parser.add_argument("--resamples", type=int, default=500, metavar="N", help="(500)")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap and of coins (0)")
    parser.add_argument("--pairs", action="store_true", help="also each method against each")
    parser.add_argument("--plot", type=Path, action="append", metavar="FILE.png|.svg")
    parser.add_argument("--format", choices=FORMS, default="table", help="(table)")


def run(options: argparse.Namespace) -> int:
    from metrics.ranking import Settings, rank, score_table
    from metrics.ranking.scores import by_event

    path: Path = options.file / "scores.jsonl" if options.file.is_dir() else options.file
    rows, rejected = _read(path)
    rows, metric = _of_one_metric(rows, options.metric, path)
    rows = by_event(rows) if options.by_event else rows
    settings = Settings(
        better=_direction(metric, options.better),
        wins=options.wins,
        ties=options.ties,
        sigma=options.sigma,
        penalty=options.penalty,
        bootstrap=options.resamples,
        seed=options.seed,
    )
    ranking = rank(score_table(rows), settings)
    if options.format == "jsonl":
        _print_lines(ranking, settings, metric, rejected)
    else:
        _print_tables(ranking, options, _about(ranking, settings, rows, metric, rejected))
    if options.plot:
        _draw(ranking, options.plot)
    whole = not rejected and all(row.ability is not None for row in ranking.rows)
    return DONE if whole else DONE_WITH_FAILURES


def _read(path: Path) -> tuple[list["Scored"], list[Rejected]]:
    from metrics.ranking.scores import read_scores

    rows: list[Scored] = []
    rejected: list[Rejected] = []
    for one in read_scores(path):
        if isinstance(one, Rejected):
            rejected.append(one)
        else:
            rows.append(one)
    name_rejected(rejected)
    if not rows:
        more = f": {rejected[0].where}: {rejected[0].reason}" if rejected else ""
        raise UsageError(
            f"{path} holds no score that can be read{more}; "
            "globesumm rank --help says what a line holds"
        )
    return rows, rejected


def _of_one_metric(
    rows: "list[Scored]", wanted: str | None, path: Path
) -> "tuple[list[Scored], str | None]":
    """The rows of the metric wanted, or of the only one there is."""
    from metrics.aggregate import one_signature

    named = dict.fromkeys(row.metric for row in rows)
    known = [name for name in named if name is not None]
    if wanted is not None and not known:
        raise UsageError(f"{path} names no metric: leave --metric out")
    if wanted is not None and wanted not in known:
        raise UnknownName("metric", wanted, known, where=str(path))
    if wanted is None and len(named) > 1:
        raise UsageError(f"{path} holds several metrics: name one with --metric {'|'.join(known)}")
    metric = wanted or next(iter(named))
    held = [row for row in rows if row.metric == metric]
    # A column of which nothing was scored may lack the model that others had.
    signatures = [row.signature for row in held if row.signature and row.score is not None]
    if signatures:
        one_signature(str(metric), signatures)
    return held, metric


def _direction(metric: str | None, wanted: str | None) -> "Better":
    from metrics.base import Better
    from metrics.registry import known_columns

    column = known_columns().get(metric or "")
    if column is None:
        return Better(wanted or "higher")
    if wanted is not None and Better(wanted) is not column.better:
        raise UsageError(f"--better {wanted}: {metric} is better {column.better}; leave it out")
    return column.better


def _about(
    ranking: "Ranking",
    settings: "Settings",
    rows: "list[Scored]",
    metric: str | None,
    rejected: list[Rejected],
) -> tuple[str, ...]:
    documents = len({row.document for row in rows})
    score = metric or "score"
    what = f"by {score} on each document" if settings.wins == "documents" else f"by average {score}"
    equal = "half a win each" if settings.ties == "split" else "a coin decides"
    drawn = f"{counted(ranking.resamples, 'resample')} of the documents"
    if ranking.used != ranking.resamples:
        drawn += f", of which {ranking.used} have a maximum"
    methods = counted(len(ranking.rows), "method")
    compared = (
        f"{methods}, {counted(documents, 'document')}; compared {what} "
        f"({settings.better} is better); equal scores: {equal}"
    )
    fitted = (
        f"ability in logits times {settings.sigma:g}; virtual ties a pair: {settings.penalty:g}; "
        f"95 % intervals and first (share of resamples on top): {drawn}, seed {settings.seed}"
    )
    return compared, fitted, *unread(rejected)


def _print_tables(ranking: "Ranking", options: argparse.Namespace, about: tuple[str, ...]) -> None:
    from metrics.ranking.tables import pairs_table, rank_table

    print_form(rank_table(ranking, about), options.format, narrow=True)
    if options.pairs:
        print()
        print_form(pairs_table(ranking), options.format, narrow=True)


def _print_lines(
    ranking: "Ranking", settings: "Settings", metric: str | None, rejected: list[Rejected]
) -> None:
    """One JSON object a method, one a pair, and a last one about the whole."""
    for row in ranking.rows:
        print(to_json(row))
    for pair in ranking.pairs:
        print(to_json(pair))
    about = {"metric": metric, "settings": settings, "rejected": len(rejected)}
    counts = {"resamples": ranking.resamples, "used": ranking.used, "notes": ranking.notes}
    print(to_json({"about": about | counts}))


def _draw(ranking: "Ranking", paths: list[Path]) -> None:
    """The plot; where the package for it is missing the tables are printed all the same."""
    from metrics.ranking.plots import draw_ranking

    try:
        draw_ranking(ranking, *paths)
    except MissingPackage as error:
        say(f"note: no plot: {error}")
        return
    for path in paths:
        say(f"plot: {path}")
