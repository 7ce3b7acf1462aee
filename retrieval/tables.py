"""Files that hold many reports: CSV, JSON Lines, JSON."""

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from globesumm.errors import DataError
from globesumm.records import from_json, read_plain_records
from globesumm.text.clean import Cleaned, decode
from globesumm.values import Document, Rejected
from retrieval.draft import Draft, Settings
from retrieval.fields import ALIASES, draft_of_fields, drafts_of, folded, is_known
from retrieval.files import COMPRESSED, read_bytes, refuse_irregular
from retrieval.single import rejected

LARGEST_TABLE = 256 * 1024 * 1024
"""Bytes of the largest CSV or JSON file read; JSON Lines have no limit but the line's."""

_DELIMITERS = (",", "\t", ";", "|")


def separated(source: str, _name: str, settings: Settings) -> Iterator[Draft | Document | Rejected]:
    """Rows of a table with a header; the delimiter is the one that makes sense of the header."""
    try:
        decoded = decode(read_bytes(Path(source), LARGEST_TABLE))
    except DataError as error:
        yield rejected(source, error)
        return
    # The limit is the module's own, for all readers; the default of 128 KiB is one long article.
    csv.field_size_limit(max(csv.field_size_limit(), settings.max_bytes))
    header_line = decoded.text.lstrip("\n").split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=lambda mark: _known_names(header_line, mark))
    rows = csv.reader(io.StringIO(decoded.text.lstrip("\n")), delimiter=delimiter)
    header = [name.strip() for name in next(rows, [])]
    if not any(folded(name) in ALIASES["text"] for name in header):
        known = ", ".join(ALIASES["text"])
        yield Rejected(
            where=source,
            reason=f"no column holds the text (it may be called {known})",
            excerpt=header_line[:200],
        )
        return
    yield from _rows(rows, header, source, settings, decoded)


def _known_names(header: str, delimiter: str) -> int:
    return sum(map(is_known, next(csv.reader([header], delimiter=delimiter), [])))


def _rows(
    rows: Any, header: list[str], source: str, settings: Settings, decoded: Cleaned
) -> Iterator[Draft | Rejected]:
    """Each row that is not blank, with the notes on how the file was decoded."""
    while True:
        where = f"{source}:{rows.line_num + 1}"
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield Rejected(where=where, reason=str(error))
            continue
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(header):
            reason = f"{len(row)} fields, where the header has {len(header)}"
            yield Rejected(where=where, reason=reason, excerpt=" | ".join(row)[:200])
            continue
        draft = draft_of_fields(dict(zip(header, row, strict=False)), where, settings)
        if isinstance(draft, Draft) and decoded.notes:
            draft = replace(draft, notes=(*draft.notes, *(f"file: {n}" for n in decoded.notes)))
        yield draft


def json_lines(
    source: str, _name: str, settings: Settings
) -> Iterator[Draft | Document | Rejected]:
    """One JSON object a line: our documents, other people's fields, or published events."""
    try:
        for record in _records(source):
            if isinstance(record, Rejected):
                yield record
            else:
                where, fields = record
                yield from drafts_of(fields, where, settings)
    except DataError as error:
        yield rejected(source, error)


def _records(source: str) -> Iterator[tuple[str, dict[str, Any]] | Rejected]:
    path = Path(source)
    refuse_irregular(path)
    if path.suffix.lower() != COMPRESSED:
        yield from read_plain_records(path)
        return
    for number, line in enumerate(read_bytes(path, LARGEST_TABLE).split(b"\n"), start=1):
        where = f"{source}:{number}"
        if line.strip():
            try:
                yield where, from_json(dict[str, Any], line, where)
            except DataError as error:
                yield rejected(where, error)


def json_file(source: str, _name: str, settings: Settings) -> Iterator[Draft | Document | Rejected]:
    """A JSON file: a record, a list of records, or one or more published events."""
    try:
        content = read_bytes(Path(source), LARGEST_TABLE).removeprefix(b"\xef\xbb\xbf").strip()
        items: list[Any]
        if content.startswith(b"["):
            items = from_json(list[Any], content, source)
        else:
            record = from_json(dict[str, Any], content, source)
            whole = "news" in record or any(map(is_known, record))
            items = [record] if whole else list(record.values())
    except DataError as error:
        yield rejected(source, error)
        return
    rejects = 0
    first: Rejected | None = None
    for number, item in enumerate(items):
        where = source if len(items) == 1 else f"{source}: {number}"
        for found in _item(item, where, settings):
            # A file that is no list of reports at all is one finding, not thousands.
            if isinstance(found, Rejected) and rejects == number:
                rejects += 1
                first = first or found
            else:
                yield found
    if first is not None:
        others = f" (and {rejects - 1} more like it)" if rejects > 1 else ""
        yield replace(first, reason=first.reason + others)


def _item(item: object, where: str, settings: Settings) -> Iterator[Draft | Document | Rejected]:
    if isinstance(item, dict):
        yield from drafts_of(item, where, settings)
    else:
        yield Rejected(where=where, reason=f"not an object but {type(item).__name__}")
