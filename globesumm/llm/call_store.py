"""The durable call store: every answer bought once, kept for ever, and found by its request.

One SQLite file in write-ahead mode.  An answer is on the disk before `put` returns, so
a kill at any moment loses at most calls in flight, and a torn last record is discarded by
SQLite's checksums.  Several processes and threads may use one file.  Failed calls are kept
apart with what was said nevertheless; they are never given back as answers.
"""

import logging
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from globesumm.errors import DataError
from globesumm.llm.errors import StoreUnusable
from globesumm.llm.metered import Price, Totals
from globesumm.llm.request import Completion, Request
from globesumm.records import from_json, to_compact_json, to_json
from globesumm.values import Rejected

_FORMAT = 1
_APPLICATION = 0x474C4253
_BUSY_SECONDS = 120.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, stored TEXT NOT NULL,
    request TEXT NOT NULL, completion TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS failures (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL, model TEXT NOT NULL, stored TEXT NOT NULL,
    error TEXT NOT NULL, message TEXT NOT NULL, request TEXT NOT NULL, completion TEXT);
"""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCall:
    """One row: `error` is None for an answer, else the class name and `message` of the failure."""

    key: str
    request: Request
    completion: Completion | None
    error: str | None = None
    message: str | None = None


class CallStore:
    """A file of calls.  Made if it is not there, unless `read_only`.

    Raises `StoreUnusable` for a file that is none of ours, is of another version, or cannot be
    read or written (disk full, read-only folder).
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path, self.read_only = path, read_only
        self._lock = threading.RLock()
        self._owner = os.getpid()
        self._connection = self._opened()

    def __repr__(self) -> str:
        return f"CallStore({str(self.path)!r})"

    def get(self, key: str) -> Completion | None:
        """The answer under `key`, or None.  A damaged record counts as absent, with a warning."""
        rows = self._run("SELECT completion FROM answers WHERE key = ?", (key,))
        if not rows:
            return None
        try:
            return from_json(Completion, rows[0][0], f"{self.path}: answer {key[:12]}")
        except DataError as error:
            _log.warning("%s; the call is made again", error)
            return None

    def call(self, key: str) -> StoredCall | None:
        """The answer under `key` with its request, or None; raises `DataError` if damaged."""
        query = "SELECT rowid, key, request, completion, NULL, NULL FROM answers WHERE key = ?"
        rows = self._run(query, (key,))
        return _call(f"{self.path}: answer {key[:12]}", rows[0]) if rows else None

    def put(self, request: Request, completion: Completion) -> Completion:
        """Store a whole answer durably; returns the one that counts, which is the first stored.

        (Two processes may have bought the same call; a damaged record is replaced.)
        """
        asked, said = to_compact_json(request), to_compact_json(completion)
        row = (request.key, request.model, _now(), asked, said)
        added = "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?) RETURNING 1"
        if self._run(added, row):
            return completion
        kept = self.get(request.key)
        if kept is None:
            self._run("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)
        return kept or completion

    def put_failure(
        self, request: Request, error: str, message: str, completion: Completion | None = None
    ) -> None:
        """Keep a call that failed, or an answer that its reader could not use, apart."""
        said = None if completion is None else to_json(completion)
        row = (request.key, request.model, _now(), error, _printable(message), to_json(request))
        self._run(
            "INSERT INTO failures (key, model, stored, error, message, request, completion) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*row, said),
        )

    def answers(self) -> Iterator[StoredCall]:
        """Every stored answer, in the order of storing; raises `DataError` at a damaged one."""
        return self._walk("answers", "NULL, NULL")

    def failures(self) -> Iterator[StoredCall]:
        """Every failed call, oldest first; raises `DataError` at a damaged one."""
        return self._walk("failures", "error, message")

    def readable(self) -> Iterator[StoredCall | Rejected]:
        """Every answer and then every failed call; a damaged one is named, and the rest goes on.

        An answer that lies under another key than its request's counts as damaged.
        """
        for table, about in (("answers", "NULL, NULL"), ("failures", "error, message")):
            for row in self._pages(table, f"key, request, completion, {about}"):
                where = f"{self.path}: {table} row {row[0]}"
                try:
                    call = _call(where, row)
                except DataError as error:
                    yield Rejected(where=where, reason=str(error))
                    continue
                if call.request.key != call.key:
                    yield Rejected(where=where, reason="its key is not that of its request")
                    continue
                yield call

    def totals(self, prices: Mapping[str, Price] | None = None) -> Totals:
        """What the stored calls, failures included, used when they were made."""
        totals = Totals()
        for table, failed in (("answers", 0), ("failures", 1)):
            for _, model, said in self._pages(table, "model, completion"):
                try:
                    usage = from_json(Completion, said, "").usage if said else None
                except DataError:
                    usage = None
                totals = totals.after(model, usage, prices or {}, answered=bool(said))
                totals = replace(totals, failed=totals.failed + failed)
        return totals

    def __len__(self) -> int:
        return int(self._run("SELECT count(*) FROM answers", ())[0][0])

    def clear(self, model: str | None = None, *, failures_only: bool = False) -> int:
        """Delete the calls (of one model); returns how many rows went."""
        tables = ("failures",) if failures_only else ("answers", "failures")
        where, values = ("", ()) if model is None else (" WHERE model = ?", (model,))
        gone = 0
        for table in tables:
            gone += self._run(f"SELECT count(*) FROM {table}{where}", values)[0][0]  # noqa: S608
            self._run(f"DELETE FROM {table}{where}", values)  # noqa: S608
        return gone

    def delete(self, keys: Iterable[str]) -> None:
        """Delete the answers under `keys`."""
        for key in keys:
            self._run("DELETE FROM answers WHERE key = ?", (key,))

    def compact(self) -> None:
        """Give the space of deleted rows back to the disk."""
        self._run("VACUUM", ())

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _walk(self, table: str, about: str) -> Iterator[StoredCall]:
        for row in self._pages(table, f"key, request, completion, {about}"):
            yield _call(f"{self.path}: {table} row {row[0]}", row)

    def _pages(self, table: str, columns: str) -> Iterator[Any]:
        """Rows with their number first, a page at a time, so that no lock is held between them."""
        last = -1
        query = f"SELECT rowid, {columns} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT 64"  # noqa: S608
        while rows := self._run(query, (last,)):
            yield from rows
            last = rows[-1][0]

    def _run(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        with self._lock:
            if self._owner != os.getpid():  # SQLite connections do not survive a fork
                self._owner, self._connection = os.getpid(), self._opened()
            try:
                return self._connection.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise StoreUnusable(f"call store {self.path}: {error}{_advice(error)}") from error

    def _opened(self) -> sqlite3.Connection:
        try:
            if self.read_only:
                return self._opened_for_reading()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = _connect(str(self.path))
            try:
                self._begin(connection)
            except BaseException:
                connection.close()  # else it would hold the file locked for as long as it lives
                raise
        except (sqlite3.Error, OSError) as error:
            raise StoreUnusable(
                f"call store {self.path} cannot be opened: {error}{_advice(error)}"
            ) from error
        return connection

    def _begin(self, connection: sqlite3.Connection) -> None:
        """Set up, and make the tables where there are none; a file that is not ours stays as is."""
        self._is_new(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN IMMEDIATE")
        if self._is_new(connection):
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_FORMAT}")
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute("COMMIT")

    def _opened_for_reading(self) -> sqlite3.Connection:
        address = self.path.resolve().as_uri()
        try:
            connection = _connect(f"{address}?mode=ro")
            new = self._is_new(connection)
        except sqlite3.OperationalError:
            # In a folder that cannot be written, SQLite reads a file in write-ahead mode only
            # as immutable; that would overlook what still waits in the log beside it.
            log = self.path.with_name(f"{self.path.name}-wal")
            if not self.path.exists() or (log.exists() and log.stat().st_size):
                raise
            connection = _connect(f"{address}?mode=ro&immutable=1")
            new = self._is_new(connection)
        if new:
            raise StoreUnusable(f"call store {self.path} is empty: nothing was ever stored in it")
        return connection

    def _is_new(self, connection: sqlite3.Connection) -> bool:
        """Whether the file has no tables yet; raises `StoreUnusable` where they are not ours."""
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not tables:
            return True
        if application != _APPLICATION:
            raise StoreUnusable(f"{self.path} is a database of another program, not a call store")
        if version != _FORMAT:
            raise StoreUnusable(
                f"call store {self.path} has format {version}, and this version reads {_FORMAT}: "
                "read it with the version that wrote it, or give another file"
            )
        return False


def _call(where: str, row: tuple[Any, ...]) -> StoredCall:
    _, key, asked, said, error, message = row
    return StoredCall(
        key=key,
        request=from_json(Request, asked, where),
        completion=from_json(Completion, said, where) if said else None,
        error=error,
        message=message,
    )


def _connect(target: str) -> sqlite3.Connection:
    return sqlite3.connect(
        target,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        uri=target.startswith("file:"),
    )


def _advice(error: Exception) -> str:
    said = str(error)
    if "full" in said:
        return "; free some space and repeat the command, which goes on where it stopped"
    if "readonly" in said or "unable to open" in said or isinstance(error, PermissionError):
        return "; check that its folder exists and may be written"
    if "not a database" in said or "malformed" in said:
        return "; the file is damaged or something else: move it away or give another one"
    return ""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
