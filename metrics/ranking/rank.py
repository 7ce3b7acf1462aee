"""Methods ranked by Bradley-Terry abilities, with intervals from a bootstrap over documents."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import UsageError
from metrics.base import Better
from metrics.ranking.bradley_terry import Bools, Floats, abilities, groups_of, has_maximum
from metrics.ranking.notes import notes
from metrics.ranking.outcomes import Outcomes, resamples
from metrics.ranking.scores import ScoreTable
from metrics.ranking.settings import Settings

ROUNDING = 1e-9
"""Abilities nearer than this, before sigma scales them, share a rank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One method.

    `ability` comes from all documents, `mean` is its mean over the resamples, `low` and `high`
    are their 2.5th and 97.5th percentiles; abilities are in logits times sigma, and those of a
    `group` (methods that comparisons link, from 1) have mean 0.  `rank` is 1 for the best of its
    group, equal for equal abilities; `rank_low` to `rank_high` is its interval and `first` the
    share of resamples in which no other of its group is above.  `winrate` is the share of its
    comparisons that it won, ties half.  `n` of `expected` documents were scored.  Whatever is
    None has its reason in `note`.
    """

    method: str
    rank: int | None
    ability: float | None
    mean: float | None
    low: float | None
    high: float | None
    rank_low: float | None
    rank_high: float | None
    first: float | None
    winrate: float | None
    n: int
    expected: int
    group: int
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """`left` against `right` over the `n` comparisons of the two: the share that left won, ties
    half, and the share of resamples in which its ability is higher (None without any).
    """

    left: str
    right: str
    winrate: float | None
    above: float | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Methods, best first; every pair; and what must be said about the whole.

    `used` of `resamples` had a maximum of the likelihood, which with a penalty all have.
    """

    rows: tuple[Ranked, ...]
    pairs: tuple[Pair, ...]
    resamples: int
    used: int
    notes: tuple[str, ...]


def rank(scores: ScoreTable, settings: Settings | None = None) -> Ranking:
    """Every method ranked, after the perspective paper's appendix A.2 and apart from it.

    Two methods are compared on every document that both were scored on.  With `wins` "averages"
    they are compared once in each resample by their average scores, as in the paper: such
    outcomes are transitive, the likelihood has no maximum, and only the penalty makes the
    abilities finite; methods are then ranked by their means over the resamples.  Raises
    `UsageError` where there is no score at all.
    """
    with_ = settings or Settings()
    if np.isnan(scores.values).all():
        raise UsageError(
            "no method has a score on any document: nothing to rank; "
            "score some first (globesumm score)"
        )
    sign = 1.0 if with_.better is Better.HIGHER else -1.0
    outcomes = Outcomes(sign * scores.values, with_.wins, with_.ties)
    generator = np.random.default_rng(with_.seed)
    whole = outcomes.tables(np.ones((1, len(scores.documents))), generator)[0]
    met: Bools = (whole + whole.T) > 0
    groups = groups_of(met)
    point = _fitted(whole[None], met, with_.penalty)[0]
    blocks = [np.empty((0, len(scores.methods)))]
    several = len(scores.documents) > 1
    if several:
        shape = len(scores.documents), len(scores.methods)
        for weights in resamples(shape, with_.bootstrap, generator):
            tables = outcomes.tables(weights, generator)
            blocks.append(_fitted(tables, met, with_.penalty))
    drawn = np.concatenate(blocks)
    drawn = drawn[~np.isnan(drawn).any(axis=1)]
    rows = _rows(scores, whole, groups, (point, drawn), with_)
    return Ranking(
        rows=tuple(rows),
        pairs=tuple(_pairs(scores, whole, groups, drawn)),
        resamples=with_.bootstrap if several else 0,
        used=len(drawn),
        notes=tuple(notes(scores, whole, groups, with_)),
    )


def _fitted(tables: Floats, met: Bools, penalty: float) -> Floats:
    """Abilities, NaN in rows of which the plain likelihood has no maximum."""
    if penalty > 0:
        return abilities(tables, penalty, met)
    sound = has_maximum(tables, met)
    found = np.full(tables.shape[:2], np.nan)
    if sound.any():
        found[sound] = abilities(tables[sound], 0.0, met)
    return found


def _ranks(values: Floats, groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """1 and the number in the same group above; shape as `values`, (..., methods)."""
    above = values[..., None, :] > values[..., :, None] + ROUNDING
    return np.asarray(1 + (above & (groups[:, None] == groups[None, :])).sum(axis=-1))


def _rows(
    scores: ScoreTable,
    whole: Floats,
    groups: NDArray[np.intp],
    fitted: tuple[Floats, Floats],
    settings: Settings,
) -> list[Ranked]:
    """From abilities before sigma: those of all documents, and those of the resamples."""
    point, drawn = fitted
    sigma, by_mean = settings.sigma, settings.wins == "averages"
    mean = drawn.mean(axis=0) if len(drawn) else np.full(len(point), np.nan)
    key = mean if by_mean and len(drawn) else point
    places = _ranks(key, groups)
    drawn_places = _ranks(drawn, groups)
    games = (whole + whole.T).sum(axis=1)
    low, high = _bounds(drawn)
    rank_low, rank_high = _bounds(drawn_places)
    rows = []
    for place, method in enumerate(scores.methods):
        compared = games[place] > 0
        known = compared and not np.isnan(point[place])
        sampled = bool(known) and len(drawn) > 1
        note = None
        if not compared:
            note = "compared with no other method"
        elif not known:
            note = "the likelihood has no maximum: give a penalty"
        elif not sampled:
            note = "no interval: " + (
                "one document" if len(scores.documents) < 2 else "no two resamples have a maximum"
            )
        rows.append(
            Ranked(
                method=method,
                rank=int(places[place]) if known else None,
                ability=sigma * float(point[place]) if known else None,
                mean=sigma * float(mean[place]) if sampled else None,
                low=sigma * float(low[place]) if sampled else None,
                high=sigma * float(high[place]) if sampled else None,
                rank_low=float(np.floor(rank_low[place])) if sampled else None,
                rank_high=float(np.ceil(rank_high[place])) if sampled else None,
                first=float((drawn_places[:, place] == 1).mean()) if sampled else None,
                winrate=float(whole[place].sum() / games[place]) if compared else None,
                n=int((~np.isnan(scores.values[place])).sum()),
                expected=len(scores.documents),
                group=int(groups[place]) + 1,
                note=note,
            )
        )
    order = sorted(range(len(rows)), key=lambda p: (groups[p], places[p], scores.methods[p]))
    return [rows[place] for place in order]


def _pairs(
    scores: ScoreTable, whole: Floats, groups: NDArray[np.intp], drawn: Floats
) -> list[Pair]:
    found = []
    for one, left in enumerate(scores.methods):
        for two, right in list(enumerate(scores.methods))[one + 1 :]:
            n = whole[one, two] + whole[two, one]
            gap = drawn[:, one] - drawn[:, two]
            above = (gap > ROUNDING).sum() + (np.abs(gap) <= ROUNDING).sum() / 2
            linked = groups[one] == groups[two] and len(drawn) > 0
            found.append(
                Pair(
                    left=left,
                    right=right,
                    winrate=float(whole[one, two] / n) if n else None,
                    above=float(above) / len(drawn) if linked else None,
                    n=round(float(n)),
                )
            )
    return found


def _bounds(drawn: NDArray[Any]) -> Floats:
    """The 2.5th and 97.5th percentiles over resamples; shape (2, methods)."""
    if not len(drawn):
        return np.full((2, drawn.shape[1]), np.nan)
    return np.asarray(np.quantile(drawn, (0.025, 0.975), axis=0))
