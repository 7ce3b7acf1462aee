"""Events and mentions out of GDELT's export and mentions files, with all their columns."""

import math
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from globesumm.languages import UNKNOWN
from retrieval.gdelt.fields import moment, source_language, translated_from
from retrieval.gdelt.names import Product, Stream
from retrieval.gdelt.rows import Tally, rows, wrong_width
from retrieval.gdelt.schema import ColumnType, raw_columns
from retrieval.url import without_credentials

_SLOT_COLUMNS = {Product.EXPORT: "DATEADDED", Product.MENTIONS: "MentionTimeDate"}
"""The column that says when GDELT saw it; a row without it is damaged."""


def table_rows(pieces: Iterable[bytes], stream: Stream, tally: Tally) -> Iterator[tuple[Any, ...]]:
    """The rows of one export or mentions file as typed values, in the order of `table_columns`.

    A field that is not of its column's type is null and counts as ``unreadable_fields``.
    Raises `OfAnotherKind` where not one row is a row of the product.
    """
    columns = raw_columns(tally.product)
    readers = [_READERS[column.type] for column in columns]
    names = [column.name for column in columns]
    slot = names.index(_SLOT_COLUMNS[tally.product])
    info = names.index("MentionDocTranslationInfo") if tally.product is Product.MENTIONS else None
    for number, row in rows(pieces, tally):
        cells = row.split(b"\t")
        if len(cells) != len(columns):
            tally.reject(number, wrong_width(row, tally.product), row)
            continue
        if moment(cells[slot]) is None:
            reason = f"{names[slot]} {cells[slot][:30]!r} is not a time"
            tally.reject(number, reason, row)
            continue
        values = [_value(cell, read, tally) for cell, read in zip(cells, readers, strict=True)]
        if info is not None:
            values.append(_language(cells[info], stream, tally))
        tally.counts["kept"] += 1
        yield tuple(values)
    tally.close()


def _language(info: bytes, stream: Stream, tally: Tally) -> str:
    code = translated_from(info)
    if not code and stream is Stream.ENGLISH:
        return "en"
    language = source_language(code or "")
    tally.counts["unknown_language"] += language == UNKNOWN
    return language


def _value(cell: bytes, read: Callable[[bytes], Any], tally: Tally) -> Any:
    if not cell:
        return None
    try:
        return read(cell)
    except UnicodeDecodeError:
        tally.counts["bad_bytes"] += 1
        return cell.decode(errors="replace")
    except ValueError:
        tally.counts["unreadable_fields"] += 1
        return None


def _integer(cell: bytes) -> int:
    value = int(_digits(cell))
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError("more than 64 bits")
    return value


def _number(cell: bytes) -> float:
    value = float(_digits(cell))
    if not math.isfinite(value):
        raise ValueError("not a finite number")
    return value


def _digits(cell: bytes) -> bytes:
    """`cell`, unless it is a number to Python alone: ``1_0``."""
    if b"_" in cell:
        raise ValueError("not a number")
    return cell


def _time(cell: bytes) -> datetime:
    value = moment(cell)
    if value is None:
        raise ValueError("not a time")
    return value


def _day(cell: bytes) -> str:
    text = cell.decode("ascii", errors="replace")
    if len(text) != 8 or not text.isdigit():
        raise ValueError("not a day")
    datetime(int(text[:4]), int(text[4:6]), int(text[6:]), tzinfo=UTC)
    return text


def _address(cell: bytes) -> str:
    return without_credentials(cell.decode())


_READERS: dict[ColumnType, Callable[[bytes], Any]] = {
    "text": bytes.decode,
    "address": _address,
    "integer": _integer,
    "number": _number,
    "time": _time,
    "day": _day,
}
