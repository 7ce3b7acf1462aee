"""A grid's run folder: the whole grid's files, and a run folder for each of its parts.

::

    GRID/run.json                       what decides the results; written first
    GRID/events.jsonl, rejected.jsonl   the events of all parts, and what could not be read
    GRID/calls.sqlite                   every call of every model, judges included
    GRID/parts/<part>/                  a run folder (see `globesumm.runs`) without events
    GRID/parts/<part>/uses/             which calls each summary rests on
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from baselines.grid.cells import Part
from baselines.grid.event_file import EventFile
from baselines.grid.uses import read_uses
from globesumm.runs import PARTS, Run, Setting
from globesumm.unfinished import sweep
from globesumm.values import Event, Rejected

STORE = "calls.sqlite"


class GridFolder:
    """One grid's run folder; all paths of it go through here."""

    def __init__(self, path: Path) -> None:
        self.path, self.run = path, Run(path)
        self._parts: dict[str, Run] = {}

    @classmethod
    def start(cls, path: Path, settings: Mapping[str, Setting]) -> "GridFolder":
        """A new grid in `path`, or the one there if it has the same settings.

        Raises `RunMismatch` naming the fields that differ, `UsageError` if the folder holds
        other things or cannot be written.
        """
        Run.start(path, dict(settings))
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> "GridFolder":
        """The finished or unfinished grid in `path`; raises `UsageError` where there is none."""
        Run.open(path)
        return cls(path)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep a second process out; it gets a `UsageError`.  The lock dies with the process."""
        with self.run.alone():
            yield

    @property
    def store(self) -> Path:
        """Where all calls are kept."""
        return self.path / STORE

    def write_events(self, events: Iterable[Event], rejected: Iterable[Rejected] = ()) -> None:
        """Keep the input as read; `events` may come one by one."""
        self.run.write_events(events, rejected)
        vars(self).pop("_events", None)

    def events(self) -> EventFile:
        """The events by id, read when they are wanted."""
        return self._events

    @cached_property
    def _events(self) -> EventFile:
        return EventFile(self.run.events_path)

    def part(self, part: Part, settings: Mapping[str, Setting] | None = None) -> Run:
        """The run folder of `part`, begun if it is not there.

        Without `settings` a part that is not there gets the grid's with what makes it this part.
        Raises `RunMismatch` where it was begun with other `settings`.
        """
        run = self._parts.get(part.name)
        if run is None or settings is not None:
            folder = self.path / PARTS / part.name
            begun = (folder / "run.json").exists()
            if begun and settings is None:
                run = Run.open(folder)
            else:
                run = Run.start(folder, dict(settings or self._settings(part)))
            self._parts[part.name] = run
        return run

    def sweep(self) -> None:
        """Remove what killed processes were writing; hold `alone` around it."""
        sweep(self.path)

    def parts(self) -> dict[str, Run]:
        """The parts that were begun, by name."""
        folders = sorted((self.path / PARTS).glob("*/run.json"))
        return {path.parent.name: Run(path.parent) for path in folders}

    def uses(self, part: Part, recipe: str, event: str) -> tuple[str, ...] | None:
        """The keys of the answers that a summary rests on, in order of asking.

        None where nothing was noted of it (it did not end).
        """
        uses = read_uses(Run(self.path / PARTS / part.name), recipe, event)
        return None if uses is None else tuple(use.key for use in uses if use.answered)

    def _settings(self, part: Part) -> dict[str, Setting]:
        of_part: dict[str, Setting] = {
            "part": part.name,
            "models": part.model,
            "target": part.target,
            "repeat": part.repeat,
            "seed": part.seed,
        }
        return self.run.record().settings | of_part
