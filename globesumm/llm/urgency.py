"""How soon a call is to be made, among those that wait for the same slots."""

from contextvars import ContextVar
from typing import Protocol

from globesumm.llm.work import CURRENT


class Raisable(Protocol):
    """What waits with an urgency that may rise."""

    def raise_to(self, urgency: int, /) -> None: ...


class Urgency:
    """The highest of those who wait for one call; more of them may come while it waits."""

    def __init__(self, level: int) -> None:
        self.level = level
        self._ticket: Raisable | None = None

    def raise_to(self, urgency: int) -> None:
        if urgency > self.level:
            self.level = urgency
            if self._ticket is not None:
                self._ticket.raise_to(urgency)

    def waits_as(self, ticket: Raisable | None) -> None:
        self._ticket = ticket


SHARED: ContextVar[Urgency | None] = ContextVar("urgency", default=None)
"""The urgency of the call that is being made, where several may wait for its answer."""


def level() -> int:
    """How urgent the current job is: the longest remaining chain of calls goes first."""
    job = CURRENT.get()
    return job.remaining if job else 0
