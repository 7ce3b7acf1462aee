"""Who beats whom: on each document, or by average scores as the perspective paper compares."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.aggregate import MOST_DRAWS

Floats = NDArray[np.float64]

Wins = Literal["documents", "averages"]
"""A comparison of two methods is one document, or one average over all documents."""

Ties = Literal["split", "random"]
"""An equal score is half a win for each (ours), or a coin decides (the perspective paper)."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The comparisons of `values`, shape (methods, documents), NaN where there is no score."""

    values: Floats
    wins: Wins = "documents"
    ties: Ties = "split"

    @property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The two methods of each pair, each with shape (pairs,)."""
        left, right = np.triu_indices(len(self.values), k=1)
        return left, right

    def tables(self, weights: Floats, generator: np.random.Generator) -> Floats:
        """How often each method beat each other; shape (rows, methods, methods).

        `weights`, shape (rows, documents), says how often a document counts in each row.
        """
        won, tied, games = (
            self._by_average(weights) if self.wins == "averages" else self._by_document(weights)
        )
        if self.ties == "random":
            won = won + generator.binomial(np.rint(tied).astype(np.int64), 0.5)
        else:
            won = won + tied / 2
        count = len(self.values)
        left, right = self.pairs
        found = np.zeros((len(weights), count, count))
        found[:, left, right] = won
        found[:, right, left] = games - won
        return found

    def _by_document(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Wins of the left method, ties and comparisons of each pair; shape (rows, pairs)."""
        left, right = self.pairs
        documents = self.values.shape[1]
        size = max(1, MOST_DRAWS // max(1, len(left)))
        won, tied, games = np.zeros((3, len(weights), len(left)))
        for start in range(0, documents, size):
            part = self.values[:, start : start + size].T
            one, two = part[:, left], part[:, right]
            both = ~(np.isnan(one) | np.isnan(two))
            held = weights[:, start : start + size]
            won += held @ (one > two).astype(np.float64)
            tied += held @ (one == two).astype(np.float64)
            games += held @ both.astype(np.float64)
        return won, tied, games

    def _by_average(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """The same with one comparison a pair, between the means over what each was scored on."""
        left, right = self.pairs
        known = ~np.isnan(self.values)
        counts = weights @ known.T.astype(np.float64)
        sums = weights @ np.where(known, self.values, 0).T
        means = sums / np.maximum(counts, 1)
        # Sums that rounding alone sets apart are a tie; rounding is of the size of what was added.
        near = 1e-12 * np.abs(np.where(known, self.values, 0)).max(initial=0.0)
        both = (counts[:, left] > 0) & (counts[:, right] > 0)
        one, two = means[:, left], means[:, right]
        won, tied = (one > two + near) & both, (np.abs(one - two) <= near) & both
        return won.astype(np.float64), tied.astype(np.float64), both.astype(np.float64)


def resamples(
    shape: tuple[int, int], count: int, generator: np.random.Generator
) -> Iterator[Floats]:
    """How often each document was drawn, for `count` draws with replacement, some rows at a time.

    `shape` is (documents, methods).  Each block has shape (rows, documents), so few rows that
    their tables of methods against methods fit into memory, and rows sum to `documents`.
    """
    documents, methods = shape
    rows = max(1, MOST_DRAWS // max(documents, methods * methods))
    for start in range(0, count, rows):
        size = min(rows, count - start)
        drawn = generator.integers(documents, size=(size, documents))
        drawn += np.arange(size)[:, None] * documents
        counts = np.bincount(drawn.ravel(), minlength=size * documents)
        yield counts.reshape(size, documents).astype(np.float64)
