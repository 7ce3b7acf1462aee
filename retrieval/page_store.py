"""Pages that were fetched, kept as WARC files, so that none is asked for twice.

::

    FOLDER/<bucket>-00000.warc.gz    what servers sent, one gzip member a record
    FOLDER/<bucket>.index.jsonl      one line an address: where its page lies, or why there is none

A host's pages lie in one of `BUCKETS` buckets, so that processes which divide the buckets among
themselves can write side by side.  A record is in the file before its line is in the index, and
what lies behind the last line's record was not finished and is cut off when the bucket is opened.
Without its index, or with a damaged one, a file is left as it is and a new one begun.
"""

import os
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Self

from globesumm.errors import DataError, UsageError
from globesumm.progress import say
from globesumm.records import from_json, to_json
from retrieval.answers import Fetched
from retrieval.draft import RawPage
from retrieval.fetching import PASSING, Cause, FetchError
from retrieval.url import host_of, normal
from retrieval.warc import page_at
from retrieval.warc_write import about, packed

BUCKETS = 64
LARGEST_FILE = 1_000_000_000
"""Bytes after which a bucket goes on in a new file, as archives do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of one address, as a line of the index.

    `at` is when it was asked for last.  Either `file`, `offset` and `length` say where the
    page's record lies and `final` which address it came from, or `cause` (a `Cause`) and
    `reason` why there is none.
    """

    url: str
    at: datetime
    final: str | None = None
    file: str | None = None
    offset: int = 0
    length: int = 0
    etag: str | None = None
    modified: str | None = None
    cause: str | None = None
    reason: str | None = None

    @property
    def is_passing(self) -> bool:
        """Whether it failed for a reason that may be gone tomorrow."""
        return self.cause in PASSING


def bucket_of(url: str) -> int:
    """The bucket of the host of `url`, 0 to `BUCKETS` - 1."""
    return int(sha256(host_of(url).encode()).hexdigest()[:8], 16) % BUCKETS


class Bucket:
    """One bucket, held by this process while it is open; use it as a context manager.

    Raises `UsageError` if another process holds it.
    """

    def __init__(self, folder: Path, number: int) -> None:
        self._folder, self._name = folder, f"{number:02x}"
        self._pages: dict[str, Kept] = {}
        self._failures: dict[str, Kept] = {}
        self._index = folder / f"{self._name}.index.jsonl"
        self._closed: set[str] = set()
        self._is_damaged = False
        self._lock: Any = None
        self._out: BinaryIO | None = None
        self._lines: BinaryIO | None = None

    def __enter__(self) -> Self:
        from filelock import FileLock, Timeout

        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(self._folder / f".{self._name}.lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise UsageError(
                f"another process is fetching into {self._folder}: wait for its end, or choose "
                "another --out"
            ) from None
        try:
            self._mend()
        except BaseException:
            self._lock.release()
            raise
        return self

    def _mend(self) -> None:
        """Read the index, and cut off pages that a kill left half-written."""
        ends = self._load()
        for path in self._folder.glob(f"{self._name}-*.warc.gz"):
            end = ends.get(path.name)
            if end is None or self._is_damaged:
                # What the index says nothing of may be all that is left of pages now gone.
                self._closed.add(path.name)
            elif path.stat().st_size > end:
                os.truncate(path, end)

    def __exit__(self, *_: object) -> None:
        files, self._out, self._lines = (self._out, self._lines), None, None
        # On a full disk what is still to be written fails here; the lock must go all the same.
        with ExitStack() as ending:
            ending.callback(self._lock.release)
            for file in files:
                if file is not None:
                    ending.callback(file.close)

    @classmethod
    def as_it_is(cls, folder: Path, number: int) -> Self:
        """What is kept in a bucket, to look at while nobody is kept from writing."""
        bucket = cls(folder, number)
        bucket._load(repair=False)
        return bucket

    def _load(self, *, repair: bool = True) -> dict[str, int]:
        """Read the index, whose last line may be torn; returns where each file's last page ends."""
        ends: dict[str, int] = {}
        if not self._index.exists():
            return ends
        content = self._index.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content) and repair:
            os.truncate(self._index, whole)
        for number, line in enumerate(content[:whole].splitlines(), start=1):
            try:
                kept = from_json(Kept, line, f"{self._index}:{number}")
            except DataError as error:
                self._is_damaged = True
                say(f"{error}: its page will be asked for again")
                continue
            if kept.file is not None:
                end = kept.offset + kept.length
                if end > self._size(kept.file):
                    continue  # The disk lost it: it will be fetched again.
                ends[kept.file] = max(ends.get(kept.file, 0), end)
            self._remember(kept)
        return ends

    def _size(self, name: str) -> int:
        path = self._folder / name
        return path.stat().st_size if path.is_file() else 0

    def _remember(self, kept: Kept) -> None:
        # Where a page came from an archive, the address in the archive's is answered too; that
        # one of them failed says nothing of the other.
        if kept.file is not None:
            self._pages[normal(kept.url)] = kept
        elif kept.cause != Cause.UNCHANGED:
            self._failures[kept.url] = kept

    def get(self, url: str) -> Kept | None:
        """What became of `url`, or None if it was never asked for."""
        return self._pages.get(normal(url)) or self._failures.get(url)

    def page(self, kept: Kept, max_bytes: int) -> RawPage:
        """The page of a line of the index that has one; a `DataError` if it cannot be read."""
        if kept.file is None:
            raise DataError(f"{kept.url}: {kept.reason}")
        return page_at(self._folder / kept.file, kept.offset, max_bytes)

    def add(self, url: str, answer: Fetched | FetchError) -> Kept:
        """Keep what came of asking for `url`."""
        if isinstance(answer, FetchError):
            kept = Kept(
                url=url,
                at=datetime.now(UTC),
                cause=answer.cause,
                reason=answer.reason.removeprefix(f"{url}: "),
            )
        else:
            kept = self._write(url, answer)
        if self._lines is None:
            self._lines = self._index.open("ab")
        self._lines.write((to_json(kept) + "\n").encode())
        self._lines.flush()
        self._remember(kept)
        return kept

    def _write(self, url: str, page: Fetched) -> Kept:
        records = [packed(hop) for hop in page.hops]
        out = self._file()
        offset = out.tell() + sum(map(len, records[:-1]))
        out.write(b"".join(records))
        out.flush()
        last = page.hops[-1]
        return Kept(
            url=url,
            at=last.at,
            final=page.url,
            file=Path(out.name).name,
            offset=offset,
            length=len(records[-1]),
            etag=last.header("etag"),
            modified=last.header("last-modified"),
        )

    def _file(self) -> BinaryIO:
        """The file to write to: the bucket's last, or a new one where that is full."""
        if self._out is not None and self._out.tell() < LARGEST_FILE:
            return self._out
        paths = sorted(self._folder.glob(f"{self._name}-*.warc.gz"))
        if self._out is not None:
            self._out.close()
        number = int(paths[-1].name.removeprefix(f"{self._name}-")[:5]) if paths else 0
        if paths and (paths[-1].name in self._closed or paths[-1].stat().st_size >= LARGEST_FILE):
            number += 1
        self._out = (self._folder / f"{self._name}-{number:05d}.warc.gz").open("ab")
        if self._out.tell() == 0:
            self._out.write(about(Path(self._out.name).name))
        return self._out
