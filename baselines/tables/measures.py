"""The measures of the paper's tables, and the metrics here that can stand in their place."""

from collections.abc import Mapping

from baselines.tables.results import Results
from metrics.base import Column

MEASURES: Mapping[str, tuple[str, ...]] = {
    "R-1": ("rouge1",),
    "R-2": ("rouge2",),
    "R-L": ("rougeL",),
    "Red": ("red", "red-tokens", "red-vectors"),
    "NIC": ("nic", "nic-vectors", "nic-lexical"),
    "CRE": ("cre",),
}
"""The paper's name of a measure to columns of `metrics`, the nearest first."""


def standing(measure: str, results: Results) -> Column | None:
    """The column that stands for a measure of the paper: the nearest in which anything was scored.

    None where no such metric was asked for.
    """
    held = {column.name: column for column in results.columns}
    possible = [held[name] for name in MEASURES[measure] if name in held]
    scored = [column for column in possible if results.lead(column.name)]
    return next(iter([*scored, *possible]), None)


def headed(measure: str, column: Column | None) -> str:
    """How a measure is headed: its name, the metric in its place if another, and its arrow."""
    if column is None:
        return measure
    nearest = MEASURES[measure][0]
    name = measure if column.name == nearest else f"{measure} by {column.name}"
    return f"{name} {column.better.arrow}"
