"""The paired sign-flip test (Fisher, 1935), exact for few pairs and as good as exact for many.

Drawing sign changes at random never gives a p below one over the draws, so that no result
survives a correction over many tests.  Counting all sign changes does.
"""

import math

import numpy as np
from numpy.typing import NDArray

from globesumm.finite import all_numbers

EXACT = 14
"""Pairs up to which every sign change is looked at (2 to this power)."""

PAIR_BY_PAIR = 256
"""Pairs up to which the distribution is built up; above, the sum is taken as normal."""

STEPS = 1 << 17
"""Steps that all differences together are rounded to where there are more pairs."""


def paired_permutation(differences: NDArray[np.float64]) -> float:
    """Two-sided p of a mean of paired differences, over all changes of their signs.

    Above `EXACT` pairs the distribution of the sum is built up pair by pair, on differences
    rounded to `STEPS` over their number; a sum within the usual error of that rounding counts as
    reaching the observed one.  Above `PAIR_BY_PAIR` the sum is taken as normal.  Without a pair,
    and where a difference is no number, a ValueError.
    """
    all_numbers(differences)
    count = len(differences)
    if not count:
        raise ValueError("no pair to test")
    if count <= EXACT:
        observed = abs(differences.mean())
        codes = np.arange(1 << count)
        signs = (codes[:, None] >> np.arange(count) & 1) * 2.0 - 1
        return float(np.mean(at_least(np.abs(signs @ differences) / count, observed)))
    largest = float(np.abs(differences).max())
    if largest == 0:
        return 1.0
    if count > PAIR_BY_PAIR:
        scaled = differences / largest
        return math.erfc(abs(math.fsum(scaled)) / math.sqrt(2 * math.fsum(scaled**2)))
    steps = np.rint(differences / largest * (STEPS // count)).astype(np.int64)
    reached = max(0, abs(int(steps.sum())) - math.isqrt(count) // 2)
    if reached == 0:
        return 1.0
    sums = _sums(np.abs(steps))
    return min(1.0, 2 * float(sums[len(sums) // 2 + reached :].sum()))


def _sums(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The probability of every sum of `sizes` with signs drawn at random, sum 0 in the middle."""
    found = np.ones(1)
    for size in sorted(int(one) for one in sizes if one):
        wider = np.zeros(len(found) + 2 * size)
        wider[: len(found)] += found
        wider[2 * size :] += found
        found = wider / 2
    return found


def at_least(values: NDArray[np.float64], bound: float) -> NDArray[np.bool_]:
    """Whether each value reaches `bound`, with room for sums rounded in another order."""
    found: NDArray[np.bool_] = values >= bound * (1 - 1e-12)
    return found
