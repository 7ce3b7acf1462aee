"""The master lists on disk: fetched once, and again where a window asks for newer entries."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from globesumm.errors import DataError, UsageError
from globesumm.records import read_record, write_record
from retrieval.gdelt.base import Base, Due
from retrieval.gdelt.cache import Cache
from retrieval.gdelt.failures import NotServed
from retrieval.gdelt.lists import LIST_NAMES, MasterList, read_list
from retrieval.gdelt.names import Product, Stream
from retrieval.gdelt.slots import Window

_SETTLED = timedelta(days=1)
"""So long after a quarter-hour a list names it or never will."""
_FRESH = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a list was fetched from, and when (UTC)."""

    base: str
    fetched: datetime


def master_list(
    stream: Stream,
    window: Window,
    products: Collection[Product],
    base: Base,
    folder: Path,
    *,
    again: bool = False,
) -> MasterList:
    """What the list of `stream` says about `window`, fetched into `folder` where it must be.

    With `again` a list that is there is fetched anew.  Raises `UsageError` if `base` has no list,
    `DataError` if it is something else or cannot be had.
    """
    name = LIST_NAMES[stream]
    path, beside = folder / name, folder / f"{name}.origin.json"
    if again or not path.is_file() or not _recent_enough(beside, base, window):
        try:
            path = Cache(folder).fetch(Due(name), base)
        except NotServed as error:
            raise UsageError(
                f"{error}; a base has GDELT's master lists beside its files"
            ) from error
        if path.parent == folder:
            write_record(beside, Origin(base=base.where, fetched=datetime.now(UTC)))
    try:
        return read_list(path, window, (stream,), products)
    except DataError:
        # Kept, it would be believed the next time too.
        if path.parent == folder:
            path.unlink(missing_ok=True)
        raise


def _recent_enough(beside: Path, base: Base, window: Window) -> bool:
    try:
        origin = read_record(beside, Origin)
    except DataError:
        return False
    settled = origin.fetched >= window.last + _SETTLED
    return origin.base == base.where and (settled or datetime.now(UTC) - origin.fetched < _FRESH)
