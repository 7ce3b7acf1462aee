"""WARC files → documents, a file a shard: what others have fetched, Common Crawl News for one."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from globesumm.records import to_json
from globesumm.runs import file_name
from globesumm.shards import Shard
from globesumm.values import Document, Rejected
from retrieval.draft import RawPage
from retrieval.extract import extract
from retrieval.files import files_below, plain_name
from retrieval.harvest import Found, Harvest, harvest_shard
from retrieval.wanted import ARCHIVE
from retrieval.warc import pages_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """One WARC file, and the name of its shard, which changes with the file."""

    name: str
    path: Path

    def shard(self, _folder: Path) -> Shard:
        """The shard; its source is the file itself."""
        return Shard(self.name, str(self.path.resolve()))


def is_archive(path: Path) -> bool:
    """Whether a name is that of a WARC file, plain or packed."""
    return Path(plain_name(path)).suffix.lower() == ARCHIVE


def archives_in(source: Path, key: str) -> list[Archive]:
    """The WARC files that `source` is or holds, hidden ones aside, in the order of their paths.

    `key` is what else decides the results.
    """
    paths: Iterable[Path | Rejected] = files_below(source) if source.is_dir() else [source]
    return [
        Archive(name=_name(path, key), path=path)
        for path in paths
        if isinstance(path, Path) and is_archive(path)
    ]


def _name(path: Path, key: str) -> str:
    state = path.stat()
    seen = f"{path.resolve()}\0{state.st_size}\0{state.st_mtime_ns}\0{key}"
    stem = file_name(Path(plain_name(path)).stem)[:100]
    return f"{stem}-{sha256(seen.encode(errors='surrogatepass')).hexdigest()[:10]}"


def archive_shard(harvest: Harvest, shard: Shard, path: Path) -> Mapping[str, int]:
    """The stage: the documents of the pages in the WARC file `shard.source`, written to `path`."""
    counts: Counter[str] = Counter()
    unread: list[Rejected] = []

    def pages() -> Iterator[RawPage]:
        for found in pages_in(Path(shard.source), harvest.extraction.max_bytes):
            counts["pages"] += 1
            if isinstance(found, Rejected):
                unread.append(found)
            else:
                yield found

    with path.open("wb") as out:
        for one in extract(pages(), workers=harvest.workers, settings=harvest.extraction):
            while unread:
                _write(Found(rejected=unread.pop(0)), out, counts)
            found = Found(document=one) if isinstance(one, Document) else Found(rejected=one)
            _write(found, out, counts)
        for rejected in unread:
            _write(Found(rejected=rejected), out, counts)
    return counts


def _write(found: Found, out: BinaryIO, counts: Counter[str]) -> None:
    counts["documents" if found.document else "rejected"] += 1
    out.write((to_json(found) + "\n").encode())


def work_shard(harvest: Harvest, shard: Shard, path: Path) -> Mapping[str, int]:
    """The stage for lists of addresses and for WARC files, by the source of the shard."""
    if is_archive(Path(shard.source)):
        return archive_shard(harvest, shard, path)
    return harvest_shard(harvest, shard, path)
