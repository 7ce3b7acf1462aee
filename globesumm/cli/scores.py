"""Scores as people and programs read them; shared by the verbs that score."""

import json
from collections.abc import Sequence

from globesumm.values import Score


def print_table(scores: Sequence[Score], seed: int = 0, form: str = "table") -> None:
    """One row a recipe: mean x 100, interval and n of N; below it signatures and reasons.

    Metrics of which nothing was scored anywhere stand below the table in one line each, with
    what they need.
    """
    from metrics.aggregate import aggregate
    from metrics.needs_model import NEEDS_MODEL
    from metrics.registry import METRICS
    from metrics.tables import table

    by_recipe: dict[str, list[Score]] = {}
    for score in scores:
        by_recipe.setdefault(score.recipe or "candidates", []).append(score)
    rows = {name: aggregate(held, seed=seed) for name, held in by_recipe.items()}
    waiting = {row.name for row in NEEDS_MODEL}
    present = dict.fromkeys(score.metric for score in scores if score.metric not in waiting)
    known = {column.name: column for make in METRICS.values() for column in make().columns}
    columns = [known[name] for name in present]
    made = table(rows, columns, first="recipe")
    text = {"latex": made.latex, "tsv": made.tsv}.get(form, made.markdown)()
    print(text.rstrip("\n"))
    mark = {"latex": "% ", "tsv": "# "}.get(form, "- ")
    for row in NEEDS_MODEL:
        total = sum(score.metric == row.name for score in scores)
        if total:
            print(f"{mark}{row.name} {row.better.arrow}: 0/{total} scored, needs {row.needs}")


def print_lines(scores: Sequence[Score]) -> None:
    """One JSON object a score, and a last one with the aggregates."""
    from metrics.scoring import records

    for record in records(scores):
        print(json.dumps(record, ensure_ascii=False))
