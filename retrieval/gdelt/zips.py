"""What is inside a file of GDELT's, in pieces: one member of a zip, or a file already unzipped.

Whatever the archive claims is checked before and while it is expanded.  Memory stays small,
since no more than a piece is expanded at a time.
"""

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

from retrieval.gdelt.failures import OfAnotherKind

LARGEST_MEMBER = 4 << 30
HIGHEST_RATIO = 100
"""Bytes out for one byte in; GDELT's files have 3 to 8."""
_UNSUSPICIOUS = 1 << 20
_PIECE = 32 * 1024
_MOST_OUT = 256 * 1024
_LOCAL_HEADER = 30


def pieces(path: Path, member: str | None = None) -> Iterator[bytes]:
    """The content of the file at `path` in pieces of at most 256 KiB.

    A zip must hold one member, named `member` where that is given.  Raises `OfAnotherKind` with
    the reason if it is no zip, holds anything else, is damaged, or expands beyond belief.
    """
    try:
        with path.open("rb") as file:
            if path.suffix.lower() == ".zip" or file.read(4) == b"PK\x03\x04":
                yield from _expanded(file, _only_member(path, file, member), path)
            else:
                file.seek(0)
                while piece := file.read(_PIECE):
                    yield piece
    except OSError as error:
        raise OfAnotherKind(f"{path.name}: cannot be read ({error.strerror or error})") from error


def _only_member(path: Path, file: BinaryIO, due: str | None) -> zipfile.ZipInfo:
    where = path.name
    try:
        members = zipfile.ZipFile(file).infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        file.seek(0)
        head = file.read(64).lstrip()
        kind = "a web page" if head.startswith(b"<") else "not a zip"
        raise OfAnotherKind(f"{where}: {kind} ({error})") from error
    if len(members) != 1:
        raise OfAnotherKind(f"{where}: {len(members)} members where one is due")
    member = members[0]
    name = member.orig_filename
    if member.is_dir() or set(name) & set("/\\:\x00") or name in {"", ".", ".."}:
        raise OfAnotherKind(f"{where}: its member has a path for a name ({name[:100]!r})")
    if due is not None and name.casefold() != due.casefold():
        raise OfAnotherKind(f"{where}: holds {name[:100]!r}, not {due!r}")
    if member.flag_bits & 0x1:
        raise OfAnotherKind(f"{where}: its member is encrypted")
    if member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise OfAnotherKind(f"{where}: compressed in a way GDELT does not use")
    believable(member.file_size, member.compress_size, where)
    return member


def believable(out: int, taken: int, where: str) -> None:
    """Raise `OfAnotherKind` if `taken` bytes of file `where` cannot honestly expand to `out`."""
    if out > LARGEST_MEMBER or (out > _UNSUSPICIOUS and out > HIGHEST_RATIO * max(taken, 1)):
        raise OfAnotherKind(f"{where}: a zip bomb ({taken} bytes expand to {out} or more)")


def _expanded(file: BinaryIO, member: zipfile.ZipInfo, path: Path) -> Iterator[bytes]:
    """The content of `member`, counted and checked against its checksum."""
    where, codec = path.name, _codec()
    file.seek(member.header_offset)
    header = file.read(_LOCAL_HEADER)
    if len(header) < _LOCAL_HEADER or header[:4] != b"PK\x03\x04":
        raise OfAnotherKind(f"{where}: a damaged zip (no member where one should begin)")
    # The name and extra field are measured again here, and need not be as long as at the end.
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
    size = checksum = 0
    try:
        for piece in _inflated(file, member, codec):
            size += len(piece)
            checksum = codec.crc32(piece, checksum)
            believable(size, member.compress_size, where)
            yield piece
    except (zlib.error, codec.error) as error:
        raise OfAnotherKind(f"{where}: a damaged zip ({error})") from error
    if size != member.file_size or checksum != member.CRC:
        raise OfAnotherKind(f"{where}: a damaged zip (its content is not what it states)")


def _inflated(file: BinaryIO, member: zipfile.ZipInfo, codec: ModuleType) -> Iterator[bytes]:
    left = member.compress_size
    stored = member.compress_type == zipfile.ZIP_STORED
    inflate = None if stored else codec.decompressobj(-zlib.MAX_WBITS)
    while left > 0 and (taken := file.read(min(_PIECE, left))):
        left -= len(taken)
        while taken:
            out = inflate.decompress(taken, _MOST_OUT) if inflate else taken
            taken = inflate.unconsumed_tail if inflate else b""
            if out:
                yield out
        if inflate and inflate.eof:
            # What may stand behind the end is no content, and would pile up in memory.
            break
    if inflate and (rest := inflate.flush()):
        yield rest


def _codec() -> ModuleType:
    """Intel's inflate where it is installed: it takes half the time of zlib's."""
    try:
        from isal import isal_zlib
    except ImportError:
        return zlib
    module: ModuleType = isal_zlib
    return module
