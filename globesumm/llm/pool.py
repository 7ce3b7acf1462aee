"""Slots for calls in flight: bounded over all servers and for each, the most urgent call first.

A pool has one lane for each server.  A lane whose server asked for quiet gets no slot until that
is over, and fewer at a time afterwards: each 429 halves what it may have in flight, and every
answer gives a little of it back (additive increase, multiplicative decrease).  Whoever waits
holds no slot.
"""

import heapq
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from globesumm.errors import UsageError
from globesumm.llm.urgency import SHARED, level
from globesumm.llm.work import CURRENT, waiting_in_work

MOST = 1024
_MEMORY = 0.1
"""Weight of the newest call in a lane's mean time."""


def check_bound(most_at_once: int) -> int:
    """`most_at_once` if it is a sensible number; raises `UsageError`."""
    if not 1 <= most_at_once <= MOST:
        raise UsageError(f"most_at_once must be from 1 to {MOST}, not {most_at_once!r}")
    return most_at_once


class _Ticket:
    """One call that waits."""

    def __init__(self, lane: "Lane", urgency: int) -> None:
        self.lane, self.level = lane, urgency
        self.event = threading.Event()
        self._granted = self.gone = False

    def grant(self) -> None:
        self._granted = True
        self.event.set()

    def is_granted(self) -> bool:
        return self._granted

    def raise_to(self, urgency: int) -> None:
        self.lane.pool.raise_ticket(self, urgency)


class Lane:
    """One server's part of a pool; at most `most` of its calls are in flight."""

    def __init__(self, pool: "Pool", most: int) -> None:
        self.pool, self.most = pool, most
        self.limit = float(most)
        self.running = 0
        self.quiet_until = 0.0
        self.mean_seconds = 0.0
        self.waiting: list[tuple[int, int, _Ticket]] = []

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold a slot; raises `Stopped` where the current job's work stops before there is one."""
        self.pool.acquire(self)
        started = time.monotonic()
        try:
            yield
        finally:
            self.pool.release(self, time.monotonic() - started)

    def quiet(self, seconds: float) -> None:
        """Start no call for so long, because the server said that there were too many."""
        self.pool.quiet(self, seconds)

    def answered(self) -> None:
        """A whole answer came, so that more may be in flight again."""
        self.limit = min(float(self.most), self.limit + 1 / self.limit)


class Pool:
    """At most `most_at_once` calls in flight, whatever lanes they are in."""

    def __init__(self, most_at_once: int) -> None:
        self.most_at_once = check_bound(most_at_once)
        self.running = 0
        self._lanes: dict[str, Lane] = {}
        self._numbers = count()
        self._lock = threading.Lock()

    def lane(self, server: str, most: int | None = None) -> Lane:
        """The lane of `server`; where it has one already, the larger bound counts."""
        bound = self.most_at_once if most is None else check_bound(most)
        with self._lock:
            lane = self._lanes.get(server)
            if lane is None:
                lane = self._lanes[server] = Lane(self, bound)
            elif bound > lane.most:
                lane.most, lane.limit = bound, float(bound)
            return lane

    def acquire(self, lane: Lane) -> None:
        job, shared = CURRENT.get(), SHARED.get()
        if job is not None:
            job.work.raise_if_stopped()
            job.calls()
        ticket = _Ticket(lane, shared.level if shared else level())
        with self._lock:
            self._push(ticket)
            self._grant()
            if ticket.is_granted():
                return
        try:
            if shared is not None:
                shared.waits_as(ticket)
                ticket.raise_to(shared.level)
            with waiting_in_work(ticket.event):
                ticket.event.wait()
            if job is not None:
                job.work.raise_if_stopped()
        except BaseException:
            with self._lock:
                ticket.gone = True
                if ticket.is_granted():
                    self._free(lane)
            raise
        finally:
            if shared is not None:
                shared.waits_as(None)

    def release(self, lane: Lane, seconds: float) -> None:
        with self._lock:
            mean = lane.mean_seconds
            lane.mean_seconds = mean + _MEMORY * (seconds - mean) if mean else seconds
            self._free(lane)

    def _free(self, lane: Lane) -> None:
        lane.running -= 1
        self.running -= 1
        self._grant()

    def raise_ticket(self, ticket: _Ticket, urgency: int) -> None:
        with self._lock:
            if urgency > ticket.level and not ticket.is_granted():
                ticket.level = urgency
                # The entry of the lower level stays in the heap and is passed over later.
                self._push(ticket)
                self._grant()

    def quiet(self, lane: Lane, seconds: float) -> None:
        now = time.monotonic()
        with self._lock:
            if now >= lane.quiet_until:
                # Of the many calls that one refusal of a server hits, the first counts.
                lane.limit = max(1.0, lane.limit / 2)
                self._wake_after(lane, seconds)
            lane.quiet_until = max(lane.quiet_until, now + seconds)

    def _wake_after(self, lane: Lane, seconds: float) -> None:
        timer = threading.Timer(seconds, self._wake, (lane,))
        timer.daemon = True
        timer.start()

    def _wake(self, lane: Lane) -> None:
        with self._lock:
            left = lane.quiet_until - time.monotonic()
            if left > 0:
                self._wake_after(lane, left)
            else:
                self._grant()

    def _push(self, ticket: _Ticket) -> None:
        entry = (-ticket.level, next(self._numbers), ticket)
        heapq.heappush(ticket.lane.waiting, entry)

    def _grant(self) -> None:
        """Give free slots to those who wait; the lock is held."""
        now = time.monotonic()
        while self.running < self.most_at_once:
            best: Lane | None = None
            for lane in self._lanes.values():
                while lane.waiting and (lane.waiting[0][2].is_granted() or lane.waiting[0][2].gone):
                    heapq.heappop(lane.waiting)
                free = lane.running < int(lane.limit) and now >= lane.quiet_until
                if free and lane.waiting and (best is None or _longest(lane) > _longest(best)):
                    best = lane
            if best is None:
                return
            ticket = heapq.heappop(best.waiting)[2]
            best.running += 1
            self.running += 1
            ticket.grant()


def _longest(lane: Lane) -> float:
    """Seconds that the longest chain in `lane` will take, as far as its calls so far tell."""
    return -lane.waiting[0][0] * (lane.mean_seconds or 1.0)
