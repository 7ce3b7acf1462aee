"""A new grid that takes over the calls of another, so that only what changed is asked."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from baselines.grid.folder import GridFolder
from baselines.grid.scoring import VERDICTS
from globesumm.errors import RunMismatch, UsageError
from globesumm.llm.call_store import CallStore
from globesumm.llm.exchange import merge
from globesumm.runs import Setting


def started(
    path: Path,
    settings: Mapping[str, Setting],
    fork: Path | None = None,
    *,
    forks: bool = True,
) -> GridFolder:
    """The grid in `path`, begun or gone on with; with `fork` a new one there that takes its calls.

    Raises `UsageError` where `path` holds a grid with other settings, names them, and offers
    the fork where the caller's command `forks`.
    """
    if fork is not None:
        if fork.resolve() == path.resolve():
            raise UsageError(f"--fork {fork} is the run itself: name a new folder")
        old = GridFolder.open(path)
        new = GridFolder.start(fork, settings)
        with new.alone():
            _take_over(old, new)
        return new
    try:
        return GridFolder.start(path, settings)
    except RunMismatch as error:
        there = f"{path} holds a grid with other settings ({'; '.join(error.differing)})"
        if not forks:
            raise UsageError(f"{there}: go back to them, or choose another --out") from error
        raise UsageError(
            f"{there}: go back to them, choose another --out, or start a new folder that takes "
            "over its calls, so that only the affected ones are made, with --fork NEW"
        ) from error


def _take_over(old: GridFolder, new: GridFolder) -> None:
    if old.store.exists() and not new.store.exists():
        _copy(old.store, new.store)
    elif old.store.exists():
        store = CallStore(new.store)
        with closing(store):
            merge(store, old.store)
    verdicts = old.path / VERDICTS
    if verdicts.exists() and not (new.path / VERDICTS).exists():
        _copy(verdicts, new.path / VERDICTS)


def _copy(database: Path, to: Path) -> None:
    """A copy that appears whole or not at all, of a file that may be in use."""
    part = to.with_name(f"{to.name}.part")
    part.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(part)) as copy:
            source.backup(copy)
        part.replace(to)
    except sqlite3.Error as error:
        raise UsageError(
            f"{database} cannot be copied to {to}: {error}; nothing was changed there"
        ) from error
    finally:
        part.unlink(missing_ok=True)
