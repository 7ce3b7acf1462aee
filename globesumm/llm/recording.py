"""Which requests a piece of work rests on, in order, whether they were bought or stored."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

Why = Literal["first", "again", "shortened"]
"""A plan counts the first. `again`: the first answer could not be used; `shortened`: the server
found the first too long."""


@dataclass(frozen=True, slots=True)
class Use:
    """A request that was made: its `key` (`Request.key`), the `step` it is of, and why.

    `step` is the name that plans give it, empty where nobody said; `answered` is false where the
    call failed.
    """

    key: str
    step: str = ""
    why: Why = "first"
    answered: bool = True


_USES: ContextVar[list[Use] | None] = ContextVar("uses", default=None)
_ASKING: ContextVar[tuple[str, Why]] = ContextVar("asking", default=("", "first"))


@contextmanager
def recording() -> Iterator[list[Use]]:
    """The requests made inside, those that failed included, in the order of asking.

    A recording within another keeps its uses to itself; `record` hands them on.  Threads see it
    where they run in a copy of this context.
    """
    uses: list[Use] = []
    token = _USES.set(uses)
    try:
        yield uses
    finally:
        _USES.reset(token)


@contextmanager
def asking_for(step: str, why: Why = "first") -> Iterator[None]:
    """Say what the requests made inside are for."""
    token = _ASKING.set((step, why))
    try:
        yield
    finally:
        _ASKING.reset(token)


def used(key: str, *, answered: bool = True) -> Use:
    """The request known by `key`, for what is being asked now."""
    step, why = _ASKING.get()
    return Use(key, step, why, answered)


def record(uses: Iterable[Use]) -> None:
    """Add `uses` to the recording around the caller, if there is one."""
    recorded = _USES.get()
    if recorded is not None:
        recorded.extend(uses)


def is_recording() -> bool:
    """Whether anyone wants to know."""
    return _USES.get() is not None
