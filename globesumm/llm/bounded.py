"""Bounds on calls at the same time and on the time of one call."""

import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from queue import SimpleQueue

from globesumm.errors import UsageError
from globesumm.llm.errors import ModelError, RateLimited, TimedOut
from globesumm.llm.pool import Lane, Pool
from globesumm.llm.request import Completion, Model, Request
from globesumm.llm.wrapper import Wrapper

_Job = tuple[Request, "Future[Completion | ModelError]"]


_MOMENT = 0.05
_GRACE = 10.0
"""Seconds."""


class Bounded(Wrapper):
    """At most `most_at_once` calls inside, whoever makes them; or as many as `lane` allows.

    With `timeout_seconds` a call that has not returned by then raises `TimedOut` and its slot
    is free again; its thread is left behind.  Backends keep their own time; this is the last
    resort against one that hangs.  Completions say how many seconds their call took.
    """

    def __init__(
        self,
        inside: Model,
        most_at_once: int = 8,
        *,
        timeout_seconds: float | None = None,
        lane: Lane | None = None,
    ) -> None:
        super().__init__(inside)
        self._lane = lane or Pool(most_at_once).lane("")
        self._timeout = timeout_seconds
        self._idle: list[_Caller] = []

    def complete(self, request: Request, /) -> Completion:
        with self._lane.slot():
            started = time.monotonic()
            try:
                completion = self._called(request)
            except RateLimited as error:
                # Before the slot is free, or the next in line would call into the refusal; how
                # long to wait where the server does not say is decided outside.
                self._lane.quiet(_MOMENT if error.retry_after is None else error.retry_after)
                raise
            seconds = round(time.monotonic() - started, 3)
        self._lane.answered()
        return replace(completion, seconds=seconds)

    def _called(self, request: Request) -> Completion:
        if self._timeout is None:
            return self.inside.complete(request)
        return self._complete_in_time(request, self._timeout)

    def _complete_in_time(self, request: Request, seconds: float) -> Completion:
        outcome: Future[Completion] = Future()
        try:
            caller = self._idle.pop()
        except IndexError:
            caller = _Caller()
        caller.jobs.put((self.inside, request, outcome))
        try:
            completion = outcome.result(seconds)
        except TimeoutError:
            if outcome.done():
                self._idle.append(caller)
                raise
            caller.jobs.put(None)
            raise TimedOut(f"{self.name} gave no answer in {seconds:g} s") from None
        except ModelError:
            self._idle.append(caller)
            raise
        self._idle.append(caller)
        return completion

    def close(self) -> None:
        super().close()
        while self._idle:
            self._idle.pop().jobs.put(None)


class _Caller:
    """A thread that makes one call after the other, and can be left behind in one that hangs."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[tuple[Model, Request, Future[Completion]] | None] = SimpleQueue()
        threading.Thread(target=self._work, daemon=True, name="model-call").start()

    def _work(self) -> None:
        while (job := self.jobs.get()) is not None:
            model, request, outcome = job
            try:
                outcome.set_result(model.complete(request))
            except BaseException as error:  # noqa: BLE001  (handed to the caller)
                outcome.set_exception(error)
            # What a finished call held is not kept until the next one comes.
            del job, model, request, outcome


def complete_all(
    model: Model,
    requests: Iterable[Request],
    *,
    most_at_once: int = 8,
) -> Iterator[Completion | ModelError]:
    """The answer or the error of each request, in order, `most_at_once` calls at a time.

    `requests` is read as the work goes on and at most twice `most_at_once` wait in memory.  An
    error of one call is its result; one that ends a command (a `UsageError`) is raised.  Leaving
    early (an error, an interrupt, a break) starts no further calls, and gives those in flight
    ten seconds to come back, so that answers already paid for are stored.
    """
    jobs: SimpleQueue[_Job | None] = SimpleQueue()
    waiting: deque[Future[Completion | ModelError]] = deque()
    # Daemons, since the interpreter would wait for a pool's threads at its exit.
    threads: list[threading.Thread] = []
    finished = False
    try:
        for request in requests:
            waiting.append(Future())
            jobs.put((request, waiting[-1]))
            if len(threads) < most_at_once:
                threads.append(threading.Thread(target=_work, args=(model, jobs), daemon=True))
                threads[-1].start()
            if len(waiting) >= 2 * most_at_once:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        finished = True
    finally:
        for future in waiting:
            future.cancel()
        for _ in threads:
            jobs.put(None)
        if not finished and isinstance(model, Wrapper):
            model.stop_waiting()
        until = time.monotonic() + _GRACE
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))


def _work(model: Model, jobs: "SimpleQueue[_Job | None]") -> None:
    while (job := jobs.get()) is not None:
        request, future = job
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(model.complete(request))
        except UsageError as error:
            future.set_exception(error)
        except ModelError as error:
            future.set_result(error)
        except BaseException as error:  # noqa: BLE001  (raised where the result is taken)
            future.set_exception(error)
