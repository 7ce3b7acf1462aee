"""How far two people highlight the same excerpts: R(A|B), and what chance would give.

After Ri et al. (2025), 4.2 and appendix "Inter-Annotator Agreement".  For each excerpt of A the
first of B's excerpts, not matched yet, that it matches is taken: where one contains the other,
or else where their longest common subsequence is more than half of the shorter one.  Then::

    R(A|B) = |M| / |A|    R(B|A) = |M| / |B|    R = the mean of both

What the subsequence is made of is not stated.  ``words`` is the default; ``substring`` (the
longest run of characters that both have) gives the printed .918 of summaries as well, and
``characters`` (a subsequence of characters) matches nearly anything of a language with itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

import regex

from globesumm.errors import UnknownName

# Scripts without blanks: every letter is a word of its own there.
_WORD: Any = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*"
    r"|[^\s\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"
)

THRESHOLD = 0.5
"""tau: the share of the shorter excerpt above which a common subsequence is a match."""


def words(text: str) -> list[tuple[int, int]]:
    """The places of words: what stands between blanks, and letters of scripts without them."""
    return [found.span() for found in _WORD.finditer(text)]


def _of_words(one: str, other: str) -> float:
    from rapidfuzz.distance import LCSseq

    left, right = ([text[start:end] for start, end in words(text)] for text in (one, other))
    shorter = min(len(left), len(right))
    return LCSseq.similarity(left, right) / shorter if shorter else 0.0


def _of_substring(one: str, other: str) -> float:
    from difflib import SequenceMatcher

    shorter = min(len(one), len(other))
    found = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return found.size / shorter if shorter else 0.0


def _of_characters(one: str, other: str) -> float:
    from rapidfuzz.distance import LCSseq

    shorter = min(len(one), len(other))
    return LCSseq.similarity(one, other) / shorter if shorter else 0.0


Shared = Callable[[str, str], float]
"""The common subsequence of two excerpts over the shorter one, 0 to 1."""

SHARED: Mapping[str, Shared] = {
    "words": _of_words,
    "substring": _of_substring,
    "characters": _of_characters,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """R of two people on one text, each share from 0 to 1.

    `matched` excerpts of `first` (A) and `second` (B) were paired.  A share of no excerpt is
    None, and so is `mean` then: nobody can match what is not there.
    """

    first: int
    second: int
    matched: int

    @property
    def of_first(self) -> float | None:
        """R(A|B) = matched / A's excerpts."""
        return self.matched / self.first if self.first else None

    @property
    def of_second(self) -> float | None:
        """R(B|A) = matched / B's excerpts."""
        return self.matched / self.second if self.second else None

    @property
    def mean(self) -> float | None:
        """The mean of both shares."""
        one, other = self.of_first, self.of_second
        return None if one is None or other is None else (one + other) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlaps:
    """R over several texts, of which `n` of `expected` have a value.

    `deviation` is that of all single shares, R(A|B) and R(B|A) of each text, from their mean (with
    n, not n - 1): so the printed .918 ± .173 comes out of the released annotations.
    """

    mean: float | None
    deviation: float | None
    n: int
    expected: int
    note: str | None = None


def pairs(
    first: Sequence[str],
    second: Sequence[str],
    shared: str = "words",
    threshold: float = THRESHOLD,
) -> list[tuple[int, int]]:
    """Places of the excerpts that match, one to one, by the published greedy rule.

    Greedy: an excerpt takes the first that it matches, not the best, so that the order in which
    people highlighted decides where several would do.  Raises `UnknownName` for `shared`.
    """
    if shared not in SHARED:
        raise UnknownName("common subsequence", shared, SHARED)
    measure = SHARED[shared]
    free = list(range(len(second)))
    found = []
    for place, one in enumerate(first):
        for other in free:
            if _contained(one, second[other]) or measure(one, second[other]) > threshold:
                found.append((place, other))
                free.remove(other)
                break
    return found


def _contained(one: str, other: str) -> bool:
    """An empty excerpt is part of every text, and says nothing."""
    return bool(one and other) and (one in other or other in one)


def overlap(first: Sequence[str], second: Sequence[str], shared: str = "words") -> Overlap:
    """R of two people's excerpts of one text; excerpts of blanks alone do not count."""
    left = [one.strip() for one in first if one.strip()]
    right = [one.strip() for one in second if one.strip()]
    return Overlap(first=len(left), second=len(right), matched=len(pairs(left, right, shared)))


def overlaps(found: Sequence[Overlap]) -> Overlaps:
    """Mean and deviation over texts; those where somebody highlighted nothing are left out."""
    both_ways = [(one.of_first, one.of_second) for one in found]
    known = [(a, b) for a, b in both_ways if a is not None and b is not None]
    shares = [share for both in known for share in both]
    note = None
    if not known:
        note = "no text that two people highlighted" if not found else "nothing is highlighted"
    return Overlaps(
        mean=fmean(shares) if shares else None,
        deviation=pstdev(shares) if shares else None,
        n=len(known),
        expected=len(found),
        note=note,
    )
