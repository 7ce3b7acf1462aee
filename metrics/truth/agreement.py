"""Whether values order known summaries rightly: Spearman's rho, and shares of pairs."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.base import Better
from metrics.meta import correlation
from metrics.truth.known import TRUTHS, Known

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ties = Literal["half", "wrong"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A value with its 95 % interval (bootstrap over articles; None below two articles).

    `n` counts summaries for a correlation, articles for a share of pairs.  A None has its reason
    in `note`.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    note: str | None = None

    def above(self, chance: float) -> bool | None:
        """Whether the whole interval lies above `chance`; None where there is no interval."""
        return None if self.low is None else self.low > chance


PairTest = Callable[[Floats, Floats], Bools]
"""From the differences of good and of bad sentences (left - right) to the pairs that count."""

HELD: dict[str, PairTest] = {
    "more": lambda good, bad: (bad == 0) & (good > 0),
    "cleaner": lambda good, bad: (good == 0) & (bad < 0),
    "swapped": lambda good, bad: (good > 0) & (good == -bad),
}
"""Pairs in which nothing else differs: the left summary states more key points (``more``), fewer
unfaithful sentences (``cleaner``), or the same number of sentences of which more are key points
(``swapped``), so that length gives nothing away.
"""


class Orders:
    """The known summaries by article, and the measures of values given to them."""

    def __init__(
        self, known: Sequence[Known], ties: Ties = "half", resamples: int = 500, seed: int = 0
    ) -> None:
        self.known = known
        self._ties = 0.5 if ties == "half" else 0.0
        names = sorted({one.article for one in known})
        self._articles = [
            np.array([place for place, one in enumerate(known) if one.article == name])
            for name in names
        ]
        count = len(names)
        generator = np.random.default_rng(seed)
        self._draws = generator.integers(count, size=(resamples, count)) if count > 1 else None
        self._truth = {
            name: np.array([_number(getattr(one, name)) for one in known]) for name in TRUTHS
        }
        self._good = np.array([_number(one.good) for one in known])
        self._bad = np.array([_number(one.bad) for one in known])

    def spearman(self, values: Sequence[float | None], truth: str, better: Better) -> Measure:
        """Spearman's rho over all summaries, positive where the metric agrees with the truth."""
        metric, true = self._turned(values, better), self._truth[truth]
        both = np.isfinite(metric) & np.isfinite(true)
        held = [places[both[places]] for places in self._articles]
        whole = np.concatenate([*held, np.empty(0, dtype=np.int64)]).astype(np.int64)
        value = correlation("spearman", metric[whole], true[whole])
        if value is None:
            return Measure(value=None, n=len(whole), note=_why(true[whole], truth))
        drawn = []
        for draw in self._draws if self._draws is not None else ():
            some = np.concatenate([held[place] for place in draw])
            found = correlation("spearman", metric[some], true[some])
            if found is not None:
                drawn.append(found)
        low, high = _bounds(np.array(drawn), self._draws)
        return Measure(value=value, low=low, high=high, n=len(whole))

    def winrate(self, values: Sequence[float | None], truth: str, better: Better) -> Measure:
        """The share of the pairs of an article, unequal in truth, that the metric orders rightly;
        the mean over articles (perspective paper, 3.1).
        """
        true = self._truth[truth]
        return self._pairs(
            values,
            better,
            lambda places: _gaps(true[places]) > 0,
            f"no two summaries of an article differ in a known {truth}",
        )

    def held(self, values: Sequence[float | None], which: str, better: Better) -> Measure:
        """The same over the pairs of `HELD`; None where the counts of sentences are not known."""
        test = HELD[which]
        counted = np.isfinite(self._good).any()
        return self._pairs(
            values,
            better,
            lambda places: test(_gaps(self._good[places]), _gaps(self._bad[places])),
            f"no two summaries of an article differ in this alone ({which})"
            if counted
            else "how many key points a summary states is not counted in labels",
        )

    def _pairs(
        self,
        values: Sequence[float | None],
        better: Better,
        counted: Callable[[NDArray[np.int64]], Bools],
        without: str,
    ) -> Measure:
        """`without` says why there is no value where no pair is counted."""
        metric = self._turned(values, better)
        rates = np.full(len(self._articles), math.nan)
        for place, places in enumerate(self._articles):
            gaps = _gaps(metric[places])
            told = counted(places) & np.isfinite(gaps)
            if told.any():
                rates[place] = ((gaps > 0)[told] + self._ties * (gaps == 0)[told]).mean()
        known = np.isfinite(rates)
        if not known.any():
            return Measure(value=None, note=without)
        low = high = None
        if self._draws is not None:
            sums = np.where(known, rates, 0)[self._draws].sum(axis=1)
            counts = known[self._draws].sum(axis=1)
            low, high = _bounds(sums[counts > 0] / counts[counts > 0], self._draws)
        value = float(rates[known].mean())
        return Measure(value=value, low=low, high=high, n=int(known.sum()))

    def _turned(self, values: Sequence[float | None], better: Better) -> Floats:
        sign = 1.0 if better is Better.HIGHER else -1.0
        return sign * np.array([_number(value) for value in values])


def _gaps(values: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(values[:, None] - values[None, :])


def _bounds(drawn: Floats, draws: NDArray[np.int64] | None) -> tuple[float | None, float | None]:
    if draws is None or len(drawn) * 2 < len(draws):
        return None, None
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def _why(true: Floats, truth: str) -> str:
    if len(true) < 2:
        return f"fewer than two summaries were scored and have a known {truth}"
    if np.ptp(true) == 0:
        return f"the {truth} of all is the same"
    return "the metric says the same of every summary: no information"


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
