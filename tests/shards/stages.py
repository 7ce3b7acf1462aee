"""Stages whose result depends on the shard alone, with the accidents that tests want."""

import hashlib
import os
import time
from collections.abc import Mapping
from pathlib import Path

from globesumm.errors import DataError, MissingPackage
from globesumm.shards import Shard

LINES = 40


def content(shard: Shard) -> bytes:
    """What any of these stages writes for `shard`."""
    digest = hashlib.sha256(shard.source.encode()).hexdigest()
    return "".join(f"{shard.name}\t{number}\t{digest}\n" for number in range(LINES)).encode()


def write(shard: Shard, part: Path) -> Mapping[str, int]:
    part.write_bytes(content(shard))
    return {"rows": LINES, "bytes": len(content(shard))}


def write_slowly(shard: Shard, part: Path, seconds: float) -> Mapping[str, int]:
    """In pieces, so that a kill finds it half written."""
    with part.open("wb") as file:
        for line in content(shard).splitlines(keepends=True):
            file.write(line)
            file.flush()
            time.sleep(seconds / LINES)
    return {"rows": LINES, "bytes": len(content(shard))}


def note(shard: Shard, part: Path, notes: Path) -> Mapping[str, int]:
    """As `write`, and leave one file in `notes` for each call."""
    (notes / f"{shard.name}.{os.getpid()}.{time.time_ns()}").touch()
    return write(shard, part)


def note_slowly(shard: Shard, part: Path, notes: Path, seconds: float) -> Mapping[str, int]:
    (notes / f"{shard.name}.{os.getpid()}.{time.time_ns()}").touch()
    return write_slowly(shard, part, seconds)


def dies(
    shard: Shard, part: Path, notes: Path, victims: frozenset[str], times: int
) -> Mapping[str, int]:
    """Half way through the first `times` calls for each victim its process is killed."""
    part.write_bytes(content(shard)[:100])
    if shard.name in victims and len(list(notes.glob(f"{shard.name}.*"))) < times:
        (notes / f"{shard.name}.{time.time_ns()}").touch()
        os.kill(os.getpid(), 9)
    return write(shard, part)


def fails(shard: Shard, part: Path, notes: Path) -> Mapping[str, int]:
    """A named failure for sources that begin with "bad", until a file "mended" is in `notes`."""
    part.write_bytes(b"half of it")
    if shard.source.startswith("bad") and not (notes / "mended").exists():
        raise DataError(f"{shard.source}: no zip file")
    return write(shard, part)


def has_a_fault(shard: Shard, part: Path) -> Mapping[str, int]:
    return {"rows": {"a": 1}[shard.source]}


def counts_halves(shard: Shard, part: Path) -> Mapping[str, int]:
    part.write_bytes(b"")
    return {"rows": 0.5}  # type: ignore[dict-item]


def writes_nothing(shard: Shard, part: Path) -> Mapping[str, int]:
    return {"rows": 1}


def lacks_a_package(shard: Shard, part: Path) -> Mapping[str, int]:
    raise MissingPackage("pyarrow", "writing Parquet", "retrieval")


def fills_the_disk(shard: Shard, part: Path) -> Mapping[str, int]:
    import errno

    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def never_ends(shard: Shard, part: Path) -> Mapping[str, int]:
    if shard.source.startswith("bad"):
        time.sleep(600)
    return write(shard, part)


def shards(count: int) -> list[Shard]:
    return [Shard(f"2023{number:04d}.gkg.csv", f"source {number}") for number in range(count)]
