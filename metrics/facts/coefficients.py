"""Coefficients of agreement, each None where it is not defined; see `metrics.facts.belief`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from globesumm.finite import all_numbers

Floats = NDArray[np.float64]


def kendall_w(scores: Floats) -> float | None:
    """Kendall's coefficient of concordance W, corrected for ties; 0 (none) to 1 (the same ranks).

    `scores` has shape (rankings, objects), without gaps; higher scores rank higher.
    W = (12 S) / (m²(n³ - n) - m ΣT), with S the squared deviations of the rank sums and T the sum
    of t³ - t over the ties of one ranking (Kendall and Gibbons, 1990, 6.6).
    """
    rankings, objects = scores.shape
    all_numbers(scores)
    if rankings < 2 or objects < 2:
        return None
    ranks = np.array([_ranked(row) for row in scores])
    ties = sum(
        float((counts**3 - counts).sum())
        for row in ranks
        for counts in [np.unique(row, return_counts=True)[1].astype(np.float64)]
    )
    most = rankings**2 * (objects**3 - objects) - rankings * ties
    if most <= 0:
        return None
    sums = ranks.sum(axis=0)
    return min(1.0, float(12 * ((sums - sums.mean()) ** 2).sum() / most))


def _ranked(row: Floats) -> Floats:
    """Ranks from 1, the mean rank for ties."""
    _, places, counts = np.unique(row, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts).astype(np.float64)
    found: Floats = (ends - (counts - 1) / 2)[places]
    return found


def krippendorff_alpha(values: Floats, weights: Floats | None = None) -> float | None:
    """Krippendorff's alpha with the interval metric: 1 is agreement, 0 chance, below 0 worse.

    `values` has shape (coders, units), NaN where a coder gave none; units with fewer than two
    values do not count.  `weights` says how often each unit counts (once), for resampling.
    alpha = 1 - observed / expected squared difference (Krippendorff, 2019, 12.3.4).
    """
    known = ~np.isnan(values)
    all_numbers(values[known])
    coders = known.sum(axis=0).astype(np.float64)
    pairable = coders >= 2
    filled = np.where(known, values, 0.0)
    # Centred, so that squares of large values do not swallow small differences.
    centre = filled[:, pairable].sum() / max(1.0, coders[pairable].sum())
    filled = np.where(known, values - centre, 0.0)
    times = (np.ones(len(coders)) if weights is None else weights) * pairable
    sums, squares = filled.sum(axis=0), (filled**2).sum(axis=0)
    total = float((times * coders).sum())
    if total < 2:
        return None
    within = 2 * (coders * squares - sums**2) / np.maximum(coders - 1, 1)
    observed = float((times * within).sum()) / total
    spread = total * float((times * squares).sum()) - float((times * sums).sum()) ** 2
    expected = 2 * spread / (total * (total - 1))
    return None if expected <= 1e-15 else 1 - observed / expected


def confusion(truth: Sequence[bool], said: Sequence[bool]) -> Floats:
    """Counts of (true, said): shape (2, 2), index 1 is yes."""
    counts = np.zeros((2, 2))
    np.add.at(counts, (np.asarray(truth, dtype=int), np.asarray(said, dtype=int)), 1)
    return counts


def macro_f1(counts: Floats) -> float | None:
    """The mean of F1 over "matched" and "not matched" (OmniCSEval, D.3): 0 to 1.

    `counts` as `confusion` gives them.  None where a class neither occurs nor is said.
    """
    both = [counts[row].sum() + counts[:, row].sum() for row in (0, 1)]
    if not all(both):
        return None
    return float(sum(2 * counts[row, row] / both[row] for row in (0, 1)) / 2)


def balanced_accuracy(counts: Floats) -> float | None:
    """The mean of the true positive and true negative rates (D.3): 0 to 1, .5 is chance.

    None where a class does not occur.
    """
    totals = counts.sum(axis=1)
    return (
        float((counts[0, 0] / totals[0] + counts[1, 1] / totals[1]) / 2) if totals.all() else None
    )


def cohen_kappa(first: Sequence[bool], second: Sequence[bool]) -> float | None:
    """Cohen's kappa of two people's yes and no: 1 is agreement, 0 chance.

    None without an answer and where both gave one and the same answer throughout.
    """
    counts = confusion(first, second)
    total = counts.sum()
    if not total:
        return None
    chance = float((counts.sum(axis=0) * counts.sum(axis=1)).sum()) / total**2
    return None if chance >= 1 else float((np.trace(counts) / total - chance) / (1 - chance))
