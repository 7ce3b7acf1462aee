"""An entailer that asks the one inside only for pairs it has never judged, on disk if wanted."""

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Self

from globesumm.errors import UsageError
from metrics.entailment.base import Entailer, Hypothesis, Pair, Verdict

_TABLE = """CREATE TABLE IF NOT EXISTS verdicts (
    key BLOB PRIMARY KEY, value REAL, chunks INTEGER NOT NULL, reason TEXT, note TEXT
) WITHOUT ROWID"""
_MOST_ASKED = 500
"""Keys in one query; SQLite allows 999 in its oldest form."""


class Remembering(Entailer):
    """Verdicts stored by content: entailer, languages and texts decide the key.

    `path` is an SQLite file, made if missing; without it verdicts last as long as the object.
    The threshold is no part of the key, so another threshold reuses every value.  Verdicts
    without a value are kept too, unless the entailer says that asking again may help.
    """

    def __init__(self, inside: Entailer, path: Path | str | None = None) -> None:
        self.inside = inside
        self.languages, self.threshold = inside.languages, inside.threshold
        self.lowest, self.stand_in = inside.lowest, inside.stand_in
        self.hits = self.judged = 0
        self._lock = threading.Lock()
        self._place = ":memory:" if path is None else str(path)
        with self._usable():
            if path is not None:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self._place, check_same_thread=False, timeout=30)
            # One sync a premise would cost more than judging it; a process that is killed loses
            # nothing this way, and what a power cut takes is judged again.
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._base.execute(_TABLE)

    @property
    def identity(self) -> str:
        return self.inside.identity

    @property
    def name(self) -> str:
        return self.inside.name

    @property
    def requires(self) -> tuple[str, ...]:
        return self.inside.requires

    def refusal(self, pair: Pair) -> str | None:
        return self.inside.refusal(pair)

    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        keys = [self._key(premise, language, hypothesis) for hypothesis in hypotheses]
        found = self._stored(keys)
        missing = {
            key: hypothesis
            for key, hypothesis in zip(keys, hypotheses, strict=True)
            if key not in found
        }
        self.hits += len(keys) - len(missing)
        if missing:
            self.judged += len(missing)
            verdicts = self.inside.judge(premise, language, list(missing.values()))
            new = dict(zip(missing, verdicts, strict=True))
            self._store((key, one) for key, one in new.items() if self.inside.lasting(one))
            found |= new
        return [found[key] for key in keys]

    def close(self) -> None:
        """Close the file; calling it twice does no harm."""
        self._base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Whatever SQLite or the file system says against the file, in one clear error."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise UsageError(
                f"{self._place} cannot be used as a store of entailment verdicts ({error}): "
                "choose another file, or remove it if it is not one"
            ) from error

    def _key(self, premise: str, language: str, hypothesis: Hypothesis) -> bytes:
        parts = [self.identity, language, premise, hypothesis.language, hypothesis.text]
        return sha256(json.dumps(parts).encode()).digest()

    def _stored(self, keys: Sequence[bytes]) -> dict[bytes, Verdict]:
        found: dict[bytes, Verdict] = {}
        with self._lock, self._usable():
            for first in range(0, len(keys), _MOST_ASKED):
                some = keys[first : first + _MOST_ASKED]
                marks = ",".join("?" * len(some))
                query = f"SELECT * FROM verdicts WHERE key IN ({marks})"  # noqa: S608  # only marks
                for key, value, count, reason, note in self._base.execute(query, some):
                    found[bytes(key)] = Verdict(value=value, chunks=count, reason=reason, note=note)
        return found

    def _store(self, verdicts: Iterable[tuple[bytes, Verdict]]) -> None:
        rows = [(key, one.value, one.chunks, one.reason, one.note) for key, one in verdicts]
        with self._lock, self._usable(), self._base:
            self._base.executemany("INSERT OR REPLACE INTO verdicts VALUES (?,?,?,?,?)", rows)
