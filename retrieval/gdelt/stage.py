"""The work on one file: fetch it, check it, read it, write its table.

Both functions are stages for `globesumm.shards`: they take a shard and a temporary path, and
return counts.  A shard's source is the file's line in the master list, or the quarter-hour.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from globesumm.errors import DataError
from globesumm.records import write_records
from globesumm.shards import Shard
from globesumm.values import Rejected
from retrieval.gdelt.base import Base
from retrieval.gdelt.cache import Cache
from retrieval.gdelt.failures import NotServed
from retrieval.gdelt.gal import Listing, listings, minute_files
from retrieval.gdelt.lists import listed
from retrieval.gdelt.names import FileName, Product, Stream
from retrieval.gdelt.read import read
from retrieval.gdelt.rows import Tally
from retrieval.gdelt.schema import table_columns
from retrieval.gdelt.slots import from_stamp
from retrieval.gdelt.writing import writer


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingestion:
    """How files become tables.

    Files come from `base` through `cache`, and stay there if `keep`; tables are of format `form`
    (``jsonl`` or ``parquet``); rows that could not be read go to the folder `rejected`, one file
    a shard.
    """

    base: Base
    cache: Cache
    form: str
    rejected: Path
    keep: bool = True


def ingest(shard: Shard, temporary: Path, settings: Ingestion) -> dict[str, int]:
    """Make the table of the zip that ``shard.source``, a line of a master list, states.

    Raises `NotServed`, `NotAsListed`, `Unreachable` or `OfAnotherKind`.
    """
    try:
        file = listed(shard.source)
    except ValueError as error:
        raise DataError(f"{shard.name}: {error}") from error
    write = writer(settings.form)
    path = settings.cache.zip_of(file, settings.base)
    rows, tally = read(path, file.name)
    write(rows, table_columns(file.name.product), temporary)
    _name_rejected(settings, shard, tally.rejected)
    if not settings.keep:
        settings.cache.drop(path)
    return _counts(tally, bytes_read=file.size)


def ingest_article_list(shard: Shard, temporary: Path, settings: Ingestion) -> dict[str, int]:
    """Make the table of the Article List's files in the quarter-hour ``shard.source``.

    A minute without a file is normal; `NotServed` is raised if none of the fifteen has one, and
    a file that cannot be read is named and the others go on, unless there are no others.
    """
    name = FileName(from_stamp(shard.source), Stream.GAL, Product.GAL)
    settings.cache.raise_lasting(str(name), settings.base)
    tally = Tally(shard.name, Product.GAL)
    rows = _all_listings(minute_files(name.slot), tally, settings)
    try:
        writer(settings.form)(rows, table_columns(Product.GAL), temporary)
    except NotServed as error:
        settings.cache.keep_lasting(name, settings.base, "", error)
        raise
    _name_rejected(settings, shard, tally.rejected)
    return _counts(tally, bytes_read=0)


def _all_listings(names: list[str], tally: Tally, settings: Ingestion) -> Iterator[Listing]:
    failures: list[DataError] = []
    read_any = False
    for name in names:
        try:
            path = settings.cache.fetched(name, settings.base)
        except NotServed:
            continue
        own = Tally(name, Product.GAL)
        try:
            yield from listings(path, own)
            read_any = True
        except DataError as error:
            failures.append(error)
            tally.rejected.append(Rejected(where=name, reason=str(error)))
        finally:
            tally.counts.update(own.counts)
            tally.rejected.extend(own.rejected)
        tally.counts["files"] += 1
        if not settings.keep:
            settings.cache.drop(path)
    if read_any:
        return
    if failures:
        raise failures[0]
    raise NotServed(
        f"{settings.base.where}: none of the minutes {names[0]} to {names[-1]} is there"
    )


def _name_rejected(settings: Ingestion, shard: Shard, rejected: list[Rejected]) -> None:
    path = settings.rejected / f"{shard.name}.jsonl"
    if rejected:
        write_records(path, rejected)
    else:
        path.unlink(missing_ok=True)


def _counts(tally: Tally, bytes_read: int) -> dict[str, int]:
    counts = dict(tally.counts)
    counts["bytes"] = bytes_read
    counts["empty"] = not counts.get("rows")
    return {name: int(count) for name, count in counts.items() if count}
