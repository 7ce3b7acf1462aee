"""Items and labels as rows of the database, and back."""

import json
import sqlite3
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic_core import from_json

from annotation.labels.values import Item, Label, Prelabels, Role
from globesumm.errors import DataError
from globesumm.records import to_json

COUNTS, UNDONE, SUPERSEDED = "counts", "undone", "superseded"

ITEM = "id, kind, languages, event, payload, models, gold, source"
LABEL = (
    "id, item, version, kind, annotator, round, role, answer, started, submitted, seconds, "
    "prelabels, consulted, note, state"
)


_ROLES = {one.value: one for one in Role}
_PRELABELS = {one.value: one for one in Prelabels}


def _plain(text: str) -> Any:
    """Parsed JSON; a project has some fifty thousand labels, and this is most of reading them."""
    try:
        return from_json(text)
    except ValueError:  # half a character, which only the slow way takes
        return json.loads(text)


def item_of(row: tuple[Any, ...]) -> Item:
    """The item of a row of the columns `ITEM`; one that was damaged is a `DataError`."""
    try:
        return _item(row)
    except (TypeError, ValueError) as error:
        said = f"{type(error).__name__}: {error}"
        raise DataError(
            f"item {row[0]!r} in the database cannot be read ({said}): the row was changed by "
            "other means than this program; put it right or take it from a backup"
        ) from error


def _item(row: tuple[Any, ...]) -> Item:
    name, kind, languages, event, payload, models, gold, source = row
    return Item(
        id=name,
        kind=kind,
        languages=tuple(_plain(languages)),
        event=event,
        payload=_plain(payload),
        models=_plain(models),
        gold=None if gold is None else _plain(gold),
        source=_plain(source),
    )


def write_item(connection: sqlite3.Connection, item: Item, version: str, *, known: bool) -> None:
    values: Mapping[str, object] = {
        "kind": item.kind,
        "version": version,
        "languages": to_json(item.languages),
        "event": item.event,
        "payload": to_json(item.payload),
        "models": to_json(item.models),
        "gold": None if item.gold is None else to_json(item.gold),
        "source": to_json(item.source),
        "id": item.id,
    }
    names = list(values)
    if known:
        sets = ", ".join(f"{name} = :{name}" for name in names[:-1])
        connection.execute(f"UPDATE items SET {sets} WHERE id = :id", values)  # noqa: S608
    else:
        marks = ", ".join(f":{name}" for name in names)
        connection.execute(f"INSERT INTO items ({', '.join(names)}) VALUES ({marks})", values)  # noqa: S608


def label_of(row: tuple[Any, ...]) -> Label:
    """The label of a row of the columns `LABEL`; one that was damaged is a `DataError`."""
    try:
        return _label(row)
    except (KeyError, TypeError, ValueError) as error:
        said = f"{type(error).__name__}: {error}"
        raise DataError(
            f"label {row[0]!r} in the database cannot be read ({said}): the row was changed by "
            "other means than this program; put it right or take it from a backup"
        ) from error


def _label(row: tuple[Any, ...]) -> Label:
    return Label(
        id=row[0],
        item=row[1],
        version=row[2],
        kind=row[3],
        annotator=row[4],
        round=row[5],
        role=_ROLES[row[6]],
        answer=None if row[7] is None else _plain(row[7]),
        started=datetime.fromisoformat(row[8]),
        submitted=datetime.fromisoformat(row[9]),
        seconds=row[10],
        prelabels=_PRELABELS[row[11]],
        consulted=() if row[12] == "[]" else tuple(_plain(row[12])),
        note=row[13],
        undone=row[14] == UNDONE,
        superseded=row[14] == SUPERSEDED,
    )


def insert_label(connection: sqlite3.Connection, label: Label) -> None:
    """Write one row; the rules are in `annotation.labels.writing`."""
    state = UNDONE if label.undone else SUPERSEDED if label.superseded else COUNTS
    connection.execute(
        f"INSERT INTO labels ({LABEL}) VALUES ({', '.join('?' * 15)})",  # noqa: S608
        (
            *(label.id, label.item, label.version, label.kind, label.annotator),
            *(label.round, label.role),
            None if label.answer is None else to_json(label.answer),
            *(label.started.isoformat(), label.submitted.isoformat(), label.seconds),
            *(label.prelabels, to_json(label.consulted), label.note, state),
        ),
    )
