"""Tables that compare the cells of a run, ready to be sorted in a browser."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from baselines.tables.comparing import KINDS, Compared
from globesumm.errors import DataError, UsageError
from metrics.printed import MISSING, Table

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell; `key` is what rows are sorted by, empty for what has no value and stands last."""

    text: str
    key: str
    number: bool
    best: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One table, or `missing`: why there is none, and the `command` that makes it."""

    name: str
    about: str
    header: tuple[tuple[str, bool], ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()
    missing: str = ""
    command: str = ""


MAIN = "all"

SHOWN: Mapping[str, str] = {
    MAIN: "globesumm score RUN",
    "pairs": "",
    "conflicts": "globesumm score RUN --metrics cre --judge MODEL",
    "cost": "",
    "findings": "",
    "languages": "",
    "contamination": "",
    "drafts": "",
}
"""The tables of the report, in its order, with the command that makes what they rest on."""


def tables(folder: Path) -> dict[str, Shown]:
    """Every table that the run has something for, by name; the first two even without."""
    held = Compared(folder)
    found = {}
    for name, command in SHOWN.items():
        kind = KINDS[name]
        try:
            if name == "findings" and not held.results.models():
                continue
            table = (kind.detailed or kind.make)(held)
        except (UsageError, DataError) as error:
            found[name] = Shown(name=name, about=kind.about, missing=str(error), command=command)
            continue
        if table.rows:
            found[name] = shown(name, kind.about, table)
    return found


def shown(name: str, about: str, table: Table) -> Shown:
    """The table with a key for sorting in every cell."""
    heads = _heads(table)
    numeric = [
        place >= table.named
        and all(sort_key(row[place]) or _absent(row[place]) for row in table.rows)
        for place in range(len(heads))
    ]
    return Shown(
        name=name,
        about=about,
        header=tuple(zip(heads, numeric, strict=True)),
        rows=tuple(
            tuple(
                Cell(
                    text=text,
                    key=sort_key(text) if numeric[place] else _words(text),
                    number=numeric[place],
                    best=(line, place) in table.best,
                )
                for place, text in enumerate(row)
            )
            for line, row in enumerate(table.rows)
        ),
        notes=table.notes,
    )


def sort_key(text: str) -> str:
    """The number that a cell begins with, or nothing."""
    found = _NUMBER.match(text.replace("−", "-").lstrip("<≤>≥~ "))
    return found[0] if found else ""


def _absent(text: str) -> bool:
    return not text.strip() or text.lstrip().startswith(MISSING)


def _words(text: str) -> str:
    return "" if _absent(text) else text.casefold()


def _heads(table: Table) -> list[str]:
    """The header with the groups above it, in one line."""
    titles = [""] * table.named
    for title, count in table.groups:
        titles += [title] * count
    titles += [""] * (len(table.header) - len(titles))
    return [f"{group} {name}".strip() for group, name in zip(titles, table.header, strict=True)]
