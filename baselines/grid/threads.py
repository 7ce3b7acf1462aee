"""Threads that a run shares: bounded in number, the most urgent task first, never waited for.

They are daemons, so that a second Ctrl-C ends the program at once; `concurrent.futures`' own
threads are waited for at its exit.
"""

import heapq
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from itertools import count
from typing import Any, ParamSpec, TypeVar

from globesumm.llm.urgency import level

P = ParamSpec("P")
T = TypeVar("T")


class Threads(Executor):
    """At most `most` threads, begun when they are needed; tasks of urgent jobs go first."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._tasks: list[tuple[int, int, Future[Any], Callable[[], Any]]] = []
        self._numbers = count()
        self._threads = self._idle = 0
        self._closed = False
        self._changed = threading.Condition()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do ``fn(*args, **kwargs)`` in one of the threads."""
        future: Future[T] = Future()
        with self._changed:
            task = (-level(), next(self._numbers), future, lambda: fn(*args, **kwargs))
            heapq.heappush(self._tasks, task)
            if self._idle >= len(self._tasks) or self._threads >= self._most:
                self._changed.notify()
            else:
                self._threads += 1
                threading.Thread(target=self._work, daemon=True, name=self._name).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Let the threads go once they have nothing to do; nobody waits for them."""
        with self._changed:
            self._closed = True
            if cancel_futures:
                for _, _, future, _ in self._tasks:
                    future.cancel()
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                while not self._tasks:
                    if self._closed:
                        self._threads -= 1
                        self._idle -= 1
                        return
                    self._changed.wait()
                self._idle -= 1
                _, _, future, task = heapq.heappop(self._tasks)
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = task()
            except BaseException as error:  # noqa: BLE001  (raised where the result is taken)
                future.set_exception(error)
            else:
                future.set_result(result)
                del result
            del future, task
