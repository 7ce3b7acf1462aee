"""Tables of aggregates as text, Markdown, LaTeX and TSV; values times 100, as the paper's."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import regex

from metrics.aggregate import Aggregate, one_signature
from metrics.base import Better, Column
from metrics.comparison import Comparison
from metrics.meta import Agreement

Escape = Callable[[str], str]

MISSING = "–"
_LATEX = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "–": "--",
    "≠": r"$\neq$",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table ready to print: a header, one row a system or slice, and notes below it.

    `notes` hold each column's signature and why values are missing.  `numbers` are the same
    rows as bare numbers for TSV, under `number_header`.  The first `named` columns hold names
    and stand to the left, the others numbers.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    number_header: tuple[str, ...]
    numbers: tuple[tuple[str, ...], ...]
    named: int = 1

    def text(self) -> str:
        """Columns padded with blanks, for a terminal, then the notes as a list."""
        lines = [[_one_line(cell) for cell in row] for row in (self.header, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        body = [
            "  ".join(
                cell.ljust(width) if place < self.named else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join([*body, *self._block("- ", _one_line)]) + "\n"

    def markdown(self) -> str:
        """A pipe table, then the notes as a list."""
        rule = ("---" if place < self.named else "---:" for place in range(len(self.header)))
        lines = [
            f"| {' | '.join(_markdown(cell) for cell in row)} |"
            for row in (self.header, rule, *self.rows)
        ]
        return "\n".join([*lines, *self._block("- ", _markdown)]) + "\n"

    def latex(self) -> str:
        """A tabular with booktabs rules, then the notes as comments."""
        columns = "l" * self.named + "r" * (len(self.header) - self.named)
        head, *body = [
            " & ".join(_latex(cell) for cell in row) + r" \\" for row in (self.header, *self.rows)
        ]
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body]
        lines += [r"\bottomrule", r"\end{tabular}"]
        return "\n".join([*lines, *self._block("% ", _one_line)]) + "\n"

    def tsv(self) -> str:
        """Mean, interval, n and N of each column in columns of their own; notes after ``#``."""
        lines = ["\t".join(map(_one_line, row)) for row in (self.number_header, *self.numbers)]
        return "\n".join([*lines, *(f"# {_one_line(note)}" for note in self.notes)]) + "\n"

    def _block(self, mark: str, written: Escape) -> list[str]:
        return ["", *(mark + written(note) for note in self.notes)] if self.notes else []


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
            notes.append(f"{_title(column)}: {one_signature(column.name, signatures)}")
    notes += _reasons(cells, columns)
    ends = ("", "_low", "_high", "_n", "_expected")
    return Table(
        header=(*heads, *(_title(column) for column in columns)),
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
            for counted in cell.reasons if cell else (("not computed", 0),):
                missed.setdefault(counted, []).append(column.name)
        for (reason, count), held in missed.items():
            groups.setdefault((reason, tuple(held)), {})[", ".join(name)] = count
    for (reason, names), rows in groups.items():
        where = "; ".join(rows) if len(rows) <= ROWS_NAMED else f"{len(rows)} rows"
        total = sum(rows.values())
        yield f"{where}, {', '.join(names)}: {reason}" + (f" ({total})" if total else "")


def comparisons_table(found: Sequence[Comparison], known: Iterable[Column]) -> Table:
    """A row for each pair of systems in each column: difference with interval, and p values."""
    titles = {column.name: _title(column) for column in known}
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
                _span(one.difference, one.low, one.high, scale=100) + f" ({one.n}/{one.expected})",
                *(MISSING if p is None else f"{p:.4f}" for p in _tests(one)),
            )
            for one in found
        ),
        notes=(
            *notes,
            f"paired over items that both have; two-sided; Holm over all {tests} permutation tests",
        ),
        number_header=("metric", "left", "right", *numbers, "expected"),
        numbers=tuple(
            (
                one.metric,
                one.left,
                one.right,
                *(_bare(v, scale=100) for v in (one.difference, one.low, one.high)),
                *(_bare(p) for p in _tests(one)),
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
                _span(one.value, one.low, one.high, scale=1),
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
                *(_bare(value) for value in (one.value, one.low, one.high)),
                str(one.n),
                str(one.expected),
            )
            for one in found
        ),
        named=2,
    )


def _tests(one: Comparison) -> tuple[float | None, float | None, float | None]:
    return one.p_bootstrap, one.p_permutation, one.p_adjusted


def _span(value: float | None, low: float | None, high: float | None, scale: float) -> str:
    digits = 2 if scale == 100 else 3
    if value is None:
        return MISSING
    bounds = ""
    if low is not None and high is not None:
        bounds = f" [{scale * low:.{digits}f}, {scale * high:.{digits}f}]"
    return f"{scale * value:.{digits}f}{bounds}"


def _bare(value: float | None, scale: float = 1) -> str:
    return "" if value is None else f"{scale * value:.{4 if scale == 100 else 6}f}"


def _title(column: Column) -> str:
    return f"{column.name} {Better(column.better).arrow}"


def _cell(cell: Aggregate | None, intervals: bool) -> str:
    if cell is None:
        return MISSING
    low, high = (cell.low, cell.high) if intervals else (None, None)
    return f"{_span(cell.mean, low, high, scale=100)} ({cell.n}/{cell.expected})"


def _numbers(cell: Aggregate | None) -> Iterable[str]:
    if cell is None:
        return ("",) * 5
    values = (_bare(value, scale=100) for value in (cell.mean, cell.low, cell.high))
    return (*values, str(cell.n), str(cell.expected))


_UNSEEN = regex.compile(r"[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]")
"""Controls and bidirectional overrides: names come from data and may not steer a terminal."""


def _one_line(text: str) -> str:
    return _UNSEEN.sub("\ufffd", " ".join(text.split()))


def _markdown(text: str) -> str:
    escaped = _one_line(text).replace("\\", "\\\\").replace("|", "\\|")
    return escaped.replace("<", "&lt;")


def _latex(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in _one_line(text))
