"""The folder of a stage's results: what is done, what was counted, and how a result gets in."""

import os
import platform
import shutil
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, RunMismatch, UsageError
from globesumm.records import read_record, write_record
from globesumm.runs import Setting
from globesumm.unfinished import sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a stage counted in one shard, and the size in bytes of the result that goes with it."""

    size: int
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class ShardFolder:
    """Where results of one stage lie; `run` tells this run's unfinished files from others'.

    Small and picklable: it travels to the processes that do the work.
    """

    folder: Path
    suffix: str
    run: str = field(default_factory=lambda: uuid.uuid4().hex[:12])

    def result(self, name: str) -> Path:
        return self.folder / f"{name}{self.suffix}"

    def counts_path(self, name: str) -> Path:
        return self.folder / "_counts" / f"{name}.json"

    def failure_path(self, name: str) -> Path:
        return self.folder / "_failures" / f"{name}.json"

    @property
    def partial(self) -> Path:
        return self.folder / "_partial" / self.run

    def counts(self, name: str) -> Mapping[str, int] | None:
        """What was counted when the result of `name` was made, or None if it is not done.

        A result without counts (or of another size than they state) did not get in whole, or
        not through here.
        """
        try:
            size = self.result(name).stat().st_size
            counted = read_record(self.counts_path(name), Counted)
        except (OSError, DataError):
            return None
        return counted.counts if counted.size == size else None

    def new_partial(self, name: str) -> Path:
        """An unused path for the unfinished result of `name`.

        Raises `UsageError` where this run's folder is not to be seen: on a cluster without a
        shared file system results would be lost on the workers' own disks.
        """
        if not self.partial.is_dir():
            raise UsageError(
                f"{self.partial} is not there, seen from {platform.node()}: the folder must "
                "lie on a file system that every worker shares, and stay while the run goes on"
            )
        return self.partial / f"{name}.{uuid.uuid4().hex[:12]}{self.suffix}"

    def take_in(self, name: str, part: Path, counts: Mapping[str, int]) -> dict[str, int]:
        """Make `part` the result of `name`: on the disk first, then renamed, counts before it.

        With the counts in place first, a kill between the two leaves a shard that is not done.
        """
        if part.is_symlink() or not part.is_file():
            raise DataError("the stage wrote no file to the path it was given")
        plain = {str(key): _whole(key, count) for key, count in counts.items()}
        with part.open("rb+") as file:
            os.fsync(file.fileno())
            size = os.fstat(file.fileno()).st_size
        self.put(self.counts_path(name), Counted(size=size, counts=plain))
        self.failure_path(name).unlink(missing_ok=True)
        part.replace(self.result(name))
        _sync_folder(self.folder)
        return plain

    def put(self, path: Path, value: object) -> None:
        """Write `value` to `path` by way of this run's own folder, which a dead run leaves behind
        in one piece, to be removed.
        """
        part = self.partial / f"{uuid.uuid4().hex}.json"
        write_record(part, value)
        path.parent.mkdir(exist_ok=True)
        part.replace(path)

    @contextmanager
    def alone(self, settings: Mapping[str, Setting] | None) -> Iterator[None]:
        """Hold the folder for this process; the lock dies with the process.

        Raises `UsageError` if another process works there or it cannot be written, `RunMismatch`
        if it holds results of other settings.
        """
        with only_here(self.folder):
            try:
                self._prepare(settings)
                yield
            finally:
                shutil.rmtree(self.folder / "_partial", ignore_errors=True)

    def _prepare(self, settings: Mapping[str, Setting] | None) -> None:
        try:
            # The lock is ours, so whatever lies among the unfinished files is of a dead run.
            shutil.rmtree(self.folder / "_partial", ignore_errors=True)
            self.partial.mkdir(parents=True)
            self.counts_path("").parent.mkdir(exist_ok=True)
            self.agree(settings)
            if settings is not None and not self._settings.exists():
                self.put(self._settings, dict(settings))
        except OSError as error:
            raise UsageError(
                f"{self.folder} cannot be written: {error.strerror}; choose another --out"
            ) from error

    def discard(self, name: str) -> None:
        """Remove a result that is torn or lost its counts, lest it be read as done."""
        try:
            self.result(name).unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(
                f"{self.result(name)} stands where a result is to be: {error.strerror}"
            ) from error

    def record(self, name: str, failure: object) -> None:
        """Keep why the shard `name` failed."""
        try:
            self.put(self.failure_path(name), failure)
        except OSError as error:
            raise UsageError(
                f"{self.folder} cannot be written: {error.strerror}; choose another --out"
            ) from error

    def agree(self, settings: Mapping[str, Setting] | None) -> None:
        """Raise `RunMismatch` if results of other settings lie here; nothing is written.

        For commands that change other files before the stage runs: these too belong to the
        settings that are there.
        """
        if settings is None or not self._settings.exists():
            return
        earlier = read_record(self._settings, dict[str, Any])
        differing = [
            f"{name}: {earlier.get(name)!r} there, {settings.get(name)!r} asked"
            for name in sorted(earlier.keys() | settings.keys())
            if earlier.get(name) != settings.get(name)
        ]
        if differing:
            raise RunMismatch(str(self.folder), differing)

    @property
    def _settings(self) -> Path:
        return self.folder / "_stage" / "settings.json"


@contextmanager
def only_here(folder: Path) -> Iterator[None]:
    """Hold `folder`, made where it is not there, for this process; the lock dies with it.

    Raises `UsageError` if another process works there or it cannot be written.
    """
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        lock.acquire(timeout=0)
    except Timeout:
        raise UsageError(
            f"another process is working in {folder}: wait for its end, or choose another folder"
        ) from None
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written: {error.strerror}; choose another --out"
        ) from error
    try:
        sweep(folder)
        yield
    finally:
        lock.release()


def _whole(key: object, count: object) -> int:
    if not isinstance(count, int):
        raise DataError(f"the stage counted {count!r} of {key!r}, which is no whole number")
    return int(count)


def _sync_folder(folder: Path) -> None:
    """Force the rename to the disk where the system can (Windows cannot open a folder)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
