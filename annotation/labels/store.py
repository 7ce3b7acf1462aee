"""The database of a project: one SQLite file in WAL mode, forced to the disk at every commit.

What `Store.put_label` has returned from is on the disk, whatever happens to the process or the
machine after it.  Readers (an export, a second process) never wait for the writer.
"""

import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from annotation.labels.rows import COUNTS, ITEM, LABEL, SUPERSEDED, item_of, label_of, write_item
from annotation.labels.values import Item, Label, Role
from globesumm.errors import DataError, UsageError

SCHEMA = "1"
WAIT_SECONDS = 20.0
"""How long a writer waits for another one before it gives up."""


UNWRITABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)

ADVICE = {
    sqlite3.SQLITE_FULL: "the disk is full, and this was not kept: make room and try again",
    sqlite3.SQLITE_BUSY: "another process has been writing for long: try again",
    sqlite3.SQLITE_CORRUPT: "the database is damaged: take your last copy or export, or save what "
    "is there with sqlite3 labels.sqlite .recover",
} | dict.fromkeys(
    UNWRITABLE,
    "it cannot be written to, and that takes the file and its folder: see who owns them, or copy "
    "the project to a folder of yours",
)
"""What to do about an error of SQLite, by its code."""


def code_of(error: sqlite3.Error) -> int:
    """The primary code of an error; -1 where it has none."""
    code: int = getattr(error, "sqlite_errorcode", -1)
    return code if code < 0 else code & 0xFF


def in_words(error: sqlite3.Error, path: Path) -> DataError:
    """`error` of the database at `path` with what to do about it."""
    advice = ADVICE.get(code_of(error))
    return DataError(f"{path}: {f'{advice} ({error})' if advice else error}")


def _placed(name: str, path: Path) -> None:
    """Give the file `name` the name `path` as well; raises `FileExistsError` where one has it."""
    try:
        # Unlike a renaming, this takes the place of nobody else's project.
        os.link(name, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        shutil.copyfile(name, part := f"{name}.part")
        Path(part).chmod(0o600)
        Path(part).rename(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of items that were given: new, changed (their labels count no more), or known."""

    added: int
    changed: int
    same: int


class Store:
    """One project's database; safe to use from several threads and processes at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()

    @classmethod
    def create(cls, path: Path) -> "Store":
        """A new database at `path`, readable by its owner alone: it holds the links' tokens.

        It is there as a whole or not at all, whenever the process ends.
        """
        if path.exists():
            raise UsageError(f"{path} is there already")
        path.parent.mkdir(parents=True, exist_ok=True)
        script = files(__package__).joinpath("store.sql").read_text(encoding="utf-8")
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        try:
            with closing(sqlite3.connect(name, isolation_level=None)) as made:
                made.executescript(f"BEGIN; {script}")
                made.execute("INSERT INTO facts VALUES ('schema', ?)", (SCHEMA,))
                made.execute("COMMIT")
            _placed(name, path)
        except FileExistsError as error:
            raise UsageError(f"{path} is there already") from error
        finally:
            Path(name).unlink()
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> "Store":
        """The database at `path`; raises `DataError` where there is none of this form."""
        if not path.is_file():
            raise DataError(f"{path}: no labelling database there (globesumm label new makes one)")
        store = cls(path)
        try:
            schema = store.fact("schema")
        except sqlite3.DatabaseError as error:
            if code_of(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR):
                raise DataError(
                    f"{path}: no labelling database ({error}): restore it from a copy"
                ) from error
            raise in_words(error, path) from error
        if schema != SCHEMA:
            raise DataError(
                f"{path}: its form is {schema}, and this version reads form {SCHEMA}: export it as "
                "JSON Lines with the version that made it, and label import that here"
            )
        return store

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection of the calling thread."""
        held: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if held is None:
            held = self._local.connection = self._connected()
        return held

    def _connected(self) -> sqlite3.Connection:
        held = sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)
        try:
            held.execute("PRAGMA journal_mode=WAL")
            held.execute("PRAGMA synchronous=FULL")
            held.execute("PRAGMA foreign_keys=ON")
        except sqlite3.OperationalError as error:
            held.close()
            log = self.path.with_name(f"{self.path.name}-wal")
            if code_of(error) not in UNWRITABLE or (log.exists() and log.stat().st_size):
                raise
            # An archive on a medium that nobody writes to can still be read.
            address = f"{self.path.absolute().as_uri()}?mode=ro&immutable=1"
            held = sqlite3.connect(address, uri=True, isolation_level=None)
        return held

    def close(self) -> None:
        """Close this thread's connection; it is opened again when needed."""
        if (held := getattr(self._local, "connection", None)) is not None:
            held.close()
            self._local.connection = None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All or nothing: on the disk when it ends, undone when it raises."""
        connection = self.connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            # A full disk may have undone it already, and may also be what ends the commit.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def fact(self, name: str) -> str | None:
        """What was noted under `name`."""
        found = self.connection.execute("SELECT value FROM facts WHERE name = ?", (name,))
        row = found.fetchone()
        return None if row is None else str(row[0])

    def items(self, kind: str | None = None) -> Iterator[Item]:
        """Every item (of one `kind`), in their order."""
        where, values = (" WHERE kind = ?", (kind,)) if kind else ("", ())
        query = f"SELECT {ITEM} FROM items{where} ORDER BY number"  # noqa: S608  # constant parts
        yield from map(item_of, self.connection.execute(query, values))

    def item(self, name: str) -> Item | None:
        """The item with the id `name`."""
        query = f"SELECT {ITEM} FROM items WHERE id = ?"  # noqa: S608
        row = self.connection.execute(query, (name,)).fetchone()
        return None if row is None else item_of(row)

    def numbered(self, number: int) -> Item | None:
        """The `number`-th item, as addresses name it."""
        query = f"SELECT {ITEM} FROM items WHERE number = ?"  # noqa: S608
        row = self.connection.execute(query, (number,)).fetchone()
        return None if row is None else item_of(row)

    def number(self, name: str) -> int | None:
        """The number of the item with the id `name`."""
        row = self.connection.execute("SELECT number FROM items WHERE id = ?", (name,)).fetchone()
        return None if row is None else int(row[0])

    def numbers(self) -> dict[str, int]:
        """Item id to number."""
        return dict(self.connection.execute("SELECT id, number FROM items"))

    def versions(self) -> dict[str, str]:
        """Item id to its present version."""
        return dict(self.connection.execute("SELECT id, version FROM items"))

    def count(self) -> int:
        """How many items there are."""
        return int(self.connection.execute("SELECT count(*) FROM items").fetchone()[0])

    def add_items(self, items: Iterable[Item]) -> Added:
        """Take items in; those of a known id replace what was there.

        Where what is shown has changed, labels of the earlier version count no more and the item
        is asked about again.  Check items with `annotation.labels.kinds.check_item` before.
        """
        counts = {"added": 0, "changed": 0, "same": 0}
        with self.writing() as connection:
            # What was made of the items as they were (who is asked what) is made anew.
            connection.execute("DELETE FROM facts WHERE name = 'assigned'")
            before = dict(connection.execute("SELECT id, version FROM items"))
            for item in items:
                version = item.version
                known = before.get(item.id)
                before[item.id] = version
                write_item(connection, item, version, known=known is not None)
                counts["added" if known is None else "same" if known == version else "changed"] += 1
                if known not in (None, version):
                    connection.execute(
                        "UPDATE labels SET state = ? WHERE item = ? AND state = ?",
                        (SUPERSEDED, item.id, COUNTS),
                    )
                    of_item = "WHERE item = (SELECT number FROM items WHERE id = ?)"
                    connection.execute(f"UPDATE assignments SET done = 0 {of_item}", (item.id,))  # noqa: S608
                    connection.execute(
                        f"DELETE FROM assignments {of_item} AND round > 1",  # noqa: S608
                        (item.id,),
                    )
                    connection.execute(f"DELETE FROM decisions {of_item}", (item.id,))  # noqa: S608
        return Added(**counts)

    def labels(
        self,
        *,
        counting: bool = True,
        item: str | None = None,
        annotator: str | None = None,
        kind: str | None = None,
    ) -> Iterator[Label]:
        """Labels in the order in which they came; with `counting` only those that count.

        Others are those taken back, replaced, or given on an earlier version of their item.
        """
        state = COUNTS if counting else None
        given = {"state": state, "item": item, "annotator": annotator, "kind": kind}
        terms = {name: value for name, value in given.items() if value is not None}
        where = " AND ".join(f"{name} = ?" for name in terms) or "1"
        query = f"SELECT {LABEL} FROM labels WHERE {where} ORDER BY number"  # noqa: S608
        yield from map(label_of, self.connection.execute(query, tuple(terms.values())))

    def label(self, token: str) -> Label | None:
        """The label with the id `token`."""
        query = f"SELECT {LABEL} FROM labels WHERE id = ?"  # noqa: S608
        row = self.connection.execute(query, (token,)).fetchone()
        return None if row is None else label_of(row)

    def counting(self, item: str, annotator: str, round: int, role: Role) -> Label | None:  # noqa: A002  # the field's name
        """The one label of this person that counts."""
        query = (
            f"SELECT {LABEL} FROM labels WHERE item = ? AND annotator = ? "  # noqa: S608
            "AND round = ? AND role = ? AND state = 'counts'"
        )
        row = self.connection.execute(query, (item, annotator, round, role)).fetchone()
        return None if row is None else label_of(row)
