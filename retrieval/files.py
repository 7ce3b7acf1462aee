"""Files on the disk: which there are, in which order, and their bytes within a size limit."""

import gzip
import os
import re
import stat
import zlib
from collections.abc import Container, Iterator
from pathlib import Path

from globesumm.errors import DataError
from globesumm.records import read_record
from globesumm.values import Rejected, RunRecord

COMPRESSED = ".gz"
_LARGEST_RUN_RECORD = 1024 * 1024
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_UNSAFE = re.compile(r"[^\w.-]+")


def files_below(
    folder: Path, leave_out: Container[Path] = frozenset()
) -> Iterator[Path | Rejected]:
    """All files below `folder` in the order of their names, and by name what cannot be read.

    Passed over without a word are hidden names, the files `leave_out` (absolute, links
    resolved) and the folders of our own runs.  Linked folders are not entered, so a link to a
    parent cannot make the walk endless, and a link to a file counts only if that lies below
    `folder`: what came in an archive must not publish the files of the one who reads it.
    """
    unreadable: list[OSError] = []
    root = Path(os.path.realpath(folder))
    for here, folders, names in os.walk(folder, onerror=unreadable.append):
        shown = [name for name in sorted(folders) if not name.startswith(".")]
        linked = [name for name in shown if (Path(here) / name).is_symlink()]
        folders[:] = [name for name in shown if name not in linked and not is_run(Path(here, name))]
        for name in sorted([*linked, *(name for name in names if not name.startswith("."))]):
            path = Path(here) / name
            if reason := _refusal(path, root):
                yield Rejected(where=str(path), reason=reason)
            elif Path(os.path.realpath(path)) not in leave_out:
                yield path
        yield from _drained(unreadable)
    yield from _drained(unreadable)


def _drained(unreadable: list[OSError]) -> Iterator[Rejected]:
    """The folders that could not be listed so far."""
    while unreadable:
        error = unreadable.pop(0)
        reason = f"cannot be read ({error.strerror or type(error).__name__})"
        yield Rejected(where=str(error.filename), reason=reason)


def _refusal(path: Path, root: Path) -> str | None:
    """Why `path` in the folder `root` (links resolved) is not read, or None."""
    try:
        target = Path(os.path.realpath(path, strict=True))
        mode = target.stat().st_mode
    except OSError as error:
        link = "a link to nothing: " if path.is_symlink() else ""
        return f"cannot be read ({link}{error.strerror or type(error).__name__})"
    if not target.is_relative_to(root):
        return "a link to outside the folder"
    if stat.S_ISDIR(mode):
        return "a link to a folder, which is not entered"
    return None if stat.S_ISREG(mode) else f"not a regular file but {_kind(mode)}"


def is_run(folder: Path) -> bool:
    """Whether `folder` holds a run that this package made: its ``run.json`` says so."""
    path = folder / "run.json"
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_RUN_RECORD:
            return False
        read_record(path, RunRecord)
    except (OSError, DataError):
        return False
    return True


def refuse_irregular(path: Path) -> None:
    """Raise a `DataError` if `path` is no regular file, before opening it could hang."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{path}: cannot be read ({reason})") from error
    if not stat.S_ISREG(mode):
        raise DataError(f"{path}: not a regular file but {_kind(mode)}: name a file")


def _kind(mode: int) -> str:
    return next((what for is_kind, what in _KINDS if is_kind(mode)), "something else")


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """The content of `path`, unpacked if its name ends in ``.gz``; a `DataError` if too large.

    The limit holds for the unpacked size, and unpacking stops there.  What is no regular file
    is a `DataError` too.
    """
    refuse_irregular(path)
    try:
        with gzip.open(path) if path.suffix.lower() == COMPRESSED else path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise DataError(f"{path}: cannot be read ({reason})") from error
    if len(content) > max_bytes:
        raise DataError(f"{path}: larger than {max_bytes} bytes: give it in parts")
    return content


def plain_name(path: Path) -> str:
    """The name of `path` without ``.gz``."""
    return path.name[: -len(COMPRESSED)] if path.suffix.lower() == COMPRESSED else path.name


def stem_of(path: Path, root: Path) -> str:
    """`path` below `root` without its endings, fit for an id: ``de/a b.html`` → ``de-a-b``."""
    inside = path.parent.relative_to(root).parts if path != root else ()
    return safe("-".join((*inside, Path(plain_name(path)).stem)))


def safe(text: str) -> str:
    """`text` with all but letters, digits, ``_``, ``.`` and ``-`` replaced, at most 120 long."""
    return _UNSAFE.sub("-", text)[:120].strip("-.") or "document"
