"""What a cheaper precision costs in verdicts and gains in time, measured on given pairs."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from globesumm.finite import counted
from metrics.entailment.base import Entailer, Pair, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Two entailers on the same pairs.

    `same` of `n` pairs (those to which both gave a value, out of `expected`) got the same
    decision; `mean_difference` and `largest_difference` are of the values (0 to 1).  Seconds
    are of one pass each, models loaded before; `speedup` is how many times faster the second
    was.
    """

    first: str
    second: str
    n: int
    expected: int
    same: int
    mean_difference: float | None
    largest_difference: float | None
    first_seconds: float
    second_seconds: float

    @property
    def speedup(self) -> float:
        return self.first_seconds / self.second_seconds if self.second_seconds else 0.0

    def __str__(self) -> str:
        apart = (
            ""
            if self.largest_difference is None
            else (
                f", values apart by {self.mean_difference:.4f} in the mean and "
                f"{self.largest_difference:.4f} at most"
            )
        )
        return (
            f"{self.second} against {self.first}: the same decision on {self.same} of "
            f"{counted(self.n, 'pair')} ({self.expected} asked){apart}; "
            f"{self.speedup:.1f} times as fast"
        )


def agreement(first: Entailer, second: Entailer, pairs: Sequence[Pair]) -> Agreement:
    """Both entailers' verdicts on `pairs` (at least one), compared."""
    lefts, left_seconds = _timed(first, pairs)
    rights, right_seconds = _timed(second, pairs)
    both = [
        (left, right, abs(left.value - right.value))
        for left, right in zip(lefts, rights, strict=True)
        if left.value is not None and right.value is not None
    ]
    apart = [difference for _, _, difference in both]
    return Agreement(
        first=first.name,
        second=second.name,
        n=len(both),
        expected=len(pairs),
        same=sum(left.entailed == right.entailed for left, right, _ in both),
        mean_difference=sum(apart) / len(apart) if apart else None,
        largest_difference=max(apart, default=None),
        first_seconds=left_seconds,
        second_seconds=right_seconds,
    )


def _timed(entailer: Entailer, pairs: Sequence[Pair]) -> tuple[list[Verdict], float]:
    entailer.entails(pairs[:1])  # loads the model
    begun = time.perf_counter()
    verdicts = entailer.entails(pairs)
    return verdicts, time.perf_counter() - begun
