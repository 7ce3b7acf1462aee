"""The GlobeSumm paper's printed cells as results, so that every table takes them as it takes a run.

The paper prints means alone: there are no intervals, no values by event, and n is not stated.
"""

from collections.abc import Iterable, Mapping
from functools import cache

from baselines.recipes import SCHEMAS
from baselines.tables.measures import MEASURES
from baselines.tables.results import CellResult, Results, Who
from globesumm.values import Recipe
from metrics import published
from metrics.base import Signature
from metrics.published import Result
from metrics.registry import known_columns

TABLES = (5, 6, 8, 9, 10, 11)
EVENTS, DOCUMENTS = (published.splits()["test"][what] for what in ("events", "documents"))
"""Of the test split, on which the paper says that it evaluates."""

PIPELINES: Mapping[str, str] = {
    "none": "None",
    "translate-summarize": "Translate-then-Summarize",
    "summarize-translate": "Summarize-then-Translate",
    "kis": "KIS-only",
    "kis-clp": "KIS-then-CLP",
}
"""Pipelines to their names in the paper."""

PROMPTINGS: Mapping[str, str] = {"direct": "Direct", "protocol": "Protocol"}


@cache
def paper(*tables: int) -> Results:
    """The cells of these tables of the paper that are no averages; a cell of two tables once."""
    rows = [one for table in tables for one in published.results(table) if not one.is_average]
    cells = {(one.recipe, one.who, one.metric): one for one in (_cell(row) for row in rows)}
    recipes = list(dict.fromkeys(one.recipe for one in cells.values()))
    who = list(dict.fromkeys(one.who for one in cells.values()))
    known = known_columns()
    return Results(
        source="the paper",
        cells=tuple(cells.values()),
        recipes=tuple(recipes),
        who=tuple(who),
        columns=tuple(
            known[names[0]] for measure, names in MEASURES.items() if measure in _measures(rows)
        ),
        asked=frozenset((one.recipe, one.who) for one in cells.values()),
        notes=("printed means; the paper states neither n nor intervals",),
    )


def misprint_notes(table: int) -> tuple[str, ...]:
    """What the paper prints that the rows of its table do not give, and slips of its text."""
    notes = []
    for one in published.misprints(table):
        printed = one.printed
        kind = "Δ" if printed.prompting == published.CHANGE else f"{printed.prompting}.Avg"
        notes.append(
            f"misprint: {kind} of {printed.model} {printed.measure} is printed as "
            f"{printed.value:.2f}, its rows give {one.computed:.2f}"
        )
    return (*notes, *SLIPS.get(table, ()))


SLIPS: Mapping[int, tuple[str, ...]] = {
    9: (
        "the text gives the change of CRE of the 7B model as -4.96, the table as -4.94",
        "the text's changes of NIC, 13.96 → 5.01 → 4.36, rest on the misprinted averages",
    ),
}
"""Where the paper's text and its table disagree."""


def recipe_of(row: Result) -> Recipe:
    """The recipe that a printed row stands for."""
    pipelines = {name: key for key, name in PIPELINES.items()}
    promptings = {name: key for key, name in PROMPTINGS.items()}
    schema = row.schema.casefold()
    if schema not in SCHEMAS:
        raise KeyError(schema)
    return Recipe(
        schema=schema, pipeline=pipelines[row.pipeline], prompting=promptings[row.prompting]
    )


def _cell(row: Result) -> CellResult:
    return CellResult(
        recipe=recipe_of(row),
        who=Who(model=row.model),
        metric=MEASURES[row.measure][0],
        mean=row.value / 100,
        signature=str(Signature.of("paper", measure=row.measure)),
    )


def _measures(rows: Iterable[Result]) -> set[str]:
    return {row.measure for row in rows}
