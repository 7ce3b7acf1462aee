"""Labels as CSV or TSV, one a row, that a spreadsheet opens without running anything.

A cell that begins like a formula (with ``=``, ``+``, ``-``, ``@``, a tab or a line end) gets an
apostrophe in front, and so does one that begins with an apostrophe, so that reading takes away
exactly what writing added.  An empty cell is no value.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from annotation.labels.exchange.jsonl import Brought, check_file, label_of
from annotation.labels.rows import COUNTS, SUPERSEDED, UNDONE
from annotation.labels.store import Store
from annotation.labels.values import Label
from globesumm.errors import DataError, UsageError, cannot_read
from globesumm.records import LONGEST_LINE
from globesumm.values import Rejected

COLUMNS = (
    "id", "item", "version", "kind", "languages", "event", "annotator", "round", "role", "answer",
    "started", "submitted", "seconds", "prelabels", "consulted", "note", "state",
)  # fmt: skip
"""``answer``, ``languages`` and ``consulted`` are JSON; ``state`` is whether the label counts."""

OF_ITEMS = ("languages", "event")
"""What is of the item and stands there to sort by; it is not read back."""

DELIMITERS: Mapping[str, str] = {"csv": ",", "tsv": "\t"}

_RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "'", "＝", "＋", "－", "＠")

_QUERY = """
SELECT labels.id, labels.item, labels.version, labels.kind, items.languages, items.event,
  annotator, round, role, answer, started, submitted, seconds, prelabels, consulted, note, state
FROM labels LEFT JOIN items ON items.id = labels.item ORDER BY labels.number
"""


def safe(value: object) -> str:
    """`value` as a cell; None is an empty one."""
    if value is None:
        return ""
    text = str(value)
    return f"'{text}" if not text or text.startswith(_RISKY) else text


def original(cell: str) -> str | None:
    """What `safe` made a cell of."""
    return cell.removeprefix("'") if cell else None


def write(store: Store, stream: IO[str], form: str = "csv") -> int:
    """Every label, those that do not count among them; returns how many.

    `stream` is opened with ``newline=""``; a byte order mark (``utf-8-sig``) is what makes
    spreadsheets take it for Unicode.
    """
    # Only with this line end does the module quote cells that hold a carriage return.
    writer = csv.writer(stream, delimiter=DELIMITERS[form], lineterminator="\r\n")
    writer.writerow(COLUMNS)
    count = 0
    for row in store.connection.execute(_QUERY):
        writer.writerow([safe(value) for value in row])
        count += 1
    return count


def read(path: Path, form: str = "csv") -> Brought:
    """The labels of a file of `write`; rows that are none are named with their line.

    Raises `UsageError` for a file that is not there, and `DataError` for one that is no such
    table.
    """
    check_file(path)
    found = Brought()
    before = csv.field_size_limit(LONGEST_LINE)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            for where, row, beyond in _rows(stream, path, form):
                try:
                    found.labels.append(_label(row, where, beyond))
                except DataError as error:
                    reason = str(error).removeprefix(f"{where}: ")
                    found.rejected.append(Rejected(where=where, reason=reason))
    except OSError as error:
        raise UsageError(cannot_read(path, error)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: no table of labels in UTF-8 ({error}): make it so") from error
    finally:
        csv.field_size_limit(before)
    return found


def _rows(stream: IO[str], path: Path, form: str) -> Iterator[tuple[str, dict[str, str], int]]:
    """Where each row stands, its cells by column, and how many cells it has beyond the columns."""
    reader = csv.reader(stream, delimiter=DELIMITERS[form])
    header = next(reader, [])
    if missing := [name for name in COLUMNS if name not in header and name not in OF_ITEMS]:
        held = ", ".join(header)[:200]
        raise DataError(f"{path}: no column {missing[0]!r}: add it (there are {held})")
    if double := [name for name in COLUMNS if header.count(name) > 1]:
        raise DataError(f"{path}: two columns are called {double[0]!r}: leave one out")
    for cells in reader:
        where = f"{path}: line {reader.line_num}"
        if cells:
            yield where, dict(zip(header, cells, strict=False)), len(cells) - len(header)


def _label(row: Mapping[str, str], where: str, beyond: int) -> Label:
    if beyond > 0:
        raise DataError(
            f"{where}: {len(row) + beyond} cells for {len(row)} columns: correct that row"
        )
    cells = {name: original(row.get(name, "")) for name in COLUMNS if name not in OF_ITEMS}
    state = cells.pop("state")
    if state not in (COUNTS, UNDONE, SUPERSEDED):
        raise DataError(f"{where}: state: {COUNTS}, {UNDONE} or {SUPERSEDED} is needed")
    plain: dict[str, object] = dict(cells)
    for name in ("answer", "consulted"):
        plain[name] = _json(cells[name], name, where)
    plain["round"] = cells["round"] or 1
    counts = {"undone": state == UNDONE, "superseded": state == SUPERSEDED}
    return label_of({**plain, **counts}, where)


def _json(cell: str | None, name: str, where: str) -> object:
    try:
        return None if cell is None else json.loads(cell)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: {name}: no JSON ({error})") from error
