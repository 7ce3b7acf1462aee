"""One group of cells against another on the same events: the evidence that findings rest on."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from baselines.tables.pairs import by_event
from baselines.tables.results import CellResult, Results, Who
from globesumm.values import Recipe
from metrics.comparison import paired_bootstrap
from metrics.permutation import paired_permutation

ALL = "*"
RESAMPLES = 2000
SCHEMAS, PROMPTINGS = ("sts", "crs"), ("direct", "protocol")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Left against right, as fractions of the metric.

    Over `pairs` of `of_pairs` pairs of cells that differ in nothing else, and over the `n` of
    `expected` events that all of these cells have values for (None where only means are known).
    `differences` are the values by event.  Without a difference `why` says why.
    """

    left: float | None = None
    right: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p_bootstrap: float | None = None
    p_permutation: float | None = None
    n: int | None = None
    expected: int | None = None
    pairs: int = 0
    of_pairs: int = 0
    why: str | None = None
    differences: Mapping[str, float] | None = None


def matched(left: str, right: str, pipelines: Sequence[str]) -> list[tuple[Recipe, Recipe]]:
    """The recipes of pattern `left`, each with the one of `right` that is equal in all else."""
    places = (SCHEMAS, tuple(pipelines), PROMPTINGS)
    mine, theirs = left.split("."), right.split(".")
    found = []
    for combination in product(
        *(known if part == ALL else (part,) for part, known in zip(mine, places, strict=True))
    ):
        other = [
            own if part == ALL else part for part, own in zip(theirs, combination, strict=True)
        ]
        found.append((_recipe(combination), _recipe(other)))
    return found


def evidence(
    results: Results,
    who: Who,
    metric: str,
    pairs: Sequence[tuple[Recipe, Recipe]],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Evidence:
    """The means of both sides and their difference, tested where values by event are known.

    A pair counts if both of its cells have values, all of one signature; repeats are averaged
    by event.
    """
    held = [(results.of(a, who, metric), results.of(b, who, metric)) for a, b in pairs]
    usable = [pair for pair in held if all(any(one.scored for one in side) for side in pair)]
    if not usable:
        return Evidence(of_pairs=len(pairs), why=f"none of {len(pairs)} pairs of cells is scored")
    cells = [one for pair in usable for side in pair for one in side if one.scored]
    if len({one.signature for one in cells}) > 1:
        return Evidence(of_pairs=len(pairs), why="the cells were scored with unequal signatures")
    if not all(one.items for one in cells):
        return _of_means(usable, len(pairs))
    return _of_items(usable, len(pairs), resamples, seed)


Pair = tuple[Sequence[CellResult], Sequence[CellResult]]


def _of_means(usable: Sequence[Pair], of_pairs: int) -> Evidence:
    left, right = (
        math.fsum(one.mean or 0.0 for pair in usable for one in pair[side])
        / sum(len(pair[side]) for pair in usable)
        for side in (0, 1)
    )
    return Evidence(
        left=left, right=right, difference=left - right, pairs=len(usable), of_pairs=of_pairs
    )


def _of_items(usable: Sequence[Pair], of_pairs: int, resamples: int, seed: int) -> Evidence:
    values = [tuple(by_event(side) for side in pair) for pair in usable]
    events = sorted({event for pair in values for side in pair for event in side})
    sides: dict[str, tuple[float, float]] = {}
    for event in events:
        found = [[side.get(event) for side in pair] for pair in values]
        complete = [(a, b) for a, b in found if a is not None and b is not None]
        if len(complete) == len(found):
            sides[event] = (
                math.fsum(a for a, _ in complete) / len(complete),
                math.fsum(b for _, b in complete) / len(complete),
            )
    if not sides:
        return Evidence(
            n=0,
            expected=len(events),
            pairs=len(usable),
            of_pairs=of_pairs,
            why=f"no event of {len(events)} has a value in all {2 * len(usable)} cells",
        )
    differences = {event: a - b for event, (a, b) in sides.items()}
    return with_tests(
        Evidence(
            left=math.fsum(a for a, _ in sides.values()) / len(sides),
            right=math.fsum(b for _, b in sides.values()) / len(sides),
            expected=len(events),
            pairs=len(usable),
            of_pairs=of_pairs,
            differences=differences,
        ),
        resamples,
        seed,
    )


def with_tests(found: Evidence, resamples: int = RESAMPLES, seed: int = 0) -> Evidence:
    """`found` with the mean of its differences, interval and two-sided p values."""
    values = np.array(sorted((found.differences or {}).values()), dtype=np.float64)
    low, high, p = paired_bootstrap(values, resamples, seed) if len(values) > 1 else (None,) * 3
    return replace(
        found,
        difference=math.fsum(values) / len(values) if len(values) else None,
        low=low,
        high=high,
        p_bootstrap=p,
        p_permutation=paired_permutation(values) if len(values) > 1 else None,
        n=len(values),
    )


def _recipe(parts: Sequence[str]) -> Recipe:
    schema, pipeline, prompting = parts
    return Recipe(schema=schema, pipeline=pipeline, prompting=prompting)
