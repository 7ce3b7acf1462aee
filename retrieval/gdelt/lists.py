"""Master lists: which files GDELT says there are, with size and md5.

A line is ``SIZE MD5 URL``.  The lists are not in time order, hold blank lines, and may name a
file twice; only the last part of the address is believed, so that a list cannot send us anywhere.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from globesumm.errors import DataError, cannot_read
from globesumm.values import Rejected
from retrieval.gdelt.names import FileName, Product, Stream, file_name
from retrieval.gdelt.slots import Window, from_stamp, stamp

LIST_NAMES = {
    Stream.ENGLISH: "masterfilelist.txt",
    Stream.TRANSLATED: "masterfilelist-translation.txt",
}
LONGEST_LINE = 4096
_MD5 = re.compile(r"[0-9a-fA-F]{32}")


@dataclass(frozen=True, slots=True)
class Listed:
    """A file as its list states it: `size` in bytes and `md5` (hexadecimal) of the zip."""

    name: FileName
    size: int
    md5: str

    def __str__(self) -> str:
        return f"{self.size} {self.md5} {self.name}"


@dataclass(slots=True)
class MasterList:
    """What was read of a list.

    `files` are those asked for; `lines`, `blank`, `twice` (named again with another size or
    md5: the later one holds) and `newest` are about the whole list, `rejected` names the lines
    that say nothing we understand.
    """

    files: dict[FileName, Listed] = field(default_factory=dict)
    lines: int = 0
    blank: int = 0
    twice: int = 0
    newest: datetime | None = None
    rejected: list[Rejected] = field(default_factory=list)


def listed(line: str) -> Listed:
    """The file that one line of a list states; a ValueError says what is wrong with it."""
    tokens = line.split()
    if len(tokens) != 3:
        raise ValueError(f"{len(tokens)} parts where size, md5 and address are due")
    size, md5, url = tokens
    if not (size.isascii() and size.isdigit() and len(size) < 16):
        raise ValueError("the size is not a number of bytes")
    if not _MD5.fullmatch(md5):
        raise ValueError("the second part is not an md5 sum")
    return Listed(file_name(url[url.rfind("/") + 1 :]), int(size), md5.lower())


def read_list(
    path: Path,
    window: Window | None = None,
    streams: Collection[Stream] = tuple(Stream),
    products: Collection[Product] = tuple(Product),
) -> MasterList:
    """The files of `window`, `streams` and `products` that the list at `path` names.

    Raises `DataError` if it cannot be read, or if not one line of it names a file: then it is
    something else, an error page for instance.
    """
    try:
        with path.open("rb") as file:
            found = _read(file, str(path), window, streams, products)
    except OSError as error:
        raise DataError(cannot_read(path, error)) from error
    if found.newest is None:
        first = found.rejected[0].reason if found.rejected else "it is empty"
        raise DataError(
            f"{path}: not a GDELT file list (no line of it names a file: {first}): name another"
        )
    return found


def _read(
    lines: Iterable[bytes],
    where: str,
    window: Window | None,
    streams: Collection[Stream],
    products: Collection[Product],
) -> MasterList:
    found = MasterList()
    first, last = (stamp(window.first), stamp(window.last)) if window else ("0", "9")
    newest: str = "0"
    for raw in lines:
        found.lines += 1
        line = raw[:LONGEST_LINE].decode("utf-8", errors="replace").strip()
        if not line:
            found.blank += 1
            continue
        place = line.rfind("/") + 1
        digits = line[place : place + 14]
        # A list has over a million lines, of which a window needs few: look at the rest briefly.
        if digits.isdigit() and line.endswith(".zip") and not first <= digits <= last:
            if digits > newest and _slot(digits):
                newest = digits
            continue
        try:
            one = listed(line)
        except ValueError as error:
            found.rejected.append(
                Rejected(where=f"{where}:{found.lines}", reason=str(error), excerpt=line[:200])
            )
            continue
        newest = max(newest, digits)
        if one.name.stream in streams and one.name.product in products:
            found.twice += found.files.get(one.name, one) != one
            found.files[one.name] = one
    found.newest = _slot(newest)
    return found


def _slot(digits: str) -> datetime | None:
    try:
        return from_stamp(digits)
    except ValueError:
        return None
