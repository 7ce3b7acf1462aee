"""List the metrics: what each measures, formula, range, direction, cost, source.

Examples:
  globesumm metrics
  globesumm metrics --name red

"""

import argparse
import textwrap

from globesumm.cli.main import DONE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", help="only this metric")


def run(options: argparse.Namespace) -> int:
    from metrics.needs_model import NEEDS_MODEL
    from metrics.registry import METRICS, metrics

    for metric in metrics(options.name or ",".join(METRICS)):
        about = metric.describe()
        columns = ", ".join(f"{column.name}{column.better.arrow}" for column in metric.columns)
        print(f"{metric.name}: {columns}")
        print(f"  signature   {metric.signature}")
        rows = {
            "measures": about.measures,
            "formula": about.formula,
            "range": about.range,
            "empty": about.empty,
            "cost": about.cost,
            "source": about.source,
            "difference": about.difference,
            "weak spots": about.weak_spots,
            "needs": ", ".join(metric.requires) or "nothing beyond the core",
        }
        for name, text in rows.items():
            print(textwrap.fill(text, 98, initial_indent=f"  {name:<11} ",
                                subsequent_indent=" " * 14))  # fmt: skip
        print()
    if not options.name:
        for row in NEEDS_MODEL:
            print(
                f"{row.name}{row.better.arrow}: {row.measures}; "
                f"not computed here, needs {row.needs}"
            )
    return DONE
