"""Tables on disk: JSON Lines or Parquet, both with the columns of `retrieval.gdelt.schema`."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from globesumm.errors import MissingPackage, UnknownName
from retrieval.gdelt.schema import Column

Writer = Callable[[Iterable[tuple[Any, ...]], Sequence[Column], Path], int]
"""Writes rows of the given columns to a path, whatever is there; returns how many rows."""

_ROWS_A_GROUP = 2000
_LINES_A_WRITE = 256
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def writer(form: str) -> Writer:
    """The writer of ``jsonl`` or ``parquet``; Parquet needs the package pyarrow."""
    if form not in WRITERS:
        raise UnknownName("format", form, WRITERS)
    if form == "parquet":
        _pyarrow()
    return WRITERS[form]


@lru_cache(maxsize=4096)
def _written(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def write_jsonl(rows: Iterable[tuple[Any, ...]], columns: Sequence[Column], path: Path) -> int:
    """One JSON object a line, every column in each; times as ``2023-05-02T10:15:00Z``."""
    names = [column.name for column in columns]
    times = [place for place, column in enumerate(columns) if column.type == "time"]
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for some in _groups(rows, _LINES_A_WRITE):
            lines = []
            for row in some:
                values = list(row)
                for place in times:
                    if values[place] is not None:
                        values[place] = _written(values[place])
                lines.append(_encode(dict(zip(names, values, strict=True))) + "\n")
            file.write("".join(lines))
            count += len(lines)
    return count


def write_parquet(rows: Iterable[tuple[Any, ...]], columns: Sequence[Column], path: Path) -> int:
    """Parquet, compressed with zstd; each column's explanation is in its metadata."""
    arrow, parquet = _pyarrow()
    types = {
        "text": arrow.string(),
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
