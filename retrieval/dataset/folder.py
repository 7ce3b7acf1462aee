"""Where a data set keeps its files.

::

    README.md            the data card
    dataset.json         what the folder was made with; other settings are refused
    splits.jsonl         the split and group of every event there ever was
    data/SPLIT.parquet   an event a row (a document a row, without texts)
    data/SPLIT.jsonl     the same as JSON Lines: what globesumm summarize and grid take
    statistics/          tables as Markdown, LaTeX and tab-separated text, and plots
    checks.jsonl         what checks found, and what was left out for it
    leaks.jsonl          links between two splits: empty, or to be looked at
    removed.jsonl        digests of what was taken out on request
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from globesumm.errors import RunMismatch, UsageError
from globesumm.records import read_own_records, read_record, write_record
from globesumm.values import Event
from retrieval.dataset.addresses import Address, events_of
from retrieval.dataset.checks import Finding
from retrieval.dataset.splits import RULE, SPLITS, Assigned
from retrieval.dataset.takedown import Removed

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What decides a data set's splits and form."""

    version: int
    seed: int
    rule: str
    texts: bool


@dataclass(frozen=True, slots=True)
class Folder:
    """The paths below `out`."""

    out: Path

    @property
    def card(self) -> Path:
        return self.out / "README.md"

    @property
    def made(self) -> Path:
        return self.out / "dataset.json"

    @property
    def splits(self) -> Path:
        return self.out / "splits.jsonl"

    @property
    def checks(self) -> Path:
        return self.out / "checks.jsonl"

    @property
    def leaks(self) -> Path:
        return self.out / "leaks.jsonl"

    @property
    def removed(self) -> Path:
        return self.out / "removed.jsonl"

    @property
    def statistics(self) -> Path:
        return self.out / "statistics"

    def data(self, split: str, suffix: str) -> Path:
        """The file of `split` that ends in `suffix`."""
        return self.out / "data" / f"{split}{suffix}"

    @property
    def exists(self) -> bool:
        """Whether a data set is here."""
        return self.made.is_file()

    def begin(self, made: Made) -> None:
        """Check that the folder is free, or a data set of the same settings.

        Raises `RunMismatch` or `UsageError` where it is not.
        """
        if self.exists:
            there = read_record(self.made, Made)
            differing = [
                f"{name} {getattr(there, name)!r}, not {getattr(made, name)!r}"
                for name in Made.__dataclass_fields__
                if getattr(there, name) != getattr(made, name)
            ]
            if differing:
                raise RunMismatch(str(self.out), differing)
        elif self.out.exists() and (not self.out.is_dir() or any(self.out.iterdir())):
            raise UsageError(f"--out {self.out} is no data set and not empty: name another folder")
        else:
            write_record(self.made, made)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the folder; a second process is refused at once."""
        from filelock import FileLock, Timeout

        self.out.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.out.with_name(f".{self.out.name}.lock"), timeout=0)
        try:
            with lock:
                yield
        except Timeout as error:
            raise UsageError(f"{self.out}: another process is building this data set") from error

    def rows(self) -> list[Address]:
        """The rows of a data set without texts."""
        found: list[Address] = []
        for split in SPLITS:
            found += _read(self.data(split, ".jsonl"), Address)
        return found

    def events(self) -> list[Event]:
        """The events, with texts if the data set has them, in the order of ids."""
        if self.exists and not read_record(self.made, Made).texts:
            return sorted(events_of(self.rows()), key=lambda event: event.id)
        found: list[Event] = []
        for split in SPLITS:
            found += _read(self.data(split, ".jsonl"), Event)
        return sorted(found, key=lambda event: event.id)

    def known(self) -> dict[str, str]:
        """Event → split."""
        return {one.event: one.split for one in _read(self.splits, Assigned)}

    def findings(self) -> list[Finding]:
        return _read(self.checks, Finding)

    def memory(self) -> set[Removed]:
        return set(_read(self.removed, Removed))


def made(seed: int, *, texts: bool, version: int) -> Made:
    """The settings of a data set to be built now."""
    return Made(version=version, seed=seed, rule=RULE, texts=texts)


def _read(path: Path, kind: type[T]) -> list[T]:
    return list(read_own_records(path, kind)) if path.exists() else []
