"""The Bradley-Terry model for many tables of wins at once.

Method i beats method j with probability 1 / (1 + exp(-(a_i - a_j))).  The likelihood has a
maximum only where every method can be reached from every other along wins (Ford, 1957); for
transitive outcomes, where one method wins every comparison, it has none, and an optimizer then
returns wherever it stopped.  A penalty of virtual ties gives a maximum always.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_MOST_STEPS = 1000
_LONGEST_STEP = 1.0
"""In logits: far from the maximum the curvature vanishes, and a whole Newton step overshoots."""
_SHORTEST_STEP = 1e-8


def abilities(wins: Floats, penalty: float = 1.0, compared: Bools | None = None) -> Floats:
    """The abilities that maximize the penalized likelihood of each table of wins, in logits.

    `wins` has shape (..., methods, methods); ``wins[..., i, j]`` is how often i beat j (a tie is
    half a win for each; the diagonal counts nothing).  `penalty` is the number of virtual ties
    added to each pair that was `compared` (by default, that has a win in any of the tables); with
    1 each side gets half a win, the correction of Haldane (1956) and Anscombe (1956) for log
    odds.  0 is plain maximum likelihood: ask `has_maximum` first.

    Returns shape (..., methods); abilities that comparisons link have mean 0, and differences
    mean nothing between methods that none links.  The result is that of Newton's method run until
    nothing changes, so no tolerance decides it.
    """
    tables = np.asarray(wins, dtype=np.float64)
    count = tables.shape[-1]
    flat = tables.reshape(-1, count, count) * (1 - np.eye(count))
    if compared is None:
        compared = _met(flat)
    counts = flat + penalty / 2 * (compared & ~np.eye(count, dtype=bool))
    games = counts + counts.swapaxes(1, 2)
    # Adding a constant to all that are linked changes no probability: hold each sum at 0.
    linked = groups_of(compared)
    held = (linked[:, None] == linked[None, :]).astype(np.float64)
    found = np.zeros(flat.shape[:2])
    open_ = np.arange(len(found))
    for _ in range(_MOST_STEPS):
        now = found[open_]
        chance = _logistic(now[:, :, None] - now[:, None, :])
        other = chance.swapaxes(1, 2)
        lost = counts[open_].swapaxes(1, 2)
        # Not wins - games * chance: near certainty that difference would be rounding alone.
        slope = (counts[open_] * other - lost * chance).sum(axis=2)
        weight = games[open_] * chance * other
        curvature = -weight
        places = np.arange(count)
        curvature[:, places, places] = weight.sum(axis=2) - weight[:, places, places]
        scale = np.maximum(weight.max(axis=(1, 2), initial=0.0), 1e-300)
        step = np.linalg.solve(
            curvature / scale[:, None, None] + held, (slope / scale[:, None])[:, :, None]
        )[:, :, 0]
        length = np.abs(step).max(axis=1, initial=0.0)
        found[open_] = (
            now + step * np.minimum(1, _LONGEST_STEP / np.maximum(length, 1e-300))[:, None]
        )
        # The logistic function's curvature changes by no more than its own size a logit, so that
        # after a step this short the error is its square: below what rounding leaves.
        open_ = open_[length >= _SHORTEST_STEP]
        if not len(open_):
            break
    return found.reshape(tables.shape[:-1])


def has_maximum(wins: Floats, compared: Bools | None = None) -> Bools:
    """Whether each table of wins has a plain maximum of the likelihood; shape (...).

    It has one where, among methods that `compared` links, each reaches each other along wins.
    """
    tables = np.asarray(wins, dtype=np.float64)
    count = tables.shape[-1]
    flat = tables.reshape(-1, count, count)
    if compared is None:
        compared = _met(flat)
    reached = (flat > 0) | np.eye(count, dtype=bool)
    for _ in range(max(1, count.bit_length())):
        reached = np.matmul(reached.astype(np.float32), reached.astype(np.float32)) > 0
    linked = groups_of(compared)
    needed = linked[:, None] == linked[None, :]
    found: Bools = (reached | ~needed).all(axis=(1, 2))
    return found.reshape(tables.shape[:-2])


def groups_of(compared: Bools) -> NDArray[np.intp]:
    """For each method the number of its group, from 0: comparisons link those of one group."""
    count = len(compared)
    reached = compared | compared.T | np.eye(count, dtype=bool)
    for _ in range(max(1, count.bit_length())):
        reached = np.matmul(reached.astype(np.float32), reached.astype(np.float32)) > 0
    first = reached.argmax(axis=1)
    return np.unique(first, return_inverse=True)[1].reshape(count)


def _met(tables: Floats) -> Bools:
    return np.asarray(np.any((tables + tables.swapaxes(1, 2)) > 0, axis=0))


def _logistic(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), exact to rounding in both tails."""
    small = np.exp(-np.abs(x))
    found: Floats = np.where(x < 0, small, 1.0) / (1 + small)
    return found
