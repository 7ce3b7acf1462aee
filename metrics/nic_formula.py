"""The closed form of NIC (GlobeSumm, appendix C.2), apart from any model."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from metrics.base import Measured

LogBase = Literal["e", "2", "10"]

LOG: Mapping[str, float] = {"e": math.e, "2": 2.0, "10": 10.0}
"""Bases of the logarithm; the paper names none, and only the natural one fits its figures."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a candidate of `words` words covers: `entailed` of `sentences` reference sentences."""

    entailed: int
    sentences: int
    words: int

    def __post_init__(self) -> None:
        if not 0 <= self.entailed <= self.sentences or self.words < 0:
            raise ValueError(
                f"{self.entailed} of {self.sentences} sentences entailed by {self.words} words"
            )

    @property
    def share(self) -> float | None:
        """Entailed / sentences, 0 to 1; None without a sentence."""
        return self.entailed / self.sentences if self.sentences else None


def nic(coverage: Coverage, base: LogBase = "e") -> Measured:
    """1 − 10 · coverage / log(words): at most 1, unbounded below; lower is better.

    Without a reference sentence, or with a candidate of one word or none (whose logarithm is 0
    or does not exist), the value is None with the reason.
    """
    if coverage.words <= 1:
        what = "one word" if coverage.words else "no word"
        return Measured(None, f"the candidate has {what}: NIC divides by the log of its length")
    share = coverage.share
    if share is None:
        return Measured(None, "the reference has no sentence")
    return Measured(1 - 10 * share / (math.log(coverage.words) / math.log(LOG[base])))
