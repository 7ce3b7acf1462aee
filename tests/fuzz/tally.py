"""How many inputs a target has had, kept so that the next sitting goes on from it."""

import mmap
from pathlib import Path
from typing import Literal

_DIGITS = 20

Way = Literal["by-coverage", "by-chance"]


class Tally:
    """A count in a file of `folder` named as the `way`, right also after the process is killed.

    Many sittings, one process at a time, add to it.
    """

    def __init__(self, folder: Path, way: Way) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / way
        if not path.exists():
            path.write_bytes(b"%0*d" % (_DIGITS, 0))
        with path.open("r+b") as file:
            self._held = mmap.mmap(file.fileno(), _DIGITS)

    @property
    def count(self) -> int:
        return int(self._held[:])

    def add(self) -> None:
        self._held[:] = b"%0*d" % (_DIGITS, self.count + 1)

    def close(self) -> None:
        self._held.close()
