"""How much faster 500 resamples are fitted than with choix, one by one.

``python tests/benchmarks/bench_bradley_terry.py`` prints a Markdown table: processor seconds of
one thread, medians of up to three rounds that alternate; only the ratios carry over to other
machines.  Both sides do the whole work: draw the resamples, count their wins, fit.
"""

import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.ranking import ScoreTable, Settings, rank

METHODS, DOCUMENTS, RESAMPLES, ASKED = 6, 200, 500, 20
ROUNDS, LONG_ENOUGH = 3, 15.0


def scores() -> ScoreTable:
    generator = np.random.default_rng(1)
    values = generator.gumbel(size=(METHODS, DOCUMENTS)) + 0.2 * np.arange(METHODS)[:, None]
    return ScoreTable(
        methods=tuple(f"m{place}" for place in range(METHODS)),
        documents=tuple(f"d{place}" for place in range(DOCUMENTS)),
        values=values,
        reasons=((),) * METHODS,
    )


def tables(made: ScoreTable) -> list[NDArray[np.float64]]:
    """The wins of each resample."""
    generator = np.random.default_rng(0)
    found = []
    for _ in range(RESAMPLES):
        drawn = made.values[:, generator.integers(DOCUMENTS, size=DOCUMENTS)]
        found.append((drawn[:, None] > drawn[None]).sum(axis=2).astype(float))
    return found


def ways(made: ScoreTable) -> dict[str, Callable[[], object]]:
    """choix's functions for maximum likelihood: of lists of wins, and of tables of wins."""
    choix: Any = import_module("choix")

    def of_lists(fit: Callable[..., object]) -> Callable[[], object]:
        return lambda: [fit(METHODS, listed(wins)) for wins in tables(made)]

    return {
        "choix.opt_pairwise": of_lists(choix.opt_pairwise),
        "choix.ilsr_pairwise": of_lists(choix.ilsr_pairwise),
        "choix.mm_pairwise": of_lists(choix.mm_pairwise),
        "choix.ilsr_pairwise_dense": lambda: [
            choix.ilsr_pairwise_dense(wins) for wins in tables(made)
        ],
    }


def listed(wins: NDArray[np.float64]) -> list[tuple[int, int]]:
    return [(i, j) for i, j in permutations(range(METHODS), 2) for _ in range(int(wins[i, j]))]


def seconds(function: Callable[[], object]) -> float:
    started = time.process_time()
    function()
    return time.process_time() - started


def main() -> int:
    made = scores()
    settings = Settings(bootstrap=RESAMPLES, penalty=0)
    rank(made, settings)
    print("| against | ours, seconds | theirs, seconds | ratio | asked for |")
    print("| --- | ---: | ---: | ---: | ---: |")
    ratios = []
    for name, function in ways(made).items():
        pairs: list[tuple[float, float]] = []
        while len(pairs) < ROUNDS and sum(theirs for _, theirs in pairs) < LONG_ENOUGH:
            pairs.append((seconds(lambda: rank(made, settings)), seconds(function)))
        ours, theirs = (statistics.median(one) for one in zip(*pairs, strict=True))
        ratios.append(theirs / ours)
        print(f"| {name} | {ours:.4f} | {theirs:.2f} | {theirs / ours:.0f}x | {ASKED} |")
    return 0 if min(ratios) >= ASKED else 1


if __name__ == "__main__":
    sys.exit(main())
