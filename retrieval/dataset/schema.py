"""The columns of Parquet files: the fields of `Event` or another value, under their own names.

They are taken from the values' declared types, so that the two cannot drift apart: a time is a
timestamp in UTC, a tuple a list, a value inside a struct, a dictionary a list of name and value.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from itertools import islice
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from globesumm.errors import DataError, MissingPackage
from globesumm.records import from_plain, write_bytes
from globesumm.values import Event

_AT_ONCE = 1000
"""Rows of a group, where a row is no whole event."""

VERSION = 1
"""Changes when a column changes its name, type or meaning."""


def schema(kind: Any = Event) -> Any:
    """The `pyarrow.Schema` of one event (or other dataclass) a row."""
    pa = _pyarrow()
    hints = get_type_hints(kind)
    return pa.schema([pa.field(one.name, _arrow(hints[one.name])) for one in fields(kind)])


def described(kind: Any = Event) -> list[tuple[str, str]]:
    """(column, type) for people, columns within structs as ``documents[].url``."""
    return list(_described(kind, ""))


def write_parquet(path: Path, rows: Iterable[Any], kind: Any = Event) -> None:
    """Write `rows` to `path`, whole or not at all; a column without values keeps its type."""
    pa = _pyarrow()
    parquet: Any = __import__("pyarrow.parquet", fromlist=["write_table"])
    sink, columns = pa.BufferOutputStream(), schema(kind)
    with parquet.ParquetWriter(sink, columns, compression="zstd") as writer:
        for some in _batches(rows, _AT_ONCE if kind is not Event else 1):
            writer.write_table(pa.Table.from_pylist([_row(one) for one in some], schema=columns))
    write_bytes(path, sink.getvalue().to_pybytes())


def _batches(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    left = iter(rows)
    while some := list(islice(left, size)):
        yield some


def read_parquet(path: Path) -> Iterator[Event]:
    """The events of a file that `write_parquet` wrote; raises `DataError` for another."""
    parquet: Any = __import__("pyarrow.parquet", fromlist=["ParquetFile"])
    try:
        file = parquet.ParquetFile(path)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as Parquet ({error})") from error
    if not file.schema_arrow.equals(schema()):
        raise DataError(f"{path}: its columns are not those of a data set of events")
    for batch in file.iter_batches(batch_size=16):
        for row in batch.to_pylist():
            yield event_of_row(row, str(path))


def event_of_row(row: Mapping[str, Any], where: str = "row") -> Event:
    """The event in one row, as pyarrow or `datasets` hand it out."""
    return from_plain(Event, _plain(Event, row), where)


def _pyarrow() -> Any:
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingPackage("pyarrow", "writing Parquet", "retrieval") from error
    return pa


def _parts(kind: Any) -> tuple[str, Any]:
    """What sort of type `kind` is, None aside, with the type inside it."""
    if get_origin(kind) is UnionType:
        (kind,) = [one for one in get_args(kind) if one is not NoneType]
    if is_dataclass(kind):
        return "struct", kind
    if get_origin(kind) is tuple:
        return "list", get_args(kind)[0]
    if get_origin(kind) is dict:
        return "pairs", None
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "string", None
    simple = {str: "string", int: "int64", float: "float64", bool: "bool", datetime: "timestamp"}
    return simple[kind], None


def _arrow(kind: Any) -> Any:
    pa = _pyarrow()
    sort, inner = _parts(kind)
    if sort == "struct":
        hints = get_type_hints(inner)
        return pa.struct([pa.field(one.name, _arrow(hints[one.name])) for one in fields(inner)])
    if sort == "list":
        return pa.list_(_arrow(inner))
    simple = {
        "pairs": pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())])),
        "string": pa.string(),
        "int64": pa.int64(),
        "float64": pa.float64(),
        "bool": pa.bool_(),
        "timestamp": pa.timestamp("us", tz="UTC"),
    }
    return simple[sort]


def _described(kind: Any, prefix: str) -> Iterator[tuple[str, str]]:
    hints = get_type_hints(kind)
    for one in fields(kind):
        sort, inner = _parts(hints[one.name])
        name, many = prefix + one.name, ""
        if sort == "list":
            many = "list of "
            sort, inner = _parts(inner)
        if sort == "struct":
            yield from _described(inner, f"{name}{'[]' if many else ''}.")
        else:
            yield name, many + {"pairs": "list of (name, value)"}.get(sort, sort)


def _row(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _row(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, tuple):
        return [_row(one) for one in value]
    if isinstance(value, dict):
        return [{"name": name, "value": said} for name, said in sorted(value.items())]
    return value.value if isinstance(value, Enum) else value


def _plain(kind: Any, value: Any) -> Any:
    """`value` of a row as its type is written elsewhere: pairs become a dictionary again."""
    if value is None:
        return None
    sort, inner = _parts(kind)
    if sort == "struct":
        hints = get_type_hints(inner)
        return {name: _plain(hints[name], one) for name, one in value.items() if name in hints}
    if sort == "list":
        return [_plain(inner, one) for one in value]
    if sort == "pairs":
        return {pair["name"]: pair["value"] for pair in value}
    return value
