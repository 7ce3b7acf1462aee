"""Shards in worker processes of this machine, each with a pipe of its own.

One pipe a worker tells exactly which shard a killed worker had, where a shared queue loses it
and breaks; and a worker whose parent dies sees its pipe end and leaves.
"""

import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from globesumm.errors import UsageError
from globesumm.interrupting import Stopping
from globesumm.shards.attempt import Attempt, Result
from globesumm.shards.stage import Shard, ShardFailure

_TICK_SECONDS = 0.25


@dataclass
class _Worker:
    process: SpawnProcess
    pipe: "Connection[Shard, Result | None]"
    ready: bool = False
    shard: Shard | None = None
    deadline: float = float("inf")

    def give(self, shard: Shard, seconds: float | None) -> None:
        self.shard = shard
        if self.ready:
            self.begin(seconds)
        # A worker that just died is noticed by its sentinel, with this shard as its own.
        with suppress(OSError):
            self.pipe.send(shard)

    def begin(self, seconds: float | None) -> None:
        """The clock of a shard starts when its worker has, which takes a moment itself."""
        self.ready = True
        self.deadline = time.monotonic() + seconds if seconds else float("inf")

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


@dataclass(frozen=True, slots=True)
class Limits:
    """How many processes, tries for a shard whose worker dies, and seconds for one try."""

    processes: int
    attempts: int
    seconds: float | None = None


def in_processes(
    call: Attempt, shards: Iterator[Shard], limits: Limits, stopping: Stopping
) -> Generator[Result, None, None]:
    """Results as they come, from processes none of which holds two shards.

    A shard whose worker died goes to another, after all others, up to `limits.attempts` times.
    """
    return _Pool(call, shards, limits, stopping).results()


class _Pool:
    def __init__(
        self, call: Attempt, shards: Iterator[Shard], limits: Limits, stopping: Stopping
    ) -> None:
        self.call, self.shards, self.limits, self.stopping = call, shards, limits, stopping
        self.workers: list[_Worker] = []
        self.again: deque[Shard] = deque()
        self.deaths: dict[str, int] = {}

    def results(self) -> Generator[Result, None, None]:
        try:
            while self._fill():
                ready = wait(
                    [
                        it
                        for worker in self.workers
                        for it in (worker.pipe, worker.process.sentinel)
                    ],
                    timeout=_TICK_SECONDS,
                )
                for worker in list(self.workers):
                    if worker.pipe in ready or worker.process.sentinel in ready:
                        yield from self._heard(worker)
                    elif worker.shard and time.monotonic() > worker.deadline:
                        yield self._too_long(worker)
        finally:
            for worker in self.workers:
                worker.end()

    def _fill(self) -> bool:
        """Give every idle worker a shard; False when none is working and none is left."""
        while not self.stopping.asked:
            idle = next((it for it in self.workers if it.ready and it.shard is None), None)
            if idle is None and len(self.workers) == self.limits.processes:
                break
            shard = next(self.shards, None)
            if shard is None:
                shard = self.again.popleft() if self.again else None
            if shard is None:
                break
            if idle is None:
                idle = self._start()
                self.workers.append(idle)
            idle.give(shard, self.limits.seconds)
        return any(worker.shard for worker in self.workers)

    def _start(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self.call), name="globesumm-shards")
        try:
            with _interrupts_held():
                process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise UsageError(
                f"the stage cannot be handed to another process ({error}): make it a "
                "module-level function or a functools.partial of one"
            ) from error
        theirs.close()
        return _Worker(process, ours)

    def _heard(self, worker: _Worker) -> Iterator[Result]:
        # What it said before it died counts: the result may be in the pipe still.
        with suppress(EOFError, OSError):
            while worker.pipe.poll():
                result = worker.pipe.recv()
                if result is not None:
                    worker.shard = None
                    yield result
                elif worker.shard:
                    worker.begin(self.limits.seconds)
        if worker.process.is_alive():
            return
        yield from self._died(worker)

    def _died(self, worker: _Worker) -> Iterator[Result]:
        self.workers.remove(worker)
        worker.end()
        code = worker.process.exitcode
        how = f"killed by signal {-code}" if code is not None and code < 0 else f"ended with {code}"
        if not worker.ready and not self.stopping.asked:
            raise UsageError(
                f"a worker process was {how} before it began: see its message above; a script "
                "that runs a stage needs `if __name__ == '__main__':`, or workers=1"
            )
        if worker.shard is None or not worker.ready:
            return
        shard = worker.shard
        deaths = self.deaths[shard.name] = self.deaths.get(shard.name, 0) + 1
        if deaths < self.limits.attempts:
            self.again.append(shard)
            return
        del self.deaths[shard.name]
        yield ShardFailure(
            shard=shard.name,
            kind="WorkerKilled",
            message=f"its worker process was {how} {deaths} times (out of memory?)",
            attempts=deaths,
        )

    def _too_long(self, worker: _Worker) -> Result:
        self.workers.remove(worker)
        worker.end()
        return ShardFailure(
            shard=worker.shard.name if worker.shard else "",
            kind="TimedOut",
            message=f"took longer than {self.limits.seconds:g} seconds and was stopped",
        )


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back while a worker starts, which would die of it before it can ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Started within, multiprocessing's own process would let Ctrl-C through again.
    resource_tracker.ensure_running()
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)


def _work(pipe: "Connection[Result | None, Shard]", call: Attempt) -> None:
    """The life of a worker: say that it is there, then a result for every shard."""
    # The parent decides what Ctrl-C means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            pipe.send(call(pipe.recv()))


def _leave_with_parent() -> None:
    """End at once when the parent is gone: another run may begin the same shard."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
