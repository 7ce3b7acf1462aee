"""Overlap of two tokenized texts, as each ROUGE type counts it (Lin, 2004)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, NamedTuple

from metrics import subsequence

RougeType = Literal["rouge1", "rouge2", "rouge3", "rouge4", "rougeL", "rougeLsum"]
MOST_TOKENS = 200_000
"""Tokens of the longest text compared; the longest common subsequence takes quadratic time."""
MOST_LINE_PAIRS = 1_000_000
"""Pairs of lines that rougeLsum compares for one candidate and reference."""


class PRF(NamedTuple):
    """Precision, recall and their harmonic mean, each from 0 to 1."""

    precision: float
    recall: float
    f: float

    @classmethod
    def of(cls, hits: int, candidate: int, reference: int) -> "PRF":
        precision = hits / candidate if candidate else 0.0
        recall = hits / reference if reference else 0.0
        total = precision + recall
        return cls(precision, recall, 2 * precision * recall / total if total else 0.0)


@dataclass(slots=True)
class Text:
    """A text as token numbers, with the forms that the ROUGE types share made once."""

    lines: list[list[int]]
    _grams: dict[int, Counter[Any]] = field(default_factory=dict)
    _prepared: list[subsequence.Reference] = field(default_factory=list)
    _flat: list[int] | None = None

    @property
    def flat(self) -> list[int]:
        if self._flat is None:
            self._flat = list(chain.from_iterable(self.lines))
        return self._flat

    def grams(self, order: int) -> Counter[Any]:
        """How often each n-gram occurs; single tokens stand for themselves."""
        if order not in self._grams:
            shifted = (self.flat[start:] for start in range(order))
            self._grams[order] = Counter(zip(*shifted, strict=False) if order > 1 else self.flat)
        return self._grams[order]

    def prepared(self) -> list[subsequence.Reference]:
        if not self._prepared:
            self._prepared = [subsequence.Reference(line) for line in self.lines]
        return self._prepared


def order_of(kind: RougeType) -> int:
    """Tokens of the unit that `kind` counts; 1 for subsequences."""
    return int(kind[5]) if kind[5].isdigit() else 1


def too_much(kind: RougeType, mine: Text, theirs: Sequence[Text]) -> str | None:
    """Why a comparison would take too long, or None."""
    longest = max(len(text.flat) for text in (mine, *theirs))
    if kind.startswith("rougeL") and longest > MOST_TOKENS:
        return f"a text of {longest} words is longer than the {MOST_TOKENS} compared in order"
    pairs = len(mine.lines) * max((len(text.lines) for text in theirs), default=0)
    if kind == "rougeLsum" and pairs > MOST_LINE_PAIRS:
        return f"{pairs} pairs of lines are more than the {MOST_LINE_PAIRS} compared"
    return None


def compared(kind: RougeType, mine: Text, theirs: Text) -> PRF:
    """The candidate `mine` against the reference `theirs`; a side without units gives 0."""
    if kind == "rougeL":
        hits = subsequence.length(mine.flat, theirs.flat)
        return PRF.of(hits, len(mine.flat), len(theirs.flat))
    if kind == "rougeLsum":
        return PRF.of(_union_hits(mine, theirs), len(mine.flat), len(theirs.flat))
    order = order_of(kind)
    left, right = mine.grams(order), theirs.grams(order)
    hits = sum(min(left[gram], right[gram]) for gram in left.keys() & right.keys())
    sizes = (max(0, len(text.flat) - order + 1) for text in (mine, theirs))
    return PRF.of(hits, *sizes)


def _union_hits(mine: Text, theirs: Text) -> int:
    """Tokens in the union subsequences of each reference line, none counted twice.

    Lin (2004), 3.2, with the guard of ROUGE-1.5.5: a token counts at most as often as it
    stands in the candidate.
    """
    left = Counter(mine.flat)
    hits = 0
    for line in theirs.prepared():
        union = {place for other in mine.lines for place in line.places(other)}
        for place in union:
            token = line.tokens[place]
            if left[token]:
                left[token] -= 1
                hits += 1
    return hits
