"""Coefficients of agreement with intervals; each is None with the reason where it is undefined.

Values are those of statsmodels (Cohen's and Fleiss's kappa) and krippendorff (alpha).  Intervals
are 95 % percentile bootstraps over the groups of units (see `Ratings`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.labels.agreement.ratings import Codes, Ratings
from globesumm.errors import MissingPackage, UnknownName

Floats = NDArray[np.float64]
Times = NDArray[np.intp]
"""How often each row of codes counts."""

RESAMPLES = 1000
TINY = 1e-100
"""Squares of smaller numbers vanish."""
NOBODY_TWICE = "no unit that two people rated"
ONE_ANSWER = "everyone gave one and the same answer, so that chance would agree as well"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """One measure of agreement: 1 is perfect; for all but percent 0 is chance, below is worse.

    `low` and `high` bound it (95 %; None with fewer than two groups, or where most resamples
    leave it undefined).  It rests on `n` of `expected` units and on `raters` people; `note` says
    why there is no value, or what was left out.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int
    expected: int
    raters: int
    note: str | None = None


def _percent(codes: Codes, times: Times, domain: Floats) -> float | None:
    """Pairs of answers on one unit that are alike / all such pairs, 0 to 1."""
    counts = _counts(codes, domain)
    given = counts.sum(axis=1)
    pairs = float((times * given * (given - 1)).sum())
    alike = float((times * (counts * (counts - 1)).sum(axis=1)).sum())
    return alike / pairs if pairs else None


def _cohen(codes: Codes, times: Times, domain: Floats) -> float | None:
    """Cohen's (1960) kappa; of more than two raters the mean over their pairs (Light, 1971)."""
    found = []
    categories = len(domain)
    for one, other in combinations(range(codes.shape[1]), 2):
        both = (codes[:, one] >= 0) & (codes[:, other] >= 0)
        table = np.zeros((categories, categories))
        np.add.at(table, (codes[both, one], codes[both, other]), times[both])
        kappa = _cohen_of(table)
        if kappa is not None:
            found.append(kappa)
    return sum(found) / len(found) if found else None


def _cohen_of(table: Floats) -> float | None:
    total = table.sum()
    # Each of both people gave one answer, and the same: chance agrees in every case.
    if not total or np.count_nonzero(table.sum(axis=0) + table.sum(axis=1)) < 2:
        return None
    return float(_inter_rater().cohens_kappa(table, return_results=False))


def _fleiss(codes: Codes, times: Times, domain: Floats) -> float | None:
    """Fleiss's (1971) kappa; every unit has the same number of answers."""
    table = np.repeat(_counts(codes, domain), times, axis=0)
    if np.count_nonzero(table.sum(axis=0)) < 2:
        return None
    return float(_inter_rater().fleiss_kappa(table))


def _alpha(level: str) -> "Measure":
    def measure(codes: Codes, times: Times, domain: Floats) -> float | None:
        table = np.repeat(_counts(codes, domain), times, axis=0)
        if np.count_nonzero(table.sum(axis=0)) < 2:
            return None
        with np.errstate(invalid="ignore", divide="ignore"):
            value = float(
                _krippendorff().alpha(
                    value_counts=table,
                    value_domain=domain if level != "nominal" else np.arange(len(domain)),
                    level_of_measurement=level,
                )
            )
        # Numbers so near one another that their distances vanish are one answer.
        return value if np.isfinite(value) else None

    return measure


Measure = Callable[[Codes, Times, Floats], float | None]
"""From codes, how often each row counts, and the number each category stands for."""

MEASURES: Mapping[str, Measure] = {
    "percent": _percent,
    "Cohen's kappa": _cohen,
    "Fleiss's kappa": _fleiss,
    "alpha, nominal": _alpha("nominal"),
    "alpha, ordinal": _alpha("ordinal"),
    "alpha, interval": _alpha("interval"),
}

OF_WORDS = ("percent", "Cohen's kappa", "Fleiss's kappa", "alpha, nominal")
"""What can be said of answers that have no order."""


def measured(
    given: Ratings, name: str, *, resamples: int = RESAMPLES, seed: int = 0
) -> Coefficient:
    """The measure `name` of `MEASURES` with its interval (none for `resamples` of 0).

    Raises `UnknownName`, and `MissingPackage` without statsmodels or krippendorff.
    """
    if name not in MEASURES:
        raise UnknownName("measure of agreement", name, MEASURES)
    codes = given.codes()
    rated = (codes >= 0).sum(axis=1)
    used = rated >= 2
    note = None
    if name == "Fleiss's kappa" and used.any():
        used = rated == _commonest(codes)
        if left := int((rated >= 2).sum() - used.sum()):
            note = f"{left} units have another number of answers than {_commonest(codes)}"
    if name == "Cohen's kappa" and len(given.raters) > 2:
        note = "mean over pairs of people"

    def found(value: float | None, why: str | None, **bounds: float | None) -> Coefficient:
        return Coefficient(
            name=name, value=value, n=int(used.sum()), expected=len(given.units),
            raters=int((codes >= 0).any(axis=0).sum()), note=why, **bounds,
        )  # fmt: skip

    if not (rated >= 2).any():
        return found(None, NOBODY_TWICE)
    if "ordinal" in name or "interval" in name:
        if not given.numeric:
            return found(None, "the answers are words without an order")
        domain = np.array([float(one) for one in given.categories])
        if (spread := np.ptp(domain)) and spread < TINY:
            # Alpha stays the same, and squares do not vanish.
            domain = (domain - domain.min()) / spread
    else:
        domain = np.arange(len(given.categories), dtype=np.float64)
    patterns, places = np.unique(codes[used], axis=0, return_inverse=True)
    measure = partial(_weighed, MEASURES[name], patterns, places.reshape(-1), domain)
    value = measure(np.ones(int(used.sum())))
    if value is None:
        return found(None, ONE_ANSWER)
    low, high = _interval(measure, np.array(given.groups)[used], resamples, seed)
    return found(value, note, low=low, high=high)


def all_measured(given: Ratings, *, resamples: int = RESAMPLES, seed: int = 0) -> list[Coefficient]:
    """Every measure that fits the answers; those of order only where they are numbers."""
    several = given.numeric and len(given.categories) > 2
    names = tuple(MEASURES) if several else OF_WORDS
    return [measured(given, name, resamples=resamples, seed=seed) for name in names]


def _weighed(
    measure: Measure, patterns: Codes, places: Codes, domain: Floats, weights: Floats
) -> float | None:
    """`measure` where each unit counts `weights` times; units with the same answers are one row."""
    times = np.bincount(places, weights, len(patterns)).astype(np.intp)
    return measure(patterns, times, domain)


def _interval(
    measure: Callable[[Floats], float | None], groups: NDArray[np.str_], resamples: int, seed: int
) -> tuple[float | None, float | None]:
    names, of_unit = np.unique(groups, return_inverse=True)
    if len(names) < 2 or not resamples:
        return None, None
    generator = np.random.default_rng(seed)
    drawn = []
    for _ in range(resamples):
        times = np.bincount(generator.integers(len(names), size=len(names)), minlength=len(names))
        value = measure(times[of_unit].astype(np.float64))
        if value is not None:
            drawn.append(value)
    if 2 * len(drawn) < resamples:
        return None, None
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def _counts(codes: Codes, domain: Floats) -> Codes:
    """How many chose each category, shape (units, categories)."""
    found: Codes = (codes[:, :, None] == np.arange(len(domain))).sum(axis=1)
    return found


def _commonest(codes: Codes) -> int:
    """How many answers most units with two or more have; of two such numbers the greater."""
    rated = (codes >= 0).sum(axis=1)
    numbers, times = np.unique(rated[rated >= 2], return_counts=True)
    return int(numbers[times == times.max()].max()) if len(numbers) else 0


def _inter_rater() -> Any:
    try:
        from statsmodels.stats import inter_rater
    except ImportError as error:
        raise MissingPackage("statsmodels", "kappa", "label") from error
    return inter_rater


def _krippendorff() -> Any:
    try:
        import krippendorff
    except ImportError as error:
        raise MissingPackage("krippendorff", "Krippendorff's alpha", "label") from error
    return krippendorff
