"""Worker processes for extraction: fed in order, watched, and replaced when they die.

A worker is a fresh interpreter (``python -m retrieval.extract_worker``) spoken to over its
standard streams.  That works from a script without a main guard, from a daemon process and
beside threads, where the forks of `multiprocessing` do not.
"""

import os
import pickle
import signal
import struct
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Timer
from typing import IO, Any, cast

from globesumm.errors import UsageError
from globesumm.values import Document, Rejected
from retrieval.draft import RawPage
from retrieval.extract_page import Extraction, rejected
from retrieval.kinds import CRASH, TIMEOUT, TOO_LARGE

PAGES_AHEAD = 8
"""Pages in work or done but not yet taken, for each worker."""

PAGES_OF_A_WORKER = 2000
"""Pages after which a worker is replaced, since libraries keep what they have seen."""

_SECONDS_TO_START = 120.0
_SECONDS_TO_END = 2.0
_LENGTH = struct.Struct(">Q")


class WorkerDied(Exception):
    """The worker is gone; `timed_out` if it was stopped for taking too long."""

    def __init__(self, status: int | None, *, timed_out: bool) -> None:
        self.timed_out = timed_out
        super().__init__(_described(status))


class Worker:
    """One process that extracts one page after another.

    `settings` go to it when it starts.  Starting takes about a second, of which the first page
    is not charged.
    """

    def __init__(self, settings: Extraction) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._pages = 0

    def result_of(self, page: RawPage) -> Document | Rejected:
        """The document or rejection; a page that the worker does not survive is one too."""
        if self._pages >= PAGES_OF_A_WORKER:
            self.close()
        try:
            process = self._process or self._start()
        except WorkerDied as error:
            self.close()
            return rejected(page, CRASH, f"the extraction process did not start ({error})")
        self._pages += 1
        try:
            return cast("Document | Rejected", _ask(process, page, seconds=self._settings.seconds))
        except WorkerDied as error:
            self.close()
            if error.timed_out:
                return rejected(page, TIMEOUT, f"took longer than {self._settings.seconds:g} s")
            return rejected(page, CRASH, f"the extraction process died ({error})")

    def _start(self) -> "subprocess.Popen[bytes]":
        paths = [p or str(Path.cwd()) for p in sys.path]
        process = subprocess.Popen(
            [sys.executable, "-m", "retrieval.extract_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        self._process, self._pages = process, 0
        _ask(process, self._settings, seconds=_SECONDS_TO_START)
        return process

    def close(self) -> None:
        """Stop the process, if there is one; the next page starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream:
                with suppress(OSError):
                    stream.close()
        process.wait()


def extracted(
    pages: Iterable[RawPage], settings: Extraction, workers: int
) -> Iterator[Document | Rejected]:
    """Each of `pages` extracted by one of `workers` processes, in the order given."""
    if workers < 1:
        raise UsageError(f"{workers} workers: name 0 (none, in this process) or more")
    return _extracted(pages, settings, workers)


def _extracted(
    pages: Iterable[RawPage], settings: Extraction, workers: int
) -> Iterator[Document | Rejected]:
    every = [Worker(settings) for _ in range(workers)]
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in every:
        idle.put(worker)

    def one(page: RawPage) -> Document | Rejected:
        worker = idle.get()
        try:
            return worker.result_of(page)
        finally:
            idle.put(worker)

    waiting: deque[Future[Document | Rejected]] = deque()
    threads = ThreadPoolExecutor(workers, thread_name_prefix="extract")
    try:
        for page in pages:
            if len(page.content) > settings.max_bytes:
                reason = f"larger than {settings.max_bytes} bytes"
                future: Future[Document | Rejected] = Future()
                future.set_result(rejected(page, TOO_LARGE, reason))
                waiting.append(future)
            else:
                waiting.append(threads.submit(one, page))
            while waiting and (len(waiting) >= PAGES_AHEAD * workers or waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in every:
            worker.close()
        threads.shutdown(wait=True)


def _ask(process: "subprocess.Popen[bytes]", value: object, *, seconds: float) -> Any:
    """Send `value`, and what comes back; `WorkerDied` if nothing does within `seconds`."""
    late: list[bool] = []

    def stop() -> None:
        late.append(True)
        process.kill()

    timer = Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        send(cast("IO[bytes]", process.stdin), value)
        answer = receive(cast("IO[bytes]", process.stdout))
    except (OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
        # A process whose stream ended may need a moment to say how it ended.
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_SECONDS_TO_END)
        process.kill()
        raise WorkerDied(process.wait(), timed_out=bool(late)) from error
    finally:
        timer.cancel()
    return answer


def send(stream: IO[bytes], value: object) -> None:
    """Write `value` to the other side of a worker's streams."""
    content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next value from the other side; an `EOFError` if there is none or half of one."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    # Both sides are this program: the pages inside travel as bytes and are never unpickled.
    return pickle.loads(_exactly(stream, length))  # noqa: S301


def _exactly(stream: IO[bytes], size: int) -> bytes:
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return content


def _described(status: int | None) -> str:
    """How a process ended, in words."""
    if status is None or status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
