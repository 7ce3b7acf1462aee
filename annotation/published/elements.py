"""The objects of a file in the published layout, one at a time: JSON Lines or one JSON array.

An array of hundreds of megabytes is read element by element, so that memory holds one event.
"""

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from globesumm.errors import DataError, cannot_read
from globesumm.records import LONGEST_LINE, read_plain_records
from globesumm.values import Rejected

_CHUNK = 1 << 18
_BETWEEN = re.compile(r"[\s,]*")
_NO_UTF8 = re.compile("[\udc80-\udcff]")


def elements(path: Path) -> Iterator[tuple[str, dict[str, Any]] | Rejected]:
    """(place, object) of every element; what is no object is `Rejected`, the rest goes on.

    What follows broken JSON within an array cannot be told apart, and is one `Rejected`.
    Raises `DataError` where the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            start = file.read(4096).removeprefix(codecs.BOM_UTF8).lstrip()
    except OSError as error:
        raise DataError(cannot_read(path, error)) from error
    if start[:1] != b"[":
        yield from read_plain_records(path)
        return
    with path.open("rb") as file:
        for place, found in enumerate(_in_array(file), start=1):
            where = f"{path}: event {place}"
            if isinstance(found, dict):
                yield where, found
            elif isinstance(found, _Broken):
                yield Rejected(where=where, reason=found.reason, excerpt=found.excerpt)
            else:
                yield Rejected(where=where, reason=f"no object but {type(found).__name__}")


class _Broken:
    """An element that cannot be read."""

    def __init__(self, reason: str, text: str = "") -> None:
        self.reason = reason
        self.excerpt = _NO_UTF8.sub("\ufffd", text[:200]) or None


def _in_array(file: BinaryIO) -> Iterator[Any]:
    """The elements of the array in `file`; the last one is `_Broken` if the array breaks off."""
    text = _Text(file)
    text.skip(re.compile(r"\ufeff?\s*\["))
    # A control character within a string is reported with the event it stands in.
    decoder = json.JSONDecoder(strict=False)
    while True:
        text.skip(_BETWEEN)
        if not text.held:
            yield _Broken("the array has no end: the file was cut off")
            return
        if text.held.startswith("]"):
            text.skip(re.compile(r"\]\s*"))
            if text.held:
                yield _Broken("more stands behind the end of the array", text.held)
            return
        try:
            element, end = text.decoded(decoder)
        except (ValueError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            yield _Broken(f"not JSON ({reason}); nothing behind it was read", text.held)
            return
        if _NO_UTF8.search(text.held, 0, end):
            element = _Broken("not UTF-8", text.held)
        yield element
        text.drop(end)


class _Text:
    """A file's text from the place that was reached; `held` is never empty before the end."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self.held = ""
        self._ended = False

    def more(self) -> bool:
        """Hold twice as much, so that a long element is not begun again for every chunk."""
        size = max(_CHUNK, len(self.held))
        while not self._ended:
            chunk = self._file.read(size)
            self._ended = not chunk
            fresh = self._decoder.decode(chunk, final=self._ended)
            self.held += fresh
            if fresh:
                return True
        return False

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Leave out what `pattern` fits at this place, however far it goes."""
        while True:
            found = pattern.match(self.held)
            end = found.end() if found else 0
            if end < len(self.held) or not self.more():
                self.drop(end)
                return

    def drop(self, count: int) -> None:
        self.held = self.held[count:]

    def decoded(self, decoder: json.JSONDecoder) -> tuple[Any, int]:
        """The JSON value at this place and where it ends; ValueError for what is none."""
        while True:
            try:
                value, end = decoder.raw_decode(self.held)
            except ValueError:
                if len(self.held) > LONGEST_LINE:
                    raise ValueError(f"longer than {LONGEST_LINE} characters") from None
                if not self.more():
                    raise
                continue
            # A number may go on in the next chunk.
            if end < len(self.held) or not self.more():
                return value, end
