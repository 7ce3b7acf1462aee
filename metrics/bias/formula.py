"""The closed forms of the language-bias study (GlobeSumm, appendix C.3)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from globesumm.finite import numbers
from metrics.base import Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Entailed:
    """How much of one summary one document entails: `entailed` of `sentences` sentences.

    `summary` names the summary (an event, or an event and a system) and `language` the
    document's.  `sentences` counts those that were judged, at least one.
    """

    summary: str
    document: str
    language: str
    entailed: int
    sentences: int

    def __post_init__(self) -> None:
        if not 0 <= self.entailed <= self.sentences or not self.sentences:
            raise ValueError(f"{self.entailed} of {self.sentences} sentences of {self.summary!r}")

    @property
    def share(self) -> float:
        """Entailed / sentences, 0 to 1."""
        return self.entailed / self.sentences


def language_scores(counts: Iterable[Entailed]) -> dict[str, float]:
    """score_lang of each language that occurs: 0 to 1, languages in alphabetical order.

    A summary's share for a language is the mean over its documents in that language (the paper
    does not say what several count), and the score the mean over the summaries that have one.
    A language without a document is left out; it has no score, which is not a score of 0.
    """
    shares: dict[str, dict[str, list[float]]] = {}
    for one in counts:
        shares.setdefault(one.language, {}).setdefault(one.summary, []).append(one.share)
    return {
        language: mean([mean(shares[language][name]) for name in sorted(shares[language])])
        for language in sorted(shares)
    }


def normalized(scores: Mapping[str, float]) -> dict[str, Measured]:
    """norm_score_lang = score / sum of all scores; 0 to 1, together 1.

    Where all scores are 0 there is no share of anything: every value is None with the reason.
    """
    total = math.fsum(scores.values())
    if not total:
        why = "no document of any language entails a sentence: there is nothing to share out"
        return {language: Measured(None, why) for language in scores}
    return {language: Measured(score / total) for language, score in scores.items()}


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean, the same in every order; without a value a ValueError."""
    if not values:
        raise ValueError("no value to take the mean of")
    return math.fsum(numbers(values)) / len(values)
