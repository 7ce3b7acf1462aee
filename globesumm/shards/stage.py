"""What a stage is given, what it gives back, and what became of all its shards."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.shards.folder import ShardFolder

_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,149}")


@dataclass(frozen=True, slots=True)
class Shard:
    """One piece of input.

    `name` is the key under which the result is kept, and its file name: 1 to 150 of the
    characters ``A-Z a-z 0-9 _ . + -``, beginning with a letter or digit (`globesumm.runs.file_name`
    makes one of any identifier).  `source` is whatever the stage needs: a path, an address, JSON.
    """

    name: str
    source: str

    def __post_init__(self) -> None:
        if not _SAFE_NAME.fullmatch(self.name):
            raise UsageError(
                f"{self.name!r} cannot name a shard: up to 150 letters, digits, '_', '.', '+' "
                "and '-', beginning with a letter or digit (globesumm.runs.file_name makes one)"
            )


Stage = Callable[[Shard, Path], Mapping[str, int]]
"""Makes the result of one shard: writes it to the path given, which is temporary, and returns
what it counted.

It is called in other processes and on other machines, so it is a module-level function or a
`functools.partial` of one.  It is called again for the same shard after a crash, so it must not
add to anything but the file it is given.  A `UsageError` from it ends the run (no shard could
succeed); any other exception is the failure of that shard alone.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardFailure:
    """A shard that has no result: what kind of error, its message, how often it was tried."""

    shard: str
    kind: str
    message: str
    attempts: int = 1

    @property
    def where(self) -> str:
        return f"shard {self.shard}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of the shards: `done` were made now, `reused` lay there, `failed` have none.

    `counts` are summed over all shards that have a result, reused ones too.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    done: int = 0
    reused: int = 0
    failed: tuple[ShardFailure, ...] = ()

    @property
    def shards(self) -> int:
        """How many shards there were in all."""
        return self.done + self.reused + len(self.failed)


def finished(folder: Path, suffix: str) -> Iterator[Shard]:
    """The results in `folder` as the shards of a next stage, by name; `source` is the path.

    A result without its counts, or of another size than they state, is not finished.
    """
    kept = ShardFolder(folder, suffix)
    for path in sorted(folder.glob(f"*{suffix}")):
        name = path.name.removesuffix(suffix)
        if _SAFE_NAME.fullmatch(name) and kept.counts(name) is not None:
            yield Shard(name, str(path))
