"""Means over many scores, with n of N and an interval, and the same by slices."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import UsageError
from globesumm.finite import all_numbers, numbers
from globesumm.text import planted
from globesumm.values import Event, Score
from metrics.base import Signature

MOST_DRAWS = 1 << 22
"""Numbers drawn at once in a bootstrap (32 MiB)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """The mean of one column.

    `mean` is None where nothing was scored; `low` and `high` bound it at `level` (percentile
    bootstrap over the scores; None with fewer than two).  `n` of `expected` were scored;
    `reasons` counts why the others were not.  `flagged` are about texts that speak to a model
    (`globesumm.text.planted`), scored or not.
    """

    metric: str
    signature: str
    mean: float | None
    low: float | None
    high: float | None
    n: int
    expected: int
    level: float = 0.95
    reasons: tuple[tuple[str, int], ...] = ()
    flagged: int = 0


def aggregate(
    scores: Iterable[Score], *, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> list[Aggregate]:
    """One aggregate for each column, in the order in which columns first occur.

    The result depends on the scores alone, not on their order.  Scores of one column with
    unequal signatures are a `UsageError`.
    """
    columns: dict[str, list[Score]] = {}
    for score in scores:
        columns.setdefault(score.metric, []).append(score)
    return [_aggregate(column, resamples, seed, level) for column in columns.values()]


def _aggregate(scores: Sequence[Score], resamples: int, seed: int, level: float) -> Aggregate:
    signature = one_signature(scores[0].metric, (score.signature for score in scores))
    values = sorted(score.value for score in scores if score.value is not None)
    reasons: dict[str, int] = {}
    for score in scores:
        if score.value is None:
            reason = score.note or "no reason given"
            reasons[reason] = reasons.get(reason, 0) + 1
    low, high = interval(values, resamples=resamples, seed=seed, level=level)
    return Aggregate(
        metric=scores[0].metric,
        signature=signature,
        mean=mean(values),
        low=low,
        high=high,
        n=len(values),
        expected=len(scores),
        level=level,
        reasons=tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        flagged=sum(planted.is_noted(score.note) for score in scores),
    )


def one_signature(column: str, signatures: Iterable[str]) -> str:
    """The signature that all share; two different ones are a `UsageError` naming what differs."""
    first, *others = dict.fromkeys(signatures)
    if others:
        differing = Signature.parse(first).differences(Signature.parse(others[0]))
        raise UsageError(
            f"column {column!r} would hold scores with unequal signatures "
            f"({'; '.join(differing)}): score all of them the same way, or compare apart"
        )
    return first


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean, the same in every order; None of nothing.

    A value that is no number (`globesumm.finite.is_number`) is a ValueError, here and below.
    """
    return math.fsum(numbers(values)) / len(values) if values else None


def interval(
    values: Sequence[float], *, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> tuple[float | None, float | None]:
    """Percentile bootstrap interval of the mean (Efron, 1979); (None, None) below two values."""
    if len(values) < 2:
        return None, None
    means = resampled_means(np.sort(np.asarray(numbers(values), np.float64)), resamples, seed)
    low, high = np.quantile(means, ((1 - level) / 2, (1 + level) / 2))
    return float(low), float(high)


def resampled_means(values: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    """The means of `resamples` draws with replacement; shape (resamples,)."""
    if not len(values):
        raise ValueError("no value to draw from")
    all_numbers(values)
    generator = np.random.default_rng(seed)
    rows = max(1, MOST_DRAWS // len(values))
    means = [
        values[
            generator.integers(len(values), size=(min(rows, resamples - done), len(values)))
        ].mean(axis=1)
        for done in range(0, resamples, rows)
    ]
    return np.concatenate(means)


Key = Callable[[Score], str | None]
"""What a score is sliced by; None where that is not known."""

UNSTATED = "(not stated)"


def slices(
    scores: Iterable[Score], key: Key, *, resamples: int = 1000, seed: int = 0
) -> dict[str, list[Aggregate]]:
    """The aggregates of each slice, slices in order of their names; numbers count as numbers."""
    groups: dict[str, list[Score]] = {}
    for score in scores:
        groups.setdefault(key(score) or UNSTATED, []).append(score)
    return {
        name: aggregate(groups[name], resamples=resamples, seed=seed)
        for name in sorted(
            groups, key=lambda name: (not name.isdecimal(), len(name) * name.isdecimal(), name)
        )
    }


def slice_keys(events: Iterable[Event] = ()) -> Mapping[str, Key]:
    """What scores can be sliced by: the text's language and its prefix (round), and, for the
    scores of `events`, their category and number of languages.
    """
    by_id = {event.id: event for event in events}

    def category(score: Score) -> str | None:
        event = by_id.get(score.event or "")
        return event.category if event else None

    def languages(score: Score) -> str | None:
        event = by_id.get(score.event or "")
        return str(len({d.language for d in event.documents})) if event else None

    return {
        "language": lambda score: score.language,
        "prefix": lambda score: None if score.round is None else str(score.round),
        "category": category,
        "languages": languages,
    }
