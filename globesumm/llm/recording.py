"""Which requests a piece of work rests on, in order, whether they were bought or stored."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_KEYS: ContextVar[list[str] | None] = ContextVar("request_keys", default=None)


@contextmanager
def recording() -> Iterator[list[str]]:
    """The keys (`Request.key`) of the requests answered inside, in the order of asking.

    A recording within another keeps its keys to itself; `record` hands them on.  Threads see it
    where they run in a copy of this context.
    """
    keys: list[str] = []
    token = _KEYS.set(keys)
    try:
        yield keys
    finally:
        _KEYS.reset(token)


def record(keys: Iterable[str]) -> None:
    """Add `keys` to the recording around the caller, if there is one."""
    recorded = _KEYS.get()
    if recorded is not None:
        recorded.extend(keys)


def is_recording() -> bool:
    """Whether anyone wants the keys."""
    return _KEYS.get() is not None
