"""Bounds on calls at the same time and on the time of one call."""

import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue

from globesumm.errors import UsageError
from globesumm.llm.errors import ModelError, TimedOut
from globesumm.llm.request import Completion, Model, Request
from globesumm.llm.wrapper import Wrapper

_Job = tuple[Request, "Future[Completion | ModelError]"]


class Bounded(Wrapper):
    """At most `most_at_once` calls inside, whoever makes them.

    With `timeout_seconds` a call that has not returned by then raises `TimedOut` and its slot
    is free again; its thread is left behind.  Backends keep their own time; this is the last
    resort against one that hangs.
    """

    def __init__(
        self, inside: Model, most_at_once: int, *, timeout_seconds: float | None = None
    ) -> None:
        super().__init__(inside)
        self._slots = threading.BoundedSemaphore(most_at_once)
        self._timeout = timeout_seconds

    def complete(self, request: Request, /) -> Completion:
        with self._slots:
            if self._timeout is None:
                return self.inside.complete(request)
            return self._complete_in_time(request, self._timeout)

    def _complete_in_time(self, request: Request, seconds: float) -> Completion:
        outcome: Future[Completion] = Future()

        def call() -> None:
            try:
                outcome.set_result(self.inside.complete(request))
            except BaseException as error:  # noqa: BLE001  (handed to the caller)
                outcome.set_exception(error)

        threading.Thread(target=call, daemon=True, name="model-call").start()
        try:
            return outcome.result(seconds)
        except TimeoutError:
            if outcome.done():
                raise
            raise TimedOut(f"{self.name} gave no answer in {seconds:g} s") from None


def complete_all(
    model: Model,
    requests: Iterable[Request],
    *,
    most_at_once: int = 8,
    grace_seconds: float = 10.0,
) -> Iterator[Completion | ModelError]:
    """The answer or the error of each request, in order, `most_at_once` calls at a time.

    `requests` is read as the work goes on and at most twice `most_at_once` wait in memory.  An
    error of one call is its result; one that ends a command (a `UsageError`) is raised.  Leaving
    early (an error, an interrupt, a break) starts no further calls, and gives those in flight
    `grace_seconds` to come back, so that answers already paid for are stored.
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
        until = time.monotonic() + grace_seconds
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
