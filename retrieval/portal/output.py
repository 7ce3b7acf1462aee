"""Events on disk: JSON Lines or Parquet, one file a day, both with the fields of `PortalEvent`."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, MissingPackage, UnknownName
from globesumm.records import from_plain, read_own_records, to_json, to_plain, write_text
from retrieval.portal.values import PortalEvent

FORMS = ("jsonl", "parquet")


def suffix_of(form: str) -> str:
    """The ending of files in ``jsonl`` or ``parquet``; Parquet needs the package pyarrow."""
    if form not in FORMS:
        raise UnknownName("format", form, FORMS)
    if form == "parquet":
        _pyarrow()
    return f".{form}"


def write_events(path: Path, events: Iterable[PortalEvent], form: str) -> None:
    """Write the events of a day to `path`, whatever is there."""
    _WRITERS[form](path, events)


def read_events(folder: Path) -> Iterator[PortalEvent]:
    """All events in a folder of days, in the order of the days.

    Raises `DataError` where a file is not one that was written here.
    """
    for path in sorted([*folder.glob("????-??-??.jsonl"), *folder.glob("????-??-??.parquet")]):
        if path.suffix == ".jsonl":
            yield from read_own_records(path, PortalEvent)
        else:
            yield from _read_parquet(path)


def _write_jsonl(path: Path, events: Iterable[PortalEvent]) -> None:
    write_text(path, "".join(to_json(event) + "\n" for event in events))


def _write_parquet(path: Path, events: Iterable[PortalEvent]) -> None:
    arrow, parquet = _pyarrow()
    rows = [_row(event) for event in events]
    schema = _schema(arrow)
    parquet.write_table(arrow.Table.from_pylist(rows, schema=schema), path, compression="zstd")


_WRITERS: dict[str, Callable[[Path, Iterable[PortalEvent]], None]] = {
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
}


def _row(event: PortalEvent) -> dict[str, Any]:
    """The event as Arrow takes it: maps are lists of pairs, and text is valid UTF-8."""
    plain: dict[str, Any] = json.loads(to_json(event).encode(errors="replace"))
    plain["date"] = event.date
    plain["names"] = [(page, list(there.items())) for page, there in plain["names"].items()]
    return plain


def _schema(arrow: Any) -> Any:
    text, texts = arrow.string(), arrow.list_(arrow.string())
    topic = arrow.struct([("text", text), ("level", arrow.int32()), ("pages", texts)])
    source = arrow.struct([("url", text), ("outlet", text), ("agency", text)])
    return arrow.schema(
        [
            arrow.field("id", text, nullable=False),
            arrow.field("date", arrow.date32(), nullable=False),
            arrow.field("description", text, nullable=False),
            ("category", text),
            ("heading", text),
            arrow.field("level", arrow.int32(), nullable=False),
            ("topics", arrow.list_(topic)),
            ("parent", text),
            ("sources", arrow.list_(source)),
            ("pages", texts),
            ("names", arrow.map_(text, arrow.map_(text, text))),
            ("page", text),
            ("revision", arrow.int64()),
            ("line", arrow.int32()),
            ("notes", texts),
        ]
    )


def _read_parquet(path: Path) -> Iterator[PortalEvent]:
    arrow, parquet = _pyarrow()
    try:
        rows = parquet.read_table(path).to_pylist()
    except (arrow.ArrowException, OSError) as error:
        raise DataError(f"{path}: cannot be read as Parquet ({str(error)[:200]})") from error
    for number, row in enumerate(rows):
        row["names"] = {page: dict(there) for page, there in row.get("names") or []}
        yield from_plain(PortalEvent, to_plain(row), f"{path}: row {number}")


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise MissingPackage("pyarrow", "Parquet", "retrieval") from error
    return pa, parquet
