"""What a study hands back: settings, sections, tables, as one page of Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.tables import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One table under a heading; `about` says how its figures were made."""

    title: str
    about: str
    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A study's results; `settings` hold all that decides them (seeds, sizes, versions)."""

    title: str
    settings: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]

    def markdown(self) -> str:
        """The page; equal results give equal bytes, so nothing in it is a time or a path."""
        lines = [f"## {self.title}", ""]
        lines += [f"- {name}: {value}" for name, value in self.settings]
        for section in self.sections:
            lines += ["", f"### {section.title}", "", section.about, "", section.table.markdown()]
        return "\n".join(lines).rstrip("\n") + "\n"


def plain_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()
) -> Table:
    """A table whose cells are text already; one without rows says ``none``."""
    cells = tuple(tuple(row) for row in rows) or (("none", *("–" for _ in header[1:])),)
    return Table(tuple(header), cells, tuple(notes), tuple(header), cells)
