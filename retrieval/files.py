"""Files on the disk: which there are, in which order, and their bytes within a size limit."""

import gzip
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from globesumm.errors import DataError

COMPRESSED = ".gz"
_UNSAFE = re.compile(r"[^\w.-]+")


def regular_files(folder: Path) -> Iterator[Path]:
    """All files below `folder` in the order of their names; hidden ones are left out.

    Linked folders are not entered, so a link to a parent cannot make the walk endless.
    """
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and (Path(here) / name).is_file():
                yield Path(here) / name


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """The content of `path`, unpacked if its name ends in ``.gz``; a `DataError` if too large.

    The limit holds for the unpacked size, and unpacking stops there.
    """
    try:
        with gzip.open(path) if path.suffix.lower() == COMPRESSED else path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise DataError(f"{path}: cannot be read ({reason})") from error
    if len(content) > max_bytes:
        raise DataError(f"{path}: larger than {max_bytes} bytes")
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
