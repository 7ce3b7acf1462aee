"""The documents of one language's index, by id: what Lucene's hits point at.

Lucene keeps words only: its stored copies would have to be unpacked for every hit's id.
Documents are written here before Lucene commits them, so that no hit is without its document; one
that is here alone was cut short, and is written again when it is added again.
"""

import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.records import from_json, to_compact_json
from globesumm.values import Document


class Texts:
    """A SQLite file of documents, made if it is not there and may be `new`."""

    def __init__(self, path: Path, *, new: bool = True) -> None:
        if not new and not path.is_file():
            raise lost(path.parent)
        self._path = path
        self._lock = threading.Lock()
        with self._usable():
            self._file = sqlite3.connect(path, check_same_thread=False)
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = NORMAL")
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS documents (id TEXT PRIMARY KEY, document TEXT NOT NULL)"
            )

    def put(self, documents: Iterable[Document]) -> None:
        """Keep `documents`, all or none of them."""
        rows = [(_key(one.id), to_compact_json(one)) for one in documents]
        with self._lock, self._usable(), self._file:
            self._file.executemany("INSERT OR REPLACE INTO documents VALUES (?, ?)", rows)

    def get(self, identifier: str) -> Document | None:
        """The document called `identifier`, None if it is not here."""
        with self._lock, self._usable():
            row = self._file.execute(
                "SELECT document FROM documents WHERE id = ?", (_key(identifier),)
            ).fetchone()
        return from_json(Document, row[0], f"{self._path}: {identifier}") if row else None

    def close(self) -> None:
        self._file.close()

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """What SQLite cannot do, as a `UsageError` in one line."""
        try:
            yield
        except sqlite3.Error as error:
            advice = (
                "make room and repeat the command"
                if "full" in str(error)
                else f"if it is damaged, delete {self._path.parent} and repeat the command that "
                "made it"
            )
            raise UsageError(f"{self._path} cannot be used ({error}): {advice}") from error


def lost(folder: Path) -> UsageError:
    """What is wrong where Lucene knows documents that are not here."""
    return UsageError(
        f"{folder} has lost documents that Lucene knows: delete it and repeat the command that "
        "made it"
    )


def _key(identifier: str) -> str:
    return identifier.encode("utf-8", "backslashreplace").decode()
