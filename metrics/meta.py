"""Whether a metric says what people say: correlation, winrate and balanced accuracy."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import DataError, MissingPackage, UnknownName, UsageError
from globesumm.finite import all_numbers, is_number
from globesumm.records import from_plain, read_plain_records
from globesumm.values import Rejected
from metrics.base import Better

Ties = Literal["half", "wrong", "skip"]
"""A pair of summaries that the metric cannot tell apart counts half, as lost, or not at all."""

CORRELATIONS = ("spearman", "kendall", "pearson")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One summary with a metric's value and a person's (None where either is missing).

    Summaries of one `document` (or event) compete; `system` wrote it; `summary` names it.
    """

    document: str
    system: str
    metric: float | None
    truth: float | None
    summary: str | None = None

    @property
    def known(self) -> bool:
        values = (self.metric, self.truth)
        return all(value is not None and is_number(value) for value in values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """One measure of agreement; 1 is perfect, correlations 0 and the others .5 are chance.

    `level` is ``pooled`` (over all summaries at once), ``summary`` (within each document, then
    the mean) or ``system`` (over the systems' means).  `low` and `high` bound `value` (95 %
    percentile bootstrap over documents; None for fewer than two documents).  `n` of `expected`
    summaries, documents or systems had what it takes; `note` says why `value` is None.
    """

    name: str
    level: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    expected: int
    note: str | None = None


def read_judged(path: Path) -> Iterator[Judged | Rejected]:
    """Lines ``{"document", "summary", "system", "metric", "truth"}`` of a JSON Lines file.

    ``metric`` is the metric's value and ``truth`` the person's, a number, true or false.  A
    line of another form, or about a summary that an earlier line was about, is `Rejected`.
    """
    seen: set[tuple[str, str, str]] = set()
    for record in read_plain_records(path):
        if isinstance(record, Rejected):
            yield record
            continue
        where, plain = record
        try:
            found = from_plain(Judged, plain, where)
        except DataError as error:
            yield Rejected(where=where, reason=str(error).removeprefix(f"{where}: "))
            continue
        if found.summary is not None:
            key = (found.document, found.system, found.summary)
            if key in seen:
                named = f"the summary {found.summary!r} by {found.system!r} of {found.document!r}"
                yield Rejected(where=where, reason=f"{named} was on a line before")
                continue
            seen.add(key)
        yield found


def agreement(
    judged: Iterable[Judged],
    *,
    better: Better = Better.HIGHER,
    ties: Ties = "half",
    threshold: float | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> list[Agreement]:
    """Every measure of agreement that the rows allow, in a fixed order.

    With `better` LOWER the metric is turned round, so that 1 always means agreement.  Winrate
    follows Deng et al. (2025), 3: within each document the share of summary pairs, told apart
    by people, that the metric ranks alike, then the mean over documents.  Where every truth is
    0 or 1, balanced accuracy is added for ``metric > threshold`` (default .5; with LOWER,
    ``metric < threshold``).  Rows without either value are left out and counted.
    """
    if ties not in ("half", "wrong", "skip"):
        raise UnknownName("rule for ties", ties, ("half", "wrong", "skip"))
    rows = sorted(judged, key=lambda row: (row.document, row.system, row.summary or ""))
    if not rows:
        raise UsageError("no rows to compare a metric with people by: give lines with both")
    sign = 1.0 if better is Better.HIGHER else -1.0
    data = _Data(rows, sign, resamples, seed)
    found = [data.pooled(kind) for kind in CORRELATIONS]
    found += [data.within(kind) for kind in CORRELATIONS]
    found += [data.systems(kind) for kind in CORRELATIONS]
    found.append(data.winrate(ties))
    if all(row.truth in (0, 1) for row in rows if row.known):
        found.append(data.balanced_accuracy(sign * (0.5 if threshold is None else threshold)))
    return found


def correlation(kind: str, left: NDArray[np.float64], right: NDArray[np.float64]) -> float | None:
    """Spearman's rho, Kendall's tau-b or Pearson's r, from -1 to 1.

    None where it is not defined: fewer than two points, or one side constant.  A value that is no
    number is a ValueError.
    """
    all_numbers(left)
    all_numbers(right)
    try:
        stats: Any = import_module("scipy.stats")
    except ImportError as error:
        raise MissingPackage("scipy", "comparing metrics with people", "models") from error
    if len(left) < 2 or np.ptp(left) == 0 or np.ptp(right) == 0:
        return None
    if kind == "kendall":
        value = float(stats.kendalltau(left, right).statistic)
    else:
        ranked = kind == "spearman"
        x, y = (stats.rankdata(side) if ranked else side for side in (left, right))
        # Scaled, so that neither huge nor tiny values overflow or vanish when squared.
        x, y = ((side - side.mean()) / np.abs(side - side.mean()).max() for side in (x, y))
        value = float(x @ y / math.sqrt(float(x @ x) * float(y @ y)))
    return max(-1.0, min(1.0, value)) if math.isfinite(value) else None


Pair = NDArray[np.float64]
"""Metric values (turned so that higher is better) and truths; shape (2, summaries)."""


class _Data:
    """The rows by document, and the measures over them and over resampled documents."""

    def __init__(self, rows: Sequence[Judged], sign: float, resamples: int, seed: int) -> None:
        self._rows = rows
        known = [row for row in rows if row.known]
        self._known = len(known)
        self._documents = sorted({row.document for row in rows})
        self._by_document: list[Pair] = []
        self._by_system: dict[str, list[tuple[int, float, float]]] = {
            system: [] for system in sorted({row.system for row in rows})
        }
        for place, name in enumerate(self._documents):
            mine = [row for row in known if row.document == name]
            values = [(sign * float(row.metric or 0), float(row.truth or 0)) for row in mine]
            self._by_document.append(np.array(values, dtype=np.float64).reshape(-1, 2).T)
            for row, (metric, truth) in zip(mine, values, strict=True):
                self._by_system[row.system].append((place, metric, truth))
        generator = np.random.default_rng(seed)
        count = len(self._documents)
        self._draws = generator.integers(count, size=(resamples, count)) if count > 1 else None

    def pooled(self, kind: str) -> Agreement:
        return self._over_summaries(
            kind, lambda pair: correlation(kind, *pair), "one side is constant"
        )

    def balanced_accuracy(self, threshold: float) -> Agreement:
        return self._over_summaries(
            "balanced accuracy", lambda pair: _balanced(pair, threshold), "one class does not occur"
        )

    def within(self, kind: str) -> Agreement:
        values = [correlation(kind, *pair) for pair in self._by_document]
        return self._over_documents(kind, values, "no document has two unlike summaries")

    def winrate(self, ties: Ties) -> Agreement:
        values = [_winrate(pair, ties) for pair in self._by_document]
        return self._over_documents(f"winrate (ties {ties})", values, "no pair is told apart")

    def systems(self, kind: str) -> Agreement:
        scored = sum(bool(held) for held in self._by_system.values())
        value = self._system_value(kind, np.ones(len(self._documents)))
        low, high = self._interval(
            lambda draw: self._system_value(
                kind, np.bincount(draw, minlength=len(self._documents)).astype(np.float64)
            )
        )
        note = None if value is not None else "the systems' means do not differ"
        counts = (scored, len(self._by_system))
        return _agreement(kind, "system", value, (low, high), counts=counts, note=note)

    def _system_value(self, kind: str, weights: NDArray[np.float64]) -> float | None:
        """The correlation of the systems' means, documents counted `weights` times."""
        means = []
        for held in self._by_system.values():
            counts = np.array([weights[place] for place, _, _ in held])
            if counts.sum() > 0:
                pair = np.array([values for _, *values in held])
                means.append(counts @ pair / counts.sum())
        return correlation(kind, *np.array(means).T) if len(means) > 1 else None

    def _over_summaries(
        self, name: str, measure: Callable[[Pair], float | None], why: str
    ) -> Agreement:
        value = measure(np.concatenate(self._by_document, axis=1))
        bounds = self._interval(
            lambda draw: measure(np.concatenate([self._by_document[p] for p in draw], axis=1))
        )
        note = None if value is not None else why
        counts = (self._known, len(self._rows))
        return _agreement(name, "pooled", value, bounds, counts=counts, note=note)

    def _over_documents(self, name: str, values: Sequence[float | None], why: str) -> Agreement:
        known = np.array([math.nan if value is None else value for value in values])
        value = _mean(known)
        bounds = self._interval(lambda draw: _mean(known[draw]))
        counts = (int(np.isfinite(known).sum()), len(values))
        note = None if counts[0] else why
        return _agreement(name, "summary", value, bounds, counts=counts, note=note)

    def _interval(
        self, measure: Callable[[NDArray[np.intp]], float | None]
    ) -> tuple[float | None, float | None]:
        if self._draws is None:
            return None, None
        found = [value for draw in self._draws if (value := measure(draw)) is not None]
        if len(found) * 2 < len(self._draws):
            return None, None
        low, high = np.quantile(found, (0.025, 0.975))
        return float(low), float(high)


def _agreement(
    name: str,
    level: str,
    value: float | None,
    bounds: tuple[float | None, float | None],
    *,
    counts: tuple[int, int],
    note: str | None,
) -> Agreement:
    low, high = bounds if value is not None else (None, None)
    return Agreement(
        name=name,
        level=level,
        value=value,
        low=low,
        high=high,
        n=counts[0],
        expected=counts[1],
        note=note,
    )


def _mean(values: NDArray[np.float64]) -> float | None:
    known = values[np.isfinite(values)]
    return math.fsum(known) / len(known) if len(known) else None


def _winrate(pair: Pair, ties: Ties) -> float | None:
    """Share of the pairs that people tell apart on which the metric agrees."""
    won: list[float] = []
    for one, two in combinations(pair.T, 2):
        metric, truth = one - two
        if truth == 0 or (metric == 0 and ties == "skip"):
            continue
        tied = 0.5 if ties == "half" else 0.0
        won.append(tied if metric == 0 else float(metric * truth > 0))
    return math.fsum(won) / len(won) if won else None


def _balanced(pair: Pair, threshold: float) -> float | None:
    """Mean of the shares of positives and of negatives that the metric puts on their side."""
    said, truth = pair[0] > threshold, pair[1] == 1
    if truth.all() or not truth.any():
        return None
    return float((said[truth].mean() + (~said[~truth]).mean()) / 2)
