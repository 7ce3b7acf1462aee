"""Tables of aggregates as text, Markdown, LaTeX and TSV; values times 100, as the paper's."""

from collections.abc import Iterable, Mapping, Sequence

from globesumm.finite import counted, shown
from metrics.aggregate import Aggregate, one_signature
from metrics.base import Better, Column
from metrics.comparison import Comparison
from metrics.meta import Agreement
from metrics.printed import MISSING, Table

__all__ = [
    "MISSING",
    "Table",
    "agreement_table",
    "bare",
    "comparisons_table",
    "span",
    "table",
    "title",
]

Name = str | tuple[str, ...]


def table(
    rows: Mapping[Name, Sequence[Aggregate]] | Mapping[str, Sequence[Aggregate]],
    columns: Sequence[Column],
    *,
    first: Name = "system",
    intervals: bool = True,
) -> Table:
    """The aggregates of each row under `columns`, whose names they bear.

    A row's name may have several parts, one for each part of `first`.  Every cell says n of N;
    one without a value says why below.  Unequal signatures within a column are a `UsageError`.
    """
    heads = (first,) if isinstance(first, str) else first
    named = {(name,) if isinstance(name, str) else name: held for name, held in rows.items()}
    cells = {
        name: [next((a for a in held if a.metric == column.name), None) for column in columns]
        for name, held in named.items()
    }
    notes = []
    for place, column in enumerate(columns):
        held = [cell for row in cells.values() if (cell := row[place])]
        # A row in which nothing was scored may lack the model that the others had.
        signatures = [cell.signature for cell in held if cell.n] or [c.signature for c in held]
        if signatures:
            notes.append(f"{title(column)}: {one_signature(column.name, signatures)}")
    notes += [*_reasons(cells, columns), *_flagged(cells)]
    ends = ("", "_low", "_high", "_n", "_expected")
    return Table(
        header=(*heads, *(title(column) for column in columns)),
        rows=tuple(
            (*name, *(_cell(cell, intervals) for cell in row)) for name, row in cells.items()
        ),
        notes=tuple(notes),
        number_header=(*heads, *(column.name + end for column in columns for end in ends)),
        numbers=tuple(
            (*name, *(text for cell in row for text in _numbers(cell)))
            for name, row in cells.items()
        ),
        named=len(heads),
    )


ROWS_NAMED = 3
"""Rows that a note names which share a reason; of more it says how many they are."""


def _reasons(
    cells: Mapping[tuple[str, ...], Sequence[Aggregate | None]], columns: Sequence[Column]
) -> Iterable[str]:
    """Why values are missing: rows and columns that miss them for one reason share a note."""
    groups: dict[tuple[str, tuple[str, ...]], dict[str, int]] = {}
    for name, row in cells.items():
        missed: dict[tuple[str, int], list[str]] = {}
        for cell, column in zip(row, columns, strict=True):
            for reason_and_count in cell.reasons if cell else (("not computed", 0),):
                missed.setdefault(reason_and_count, []).append(column.name)
        for (reason, count), held in missed.items():
            groups.setdefault((reason, tuple(held)), {})[", ".join(name)] = count
    for (reason, names), rows in groups.items():
        where = "; ".join(rows) if len(rows) <= ROWS_NAMED else f"{len(rows)} rows"
        total = sum(rows.values())
        yield f"{where}, {', '.join(names)}: {reason}" + (f" ({total})" if total else "")


def _flagged(cells: Mapping[tuple[str, ...], Sequence[Aggregate | None]]) -> Iterable[str]:
    """How many texts speak to a model, where one judged them: rows that have any."""
    rows = {
        ", ".join(name): max(held, key=lambda cell: cell.flagged)
        for name, row in cells.items()
        if (held := [cell for cell in row if cell and cell.flagged])
    }
    if rows:
        where = "; ".join(rows) if len(rows) <= ROWS_NAMED else f"{len(rows)} rows"
        flagged = sum(cell.flagged for cell in rows.values())
        total = sum(cell.expected for cell in rows.values())
        yield (
            f"{where}: {flagged} of {counted(total, 'score')} of texts that speak to a model: "
            "read them"
        )


def comparisons_table(found: Sequence[Comparison], known: Iterable[Column]) -> Table:
    """A row for each pair of systems in each column: difference with interval, and p values."""
    titles = {column.name: title(column) for column in known}
    notes = dict.fromkeys(f"{titles.get(one.metric, one.metric)}: {one.signature}" for one in found)
    tests = sum(one.p_permutation is not None for one in found)
    header = ("metric", "left", "right", "left - right", "p bootstrap", "p permutation", "p Holm")
    numbers = ("difference", "low", "high", "p_bootstrap", "p_permutation", "p_holm", "n")
    return Table(
        header=header,
        rows=tuple(
            (
                titles.get(one.metric, one.metric),
                one.left,
                one.right,
                span(one.difference, one.low, one.high, scale=100) + f" ({one.n}/{one.expected})",
                *(MISSING if p is None else f"{p:.4f}" for p in _tests(one)),
            )
            for one in found
        ),
        notes=(
            *notes,
            (
                "paired over items that both have; two-sided; Holm over all "
                f"{counted(tests, 'permutation test')}"
            ),
        ),
        number_header=("metric", "left", "right", *numbers, "expected"),
        numbers=tuple(
            (
                one.metric,
                one.left,
                one.right,
                *(bare(v, scale=100) for v in (one.difference, one.low, one.high)),
                *(bare(p) for p in _tests(one)),
                str(one.n),
                str(one.expected),
            )
            for one in found
        ),
        named=3,
    )


def agreement_table(found: Sequence[Agreement], notes: Sequence[str] = ()) -> Table:
    """A row for each measure of agreement with people; values as they are, not times 100."""
    missing = [f"{one.level} {one.name}: {one.note}" for one in found if one.note]
    return Table(
        header=("level", "measure", "value", "n of N"),
        rows=tuple(
            (
                one.level,
                one.name,
                span(one.value, one.low, one.high, scale=1),
                f"{one.n}/{one.expected}",
            )
            for one in found
        ),
        notes=(*missing, *notes),
        number_header=("level", "measure", "value", "low", "high", "n", "expected"),
        numbers=tuple(
            (
                one.level,
                one.name,
                *(bare(value) for value in (one.value, one.low, one.high)),
                str(one.n),
                str(one.expected),
            )
            for one in found
        ),
        named=2,
    )


def _tests(one: Comparison) -> tuple[float | None, float | None, float | None]:
    return one.p_bootstrap, one.p_permutation, one.p_adjusted


def span(value: float | None, low: float | None, high: float | None, scale: float = 100) -> str:
    """A value times `scale` with its bounds, as ``20.13 [19.20, 21.04]``; `MISSING` for None."""
    digits = 2 if scale == 100 else 3
    if value is None:
        return MISSING
    bounds = ""
    if low is not None and high is not None:
        bounds = f" [{shown(scale * low, digits)}, {shown(scale * high, digits)}]"
    return f"{shown(scale * value, digits)}{bounds}"


def bare(value: float | None, scale: float = 1) -> str:
    """A value times `scale` for TSV; nothing for None."""
    return "" if value is None else shown(scale * value, 4 if scale == 100 else 6)


def title(column: Column) -> str:
    """A column's name with the arrow of its direction."""
    return f"{column.name} {Better(column.better).arrow}"


def _cell(cell: Aggregate | None, intervals: bool) -> str:
    if cell is None:
        return MISSING
    low, high = (cell.low, cell.high) if intervals else (None, None)
    return f"{span(cell.mean, low, high, scale=100)} ({cell.n}/{cell.expected})"


def _numbers(cell: Aggregate | None) -> Iterable[str]:
    if cell is None:
        return ("",) * 5
    values = (bare(value, scale=100) for value in (cell.mean, cell.low, cell.high))
    return (*values, str(cell.n), str(cell.expected))
