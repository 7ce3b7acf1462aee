"""Fetched files on disk: each is there whole and as listed, or not at all.

A failure that asking again won't mend (no such file, other content than listed) is kept beside
them, so that the same command does not ask again unless told to.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from globesumm.errors import DataError
from globesumm.records import read_record, write_record
from globesumm.unfinished import place_beside
from retrieval.gdelt.base import Base, Due, FolderBase, measured
from retrieval.gdelt.failures import KINDS, NotAsListed, NotServed
from retrieval.gdelt.gaps import true_size
from retrieval.gdelt.lists import Listed
from retrieval.gdelt.names import FileName

_TOO_NEW = timedelta(days=1)
"""A file this young may yet appear."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lasting:
    """A failure that lasts: what `base` did not have, of what `md5` (empty if none is listed)."""

    kind: str
    reason: str
    base: str
    md5: str
    when: datetime


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of fetched files; with `again`, failures kept there are not believed."""

    folder: Path
    again: bool = False

    def zip_of(self, listed: Listed, base: Base) -> Path:
        """The zip that `listed` states, fetched from `base` unless it is here.

        Raises `NotServed`, `NotAsListed` or `Unreachable`.
        """
        name = str(listed.name)
        due = as_listed(listed)
        kept = self.folder / name
        if kept.is_file():
            with suppress(NotAsListed):
                due.check(*measured(kept))
                return kept
        self.raise_lasting(name, base, listed.md5)
        try:
            return self.fetch(due, base)
        except (NotServed, NotAsListed) as error:
            self.keep_lasting(listed.name, base, listed.md5, error)
            raise

    def fetched(self, name: str, base: Base) -> Path:
        """The file `name` of `base`, of which no list says anything, fetched unless it is here."""
        kept = self.folder / name
        return kept if kept.is_file() else self.fetch(Due(name), base)

    def fetch(self, due: Due, base: Base) -> Path:
        """The file that is due from `base`: in this folder, or where it lies if that is one."""
        with place_beside(self.folder / due.name) as part:
            brought = base.bring(due, part)
            if brought != part:
                return brought
            target = self.folder / due.name
            with part.open("rb") as file:
                os.fsync(file.fileno())
            part.chmod(0o644)
            part.replace(target)
            return target

    def drop(self, path: Path) -> None:
        """Remove a fetched file; one that lies in a base folder is not ours and stays."""
        if path.parent == self.folder:
            path.unlink(missing_ok=True)

    def raise_lasting(self, name: str, base: Base, md5: str = "") -> None:
        """Raise the lasting failure kept for the file `name`, if there is one.

        A folder is looked into each time: that costs nothing.
        """
        path = self._lasting(name)
        if self.again or isinstance(base, FolderBase) or not path.exists():
            return
        try:
            known = read_record(path, Lasting)
        except DataError:
            return
        if (known.base, known.md5) == (base.where, md5) and known.kind in KINDS:
            raise KINDS[known.kind](f"{known.reason} (asked {known.when:%Y-%m-%d %H:%M} UTC)")

    def keep_lasting(self, name: FileName, base: Base, md5: str, error: DataError) -> None:
        """Keep a failure that lasts, unless the file is so new that it may yet appear."""
        if datetime.now(UTC) - name.slot < _TOO_NEW:
            return
        lasting = Lasting(
            kind=type(error).__name__,
            reason=str(error),
            base=base.where,
            md5=md5,
            when=datetime.now(UTC),
        )
        write_record(self._lasting(str(name)), lasting)

    def _lasting(self, name: str) -> Path:
        return self.folder / f"{name}.failed.json"


def as_listed(listed: Listed) -> Due:
    """What a zip must be by its line in the list; a size known to be wrong is corrected."""
    return Due(str(listed.name), true_size(listed.name) or listed.size, listed.md5)
