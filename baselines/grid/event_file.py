"""The events of a grid in a file: read one by one, whichever is wanted, and never all at once."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotation.passages import passages
from globesumm.errors import DataError, UsageError
from globesumm.records import CORRECT, from_json
from globesumm.values import Event, Passage

_RECENT = 16
"""Events that are kept although nobody works on them now, since cells of one event come close."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An event and what every recipe makes of it first."""

    event: Event
    passages: tuple[Passage, ...]


class EventFile(Mapping[str, Event]):
    """Events by id, in the order of the file, which is read afresh for each of them.

    Memory holds the ids and the number of documents of all events, and the events of `held`
    while they are in use.  Raises `DataError` for a line that is no event, or an id twice.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[str, tuple[int, int, int]] = {}
        self._held: dict[str, Held] = {}
        self._users: dict[str, int] = {}
        self._lock = threading.Lock()
        self._index()

    def __getitem__(self, event: str) -> Event:
        start, length, _ = self._places[event]
        with self.path.open("rb") as file:
            file.seek(start)
            line = file.read(length)
        return from_json(Event, line, f"{self.path}: event {event!r}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def documents(self, event: str) -> int:
        """How many documents `event` has, without reading it."""
        return self._places[event][2]

    def by_size(self) -> list[str]:
        """The ids, events with most documents first."""
        return sorted(self._places, key=lambda event: -self._places[event][2])

    @contextmanager
    def held(self, event: str) -> Iterator[Held]:
        """`event` in memory, shared by all who hold it at the same time."""
        with self._lock:
            self._users[event] = self._users.get(event, 0) + 1
            found = self._held.pop(event, None)
            if found is not None:
                self._held[event] = found
        try:
            if found is None:
                read = self[event]
                found = Held(event=read, passages=tuple(passages(read)))
                with self._lock:
                    found = self._held.setdefault(event, found)
            yield found
        finally:
            with self._lock:
                self._users[event] -= 1
                if not self._users[event]:
                    del self._users[event]
                self._forget()

    def _forget(self) -> None:
        """Let go of the events that nobody holds, but the most recent."""
        idle = [event for event in self._held if event not in self._users]
        for event in idle[: max(0, len(idle) - _RECENT)]:
            del self._held[event]

    def _index(self) -> None:
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be read ({error.strerror})") from error
        with file:
            start = 0
            for number, line in enumerate(file, start=1):
                if line.strip():
                    self._note(line, start, f"{self.path}:{number}")
                start += len(line)

    def _note(self, line: bytes, start: int, where: str) -> None:
        try:
            plain = json.loads(line)
            event, documents = plain["id"], len(plain["documents"])
        except (ValueError, RecursionError, TypeError, KeyError) as error:
            raise DataError(
                f"{where}: no event ({type(error).__name__}: {error}); {CORRECT}"
            ) from error
        if event in self._places:
            raise DataError(f"{where}: a second event has the id {event!r}: keep one")
        self._places[event] = (start, len(line), documents)
