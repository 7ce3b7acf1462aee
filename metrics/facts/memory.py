"""Verdicts kept by what was judged, so that no judge sees the same fact and text twice.

The call store knows only whole requests; the same fact in another batch is another request.
"""

import json
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from globesumm.errors import UsageError
from globesumm.llm.recording import Use

_TABLE = """CREATE TABLE IF NOT EXISTS fact_verdicts (
    key BLOB PRIMARY KEY, verdict TEXT NOT NULL
) WITHOUT ROWID"""
_USES = """CREATE TABLE IF NOT EXISTS fact_uses (
    key BLOB PRIMARY KEY, uses TEXT NOT NULL
) WITHOUT ROWID"""


class Memory:
    """Verdicts by key, in an SQLite file that is made if missing, or for this object's life."""

    def __init__(self, path: Path | None = None) -> None:
        self._place = ":memory:" if path is None else str(path)
        self._lock = threading.Lock()
        self.hits = 0
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self._place, check_same_thread=False, timeout=30)
            # A process that is killed loses nothing this way; a power cut may take the last calls.
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._base.execute(_TABLE)
            self._base.execute(_USES)
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """What is known under `keys`."""
        found: dict[bytes, Any] = {}
        try:
            with self._lock:
                for key in keys:
                    row = self._base.execute(
                        "SELECT verdict FROM fact_verdicts WHERE key = ?", (key,)
                    ).fetchone()
                    if row:
                        found[key] = json.loads(row[0])
        except (sqlite3.Error, ValueError) as error:
            raise self._unusable(error) from error
        self.hits += len(found)
        return found

    def uses(self, keys: Sequence[bytes]) -> list[Use]:
        """The calls that the known verdicts under `keys` rest on, each once.

        One that was kept by a version that did not note them gives a use without a step.
        """
        found: dict[Use, None] = {}
        try:
            with self._lock:
                for key in keys:
                    row = self._base.execute(
                        "SELECT uses FROM fact_uses WHERE key = ?", (key,)
                    ).fetchone()
                    found |= dict.fromkeys(
                        (Use(*one) for one in json.loads(row[0])) if row else [Use("")]
                    )
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise self._unusable(error) from error
        return list(found)

    def put(self, verdicts: Mapping[bytes, Any], uses: Sequence[Use] = ()) -> None:
        """Keep verdicts with the calls that they rest on, durably where there is a file."""
        rows = [(key, json.dumps(value)) for key, value in verdicts.items()]
        told = json.dumps([[use.key, use.step, use.why, use.answered] for use in uses])
        noted = [(key, told) for key in verdicts] if uses else []
        try:
            with self._lock, self._base:
                self._base.executemany("INSERT OR REPLACE INTO fact_verdicts VALUES (?, ?)", rows)
                self._base.executemany("INSERT OR REPLACE INTO fact_uses VALUES (?, ?)", noted)
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def close(self) -> None:
        self._base.close()

    def _unusable(self, error: Exception) -> UsageError:
        return UsageError(
            f"{self._place} cannot be used as a store of verdicts on facts ({error}): choose "
            "another folder, or remove the file if it is not one"
        )


def key_of(*parts: object) -> bytes:
    """One key for texts and settings, whatever stands in them."""
    return sha256(json.dumps(parts, default=str).encode()).digest()
