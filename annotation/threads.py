"""Independent calls at once: in threads of their own, or in those that many summaries share."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TypeVar

from globesumm.llm.recording import Use, record, recording

T = TypeVar("T")

THREADS: ContextVar[Executor | None] = ContextVar("threads", default=None)
"""The threads that many summaries in the making share; None gives each its own."""


def in_threads(calls: Sequence[Callable[[], T]], most_at_once: int) -> list[T]:
    """What each of `calls` returns, in order; the first failure is raised.

    Calls not yet begun are then left alone, and those under way come to their end.  The requests
    that all rest on are recorded in the order of `calls`, whichever ended first.  Where `THREADS`
    are set they are used, and `most_at_once` is theirs to decide.
    """

    def one(call: Callable[[], T]) -> tuple[list[T], BaseException | None, list[Use]]:
        with recording() as uses:
            try:
                return [call()], None, uses
            except BaseException as error:  # noqa: BLE001  (raised by the caller)
                return [], error, uses

    made: list[T] = []
    failure: BaseException | None = None
    if not calls:
        return made
    with _threads(min(most_at_once, len(calls))) as pool:
        waiting = [pool.submit(copy_context().run, one, call) for call in calls]
        try:
            for future in waiting:
                if failure is not None and future.cancel():
                    continue
                result, error, uses = future.result()
                record(uses)
                made += result
                failure = failure or error
        finally:
            for future in waiting:
                future.cancel()
    if failure is not None:
        raise failure
    return made


@contextmanager
def _threads(at_once: int) -> Iterator[Executor]:
    shared = THREADS.get()
    if shared is not None:
        yield shared
        return
    with ThreadPoolExecutor(max(1, at_once), thread_name_prefix="stage") as pool:
        yield pool
