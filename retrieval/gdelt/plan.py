"""What a window should hold, file by file: listed, known to be missing, or missing unexplained."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from retrieval.gdelt.gaps import known_gap, known_unlisted
from retrieval.gdelt.lists import Listed, MasterList
from retrieval.gdelt.names import FileName, Product, Stream
from retrieval.gdelt.slots import Window


@dataclass(frozen=True, slots=True)
class Expected:
    """One file that a window should hold.

    `listed` is its line in the list.  `known` says why it is known to be missing; one that is
    listed all the same is asked for, since a mirror may have it.  `unexplained` says that it is
    not to be had and that nothing accounts for it.  The Article List has no list: its files are
    asked for where none of this says anything.
    """

    name: FileName
    listed: Listed | None = None
    known: str | None = None
    unexplained: str | None = None

    @property
    def to_be_had(self) -> bool:
        return self.listed is not None or (self.known is None and self.unexplained is None)


def plan(
    window: Window,
    parts: Iterable[tuple[Stream, Product]],
    lists: Mapping[Stream, MasterList],
    now: datetime,
) -> Iterator[Expected]:
    """Every file of `window` in each of `parts`, in order of part and time."""
    for stream, product in parts:
        for slot in window:
            yield _expected(FileName(slot, stream, product), lists.get(stream), now)


def _expected(name: FileName, stated: MasterList | None, now: datetime) -> Expected:
    if name.slot > now:
        return Expected(name, unexplained="lies in the future")
    if stated is None:
        return Expected(name, known=known_gap(name))
    if listed := stated.files.get(name):
        return Expected(name, listed, known=known_gap(name))
    if known := known_unlisted(name):
        return Expected(name, known=known)
    if stated.newest and name.slot > stated.newest:
        return Expected(name, unexplained=f"the list ends at {stated.newest:%Y-%m-%d %H:%M}")
    return Expected(name, unexplained="not listed, and in no register of gaps")
