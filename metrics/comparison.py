"""Whether one system is better than another on the same items, or only luckier."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import UsageError
from globesumm.values import Score
from metrics.aggregate import mean, one_signature, resampled_means
from metrics.permutation import at_least, paired_permutation

Item = Callable[[Score], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One column of two systems over the items that both have scores for.

    `difference` is the mean of left minus right with its bootstrap interval; `p_permutation`
    and `p_bootstrap` are two-sided, from 0 to 1, and None with fewer than two pairs;
    `p_adjusted` is `p_permutation` after Holm's correction where several were compared.  `n` of
    `expected` items had both values.
    """

    metric: str
    left: str
    right: str
    signature: str
    difference: float | None
    low: float | None
    high: float | None
    p_bootstrap: float | None
    p_permutation: float | None
    n: int
    expected: int
    p_adjusted: float | None = None


def compare(
    systems: Mapping[str, Sequence[Score]],
    metric: str,
    *,
    item: Item = lambda score: score.id,
    resamples: int = 10_000,
    seed: int = 0,
) -> list[Comparison]:
    """Every pair of systems in one column, with Holm's correction over the pairs.

    Scores are paired by `item`; an item that only one system has a value for counts in
    `expected` alone.  Two scores of one system for one item, or unequal signatures, are a
    `UsageError`.
    """
    columns = {
        name: [score for score in scores if score.metric == metric]
        for name, scores in systems.items()
    }
    if not any(columns.values()):
        raise UsageError(
            f"no scores of metric {metric!r} in {', '.join(systems) or 'no system'}: "
            "score them first"
        )
    signature = one_signature(metric, (s.signature for column in columns.values() for s in column))
    values = {name: _by_item(name, column, item) for name, column in columns.items()}
    found = [
        _compared(
            metric, (left, right), values, signature=signature, resamples=resamples, seed=seed
        )
        for left, right in combinations(values, 2)
    ]
    adjusted = holm([comparison.p_permutation for comparison in found])
    return [replace(one, p_adjusted=p) for one, p in zip(found, adjusted, strict=True)]


def compare_all(
    systems: Mapping[str, Sequence[Score]],
    metrics: Sequence[str],
    *,
    resamples: int = 10_000,
    seed: int = 0,
) -> list[Comparison]:
    """Every pair of systems in every column, with Holm's correction over all of these tests.

    Scores are paired by id, and by id and round where a system has an id more than once.
    Fewer than two systems are a `UsageError`.
    """
    if len(systems) < 2:
        held = ", ".join(systems) or "none"
        raise UsageError(f"a comparison needs two recipes or more, and there is: {held}")
    item = _pairing(systems)
    found = [
        one
        for metric in metrics
        for one in compare(systems, metric, item=item, resamples=resamples, seed=seed)
    ]
    adjusted = holm([one.p_permutation for one in found])
    return [replace(one, p_adjusted=p) for one, p in zip(found, adjusted, strict=True)]


def _pairing(systems: Mapping[str, Sequence[Score]]) -> Item:
    for scores in systems.values():
        keys = [(score.metric, score.id) for score in scores]
        if len(keys) != len(set(keys)):
            return lambda score: f"{score.id} round {score.round}"
    return lambda score: score.id


def _by_item(system: str, scores: Sequence[Score], item: Item) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    for score in scores:
        key = item(score)
        if key in values:
            raise UsageError(
                f"{system} has two scores of {score.metric} for the item {key!r}: leave one out"
            )
        values[key] = score.value
    return values


def _compared(
    metric: str,
    pair: tuple[str, str],
    values: Mapping[str, Mapping[str, float | None]],
    *,
    signature: str,
    resamples: int,
    seed: int,
) -> Comparison:
    left, right = (values[name] for name in pair)
    items = sorted(left.keys() | right.keys())
    found = [
        mine - theirs
        for key in items
        if (mine := left.get(key)) is not None and (theirs := right.get(key)) is not None
    ]
    # Sorted, so that the result depends on the differences alone.
    differences = np.sort(np.array(found, dtype=np.float64))
    low, high, p_bootstrap = (
        paired_bootstrap(differences, resamples, seed) if len(found) > 1 else (None, None, None)
    )
    return Comparison(
        metric=metric,
        left=pair[0],
        right=pair[1],
        signature=signature,
        difference=mean(found),
        low=low,
        high=high,
        p_bootstrap=p_bootstrap,
        p_permutation=paired_permutation(differences) if len(found) > 1 else None,
        n=len(found),
        expected=len(items),
    )


def paired_bootstrap(
    differences: NDArray[np.float64], resamples: int, seed: int, level: float = 0.95
) -> tuple[float, float, float]:
    """Percentile interval of the mean, and a two-sided p, from the same draws.

    p says how often the mean of resampled *centred* differences is as far from 0 (Efron and
    Tibshirani, 1993, 16.4); (k + 1) / (resamples + 1), so never 0.
    """
    means = resampled_means(differences, resamples, seed)
    low, high = np.quantile(means, ((1 - level) / 2, (1 + level) / 2))
    mean_difference = differences.mean()
    apart = np.abs(means - mean_difference)
    p = _share(int(np.count_nonzero(at_least(apart, abs(mean_difference)))), resamples)
    return float(low), float(high), p


def _share(extreme: int, resamples: int) -> float:
    return (extreme + 1) / (resamples + 1)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's (1979) step-down correction, in the order given; None stays None, uncounted."""
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - rank)))
        adjusted[place] = highest
    return adjusted
