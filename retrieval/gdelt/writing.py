"""Tables on disk: JSON Lines or Parquet, both with the columns of `retrieval.gdelt.schema`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache, partial
from itertools import islice
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

from globesumm.errors import MissingPackage, UnknownName
from retrieval.gdelt.schema import Column, ColumnType

Writer = Callable[[Iterable[tuple[Any, ...]], Sequence[Column], Path], int]
"""Writes rows of the given columns to a path, whatever is there; returns how many rows."""

_ROWS_A_GROUP = 2000
_LINES_A_WRITE = 256


def writer(form: str) -> Writer:
    """The writer of ``jsonl`` or ``parquet``; Parquet needs the package pyarrow."""
    if form not in WRITERS:
        raise UnknownName("format", form, WRITERS)
    if form == "parquet":
        _pyarrow()
    return WRITERS[form]


def write_jsonl(rows: Iterable[tuple[Any, ...]], columns: Sequence[Column], path: Path) -> int:
    """One JSON object a line, every column in each; times as ``2023-05-02T10:15:00Z``."""
    # Keys and punctuation are the same in each line: filling them in takes a third of the time
    # of a general encoder, and some lines together less than one by one.
    keys = (f"{encode_basestring(column.name).replace('%', '%%')}:%s" for column in columns)
    line = "{" + ",".join(keys) + "}\n"
    encoders = [_ENCODERS[column.type] for column in columns]
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for some in _groups(rows, _LINES_A_WRITE):
            cells = [
                ["null" if value is None else encode(value) for value in values]
                for encode, values in zip(encoders, zip(*some, strict=True), strict=True)
            ]
            file.write("".join([line % row for row in zip(*cells, strict=True)]))
            count += len(some)
    return count


@lru_cache(maxsize=4096)
def _time(moment: datetime) -> str:
    return f'"{moment.replace(tzinfo=None).isoformat()}Z"'


def _texts(texts: Sequence[str]) -> str:
    return "[" + ",".join(map(encode_basestring, texts)) + "]" if texts else "[]"


_ENCODERS: dict[ColumnType, Callable[[Any], str]] = {
    "text": encode_basestring,
    "address": encode_basestring,
    "day": encode_basestring,
    "integer": str,
    "number": repr,
    "time": _time,
    "texts": _texts,
}


def write_parquet(rows: Iterable[tuple[Any, ...]], columns: Sequence[Column], path: Path) -> int:
    """Parquet, compressed with zstd; each column's explanation is in its metadata."""
    arrow, parquet = _pyarrow()
    types = {
        "text": arrow.string(),
        "address": arrow.string(),
        "day": arrow.string(),
        "integer": arrow.int64(),
        "number": arrow.float64(),
        "time": arrow.timestamp("s", tz="UTC"),
        "texts": arrow.list_(arrow.string()),
    }
    schema = arrow.schema(
        [
            arrow.field(column.name, types[column.type], metadata={"about": column.about})
            for column in columns
        ]
    )
    count = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as file:
        for some in _groups(rows, _ROWS_A_GROUP):
            cells = [
                arrow.array(values, type=field.type)
                for values, field in zip(zip(*some, strict=True), schema, strict=True)
            ]
            file.write_table(arrow.Table.from_arrays(cells, schema=schema))
            count += len(some)
    return count


WRITERS: dict[str, Writer] = {"jsonl": write_jsonl, "parquet": write_parquet}


def _groups(rows: Iterable[tuple[Any, ...]], size: int) -> Iterator[list[tuple[Any, ...]]]:
    iterator = iter(rows)
    return iter(partial(lambda: list(islice(iterator, size))), [])


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise MissingPackage("pyarrow", "writing Parquet", "retrieval") from error
    return pa, parquet
