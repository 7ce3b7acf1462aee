"""Batches as durable work: written down, uploaded, submitted, collected, redone.

A folder holds two files for each batch: ``0001.jsonl``, the input as it is uploaded, and
``0001.json``, a `Job` that says how far it is.  A kill between any two steps is made good when
the folder is opened again, on whichever day; a batch that was submitted is never submitted
twice, because the server is asked for it by the digest of its input.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from globesumm.errors import UsageError
from globesumm.llm.batch.jobs import Counts, Job, Progress
from globesumm.llm.batch.server import Batch, BatchServer
from globesumm.llm.call_store import CallStore
from globesumm.llm.dialect import Dialect
from globesumm.llm.errors import (
    ConnectionLost,
    LimitReached,
    ModelError,
    RateLimited,
    ServerFault,
    TimedOut,
)
from globesumm.llm.metered import Meter
from globesumm.llm.request import Completion, Request
from globesumm.records import read_record, write_bytes, write_record

MOST_LINES = 50_000
MOST_BYTES = 190 * 1024 * 1024
"""OpenAI's limits on one input file (50,000 requests, 200 MB), a little below."""

ATTEMPTS = 3
"""Batches in which a line may fail to be answered before it is left to an ordinary call."""


class Batches:
    """The batches of one run folder, one server and model at a time.

    `poll_seconds` lie between two looks at a running batch; without `wait` there is one look
    only.  `told` gets a line at each step; `sleep` is there for tests.
    """

    def __init__(
        self,
        folder: Path,
        store: CallStore,
        meter: Meter,
        *,
        wait: bool = True,
        poll_seconds: float = 60.0,
        most_lines: int = MOST_LINES,
        told: Callable[[str], None] = lambda _: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._folder, self._store, self._meter = folder, store, meter
        self._wait, self._poll, self._most = wait, poll_seconds, most_lines
        self._told, self._sleep = told, sleep
        self._counted: set[str] = set()
        self._hopeless: set[str] = set()

    def answer(self, server: BatchServer, model: str, requests: Mapping[str, Request]) -> Progress:
        """Bring the answers to `requests` (by key) into the store, as far as batches can."""
        counts, halted = Counts(), None
        for _ in range(ATTEMPTS):
            open_jobs = [p for p, job in self._jobs(server, model) if job.counts is None]
            pending = {key for path in open_jobs for key in read_record(path, Job).keys}
            fresh = [one for key, one in requests.items() if key not in pending]
            fresh = [
                one
                for one in fresh
                if one.key not in self._hopeless and self._store.get(one.key) is None
            ]
            written, stopped = self._write(server, model, fresh)
            halted = halted or stopped
            if not open_jobs and not written:
                break
            waiting = 0
            for path in (*open_jobs, *written):
                came = self._carried(server, path, requests)
                counts += came.counts
                waiting += came.waiting
            if waiting:
                return Progress(counts=counts, waiting=waiting, stopped=halted)
        left = sum(self._store.get(key) is None for key in requests)
        return Progress(counts=counts, left=left, stopped=halted)

    def _jobs(self, server: BatchServer, model: str) -> Iterator[tuple[Path, Job]]:
        for path in sorted(self._folder.glob("*.json")):
            job = read_record(path, Job)
            if (job.model, job.server) == (model, server.url):
                yield path, job

    def _write(
        self, server: BatchServer, model: str, requests: Iterable[Request]
    ) -> tuple[list[Path], str | None]:
        """New jobs over `requests`, within the caps of the run."""
        paths: list[Path] = []
        lines: list[bytes] = []
        keys: list[str] = []
        size, stopped = 0, None

        def close() -> None:
            nonlocal size
            if keys:
                paths.append(self._written(server, model, tuple(keys), b"".join(lines)))
            lines.clear()
            keys.clear()
            size = 0

        for request in requests:
            try:
                self._meter.start(request.model)
            except LimitReached as reached:
                stopped = str(reached)
                break
            self._counted.add(request.key)
            line = server.line(request).encode() + b"\n"
            if len(keys) >= self._most or size + len(line) > MOST_BYTES:
                close()
            lines.append(line)
            keys.append(request.key)
            size += len(line)
        close()
        return paths, stopped

    def _written(
        self, server: BatchServer, model: str, keys: tuple[str, ...], content: bytes
    ) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        taken = [int(p.stem) for p in self._folder.glob("*.json*") if p.stem.isdigit()]
        path = self._folder / f"{max(taken, default=0) + 1:04d}.json"
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        # The time tells a redone batch from the first one over the same requests.
        mark = sha256(content + now.encode()).hexdigest()[:32]
        write_bytes(path.with_suffix(".jsonl"), content)
        write_record(path, Job(model=model, server=server.url, mark=mark, keys=keys, written=now))
        return path

    def _carried(
        self, server: BatchServer, path: Path, requests: Mapping[str, Request]
    ) -> Progress:
        """One job as far as it goes now: submitted, waited for, collected."""
        job = read_record(path, Job)
        if job.batch is None:
            job = replace(job, batch=self._submitted(server, path, job).id)
            write_record(path, job)
            self._told(f"batch {job.batch}: {len(job.keys)} calls submitted to {server.url}")
        batch = server.ask(str(job.batch))
        while not batch.ended:
            if not self._wait:
                self._told(f"batch {batch.id}: {_standing(batch)}; repeat the command later")
                return Progress(waiting=len(job.keys))
            self._told(f"batch {batch.id}: {_standing(batch)}")
            self._sleep(self._poll)
            batch = server.ask(batch.id)
        return self._collected(server, path, job, batch, requests)

    def _submitted(self, server: BatchServer, path: Path, job: Job) -> Batch:
        """The batch of `job`, made now unless an earlier attempt made it and was cut short."""
        known = server.find(job.mark)
        if known:
            return known
        file = server.upload(
            path.with_suffix(".jsonl").read_bytes(), path.with_suffix(".jsonl").name
        )
        try:
            return server.submit(file, job.mark)
        except (ConnectionLost, ServerFault, TimedOut):
            made = server.find(job.mark)
            return made or server.submit(file, job.mark)

    def _collected(
        self,
        server: BatchServer,
        path: Path,
        job: Job,
        batch: Batch,
        requests: Mapping[str, Request],
    ) -> Progress:
        """Put every answer of an ended batch into the store, matched by id, and count the rest."""
        wanted, seen = set(job.keys), set[str]()
        counts, phrasing = Counts(), server.phrasing()
        for line in _lines(server, batch):
            key = line.get("custom_id") if line else None
            if line is None or not isinstance(key, str) or key not in wanted or key in seen:
                counts = counts.one_more("strange")
                continue
            seen.add(key)
            # A request that nobody asks any more (the work has changed) is of no use to this run.
            if request := requests.get(key):
                counts = counts.one_more(self._taken(server, line, request, phrasing))
        for key in wanted - seen:
            self._uncount(requests.get(key))
        counts = counts.one_more("missing", len(wanted - seen))
        write_record(path, replace(job, counts=counts))
        why = f" ({batch.failed})" if batch.failed else ""
        self._told(f"batch {batch.id} {batch.status}{why}: {counts}")
        return Progress(counts=counts)

    def _taken(
        self, server: BatchServer, line: dict[str, Any], request: Request, phrasing: Dialect
    ) -> str:
        """Put one line's answer or failure into the store; says which count it belongs to."""
        outcome = _outcome(server, line, request, phrasing)
        if outcome is None:
            self._uncount(request)
            return "expired"
        if isinstance(outcome, UsageError):
            raise outcome
        if request.key not in self._counted:
            # Submitted on an earlier day: it counts now, even where that passes a cap.
            with suppress(LimitReached):
                self._meter.start(request.model)
        self._counted.discard(request.key)
        if isinstance(outcome, Completion):
            self._meter.end(request, outcome)
            self._store.put(request, outcome)
            return "answered"
        self._meter.end(request, outcome.completion, outcome)
        if not outcome.retryable:
            self._hopeless.add(request.key)
        if not isinstance(outcome, RateLimited):
            name, said = type(outcome).__name__, outcome.completion
            self._store.put_failure(request, name, str(outcome), said)
        return "failed"

    def _uncount(self, request: Request | None) -> None:
        """A call that the server never made is none."""
        if request and request.key in self._counted:
            self._counted.discard(request.key)
            self._meter.give_back()


def _lines(server: BatchServer, batch: Batch) -> Iterator[dict[str, Any] | None]:
    for file in (batch.output, batch.errors):
        if file:
            yield from server.lines(file)


def _outcome(
    server: BatchServer, line: dict[str, Any], request: Request, phrasing: Dialect
) -> Completion | ModelError | None:
    """The answer or the error of a line; None where its time ran out."""
    error, response = line.get("error"), line.get("response")
    if isinstance(error, dict) and error.get("code") in ("batch_expired", "batch_cancelled"):
        return None
    if isinstance(response, dict):
        try:
            return server.read(response, request, phrasing)
        except ModelError as failure:
            return failure
    said = error.get("message") if isinstance(error, dict) else None
    return ServerFault(f"{server.url}: a batch line failed: {said or 'no reason given'}")


def _standing(batch: Batch) -> str:
    if batch.done is None or not batch.total:
        return batch.status
    return f"{batch.status}, {batch.done} of {batch.total}"
