"""A window of GDELT into tables: lists, plan, stage over every file, and the account of it all.

::

    OUT/lists/                     master lists, with where and when they were fetched
    OUT/zips/                      fetched files, each checked against its list
    OUT/<product>/<file>.<format>  one table a file (see `globesumm.shards`)
    OUT/rejected/<file>.jsonl      rows that could not be read, each with its reason
    OUT/slots.jsonl                every quarter-hour of the last window asked: had, known to be
                                   missing, or failed with its cause
"""

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from globesumm.errors import DataError, UsageError
from globesumm.records import write_records
from globesumm.runs import Setting
from globesumm.shards import Shard, check_place, finished, only_here, run_stage
from globesumm.shards.folder import ShardFolder
from globesumm.unfinished import sweep
from retrieval.gdelt.account import Part, slot_records
from retrieval.gdelt.base import Base
from retrieval.gdelt.cache import Cache
from retrieval.gdelt.list_files import master_list
from retrieval.gdelt.lists import MasterList
from retrieval.gdelt.names import Product, Stream
from retrieval.gdelt.plan import Expected, plan
from retrieval.gdelt.slots import Window, stamp
from retrieval.gdelt.stage import Ingestion, ingest, ingest_article_list
from retrieval.gdelt.web_base import WebBase
from retrieval.gdelt.writing import writer

TABLES = 1
"""Raised when the columns of tables change, so that old and new ones do not mix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked for, and how it is to be had.

    `base` has GDELT 2.0's lists and zips, `gal_base` the Article List's files.  Tables of format
    `form` go to `out`; fetched files stay in `cache` if `keep`.  With `again` lists are fetched
    anew, and files asked for that were not there the last time.
    """

    window: Window
    parts: tuple[tuple[Stream, Product], ...]
    out: Path
    base: Base
    gal_base: Base | None = None
    form: str = "jsonl"
    cache: Path | None = None
    keep: bool = True
    again: bool = False
    workers: int | None = None
    cluster: str | None = None

    def __post_init__(self) -> None:
        check_place(self.workers, self.cluster)

    @property
    def kept(self) -> Cache:
        """Where fetched files are."""
        return Cache((self.cache or self.out / "zips").resolve(), self.again)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What there is to do in a window, by what the lists say and `now` (UTC)."""

    window: Window
    now: datetime
    lists: dict[Stream, MasterList] = field(default_factory=dict)

    def of(self, stream: Stream, product: Product) -> Iterator[Expected]:
        """The files of one stream and product, in order of time.

        They are made out anew each time: ten years of them are better not held.
        """
        return plan(self.window, [(stream, product)], self.lists, self.now)


def planned(request: Request) -> Planned:
    """What the lists and the register of gaps say about the window; fetches lists alone."""
    writer(request.form)
    # A folder of another format is refused now, not when the products before it are made.
    for _, product in request.parts:
        ShardFolder(request.out / product, f".{request.form}").agree(_settings(request, product))
    lists: dict[Stream, MasterList] = {
        stream: master_list(
            stream,
            request.window,
            [product for of, product in request.parts if of is stream],
            request.base,
            request.out / "lists",
            again=request.again,
        )
        for stream in dict.fromkeys(stream for stream, _ in request.parts)
        if stream is not Stream.GAL
    }
    return Planned(window=request.window, now=datetime.now(UTC), lists=lists)


def to_do(request: Request, expected: Iterable[Expected], product: Product) -> Iterator[Expected]:
    """The files of one product that have no table yet."""
    done = {shard.name for shard in finished(request.out / product, f".{request.form}")}
    return (one for one in expected if one.to_be_had and one.name.key not in done)


def to_fetch(request: Request, expected: Iterable[Expected]) -> Iterator[Expected]:
    """Those of `expected` that are not on this machine yet."""
    if not isinstance(request.base, WebBase):
        return
    folder = request.kept.folder
    for one in expected:
        if not (folder / str(one.name)).is_file():
            yield one


def to_fetch_in_all(request: Request, work: Planned) -> tuple[int, int]:
    """How many files are not on this machine yet, and their bytes as far as lists state them."""
    files = size = 0
    for stream, product in request.parts:
        for one in to_fetch(request, to_do(request, work.of(stream, product), product)):
            files += 1
            size += one.listed.size if one.listed else 0
    return files, size


def carry_out(request: Request, work: Planned) -> list[Part]:
    """Make every table that is to be had and not there; what became of it all, part by part.

    Also written to ``slots.jsonl``.  Raises `UsageError` if the disk has too little room for the
    files that are to be kept, or if another command works in `request.out`.
    """
    with only_here(request.out):
        _check_room(request, work)
        sweep(request.kept.folder)
        parts = [_part(request, work, stream, product) for stream, product in request.parts]
        write_records(request.out / "slots.jsonl", (slot for part in parts for slot in part.slots))
    return parts


def _part(request: Request, work: Planned, stream: Stream, product: Product) -> Part:
    settings = Ingestion(
        base=request.gal_base if stream is Stream.GAL and request.gal_base else request.base,
        cache=request.kept,
        form=request.form,
        rejected=(request.out / "rejected").resolve(),
        # What lies in a folder that the user named as the base is never ours to remove.
        keep=request.keep or not isinstance(request.base, WebBase),
    )
    stage = ingest_article_list if stream is Stream.GAL else ingest
    shards = [
        Shard(one.name.key, str(one.listed) if one.listed else stamp(one.name.slot))
        for one in work.of(stream, product)
        if one.to_be_had
    ]
    outcome = run_stage(
        partial(stage, settings=settings),
        shards,
        request.out / product,
        suffix=f".{request.form}",
        workers=request.workers,
        cluster=request.cluster,
        progress_name=f"{stream} {product}",
        settings=_settings(request, product),
    )
    failures = {failed.shard: (failed.kind, failed.message) for failed in outcome.failed}
    return Part(
        stream=stream,
        product=product,
        slots=tuple(slot_records(work.of(stream, product), failures)),
        counts=outcome.counts,
        made=outcome.done,
    )


def _settings(request: Request, product: Product) -> dict[str, Setting]:
    return {"table": product.value, "format": request.form, "version": TABLES}


def _check_room(request: Request, work: Planned) -> None:
    """Half a year of both streams is 235 GB: better told before than after a day of fetching."""
    if not request.keep:
        return
    _, needed = to_fetch_in_all(request, work)
    try:
        request.kept.folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(request.kept.folder).free
    except OSError as error:
        raise DataError(f"{request.kept.folder}: cannot be written ({error.strerror})") from error
    if needed > free:
        raise UsageError(
            f"{needed / 1e9:.1f} GB are to be fetched, and {request.kept.folder} has "
            f"{free / 1e9:.1f} GB left: use --drop-zips, or --cache on another disk"
        )
