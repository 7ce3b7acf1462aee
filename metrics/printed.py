"""A table ready to print: as text, Markdown, LaTeX and TSV."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import regex

from globesumm.text.cells import sheet_cell

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
    "±": r"$\pm$",
    "Δ": r"$\Delta$",
    "§": r"\S{}",
    "→": r"$\to$",
    "−": r"$-$",
    "≥": r"$\geq$",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table ready to print: a header, one row a system or slice, and notes below it.

    `notes` hold each column's signature and why values are missing.  `numbers` are the same
    rows as bare numbers for TSV, under `number_header`.  The first `named` columns hold names
    and stand to the left, the others numbers.  `groups` are (title, columns) of the header
    above the others, from the first that holds no name; `best` are the (row, column) printed
    bold, and `rules` the rows before which a line is drawn.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    number_header: tuple[str, ...]
    numbers: tuple[tuple[str, ...], ...]
    named: int = 1
    groups: tuple[tuple[str, int], ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()
    rules: frozenset[int] = frozenset()

    def text(self) -> str:
        """Columns padded with blanks, for a terminal, then the notes as a list; * is best."""
        heads = [one_line(cell) for cell in self.header]
        rows = [
            [
                one_line(cell) + self._starred(line, place)
                if place >= self.named
                else one_line(cell)
                for place, cell in enumerate(row)
            ]
            for line, row in enumerate(self.rows)
        ]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        for title, first, count in self._spans():
            room = sum(widths[first : first + count]) + 2 * (count - 1)
            widths[first] += max(0, len(one_line(title)) - room)
        body = [
            "  ".join(
                cell.ljust(width) if place < self.named else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in [heads, *rows]
        ]
        for place in sorted(self.rules, reverse=True):
            body.insert(place + 1, "-" * max(map(len, body)))
        if self.groups:
            spans = [
                one_line(title).center(sum(widths[first : first + count]) + 2 * (count - 1))
                for title, first, count in self._spans()
            ]
            body.insert(0, "  ".join([*(" " * w for w in widths[: self.named]), *spans]).rstrip())
        return "\n".join([*body, *self._block("- ", one_line)]) + "\n"

    def _starred(self, row: int, column: int) -> str:
        if not self.best:
            return ""
        return "*" if (row, column) in self.best else " "

    def markdown(self) -> str:
        """A pipe table, then the notes as a list."""
        rule = ("---" if place < self.named else "---:" for place in range(len(self.header)))
        rows = [
            [
                f"**{_markdown(cell)}**" if (line, place) in self.best else _markdown(cell)
                for place, cell in enumerate(row)
            ]
            for line, row in enumerate(self.rows)
        ]
        head = [_markdown(cell) for cell in self.full_header()]
        lines = [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]
        return "\n".join([*lines, *self._block("- ", _markdown)]) + "\n"

    def latex(self) -> str:
        """A tabular with booktabs rules, then the notes as comments."""
        columns = "l" * self.named + "r" * (len(self.header) - self.named)
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        if self.groups:
            over = [
                *("" for _ in range(self.named)),
                *(rf"\multicolumn{{{n}}}{{c}}{{{_latex(title)}}}" for title, _, n in self._spans()),
            ]
            lines += [" & ".join(over) + r" \\"]
            lines += [" ".join(rf"\cmidrule(lr){{{f + 1}-{f + n}}}" for _, f, n in self._spans())]
        lines += [" & ".join(map(_latex, self.header)) + r" \\", r"\midrule"]
        for line, row in enumerate(self.rows):
            lines += [r"\midrule"] if line in self.rules else []
            cells = (
                rf"\textbf{{{_latex(cell)}}}" if (line, place) in self.best else _latex(cell)
                for place, cell in enumerate(row)
            )
            lines.append(" & ".join(cells) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}"]
        return "\n".join([*lines, *self._block("% ", one_line)]) + "\n"

    def tsv(self) -> str:
        """Mean, interval, n and N of each column in columns of their own; notes after ``#``."""
        rows = (self.number_header, *self.numbers)
        lines = ["\t".join(sheet_cell(one_line(cell)) for cell in row) for row in rows]
        return "\n".join([*lines, *(f"# {one_line(note)}" for note in self.notes)]) + "\n"

    def full_header(self) -> tuple[str, ...]:
        """The header with each group's title before its columns, for forms of one header line."""
        titles = [title for title, count in self.groups for _ in range(count)]
        titles = ["" for _ in range(self.named)] + titles if titles else ["" for _ in self.header]
        return tuple(
            f"{title} {name}" if title else name
            for title, name in zip(titles, self.header, strict=True)
        )

    def _spans(self) -> list[tuple[str, int, int]]:
        """Title, first column and number of columns of each group."""
        firsts = accumulate((count for _, count in self.groups), initial=self.named)
        pairs = zip(self.groups, firsts, strict=False)
        return [(title, first, count) for (title, count), first in pairs]

    def _block(self, mark: str, written: Escape) -> Sequence[str]:
        return ["", *(mark + written(note) for note in self.notes)] if self.notes else []


_UNSEEN = regex.compile(r"[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]")
"""Controls and bidirectional overrides: names come from data and may not steer a terminal."""


def one_line(text: str) -> str:
    """`text` without line breaks and without what could steer a terminal."""
    return _UNSEEN.sub("\ufffd", " ".join(text.split()))


def _markdown(text: str) -> str:
    escaped = one_line(text).replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*")
    return escaped.replace("<", "&lt;")


def _latex(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in one_line(text))
