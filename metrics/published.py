"""The GlobeSumm paper's result tables as data, averages computed from rows, misprints named.

Figures are those printed in Tables 2 and 5 to 11 (Ye et al., 2024), times 100 as there.
"""

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from globesumm.errors import UsageError

ALL = "*"
"""In a result's place of schema, pipeline or prompting: averaged over all of the table's."""

CHANGE = "Protocol-Direct"
"""The prompting of a row that prints an average of Protocol minus one of Direct."""

TOLERANCE = 0.015
"""How far an average of printed rows may lie from the printed average: both are rounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One printed cell; Table 9's "Con" and Table 5's CRE are one measure, here ``CRE``."""

    table: int
    schema: str
    pipeline: str
    prompting: str
    model: str
    measure: str
    value: float

    @property
    def is_average(self) -> bool:
        """Whether the paper computed this cell from others of its table."""
        return ALL in (self.schema, self.pipeline, self.prompting) or self.prompting == CHANGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Misprint:
    """A printed average that its own rows do not give; `computed` is what they do."""

    printed: Result
    computed: float


@cache
def results(table: int) -> tuple[Result, ...]:
    """Every printed cell of Table 5, 6, 8, 9, 10 or 11, averages among them, in print order."""
    found = tuple(
        Result(
            table=table,
            schema=row["schema"],
            pipeline=row["pipeline"],
            prompting=row["prompting"],
            model=row["model"],
            measure=row["measure"],
            value=float(row["value"]),
        )
        for row in _read("globesumm_results.tsv")
        if int(row["table"]) == table
    )
    if not found:
        raise UsageError(f"table {table} of the paper holds no results: choose 5, 6, 8, 9, 10, 11")
    return found


def average(printed: Result) -> float:
    """What the rows of its table give for an average; for another cell its own value."""
    if printed.prompting == CHANGE:
        return _mean(printed, "Protocol") - _mean(printed, "Direct")
    return _mean(printed, printed.prompting) if printed.is_average else printed.value


def _mean(wanted: Result, prompting: str) -> float:
    values = [
        row.value
        for row in results(wanted.table)
        if not row.is_average
        and (row.model, row.measure) == (wanted.model, wanted.measure)
        and wanted.schema in (ALL, row.schema)
        and wanted.pipeline in (ALL, row.pipeline)
        and prompting in (ALL, row.prompting)
    ]
    return math.fsum(values) / len(values)


def misprints(table: int) -> list[Misprint]:
    """The averages of a table that lie further than `TOLERANCE` from what its rows give."""
    return [
        Misprint(printed=one, computed=computed)
        for one in results(table)
        if abs((computed := average(one)) - one.value) > TOLERANCE + 1e-9
    ]


def documents_by_language() -> dict[str, int]:
    """Table 7: documents of the data set in each of the 26 languages."""
    return {row["language"]: int(row["documents"]) for row in _read("globesumm_documents.tsv")}


def splits() -> dict[str, dict[str, int]]:
    """Table 2: events, documents and summaries of each split and in all."""
    return {
        row["split"]: {name: int(row[name]) for name in ("events", "documents", "summaries")}
        for row in _read("globesumm_splits.tsv")
    }


def _read(name: str) -> Iterator[dict[str, str]]:
    content = files("metrics").joinpath("data", name).read_text(encoding="utf-8")
    return csv.DictReader(content.splitlines(), delimiter="\t")
