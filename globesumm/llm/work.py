"""What a call needs to know of the work it belongs to: how urgent it is, and whether to stop.

A long run sets `CURRENT` in the threads of each of its jobs, and the wrappers around a model
look there.  Without a job nothing here has any effect.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from globesumm.errors import UsageError
from globesumm.llm.errors import ModelError, Stopped

_MOST_KNOWN_FAILURES = 10_000


class Work:
    """What all jobs of one run share."""

    def __init__(self) -> None:
        self.stopped: str | None = None
        self._alarms: set[threading.Event] = set()
        self._failures: dict[str, ModelError] = {}
        self._lock = threading.Lock()

    def stop(self, reason: str) -> None:
        """Begin no further call, and end every wait for one; calls in flight come back."""
        with self._lock:
            self.stopped = self.stopped or reason
            alarms = list(self._alarms)
        for alarm in alarms:
            alarm.set()

    def raise_if_stopped(self) -> None:
        if self.stopped is not None:
            raise Stopped(self.stopped)

    @contextmanager
    def alarm(self, event: threading.Event) -> Iterator[None]:
        """Set `event` when the work is stopped, at once where it is already."""
        with self._lock:
            self._alarms.add(event)
            if self.stopped is not None:
                event.set()
        try:
            yield
        finally:
            with self._lock:
                self._alarms.discard(event)

    def failed(self, key: str, error: ModelError) -> None:
        """Remember that the request `key` fails however often it is made.

        Many jobs may need one request; a refusal is bought once.
        """
        lasting = not error.retryable and not isinstance(error, UsageError)
        if lasting and len(self._failures) < _MOST_KNOWN_FAILURES:
            self._failures[key] = _bare(error)

    def failure(self, key: str) -> ModelError | None:
        """How the request `key` failed for good, if it did."""
        known = self._failures.get(key)
        return _bare(known) if known else None


def _bare(error: ModelError) -> ModelError:
    """`error` without where it was raised: frames hold whole prompts, for as long as it is kept."""
    same = type(error).__new__(type(error), *error.args)
    same.__dict__.update(error.__dict__)
    return same


class Load:
    """How many calls of a group of jobs wait: for a slot, or before another attempt.

    `few` is called whenever there is one less and there are fewer than `enough`.  `joined` are
    the jobs that wait for the answer to a call of another; they hold nothing up.
    """

    def __init__(self, few: Callable[[], object] = lambda: None, enough: int = 1) -> None:
        self.waiting = self.joined = 0
        self._few, self._enough = few, enough
        self._lock = threading.Lock()

    def more(self) -> None:
        with self._lock:
            self.waiting += 1

    def less(self) -> None:
        with self._lock:
            self.waiting -= 1
            few = self.waiting < self._enough
        if few:
            self._few()

    def join(self, change: int) -> None:
        with self._lock:
            self.joined += change
        if change > 0:
            self._few()

    @contextmanager
    def wait(self) -> Iterator[None]:
        self.more()
        try:
            yield
        finally:
            self.less()


class Job:
    """One piece of work; `remaining` is how many calls it still has to make one after the other.

    Until its first call it counts as one that waits: it is about to.
    """

    def __init__(self, work: Work, load: Load, remaining: int = 0) -> None:
        self.work, self.load, self.remaining = work, load, remaining
        self._fresh, self._joined = True, 0
        self._lock = threading.Lock()
        load.more()

    def calls(self) -> None:
        """It makes a call, or ends without one."""
        with self._lock:
            fresh, self._fresh = self._fresh, False
        if fresh:
            self.load.less()

    @contextmanager
    def joined(self) -> Iterator[None]:
        """While it waits for the answer to a call that another job makes."""
        self.calls()
        with self._lock:
            self._joined += 1
            if self._joined == 1:
                self.load.join(1)
        try:
            yield
        finally:
            with self._lock:
                self._joined -= 1
                if not self._joined:
                    self.load.join(-1)


CURRENT: ContextVar[Job | None] = ContextVar("job", default=None)
"""The job that the running code belongs to."""


@contextmanager
def waiting_in_work(event: threading.Event) -> Iterator[None]:
    """Count a wait for `event` with the current job's, and set it when its work stops.

    Raises `Stopped` where that happened, before or meanwhile.
    """
    job = CURRENT.get()
    if job is None:
        yield
        return
    job.work.raise_if_stopped()
    with job.load.wait(), job.work.alarm(event):
        yield
