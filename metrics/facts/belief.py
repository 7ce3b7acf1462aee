"""Whether the judge can be believed: stable, the same as other judges, and close to people.

After OmniCSEval, 5 and appendix D.3.  Intervals are 95 % percentile bootstraps over sources, so
that all summaries of one source come and go together.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import UsageError
from metrics.facts.coefficients import (
    Floats,
    balanced_accuracy,
    confusion,
    kendall_w,
    krippendorff_alpha,
    macro_f1,
)
from metrics.facts.formula import COLUMNS
from metrics.facts.verdicts import Verdicts
from metrics.meta import Agreement, correlation

Key = tuple[str, str]
"""(system, id of the source): one summary."""

DECIMALS = 3
"""System scores are ranked as tables print them: to .1 of 100, hence with ties."""


def stability(
    runs: Sequence[Iterable[Verdicts]], *, resamples: int = 1000, seed: int = 0
) -> list[Agreement]:
    """How well repeated runs of one judge agree (table 5), two rows a score.

    Kendall's W, corrected for ties, of the systems' rankings by their means; Krippendorff's alpha
    (interval) of the summaries' scores.  Summaries without a score in some run do not count for
    W, and those with fewer than two scores not for alpha.
    """
    if len(runs) < 2:
        raise UsageError(f"stability needs at least two runs, and {len(runs)} is given")
    found = []
    for name, cube in _cubes([list(run) for run in runs]):
        whole = cube.complete()
        rows = (
            ("Kendall's W", "system", partial(_concordance, whole), whole, whole),
            ("Krippendorff's alpha", "summary", partial(_alpha, cube), cube, cube.pairable()),
        )
        found += [
            _agreement(
                f"{name}: {what}",
                level,
                measure,
                drawn.sources,
                counts=(counted.units, cube.units),
                resamples=resamples,
                seed=seed,
            )
            for what, level, measure, drawn, counted in rows
        ]
    return found


def robustness(
    judges: Mapping[str, Iterable[Verdicts]], *, resamples: int = 1000, seed: int = 0
) -> list[Agreement]:
    """How alike different judges rank the systems (figure 8), over summaries that all scored.

    For each score Spearman's rho of each two judges, the mean over systems of the standard
    deviation of a system's score over judges (0: the same scores), and the standard deviation of
    the systems' scores, mean over judges (how much there is to tell apart).  Which of the two
    deviations the paper's sigma is it does not say; its own table 4 fits the second.
    """
    if len(judges) < 2:
        raise UsageError(f"robustness needs at least two judges, and {len(judges)} is given")
    found = []
    for name, every in _cubes([list(held) for held in judges.values()]):
        cube = every.complete()
        measures = [
            (f"Spearman {first} / {second}", partial(_ranked_alike, cube, a, b))
            for (a, first), (b, second) in combinations(enumerate(judges), 2)
        ]
        measures += [
            ("deviation over judges", partial(_spread, cube, 0)),
            ("spread over systems", partial(_spread, cube, 1)),
        ]
        found += [
            _agreement(
                f"{name}: {what}", "system", measure, cube.sources,
                counts=(cube.units, every.units), resamples=resamples, seed=seed,
            )
            for what, measure in measures
        ]  # fmt: skip
    return found


def alignment(
    people: Iterable[Verdicts], judge: Iterable[Verdicts], *, resamples: int = 1000, seed: int = 0
) -> list[Agreement]:
    """How well a judge's verdicts fit people's (table 6): macro F1 and balanced accuracy.

    Matching is compared over all pairs of key fact and sentence, flattened into one list;
    verification over all facts.  Summaries that only one side judged, or over other facts or
    sentences, do not count.
    """
    said = {_key(one): one for one in _from_one(list(judge))}
    pairs = [(one, said.get(_key(one))) for one in _from_one(list(people))]
    found = []
    for name, measure, table in (
        ("matching: macro F1", macro_f1, _matching_counts),
        ("verification: balanced accuracy", balanced_accuracy, _support_counts),
    ):
        held = [(one.id, table(one, other)) for one, other in pairs if other is not None]
        known = [(source, counts) for source, counts in held if counts is not None]
        tables = np.array([counts for _, counts in known]).reshape(-1, 2, 2)
        sources, places = np.unique([source for source, _ in known], return_inverse=True)
        found.append(
            _agreement(
                name, "pooled",
                partial(_of_tables, measure, tables, places),
                len(sources), counts=(len(known), len(pairs)), resamples=resamples, seed=seed,
            )
        )  # fmt: skip
    return found


def flattened(matches: Sequence[Sequence[int]], sentences: int) -> list[bool]:
    """The map of key facts x sentences as one list (D.3); sentences are numbered from 1."""
    return [number in held for held in matches for number in range(1, sentences + 1)]


def _matching_counts(truth: Verdicts, said: Verdicts) -> Floats | None:
    one, other = truth.key_facts, said.key_facts
    if one is None or other is None or len(one) != len(other):
        return None
    if truth.sentences != said.sentences:
        return None
    return confusion(flattened(one, truth.sentences), flattened(other, said.sentences))


def _from_one(every: list[Verdicts]) -> list[Verdicts]:
    """The same verdicts with sentences numbered from 1; a 0 anywhere says that they were not."""
    held = [one.key_facts or () for one in every]
    if not any(0 in numbers for matches in held for numbers in matches):
        return every
    return [
        replace(one, key_facts=tuple(tuple(n + 1 for n in numbers) for numbers in one.key_facts))
        if one.key_facts is not None
        else one
        for one in every
    ]


def _support_counts(truth: Verdicts, said: Verdicts) -> Floats | None:
    one, other = truth.supported, said.supported
    if one is None or other is None or len(one) != len(other):
        return None
    both = [(t, s) for t, s in zip(one, other, strict=True) if t is not None and s is not None]
    return confusion([t for t, _ in both], [s for _, s in both])


class _Cube:
    """Scores of one kind: `values` of shape (runs, units), NaN where unscored."""

    def __init__(self, keys: Sequence[Key], values: Floats) -> None:
        self.keys, self.values, self.units = keys, values, len(keys)
        names, self._source = np.unique([key[1] for key in keys], return_inverse=True)
        self.sources = len(names)
        self._systems, self._system = np.unique([key[0] for key in keys], return_inverse=True)

    def complete(self) -> "_Cube":
        """Only the units that every run scored."""
        return self._only(np.isfinite(self.values).all(axis=0))

    def pairable(self) -> "_Cube":
        """Only the units that at least two runs scored."""
        return self._only(np.isfinite(self.values).sum(axis=0) >= 2)

    def _only(self, mask: Any) -> "_Cube":
        keys = [key for key, kept in zip(self.keys, mask, strict=True) if kept]
        return _Cube(keys, self.values[:, mask])

    def of_units(self, weights: Floats) -> Floats:
        """How often each unit counts where each source counts `weights` times."""
        found: Floats = weights[self._source]
        return found

    def means(self, weights: Floats) -> Floats:
        """Rounded means, shape (runs, systems); systems without a drawn unit are left out."""
        times = self.of_units(weights)
        systems = len(self._systems)
        totals = np.bincount(self._system, times, systems)
        sums = np.array([np.bincount(self._system, times * row, systems) for row in self.values])
        kept = totals > 0
        found: Floats = np.round(sums[:, kept] / totals[kept], DECIMALS)
        return found


def _cubes(runs: Sequence[list[Verdicts]]) -> Iterator[tuple[str, _Cube]]:
    """The scores of each kind over the summaries of any run."""
    measured = [{_key(one): one.measured() for one in run} for run in runs]
    keys = sorted({key for run in measured for key in run})
    if not keys:
        raise UsageError("no summary to compare runs by")
    for column in COLUMNS:
        rows = [
            [run[key][column.name].value if key in run else None for key in keys]
            for run in measured
        ]
        yield column.name, _Cube(keys, np.array(rows, dtype=np.float64))


def _key(one: Verdicts) -> Key:
    return one.system or "", one.id


def _concordance(cube: _Cube, weights: Floats) -> float | None:
    return kendall_w(cube.means(weights))


def _alpha(cube: _Cube, weights: Floats) -> float | None:
    return krippendorff_alpha(cube.values, cube.of_units(weights))


def _ranked_alike(cube: _Cube, first: int, second: int, weights: Floats) -> float | None:
    means = cube.means(weights)
    return correlation("spearman", means[first], means[second])


def _spread(cube: _Cube, axis: int, weights: Floats) -> float | None:
    means = cube.means(weights)
    if means.shape[axis] < 2 or not means.size:
        return None
    return float(means.std(axis=axis, ddof=1).mean())


def _of_tables(
    measure: Callable[[Floats], float | None],
    tables: Floats,
    places: NDArray[np.intp],
    weights: Floats,
) -> float | None:
    found: Floats = (tables * weights[places][:, None, None]).sum(axis=0)
    return measure(found)


def _agreement(
    name: str,
    level: str,
    measure: Callable[[Floats], float | None],
    sources: int,
    *,
    counts: tuple[int, int],
    resamples: int,
    seed: int,
) -> Agreement:
    value = measure(np.ones(sources)) if sources else None
    low = high = None
    if value is not None and sources > 1:
        generator = np.random.default_rng(seed)
        draws = (
            np.bincount(generator.integers(sources, size=sources), minlength=sources)
            for _ in range(resamples)
        )
        drawn = [one for d in draws if (one := measure(d.astype(np.float64))) is not None]
        if len(drawn) * 2 >= resamples:
            low, high = (float(bound) for bound in np.quantile(drawn, (0.025, 0.975)))
    note = None if value is not None else "too few scores, or all of them alike"
    return Agreement(
        name=name, level=level, value=value, low=low, high=high,
        n=counts[0], expected=counts[1], note=note,
    )  # fmt: skip
