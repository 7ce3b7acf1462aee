"""Calls that failed for a passing reason are made again, later and later."""

import random
import threading
import time
from collections.abc import Callable

from globesumm.llm.errors import BadAnswer, ModelError, RateLimited
from globesumm.llm.pool import Lane
from globesumm.llm.request import Completion, Model, Request
from globesumm.llm.work import CURRENT, waiting_in_work
from globesumm.llm.wrapper import Wrapper


class Retrying(Wrapper):
    """Exponential waits with jitter, and the server's Retry-After where it gives one.

    A call is tried `attempts` times in all, a `BadAnswer` twice.  A 429 slows every caller (no
    call starts before the time it names) and takes none of the attempts; it only fails the call
    after `patience_seconds` of nothing else.  `deadline_seconds` bounds one call with all its
    repetitions and waits; it does not cut a running attempt.  `allowance` bounds the repetitions
    of the whole run: that many, and one more for each call.  A 429 also quiets the `lane` that
    the model inside takes its slots from.  `sleep`, `clock` (seconds, monotonic) and `chance` are
    there for tests.
    """

    def __init__(
        self,
        inside: Model,
        *,
        attempts: int = 5,
        first_wait_seconds: float = 1.0,
        longest_wait_seconds: float = 60.0,
        patience_seconds: float = 3600.0,
        deadline_seconds: float | None = None,
        allowance: int = 100,
        sleep: Callable[[float], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
        lane: Lane | None = None,
    ) -> None:
        super().__init__(inside)
        self._lane = lane
        self._attempts = attempts
        self._first, self._longest = first_wait_seconds, longest_wait_seconds
        self._patience, self._deadline = patience_seconds, deadline_seconds
        self._sleep, self._clock, self._chance = sleep, clock, chance
        self._lock = threading.Lock()
        self._allowance = allowance
        self._quiet_until = 0.0
        self._stop = threading.Event()
        self.repeated = 0

    def complete(self, request: Request, /) -> Completion:
        started = self._clock()
        failures = limited = bad = 0
        with self._lock:
            self._allowance += 1
            stop = self._stop
        while True:
            self._wait_for_quiet(started, stop)
            try:
                return self.inside.complete(request)
            except ModelError as error:
                if not error.retryable:
                    raise
                if isinstance(error, RateLimited):
                    limited += 1
                    if self._clock() - started > self._patience:
                        raise
                else:
                    failures += 1
                    bad += isinstance(error, BadAnswer)
                    if failures >= self._attempts or bad > 1 or not self._may_repeat():
                        raise
                wait = self._wait_after(error, failures + limited)
                if self._too_late(started, wait):
                    raise
                with self._lock:
                    self.repeated += 1
                    if isinstance(error, RateLimited):
                        self._quiet_until = max(self._quiet_until, self._clock() + wait)
                if self._lane and isinstance(error, RateLimited):
                    self._lane.quiet(wait)
                if self._pause(wait, stop):
                    raise

    def stop_waiting(self) -> None:
        """Let every call that waits now fail with its last error; later calls wait as before."""
        with self._lock:
            self._stop.set()
            self._stop = threading.Event()
        super().stop_waiting()

    def _pause(self, seconds: float, stop: threading.Event) -> bool:
        """Wait; true where the wait was stopped.

        Raises `Stopped` where the work stops that the call belongs to.
        """
        job = CURRENT.get()
        if self._sleep is None and job is not None:
            alarm = threading.Event()
            with waiting_in_work(alarm):
                alarm.wait(seconds)
            job.work.raise_if_stopped()
            return False
        if self._sleep is None:
            return stop.wait(seconds)
        self._sleep(seconds)
        return stop.is_set()

    def _wait_after(self, error: ModelError, failures: int) -> float:
        if error.retry_after is not None:
            # A little beyond the time asked for, so that waiting callers do not all come at once.
            return error.retry_after + self._chance() * min(1.0, self._first, self._longest)
        ceiling = min(self._longest, self._first * 2.0 ** min(failures - 1, 30))
        return ceiling * (0.5 + 0.5 * self._chance())

    def _wait_for_quiet(self, started: float, stop: threading.Event) -> None:
        """Start no call while the server asked for quiet, whoever it asked."""
        while True:
            with self._lock:
                left = self._quiet_until - self._clock()
            if left <= 0 or self._too_late(started, left):
                return
            if self._pause(left, stop):
                raise RateLimited("stopped while waiting for the server's rate limit", left)

    def _too_late(self, started: float, wait: float) -> bool:
        deadline = self._deadline
        return deadline is not None and self._clock() + wait - started > deadline

    def _may_repeat(self) -> bool:
        with self._lock:
            allowed = self._allowance > 0
            self._allowance -= allowed
            return allowed
