"""A table as Markdown, LaTeX or tab-separated text; cells are text that nobody here wrote."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from globesumm.records import write_text
from globesumm.text.cells import sheet_cell

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#~$!&])")
_UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """`rows` of as many cells as `header`; `notes` say how the figures were made."""

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """The table with its title above and its notes below."""
        lines = [f"**{escaped(self.title)}**", "", _pipe(map(escaped, self.header))]
        lines.append(_pipe("---" if not place else "---:" for place in range(len(self.header))))
        lines += [_pipe(map(escaped, row)) for row in self.rows]
        lines += [line for note in self.notes for line in ("", escaped(note))]
        return "\n".join(lines) + "\n"

    def tex(self) -> str:
        """A ``table`` environment with booktabs rules."""
        columns = "l" + "r" * (len(self.header) - 1)
        body = [_tex_row(self.header), r"\midrule", *map(_tex_row, self.rows)]
        caption = " ".join((self.title + ".", *self.notes))
        lines = [
            r"\begin{table}",
            rf"\caption{{{_tex(caption)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def tsv(self) -> str:
        """Header and rows with tabs between; no cell holds a tab or a line end."""
        rows = (self.header, *self.rows)
        return "".join("\t".join(sheet_cell(_plain(cell)) for cell in row) + "\n" for row in rows)

    def write(self, folder: Path) -> None:
        """``NAME.md``, ``NAME.tex`` and ``NAME.tsv`` in `folder`."""
        write_text(folder / f"{self.name}.md", self.markdown())
        write_text(folder / f"{self.name}.tex", self.tex())
        write_text(folder / f"{self.name}.tsv", self.tsv())


def escaped(text: str) -> str:
    """`text` as Markdown that shows it letter by letter, on one line."""
    return _MARKDOWN.sub(r"\\\1", _plain(text)).replace("\\<", "&lt;").replace("\\>", "&gt;")


def _plain(text: str) -> str:
    return " ".join(_UNSHOWN.sub(" ", text).split())


def _pipe(cells: object) -> str:
    return "| " + " | ".join(cells) + " |"  # type: ignore[arg-type]


def _tex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in _plain(text))


def _tex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_tex, cells)) + r" \\"
