"""Bounds on calls at the same time and on the time of one call."""

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from globesumm.errors import UsageError
from globesumm.llm.errors import ModelError, TimedOut
from globesumm.llm.request import Completion, Model, Request
from globesumm.llm.wrapper import Wrapper


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
    model: Model, requests: Iterable[Request], *, most_at_once: int = 8
) -> Iterator[Completion | ModelError]:
    """The answer or the error of each request, in order, `most_at_once` calls at a time.

    `requests` is read as the work goes on and at most twice `most_at_once` wait in memory.  An
    error of one call is its result; one that ends a command (a `UsageError`) is raised, after
    the calls in flight have come back.  Leaving the loop early starts no further calls.
    """

    def outcome(request: Request) -> Completion | ModelError:
        try:
            return model.complete(request)
        except ModelError as error:
            if isinstance(error, UsageError):
                raise
            return error

    waiting: deque[Future[Completion | ModelError]] = deque()
    pool = ThreadPoolExecutor(most_at_once, thread_name_prefix="model")
    try:
        for request in requests:
            waiting.append(pool.submit(outcome, request))
            if len(waiting) >= 2 * most_at_once:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
