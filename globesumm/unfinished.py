"""Files that appear whole or not at all, and what becomes of those that a kill left half-written.

A file is written under another name beside its place (``.NAME.xxxxxxxx.part``) and renamed.  As
long as it is written it is locked, and such a lock ends with its process: what can be locked by
another was left behind.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from globesumm.errors import GlobeSummError

fcntl: Any = None
with suppress(ImportError):
    # Windows has none: there leftovers stay, as they cannot be told from what is being written.
    fcntl = import_module("fcntl")

SUFFIX = ".part"

OURS = re.compile(rf"\..{{1,40}}\.[a-z0-9_]{{8}}{re.escape(SUFFIX)}", re.DOTALL)
"""Names under which files are written here; those of other programs stay where they are."""

LOCK = ".lock"
"""The file in a folder by which a process keeps others out of it."""


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` once it is whole; after an error nothing is there."""
    with place_beside(path) as part:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o644)
        part.replace(path)


@contextmanager
def place_beside(path: Path) -> Iterator[Path]:
    """An empty file beside `path`, which the caller fills and renames; what is not is removed.

    Makes the folder where it is missing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = _held(path)
    try:
        yield part
    finally:
        if handle is not None:
            os.close(handle)
        with suppress(OSError):
            part.unlink()


def sweep(folder: Path) -> int:
    """Remove what killed processes left half-written anywhere below `folder`; returns how many.

    What a process of this machine or (where the file system has locks) another writes just now
    stays.
    """
    swept = 0
    for place, _, names in os.walk(folder):
        for name in names:
            if OURS.fullmatch(name):
                swept += _removed(Path(place, name))
    return swept


def sweep_beside(path: Path) -> int:
    """The same for the files beside `path`, which a killed process was to write; not below."""
    with suppress(OSError):
        path = path.resolve()
        if not path.is_dir():
            return sum(_removed(one) for one in path.parent.iterdir() if OURS.fullmatch(one.name))
    return 0


def _held(path: Path) -> tuple[int | None, Path]:
    """A new file and the handle that keeps it locked (None where there are no locks)."""
    while True:
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name[:40]}.", suffix=SUFFIX
        )
        if fcntl is None:
            os.close(handle)
            return None, Path(name)
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, Path(name)
        # Another process swept it between the two lines above.
        os.close(handle)


def _removed(part: Path) -> bool:
    if fcntl is None:
        return False
    try:
        handle = os.open(part, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        part.unlink()
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


@contextmanager
def begun(folder: Path, *passing: str) -> Iterator[None]:
    """Leave no new `folder` behind where an error comes before anything of worth is in it.

    Of no worth are locks, and files with the names `passing`, which say what was asked.
    """
    with undone(missing(folder), *passing):
        yield


@contextmanager
def undone(new: Sequence[Path], *passing: str) -> Iterator[None]:
    """What `begun` does, for the folders that were `missing` before."""
    try:
        yield
    except GlobeSummError:
        # Another process may have put something there meanwhile, or taken it away: let it be.
        with suppress(OSError):
            if new and new[0].is_dir() and _names(new[0]) <= {LOCK, *passing}:
                shutil.rmtree(new[0])
                for parent in new[1:]:
                    parent.rmdir()
        raise


def missing(folder: Path) -> list[Path]:
    """The folders, from `folder` upwards, that are not there."""
    return [one for one in (folder, *folder.parents) if not one.exists()]


def _names(folder: Path) -> set[str]:
    return {one.name for one in folder.rglob("*") if not one.is_dir()}
