"""How much a document's language matters within its event, with other causes held equal.

For each language the effect is a partial regression coefficient: how much more of a summary is
entailed by a document in that language than by the others of the same event, given controls.
Its p-value comes from a permutation of what the controls leave unexplained among the documents
of an event (Freedman and Lane, 1983); without controls that is the plain shuffling of languages
among an event's documents, which is exact.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_TINY = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A measured value with its block (an event), its language and what else may explain it.

    `controls` has the same length for all cases; None is a value nobody knows.
    """

    block: str
    language: str
    value: float
    controls: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """How one language stands against the others of the same events.

    `difference` is in units of the value, None where it cannot be told (the `reason` says why).
    `low` and `high` are a percentile bootstrap interval over blocks (None with fewer than two
    blocks that hold the language beside another).  `p` is two-sided; `p_adjusted` allows for
    all languages at once (maximum statistic: Westfall and Young, 1993).
    """

    language: str
    difference: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    n: int = 0
    blocks: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """The effects of all languages, and one test of them together (None: nothing to test)."""

    languages: tuple[Effect, ...]
    p_any: float | None
    permutations: int


def effects(
    cases: Iterable[Case],
    *,
    permutations: int = 2000,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Effects:
    """Effects of every language among `cases`, languages in alphabetical order.

    The result depends on the cases and the seed, not on the order of the cases.
    """
    held = sorted(cases, key=lambda c: (c.block, c.language, c.value, repr(c.controls)))
    names = sorted({case.language for case in held})
    if not held:
        return Effects(languages=(), p_any=None, permutations=0)
    design = _Design(held, names)
    observed = design.coefficients(design.left)
    null = design.permuted(permutations, np.random.default_rng(seed))
    p, adjusted, p_any = _p_values(observed, null, design.weights)
    low, high = design.bootstrap(resamples, np.random.default_rng(seed + 1), level)
    found = []
    for place, name in enumerate(names):
        told = design.informative[place] > 0 and design.weights[place] > 0
        bounded = told and design.informative[place] > 1
        found.append(
            Effect(
                language=name,
                difference=float(observed[place]) if told else None,
                low=_finite(low[place]) if bounded else None,
                high=_finite(high[place]) if bounded else None,
                p=float(p[place]) if told else None,
                p_adjusted=float(adjusted[place]) if told else None,
                n=int(design.languages[:, place].sum()),
                blocks=len({case.block for case in held if case.language == name}),
                reason=None if told else design.why_not(place),
            )
        )
    return Effects(languages=tuple(found), p_any=p_any, permutations=permutations)


class _Design:
    """The cases as matrices, centred within blocks and freed of the controls."""

    def __init__(self, cases: Sequence[Case], names: Sequence[str]) -> None:
        blocks, self._block = np.unique([case.block for case in cases], return_inverse=True)
        self._blocks = len(blocks)
        place = {name: number for number, name in enumerate(names)}
        self.languages = np.zeros((len(cases), len(names)))
        self.languages[np.arange(len(cases)), [place[case.language] for case in cases]] = 1
        values = np.array([case.value for case in cases])[:, None]
        self._controls = self._centred(_columns([case.controls for case in cases]))
        self._dummies = self._centred(self.languages)
        self._values = self._centred(values)
        self.left = self._freed(self._values)[:, 0]
        self._free = self._freed(self._dummies)
        whole = (self._dummies**2).sum(axis=0)
        weights = (self._free**2).sum(axis=0)
        self._collinear = (whole > _TINY) & (weights <= 1e-6 * whole)
        self.weights = np.where(weights > np.maximum(_TINY, 1e-6 * whole), weights, 0.0)
        self.informative = self._informative()
        rank = int(np.linalg.matrix_rank(self._controls, tol=1e-8)) if len(values) else 0
        self._within = len(cases) - self._blocks
        self.left_over = self._within - rank

    def why_not(self, place: int) -> str:
        if self._collinear[place]:
            return "its documents cannot be told from others by anything but the controls"
        return "no event has a document in it beside one in another language"

    def coefficients(self, left: Array) -> Array:
        """Partial coefficients of residuals `left`, shape (…, cases) to (…, languages)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (left @ self._free) / self.weights
        return np.where(self.weights > 0, found, 0.0)

    def permuted(self, permutations: int, generator: np.random.Generator) -> Array:
        """Coefficients after shuffling residuals within blocks; (permutations, languages)."""
        size = len(self.left)
        # Controls that are fitted take up part of the spread, so that what is left would make too
        # narrow a null where documents are few beside them.
        left = self.left * np.sqrt(self._within / max(1, self.left_over))
        rows = max(1, (1 << 20) // size)
        found = []
        for done in range(0, permutations, rows):
            count = min(rows, permutations - done)
            # Sorting by block and then at random shuffles every block by itself.
            order = np.argsort(self._block + generator.random((count, size)), axis=1)
            shuffled = np.empty((count, size))
            slots = np.argsort(self._block, kind="stable")
            shuffled[:, slots] = left[order]
            found.append(self.coefficients(shuffled))
        return np.concatenate(found) if found else np.zeros((0, len(self.weights)))

    def bootstrap(
        self, resamples: int, generator: np.random.Generator, level: float
    ) -> tuple[Array, Array]:
        """Bounds of the coefficients over resampled blocks, from each block's cross-products."""
        joint = np.concatenate([self._controls, self._dummies, self._values], axis=1)
        width = joint.shape[1]
        products = np.zeros((self._blocks, width, width))
        for block in range(self._blocks):
            rows = joint[self._block == block]
            products[block] = rows.T @ rows
        drawn = generator.multinomial(
            self._blocks, np.full(self._blocks, 1 / self._blocks), size=resamples
        )
        sums = (drawn @ products.reshape(self._blocks, -1)).reshape(resamples, width, width)
        controls = self._controls.shape[1]
        z, d = slice(0, controls), slice(controls, width - 1)
        inverse = np.linalg.pinv(sums[:, z, z], hermitian=True) if controls else sums[:, z, z]
        shared = sums[:, d, z] @ inverse
        over = sums[:, d, -1] - (shared @ sums[:, z, -1][:, :, None])[:, :, 0]
        whole = np.diagonal(sums[:, d, d], axis1=1, axis2=2)
        under = whole - (shared * sums[:, d, z]).sum(axis=2)
        usable = under > np.maximum(_TINY, 1e-6 * whole)
        with np.errstate(divide="ignore", invalid="ignore"):
            draws = np.where(usable, over / under, np.nan)
        bounds = [(np.nan, np.nan)] * draws.shape[1]
        for place in range(draws.shape[1]):
            column = draws[:, place][np.isfinite(draws[:, place])]
            if len(column):
                low, high = np.quantile(column, ((1 - level) / 2, (1 + level) / 2))
                bounds[place] = (float(low), float(high))
        return np.array([low for low, _ in bounds]), np.array([high for _, high in bounds])

    def _informative(self) -> NDArray[np.int64]:
        """For each language the number of blocks that hold it beside another."""
        held = np.zeros((self._blocks, self.languages.shape[1]))
        np.add.at(held, self._block, self.languages)
        beside = (held > 0) & (held < held.sum(axis=1, keepdims=True))
        return np.asarray(beside.sum(axis=0), dtype=np.int64)

    def _centred(self, columns: Array) -> Array:
        """Each column minus its block's mean."""
        sums = np.zeros((self._blocks, columns.shape[1]))
        np.add.at(sums, self._block, columns)
        counts = np.bincount(self._block, minlength=self._blocks)[:, None]
        return columns - (sums / counts)[self._block]

    def _freed(self, columns: Array) -> Array:
        """Each column minus what the controls explain of it."""
        if not self._controls.shape[1]:
            return columns
        found, *_ = np.linalg.lstsq(self._controls, columns, rcond=1e-10)
        return columns - self._controls @ found


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _columns(rows: Sequence[tuple[float | None, ...]]) -> Array:
    """Controls as standardized columns; a missing value is the mean, with a column that says so."""
    columns = []
    for place in range(len(rows[0])):
        given = [row[place] for row in rows]
        known = np.array([value for value in given if value is not None])
        if not len(known):
            continue
        mean, spread = float(known.mean()), float(known.std()) or 1.0
        columns.append([0.0 if value is None else (value - mean) / spread for value in given])
        if len(known) < len(given):
            columns.append([float(value is None) for value in given])
    return np.array(columns).T if columns else np.zeros((len(rows), 0))


def _p_values(observed: Array, null: Array, weights: Array) -> tuple[Array, Array, float | None]:
    """Two-sided p of each language, the same allowing for all, and of all together."""
    count = len(null)
    usable = weights > 0
    if not usable.any() or not count:
        return np.ones_like(observed), np.ones_like(observed), None
    # A hair of room: sums in another order must not count as smaller than themselves.
    p = (1 + (np.abs(null) >= np.abs(observed) * (1 - 1e-9) - 1e-12).sum(axis=0)) / (count + 1)
    spread = null.std(axis=0)
    usable = usable & (spread > _TINY)
    if not usable.any():
        return p, np.ones_like(observed), None
    scaled = np.abs(observed[usable]) / spread[usable]
    highest = (np.abs(null[:, usable]) / spread[usable]).max(axis=1)
    adjusted = np.ones_like(observed)
    adjusted[usable] = [
        (1 + int((highest >= one * (1 - 1e-9)).sum())) / (count + 1) for one in scaled
    ]
    total = (observed**2 * weights).sum()
    totals = (null**2 * weights).sum(axis=1)
    return p, adjusted, (1 + int((totals >= total * (1 - 1e-9)).sum())) / (count + 1)
