"""What a running grid shows on stderr: a line that is redrawn, or in a log one now and then.

The remaining time is shown where it can be told: the calls still to be made are known from the
plan, and enough were made to know their pace.  Otherwise none is shown.
"""

import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from shutil import get_terminal_size
from typing import TextIO

from globesumm.llm.metered import Totals
from globesumm.progress import SECONDS_BETWEEN_LOG_LINES, visible
from globesumm.runs import Failure

_SECONDS_BETWEEN_LOOKS = 0.5
_LEAST_CALLS = 20
_LEAST_SECONDS = 10.0
_LEAST_FREE = 5
_PACE_OVER_SECONDS = 300.0
_FAILURES_A_KIND = 10
"""Told one by one; later ones of the kind are in the counts alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How far a grid is: summaries `done` (made or there already) of `total`, and failures.

    `active` is how many are being made (no more than calls may be in flight), `longest` the
    number of calls in the longest chain that one of them still has before it.  `free_left` and
    `free_made` are the summaries without a model, which take time but no calls.
    """

    total: int
    done: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    active: int = 0
    longest: int = 0
    free_left: int = 0
    free_made: int = 0


class Watch:
    """Shows a grid's progress.

    `totals` tells what was used in this run.  `calls` is how many calls are to be made in it by
    the plan, `spend` and `spent_before` the cap on spend and what earlier runs used of it.
    """

    def __init__(
        self,
        totals: Callable[[], Totals],
        *,
        calls: int | None = None,
        spend: float | None = None,
        spent_before: float = 0.0,
        currency: str = "USD",
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._totals, self._calls = totals, calls
        self._spend, self._before, self._currency = spend, spent_before, currency
        self._stream, self._clock = stream or sys.stderr, clock
        self._live = self._stream.isatty()
        self._shown = -1e9
        self._width = 0
        self._told: Counter[str] = Counter()
        self._began: float | None = None
        self._pace: deque[tuple[float, int]] = deque()

    def show(self, state: State, *, now: bool = False) -> None:
        """Show `state`, if the last time is long enough ago or it is wanted `now`."""
        moment = self._clock()
        between = _SECONDS_BETWEEN_LOOKS if self._live else SECONDS_BETWEEN_LOG_LINES
        self._keep_pace(moment)
        if not now and moment - self._shown < between:
            return
        self._shown = moment
        line = self.line(state)
        if self._live:
            # A line that wraps cannot be redrawn.
            line = line[: get_terminal_size().columns - 1]
            self._stream.write(f"\r{line:<{self._width}}")
            self._width = len(line)
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def failed(self, failure: Failure) -> None:
        """Tell of one failure as it happens."""
        kind = failure.kind or "Unnamed"
        self._told[kind] += 1
        if self._told[kind] > _FAILURES_A_KIND:
            return
        self.say(f"failed: {failure.where}: {kind}: {failure.reason}")
        if self._told[kind] == _FAILURES_A_KIND:
            self.say(f"further failures of the kind {kind} are counted, and kept in failures/")

    def say(self, message: str) -> None:
        """One line beside the progress."""
        clear = f"\r{'':<{self._width}}\r" if self._live else ""
        self._stream.write(f"{clear}{' '.join(visible(message).splitlines())}\n")
        self._stream.flush()

    def end(self, state: State) -> None:
        """The last look; the line stays."""
        self.show(state, now=True)
        if self._live:
            self._stream.write("\n")
            self._stream.flush()

    def line(self, state: State) -> str:
        """`state` in one line."""
        totals = self._totals()
        parts = [f"summaries {state.done:,}/{state.total:,}"]
        if state.failures:
            kinds = ", ".join(f"{kind} {n:,}" for kind, n in sorted(state.failures.items()))
            parts.append(f"failed {sum(state.failures.values()):,} ({kinds})")
        called = f"calls {totals.calls:,} live, {totals.hits:,} cached"
        if totals.failed:
            called += f", {totals.failed:,} in vain"
        if totals.limited:
            called += f", {totals.limited:,} turned away (429)"
        parts += [called, self._spent(totals)]
        left = self.seconds_left(state)
        # Within the last second it says nothing, and what is done has no time left.
        if left is not None and round(left):
            parts.append(f"{_clock_time(left)} left")
        return " | ".join(part for part in parts if part)

    def seconds_left(self, state: State) -> float | None:
        """Seconds until the end at the pace so far; None where it cannot be told.

        Calls, and summaries that need none, go on side by side.
        """
        calls, free = self._calls_take(state), self._free_takes(state)
        return None if calls is None or free is None else max(calls, free)

    def _calls_take(self, state: State) -> float | None:
        """At least what the longest chain of calls takes that still has to be made."""
        if self._calls is None or len(self._pace) < 2:
            return None
        (then, calls_then), (now, calls_now) = self._pace[0], self._pace[-1]
        seconds, made = now - then, calls_now - calls_then
        left = self._calls - calls_now
        if left == 0 and state.done + sum(state.failures.values()) + state.free_left < state.total:
            # The calls of the plan are made and there is more: nobody knows how much.
            return None
        if left == 0:
            return 0.0
        if made < _LEAST_CALLS or seconds < _LEAST_SECONDS or left < 0:
            # More calls than planned: answers were asked for twice, and nobody knows how many.
            return None
        in_chain = state.longest * seconds * max(1, state.active) / made
        return max(left * seconds / made, min(in_chain, left * seconds))

    def _free_takes(self, state: State) -> float | None:
        if not state.free_left:
            return 0.0
        if state.free_made < _LEAST_FREE or self._began is None:
            return None
        return state.free_left * (self._clock() - self._began) / state.free_made

    def _keep_pace(self, moment: float) -> None:
        totals = self._totals()
        if self._began is None:
            self._began = moment
        if not self._pace or moment - self._pace[-1][0] >= 1.0:
            self._pace.append((moment, totals.calls - totals.failed))
            while moment - self._pace[0][0] > _PACE_OVER_SECONDS:
                self._pace.popleft()

    def _spent(self, totals: Totals) -> str:
        spend = self._before + totals.spend
        if not spend and totals.unpriced:
            return "spend unknown"
        more = " + unknown" if totals.unpriced else ""
        of_cap = f" of {self._spend:,.2f}" if self._spend is not None else ""
        return f"spend {spend:,.2f}{more}{of_cap} {self._currency}" if spend or of_cap else ""


def _clock_time(seconds: float) -> str:
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}"
