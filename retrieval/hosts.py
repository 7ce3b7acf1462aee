"""One host at its own pace: turns, pauses, and a breaker for hosts that keep failing."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from retrieval.fetching import Cause, FetchError, Fetching
from retrieval.robots import Rules

LONGEST_DELAY = 60.0
"""Seconds: longer pauses that a site asks for are not waited for."""

_LONGEST_PAUSE = 3600.0

_COUNTED = frozenset(
    {Cause.TOO_SLOW, Cause.UNREACHABLE, Cause.SERVER, Cause.BUSY, Cause.REFUSED, Cause.BROKEN}
)
"""Causes that speak of the host; a page that is gone or too large speaks of itself."""


class Host:
    """What is known of one host, and whose turn it is there."""

    def __init__(self, name: str, settings: Fetching) -> None:
        self.name, self._settings = name, settings
        self.rules: dict[str, Rules] = {}
        self.reading_rules = asyncio.Lock()
        self._turns = asyncio.Semaphore(settings.per_host)
        self._next = 0.0
        self._failures = 0
        self._last = ""
        self._open_until: float | None = None
        self._pause = settings.breaker_seconds
        self._probing = False

    @asynccontextmanager
    async def turn(self, url: str) -> AsyncIterator[None]:
        """One of the host's turns; a `FetchError` at once if the host has been given up."""
        async with self._turns:
            probe = self._admit(url)
            try:
                yield
            finally:
                if probe:
                    self._probing = False

    def _admit(self, url: str) -> bool:
        """Whether this request is the one that tries a host again; raises where none is due."""
        if self._open_until is None:
            return False
        if self._probing or time.monotonic() < self._open_until:
            raise FetchError(
                url,
                f"{self.name} was given up after {self._failures} failures in a row "
                f"(last: {self._last})",
                Cause.GIVEN_UP,
            )
        self._probing = True
        return True

    async def wait(self, delay: float) -> None:
        """Sleep until the host may be asked again, and reserve `delay` seconds after that."""
        at = max(self._next, time.monotonic())
        self._next = at + delay
        if (left := at - time.monotonic()) > 0:
            await asyncio.sleep(left)

    def rest(self, seconds: float) -> None:
        """Leave the host alone for `seconds` from now."""
        self._next = max(self._next, time.monotonic() + seconds)

    def worked(self) -> None:
        """Note an answer that says nothing bad about the host."""
        self._failures, self._open_until = 0, None
        self._pause = self._settings.breaker_seconds

    def failed(self, error: FetchError) -> None:
        """Note a failure; with enough of them in a row the host is given up for a while."""
        if error.cause not in _COUNTED:
            if error.cause is not Cause.GIVEN_UP:
                self.worked()
            return
        self._failures += 1
        self._last = error.reason
        if self._open_until is not None:
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        elif self._failures < self._settings.breaker_failures:
            return
        self._open_until = time.monotonic() + self._pause
