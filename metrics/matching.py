"""BERTScore between all sentences of one text at once, and the nearest other sentence."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metrics.encoders import Encoded

MOST_CELLS = 1 << 24
"""Token similarities held at once (64 MiB)."""


def nearest(sentences: Sequence[Encoded]) -> NDArray[np.float64]:
    """For each sentence the highest raw BERTScore F1 with another one; shape (sentences,).

    Zhang et al. (2020), 3: precision is the mean over a sentence's tokens of the highest cosine
    with a token of the other, recall the same the other way, F1 = 2PR / (P + R) and 0 where
    both are 0.  Without idf weights F1 is the same in both directions, so that each pair is
    matched once.  At least two sentences, each with a token that weighs something; else a
    ValueError.
    """
    if len(sentences) < 2 or not all(one.weights.sum() > 0 for one in sentences):
        raise ValueError(
            "two sentences or more are needed, each with a token that weighs something"
        )
    sizes = np.array([len(sentence.vectors) for sentence in sentences])
    starts = np.concatenate(([0], np.cumsum(sizes)))
    vectors = np.concatenate([sentence.vectors for sentence in sentences])
    weights = np.concatenate([s.weights / s.weights.sum() for s in sentences])
    best = np.full(len(sentences), -np.inf)
    first = 0
    while first < len(sentences):
        last = _block_end(starts, first)
        f1 = _block(vectors, weights, starts, first, last)
        np.maximum(best[first:last], f1.max(axis=1), out=best[first:last])
        np.maximum(best[first:], f1.max(axis=0), out=best[first:])
        first = last
    return best


def _block_end(starts: NDArray[np.intp], first: int) -> int:
    """The sentence after the last one whose rows still fit beside all columns from `first` on."""
    rows = max(1, MOST_CELLS // int(starts[-1] - starts[first]))
    return max(first + 1, int(np.searchsorted(starts, starts[first] + rows, side="right")) - 1)


def _block(
    vectors: NDArray[np.float32],
    weights: NDArray[np.float32],
    starts: NDArray[np.intp],
    first: int,
    last: int,
) -> NDArray[np.float64]:
    """F1 of the sentences first … last - 1 with all from `first` on; -inf with themselves."""
    low, high = starts[first], starts[last]
    rows, columns = starts[first:last] - low, starts[first:-1] - low
    cosines = vectors[low:high] @ vectors[low:].T
    ours = np.maximum.reduceat(cosines, columns, axis=1) * weights[low:high, None]
    theirs = np.maximum.reduceat(cosines, rows, axis=0) * weights[None, low:]
    precision = np.add.reduceat(ours, rows, axis=0).astype(np.float64)
    recall = np.add.reduceat(theirs, columns, axis=1).astype(np.float64)
    total = precision + recall
    f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total != 0)
    f1[np.arange(last - first), np.arange(last - first)] = -np.inf
    return f1
