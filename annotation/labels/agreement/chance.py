"""What R two people would have who highlight at random, as many and as long as people do.

After Ri et al. (2025), appendix "Random Baseline for IAA": the number of highlights of a text and
the length of each are drawn from normal distributions with the mean and variance of people's;
this is done twice, independently, and R is taken of the two.  What is not stated is a choice
here: lengths count words, numbers are cut to whole ones, to 1 at least (a length to the text at
most), and a highlight begins anywhere it fits.  Cutting, where rounding would keep the mean, comes
near the printed chance level of summaries.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

import numpy as np

from annotation.labels.agreement.overlap import Overlap, Overlaps, overlap, overlaps, words

DRAWS = 20
"""Pairs of random highlights drawn for each text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """Mean and deviation of how many excerpts a text has, and of how many words an excerpt."""

    counts: tuple[float, float]
    lengths: tuple[float, float]


def fitted(excerpts: Sequence[Sequence[str]]) -> Fitted | None:
    """From people's excerpts, one list for each text and person; None without any excerpt."""
    lengths = [len(words(one)) for held in excerpts for one in held if one.strip()]
    counts = [sum(bool(one.strip()) for one in held) for held in excerpts]
    if not lengths:
        return None
    return Fitted(counts=(fmean(counts), pstdev(counts)), lengths=(fmean(lengths), pstdev(lengths)))


def drawn(text: str, fit: Fitted, generator: np.random.Generator) -> list[str]:
    """Random excerpts of `text`, none where it has no word."""
    places = words(text)
    if not places:
        return []
    found = []
    for _ in range(max(1, int(generator.normal(*fit.counts)))):
        length = min(len(places), max(1, int(generator.normal(*fit.lengths))))
        first = int(generator.integers(len(places) - length + 1))
        found.append(text[places[first][0] : places[first + length - 1][1]])
    return found


def by_chance(
    texts: Sequence[str],
    excerpts: Sequence[Sequence[str]],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    shared: str = "words",
) -> Overlaps:
    """R of random highlights of `texts`, `draws` pairs a text, fitted to `excerpts`."""
    fit = fitted(excerpts)
    if fit is None:
        return Overlaps(
            mean=None, deviation=None, n=0, expected=0, note="people highlighted nothing"
        )
    generator = np.random.default_rng(seed)
    found: list[Overlap] = [
        overlap(drawn(text, fit, generator), drawn(text, fit, generator), shared)
        for text in texts
        for _ in range(draws)
    ]
    return overlaps(found)
