"""Means over repeats and over cells, with intervals, n of N, and why there is none.

An average of cells (the paper's ``CRS.Avg``) is the mean of its rows' means, a change one such
average minus another.  Its interval resamples events, the same ones for every cell, since the
cells summarize the same events.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.tables.results import CellResult, events_of
from metrics.aggregate import interval

RESAMPLES = 1000
LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean of one or more cells with what must be said beside it.

    `sd` is the standard deviation of the means of the repeats (of the seeds), None below two.
    `n` of `expected` scores are in it, over all cells and repeats.  `signature` is the one that
    all scored cells share.  Where `mean` is None, `why` says why; where only some were scored,
    `reasons` counts why the others were not.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    sd: float | None = None
    n: int | None = None
    expected: int | None = None
    signature: str | None = None
    why: str | None = None
    reasons: tuple[tuple[str, int], ...] = ()


NOT_ASKED = "not in this experiment"
NO_SCORE = "nothing was scored"


def of_cell(repeats: Sequence[CellResult], seed: int = 0) -> Estimate:
    """One cell over its repeats; no cell at all is `NOT_ASKED`."""
    if not repeats:
        return Estimate(mean=None, why=NOT_ASKED)
    n, expected = _counts(repeats)
    signatures = sorted({one.signature for one in repeats if one.scored})
    means = [one.mean for one in repeats if one.mean is not None]
    if len(signatures) != 1:
        why = "repeats with unequal signatures" if signatures else _reason(repeats)
        return Estimate(mean=None, n=n, expected=expected, why=why)
    low, high = (
        (repeats[0].low, repeats[0].high)
        if len(repeats) == 1
        else resampled([(1.0, repeats)], seed)
    )
    return Estimate(
        mean=math.fsum(means) / len(means),
        low=low,
        high=high,
        sd=float(np.std(sorted(means), ddof=1)) if len(means) > 1 else None,
        n=n,
        expected=expected,
        signature=signatures[0],
        reasons=_reasons(repeats),
    )


Terms = Mapping[str, tuple[float, Sequence[CellResult]]]
"""Weight and repeats of each cell in a sum, by the cell's name."""


def combined(terms: Terms, seed: int = 0) -> Estimate:
    """The weighted sum of cells.  It exists only where every cell has a value of one signature.

    An average over some of its rows would not be the one that its name promises.
    """
    single = {name: of_cell(repeats, seed) for name, (_, repeats) in terms.items()}
    missing = [name for name, one in single.items() if one.mean is None]
    cells = [one for _, repeats in terms.values() for one in repeats]
    n, expected = _counts(cells)
    if missing:
        shown = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
        why = f"{len(missing)} of {len(terms)} cells have no value ({shown})"
        return Estimate(mean=None, n=n, expected=expected, why=why)
    signatures = sorted({one.signature for one in single.values() if one.signature})
    if len(signatures) > 1:
        return Estimate(
            mean=None, n=n, expected=expected, why="its cells were scored with unequal signatures"
        )
    low, high = resampled(sorted(terms.values(), key=lambda term: term[1][0].order), seed)
    return Estimate(
        mean=math.fsum(w * (single[name].mean or 0.0) for name, (w, _) in terms.items()),
        low=low,
        high=high,
        n=n,
        expected=expected,
        signature=signatures[0],
    )


def average(cells: Mapping[str, Sequence[CellResult]], seed: int = 0) -> Estimate:
    """The mean of cells, each of equal weight."""
    return combined({name: (1 / len(cells), held) for name, held in cells.items()}, seed)


def difference(
    left: Mapping[str, Sequence[CellResult]],
    right: Mapping[str, Sequence[CellResult]],
    seed: int = 0,
) -> Estimate:
    """The mean of `left` minus the mean of `right`; no cell may stand on both sides."""
    terms = {name: (1 / len(left), held) for name, held in left.items()}
    terms |= {name: (-1 / len(right), held) for name, held in right.items()}
    return combined(terms, seed)


def resampled(
    terms: Sequence[tuple[float, Sequence[CellResult]]], seed: int = 0
) -> tuple[float | None, float | None]:
    """Bootstrap interval of a weighted sum of means over one set of resampled events.

    (None, None) where the values by event are not known or fewer than two events have any.
    """
    rows = [(weight / len(held), one) for weight, held in terms for one in held if one.scored]
    if any(not one.items for _, one in rows):
        return None, None
    events = events_of([one for _, one in rows])
    values = np.array(
        [[_number(one.items.get(event)) for event in events] for _, one in rows], dtype=np.float64
    )
    if (~np.isnan(values)).any(axis=0).sum() < 2:
        return None, None
    weights = np.array([weight for weight, _ in rows])
    if len(rows) == 1:
        low, high = interval(values[0][~np.isnan(values[0])].tolist(), resamples=RESAMPLES)
        return (low, high) if weights[0] == 1 else (None, None)
    sums = _sums(values, weights, seed)
    # A draw in which some cell has no event at all says nothing; too many of them, no interval.
    sums = sums[~np.isnan(sums)]
    if len(sums) < 0.9 * RESAMPLES:
        return None, None
    low, high = np.quantile(sums, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(low), float(high)


def _sums(
    values: NDArray[np.float64], weights: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    draws = np.random.default_rng(seed).integers(values.shape[1], size=(RESAMPLES, values.shape[1]))
    total = np.zeros(RESAMPLES)
    for weight, row in zip(weights, values, strict=True):
        drawn = row[draws]
        counts = (~np.isnan(drawn)).sum(axis=1)
        with np.errstate(invalid="ignore"):
            total += weight * np.nansum(drawn, axis=1) / np.where(counts, counts, np.nan)
    return total


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _counts(cells: Sequence[CellResult]) -> tuple[int | None, int | None]:
    """Scored and expected over all of `cells`; None where one of them does not say."""
    if not cells or any(one.n is None or one.expected is None for one in cells):
        return None, None
    return sum(one.n or 0 for one in cells), sum(one.expected or 0 for one in cells)


def _reasons(repeats: Sequence[CellResult]) -> tuple[tuple[str, int], ...]:
    """Why values are missing, the most frequent reason first."""
    counts: dict[str, int] = {}
    for one in repeats:
        for reason, count in one.reasons:
            counts[reason] = counts.get(reason, 0) + count
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _reason(repeats: Sequence[CellResult]) -> str:
    """Why nothing was scored, in one line."""
    return "; ".join(f"{reason} ({count})" for reason, count in _reasons(repeats)) or NO_SCORE
