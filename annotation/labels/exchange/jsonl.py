"""Items and labels as JSON Lines: ``{"item": …, "version": …}`` and ``{"label": …}``.

The database writes the lines itself, so that twenty thousand items leave in about a second.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.labels.kinds import check_item
from annotation.labels.store import Store
from annotation.labels.values import Item, Label
from globesumm.errors import DataError, GlobeSummError, UsageError
from globesumm.records import from_plain, read_plain_records
from globesumm.values import Rejected

_ITEMS = """
SELECT json_object('item', json_object(
  'id', id, 'kind', kind, 'payload', json(payload), 'languages', json(languages),
  'event', event, 'models', json(models), 'gold', json(gold), 'source', json(source)
), 'version', version) FROM items ORDER BY number
"""
_LABELS = """
SELECT json_object('label', json_object(
  'id', id, 'item', item, 'version', version, 'kind', kind, 'annotator', annotator,
  'answer', json(answer), 'started', started, 'submitted', submitted, 'seconds', seconds,
  'round', round, 'role', role, 'prelabels', prelabels, 'consulted', json(consulted),
  'note', note, 'undone', json(iif(state = 'undone', 'true', 'false')),
  'superseded', json(iif(state = 'superseded', 'true', 'false'))
)) FROM labels ORDER BY number
"""


MOST_ROUNDS = 1000
MOST_SECONDS = 366 * 86_400
"""A year at one item; what is longer was not measured."""


@dataclass(slots=True, kw_only=True)
class Brought:
    """What a file holds: items, labels, and what could not be read, with place and reason."""

    items: list[Item] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


def lines(store: Store) -> Iterator[str]:
    """Every item, then every label, those that do not count among them; without line ends."""
    for query in (_ITEMS, _LABELS):
        for (line,) in store.connection.execute(query):
            yield line


def check_file(path: Path) -> None:
    """Raise `UsageError` for a device or a pipe: it may never end."""
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: cannot be read (no regular file)")


def read(path: Path) -> Brought:
    """The items and labels of a file of `lines`; raises `DataError` where there is no file."""
    found = Brought()
    for record in read_plain_records(path):
        if isinstance(record, Rejected):
            found.rejected.append(record)
            continue
        where, plain = record
        try:
            _read_into(found, plain, where)
        except GlobeSummError as error:
            reason = str(error).removeprefix(f"{where}: ")
            found.rejected.append(Rejected(where=where, reason=reason))
    return found


def _read_into(found: Brought, plain: dict[str, Any], where: str) -> None:
    if plain.keys() == {"label"}:
        found.labels.append(label_of(plain["label"], where))
    elif plain.keys() == {"item", "version"}:
        found.items.append(item_of(plain["item"], plain["version"], where))
    else:
        raise DataError(f"{where}: neither an item with its version nor a label")


def item_of(plain: object, version: object, where: str) -> Item:
    """The item in parsed JSON, checked, and of the version that is stated; raises `DataError`.

    A version that differs tells that what was judged is no longer what stands there.
    """
    given = from_plain(Item, plain, where)
    _check_text(where, id=given.id, event=given.event)
    item = check_item(given)
    if version != item.version:
        raise DataError(f"{where}: item {item.id!r} was changed: its version is not {version!r}")
    return item


def label_of(plain: object, where: str) -> Label:
    """The label in parsed JSON or cells, of a form that a database can hold; raises `DataError`."""
    label = from_plain(Label, plain, where)
    _check_text(where, id=label.id, item=label.item, annotator=label.annotator, note=label.note)
    _check_text(where, version=label.version, kind=label.kind, consulted=" ".join(label.consulted))
    if not (label.id and label.annotator.strip()):
        raise DataError(f"{where}: a label needs an id and an annotator")
    if not 0 <= label.seconds <= MOST_SECONDS:
        raise DataError(f"{where}: seconds: {label.seconds} is no length of time")
    if not 1 <= label.round <= MOST_ROUNDS:
        raise DataError(f"{where}: round: a number from 1 to {MOST_ROUNDS} is needed")
    return label


def _check_text(where: str, **texts: str | None) -> None:
    for name, text in texts.items():
        try:
            (text or "").encode()
        except UnicodeEncodeError as error:
            raise DataError(f"{where}: {name}: half a character (a lone surrogate)") from error
