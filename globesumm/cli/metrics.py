"""List the metrics: what each measures, formula, range, direction, cost, source.

An arrow says which way is better.  A metric that is another one with other settings says so;
--name tells all about it.

Examples:
  globesumm metrics
  globesumm metrics --name red
  globesumm metrics check

"""

import argparse
import textwrap
from typing import TYPE_CHECKING

from globesumm.cli.main import DONE
from globesumm.cli.metrics_check import add_check, run_check
from globesumm.cli.metrics_style import add_style, run_points, run_style
from globesumm.errors import UsageError

if TYPE_CHECKING:
    from metrics.base import Description, Metric


ACTIONS = {"check": run_check, "style": run_style, "points": run_points}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", help="only this metric")
    actions = parser.add_subparsers(dest="action", required=False, metavar="ACTION")
    add_check(actions)
    add_style(actions)


def run(options: argparse.Namespace) -> int:
    if options.action:
        if options.name:
            raise UsageError("--name is for the list of metrics: leave it out with an action")
        return ACTIONS[options.action](options)
    from metrics.needs_model import NEEDS_JUDGE, NEEDS_MODEL
    from metrics.registry import METRICS, metrics

    if options.name:
        for metric in metrics(options.name):
            _print(options.name, metric)
        return DONE
    told: dict[Description, str] = {}
    for name, make in METRICS.items():
        metric = make()
        _print(name, metric, told.setdefault(metric.describe(), name))
    for row in (*NEEDS_MODEL, *NEEDS_JUDGE):
        print(f"{row.name}: {row.name} {row.better.arrow} (not computed here)")
        _field("measures", row.measures)
        _field("source", row.source)
        _field("needs", row.needs)
        print()
    return DONE


def _print(name: str, metric: "Metric", first: str | None = None) -> None:
    """One metric; where `first` was told of in the same words, only what differs."""
    columns = ", ".join(f"{column.name} {column.better.arrow}" for column in metric.columns)
    print(f"{name}: {columns}")
    print(f"  {'signature':<11} {metric.signature}")
    needs = "; ".join(metric.requires) or "nothing beyond the core"
    if first not in (None, name):
        _field("as", f"{first}, with the settings in the signature")
        _field("needs", needs)
        print()
        return
    about = metric.describe()
    _field("measures", about.measures)
    _field("formula", about.formula)
    _field("range", about.range)
    _field("empty", about.empty)
    _field("cost", about.cost)
    _field("source", about.source)
    _field("difference", about.difference)
    _field("weak spots", about.weak_spots)
    _field("needs", needs)
    print()


def _field(name: str, text: str) -> None:
    start, rest = f"  {name:<11} ", " " * 14
    print(
        textwrap.fill(
            text, 98, initial_indent=start, subsequent_indent=rest, break_on_hyphens=False
        )
    )
