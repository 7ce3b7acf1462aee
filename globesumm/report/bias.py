"""The language-bias report of a run, as `globesumm bias` left it: bars and notes."""

import csv
import math
import re
from dataclasses import dataclass
from pathlib import Path

from globesumm.errors import DataError
from globesumm.report.drawing import Bars, Measure, bars
from globesumm.report.tables import Cell, Shown, sort_key
from globesumm.report.texts import language_name

FOLDER = "bias"
LARGEST = 4 * 1024 * 1024
"""Bytes of the largest table read; `globesumm bias` writes some kilobytes."""

_TONES = {"drawn on more": ("▲", "more"), "drawn on less": ("▼", "less")}


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasView:
    """One system: the bars of its languages, the same as a table, and what was noted."""

    system: str
    bars: Bars | None
    table: Shown
    controlled: bool = False
    broken: str = ""


def biases(folder: Path) -> list[BiasView]:
    """Every report in ``RUN/bias``, in the order of file names; a broken one says so."""
    found = []
    for pattern, controlled in (("report-*.csv", False), ("controlled-*.csv", True)):
        for path in sorted((folder / FOLDER).glob(pattern)):
            name = path.stem.partition("-")[2]
            try:
                found.append(_view(path, name, controlled=controlled))
            except (OSError, ValueError, DataError, csv.Error) as error:
                empty = Shown(name=name, about="")
                why = f"{FOLDER}/{path.name} cannot be read: {error}"
                found.append(BiasView(system=name, bars=None, table=empty, broken=why))
    return found


def _view(path: Path, system: str, *, controlled: bool) -> BiasView:
    if path.stat().st_size > LARGEST:
        raise DataError(f"it is larger than {LARGEST} bytes")
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file, strict=True)) or [[]]
    if not header or header[0] != "language" or any(len(row) != len(header) for row in rows):
        raise DataError("it is no table of languages")
    named = [dict(zip(header, row, strict=True)) for row in rows]
    return BiasView(
        system=system,
        bars=None if controlled else _bars(named),
        table=_table(system, header, rows, _notes(path.with_suffix(".md"))),
        controlled=controlled,
    )


def _bars(rows: list[dict[str, str]]) -> Bars | None:
    """Normalized scores, the highest first, beside the equal share."""
    scored = [row for row in rows if row.get("norm")]
    scored.sort(key=lambda row: (-float(row["norm"]), row["language"]))
    if not scored:
        return None
    measures = []
    for row in scored:
        mark, tone = _TONES.get(row.get("finding", ""), ("", "plain"))
        measures.append(
            Measure(
                name=f"{language_name(row['language'])} ({row['documents']})",
                value=_number(row["norm"]) or 0.0,
                low=_number(row.get("norm_low")),
                high=_number(row.get("norm_high")),
                mark=f"{mark} {row['finding']}" if mark else "",
                tone=tone,
            )
        )
    return bars(measures, line=1 / len(scored))


def _table(system: str, header: list[str], rows: list[list[str]], notes: list[str]) -> Shown:
    return Shown(
        name=system,
        about="the same in numbers (shares from 0 to 1)",
        header=tuple((name.replace("_", " "), place > 0) for place, name in enumerate(header)),
        rows=tuple(
            tuple(
                Cell(
                    text=text.removeprefix("'") or "–",
                    key=sort_key(text) if place else text,
                    number=place > 0 and bool(sort_key(text)),
                    best=False,
                )
                for place, text in enumerate(row)
            )
            for row in rows
        ),
        notes=tuple(notes),
    )


def _notes(path: Path) -> list[str]:
    """The list below the Markdown table, as it read before it was escaped."""
    if not path.is_file() or path.stat().st_size > LARGEST:
        return ["the notes of the report (RUN/bias/*.md) are not there"]
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    found = (line.removeprefix("- ") for line in lines if line.startswith("- "))
    return [re.sub(r"\\([\\|*])", r"\1", line).replace("&lt;", "<") for line in found]


def _number(text: str | None) -> float | None:
    """A number that can be drawn; raises `ValueError` for infinities and what is none."""
    value = float(text) if text else None
    if value is not None and not math.isfinite(value):
        raise ValueError(f"{text} is no number")
    return value
