"""Tables of aggregates in Markdown, LaTeX and TSV; values times 100, as the paper prints them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from metrics.aggregate import Aggregate, one_signature
from metrics.base import Better, Column

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
    rows as bare numbers for TSV, under `number_header`.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    number_header: tuple[str, ...]
    numbers: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """A pipe table, then the notes as a list."""
        rule = ("---", *("---:" for _ in self.header[1:]))
        lines = [
            f"| {' | '.join(_markdown(cell) for cell in row)} |"
            for row in (self.header, rule, *self.rows)
        ]
        return "\n".join([*lines, *self._block("- ", _markdown)]) + "\n"

    def latex(self) -> str:
        """A tabular with booktabs rules, then the notes as comments."""
        columns = "l" + "r" * (len(self.header) - 1)
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


def table(
    rows: Mapping[str, Sequence[Aggregate]],
    columns: Sequence[Column],
    *,
    first: str = "system",
    intervals: bool = True,
) -> Table:
    """The aggregates of each row under `columns`, whose names they bear.

    Every cell says n of N; one without a value says why below.  Unequal signatures within a
    column are a `UsageError`.
    """
    cells = {
        (name, column.name): next((a for a in held if a.metric == column.name), None)
        for name, held in rows.items()
        for column in columns
    }
    notes = []
    for column in columns:
        held = [cell for name in rows if (cell := cells[name, column.name])]
        # A row in which nothing was scored may lack the model that the others had.
        signatures = [cell.signature for cell in held if cell.n] or [c.signature for c in held]
        if signatures:
            title = _title(column)
            notes.append(f"{title}: {one_signature(column.name, signatures)}")
    for (name, column_name), cell in cells.items():
        reasons = cell.reasons if cell else (("not computed", 0),)
        notes += [
            f"{name}, {column_name}: {reason}" + (f" ({count})" if count else "")
            for reason, count in reasons
        ]
    ends = ("", "_low", "_high", "_n", "_expected")
    return Table(
        header=(first, *(_title(column) for column in columns)),
        rows=tuple(
            (name, *(_cell(cells[name, column.name], intervals) for column in columns))
            for name in rows
        ),
        notes=tuple(notes),
        number_header=(first, *(column.name + end for column in columns for end in ends)),
        numbers=tuple(
            (name, *(text for column in columns for text in _numbers(cells[name, column.name])))
            for name in rows
        ),
    )


def _title(column: Column) -> str:
    return f"{column.name} {Better(column.better).arrow}"


def _cell(cell: Aggregate | None, intervals: bool) -> str:
    if cell is None:
        return MISSING
    counted = f"{cell.n}/{cell.expected}"
    if cell.mean is None:
        return f"{MISSING} ({counted})"
    bounds = ""
    if intervals and cell.low is not None and cell.high is not None:
        bounds = f" [{_times100(cell.low)}, {_times100(cell.high)}]"
    return f"{_times100(cell.mean)}{bounds} ({counted})"


def _numbers(cell: Aggregate | None) -> Iterable[str]:
    if cell is None:
        return ("",) * 5
    values = ("" if v is None else f"{100 * v:.4f}" for v in (cell.mean, cell.low, cell.high))
    return (*values, str(cell.n), str(cell.expected))


def _times100(value: float) -> str:
    return f"{100 * value:.2f}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _markdown(text: str) -> str:
    escaped = _one_line(text).replace("\\", "\\\\").replace("|", "\\|")
    return escaped.replace("<", "&lt;")


def _latex(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in _one_line(text))
