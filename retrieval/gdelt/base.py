"""A place that GDELT's files come from, and what a file that comes must be."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from retrieval.gdelt.failures import NotAsListed, NotServed, Unreachable


@dataclass(frozen=True, slots=True)
class Due:
    """A file by its name, and the size in bytes and md5 that it must have, where a list says."""

    name: str
    size: int | None = None
    md5: str | None = None

    def check(self, size: int, md5: str) -> None:
        """Raise `NotAsListed` if a file of this size and md5 is another one."""
        if self.size is not None and size != self.size:
            raise NotAsListed(f"{self.name}: {size} bytes came where {self.size} are listed")
        if self.md5 is not None and md5 != self.md5:
            raise NotAsListed(f"{self.name}: md5 {md5} came where {self.md5} is listed")


class Base(Protocol):
    """A place with GDELT's files by their names."""

    @property
    def where(self) -> str:
        """The address or folder, for messages and records."""

    def bring(self, due: Due, target: Path) -> Path:
        """The file that is due, checked: at `target`, or where it lies if it is on this machine.

        Raises `NotServed`, `NotAsListed` or `Unreachable`.
        """


@dataclass(frozen=True, slots=True)
class FolderBase:
    """Files that lie in a folder; they are read in place and never written to."""

    folder: Path

    @property
    def where(self) -> str:
        return str(self.folder)

    def bring(self, due: Due, target: Path) -> Path:  # noqa: ARG002  # read in place
        path = self.folder / due.name
        if not path.is_file():
            raise NotServed(f"{path}: there is no such file")
        try:
            due.check(*measured(path))
        except OSError as error:
            raise Unreachable(f"{path}: cannot be read ({error.strerror})") from error
        return path


def measured(path: Path) -> tuple[int, str]:
    """Size in bytes and md5 of the file at `path`."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False))
    return path.stat().st_size, digest.hexdigest()
