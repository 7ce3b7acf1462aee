"""Gzip members and header lines within limits, and where the next record begins after damage."""

import io
import re
import zlib
from typing import Any, BinaryIO

PACKED = b"\x1f\x8b"

_GZIP = b"\x1f\x8b\x08"
_RECORD = re.compile(rb"\n(?=WARC/\d\.\d\r?\n)")
_BLOCK = 32 * 1024
_LARGEST_HEADERS = 1024 * 1024


class Member(io.RawIOBase):
    """One gzip member of a file, unpacked as it is read.

    `head` is what was already read of it.  After its end `left` is what was read beyond it.
    Raises `zlib.error` where it is broken and `EOFError` where the file ends within it.
    """

    def __init__(self, file: BinaryIO, head: bytes = b"") -> None:
        super().__init__()
        self._file, self._head = file, head
        self._packer = zlib.decompressobj(zlib.MAX_WBITS + 16)

    @property
    def left(self) -> bytes:
        return self._packer.unused_data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._packer.eof:
            data = self._packer.unconsumed_tail or self._head or self._file.read(_BLOCK)
            self._head = b""
            if not data:
                raise EOFError("the file ends within it")
            piece = self._packer.decompress(data, len(buffer))
            if piece:
                buffer[: len(piece)] = piece
                return len(piece)
        return 0


class HeaderStream:
    """A stream whose lines are the headers of records: they may be only so long, and so many.

    Of a file that is not `packed`, `at` is where the record begins whose first line was read.
    """

    at = 0

    def __init__(self, stream: Any) -> None:
        self.packed = isinstance(stream, Member)
        self._inner = io.BufferedReader(stream) if self.packed else stream
        self._room = _LARGEST_HEADERS

    def first_line(self) -> bytes:
        """The next line that is not blank, with which a record begins; ``b""`` at the end."""
        self._room = _LARGEST_HEADERS
        while line := self.readline():
            if line.strip():
                if not self.packed:
                    self.at = self._inner.tell() - len(line)
                if not line.startswith((b"WARC/", b"ARC/")):
                    raise ValueError(f"it begins with {line[:40]!r}")
                return line
        return b""

    def readline(self, length: int | None = None) -> bytes:
        most = self._room + 1 if length is None else min(length, self._room + 1)
        line: bytes = self._inner.readline(most)
        self._room -= len(line)
        if self._room < 0:
            raise ValueError(f"headers of more than {_LARGEST_HEADERS} bytes")
        return line

    def read(self, length: int | None = None) -> bytes:
        content: bytes = self._inner.read(length)
        return content

    def tell(self) -> int:
        return 0


def next_start(file: BinaryIO, start: int, *, packed: bool) -> int | None:
    """Where the next record at or after `start` seems to begin, or None."""
    place = start
    tail = b""
    while True:
        file.seek(place)
        block = file.read(_BLOCK)
        if not block:
            return None
        window, offset = tail + block, place - len(tail)
        if packed:
            at = window.find(_GZIP)
            while at >= 0:
                if _begins_a_record(file, offset + at):
                    return offset + at
                at = window.find(_GZIP, at + 1)
            tail = window[-2:]
        else:
            if match := _RECORD.search(window):
                return offset + match.end()
            tail = window[-16:]
        place += len(block)


def _begins_a_record(file: BinaryIO, at: int) -> bool:
    file.seek(at)
    try:
        head = zlib.decompressobj(zlib.MAX_WBITS + 16).decompress(file.read(1024), 16)
    except zlib.error:
        return False
    return head.startswith(b"WARC/")
