"""A text as the set of its shingles: runs of five tokens, as 64-bit numbers.

A token is a run of letters, marks and digits in lower case, or a single character of a script
that is written without blanks (Chinese, Japanese, Thai, Lao, Khmer, Burmese).  So a shingle is
five words, or five characters where words cannot be told by blanks.  A text of fewer than five
tokens is one shingle.  Punctuation, case, and how letters are composed make no difference.
"""

import re
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

SIZE = 5
RULE = "5-token-shingles-1"
"""Version of the rule; it changes when the shingles of any text change."""

Shingles = NDArray[np.uint64]
"""(number of different shingles,) numbers in rising order."""

_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff\uaa60-\uaa7f"  # Burmese, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u31f0-\u31ff"  # radicals, kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
    "\u0900-\u0963\u0966-\u0df3\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
_TOKEN = re.compile(f"[{_UNSPACED}]|(?:(?![{_UNSPACED}_])[\\w{_MARKS}])+")
_SPACED_TOKEN = re.compile(f"(?:[^\\W_]|[{_MARKS}])+")
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_FACTORS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93, 1],
    dtype=np.uint64,
)
_MOST_WORDS = 2_000_000
_LONGEST_REMEMBERED = 40


class Shingler:
    """Makes shingles; remembers the numbers of every word it has seen."""

    def __init__(self) -> None:
        self._numbers: dict[str, int | tuple[int, ...]] = {}

    def shingles(self, text: str) -> Shingles:
        """The different shingles of `text`; none if it has no letter or digit."""
        found = np.sort(self.listed(text))
        return found[np.append(True, found[1:] != found[:-1])] if len(found) else found

    def listed(self, text: str) -> Shingles:
        """The shingles of `text` in their order, repeated ones too."""
        listed = self._tokens(text)
        if listed and len(listed) < SIZE:
            listed = [*[0] * (SIZE - len(listed)), *listed]
        numbers = np.array(listed, dtype=np.uint64)
        last = max(len(numbers) - SIZE + 1, 0)
        total: Shingles = numbers[:last] * _FACTORS[0]
        for place in range(1, SIZE):
            total += numbers[place : place + last] * _FACTORS[place]
        return total

    def _tokens(self, text: str) -> list[int]:
        """The numbers of the tokens.

        What stands between blanks is looked up as a whole, since most of it was seen before.
        """
        known = self._numbers
        if len(known) > _MOST_WORDS:
            known.clear()
        lower = lowered(text)
        if not lower.isascii() and _HAS_UNSPACED.search(lower):
            pieces = tokens(lower)
        else:
            pieces = lower.split()
        numbers: list[int] = []
        for piece in pieces:
            number = known.get(piece)
            if number is None:
                found = tuple(_number(token) for token in tokens(piece))
                number = found[0] if len(found) == 1 else found
                if len(piece) <= _LONGEST_REMEMBERED:
                    known[piece] = number
            if type(number) is int:
                numbers.append(number)
            else:
                numbers.extend(number)  # type: ignore[arg-type]
        return numbers


def lowered(text: str) -> str:
    """`text` in lower case and NFC."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())


def tokens(lower: str) -> list[str]:
    """The tokens of a text that is `lowered`."""
    if not lower.isascii() and _HAS_UNSPACED.search(lower):
        return _TOKEN.findall(lower)
    return _SPACED_TOKEN.findall(lower)


def _number(token: str) -> int:
    content = token.encode(errors="surrogatepass")
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "little")


def jaccard(one: Shingles, other: Shingles) -> float:
    """Shared shingles over all shingles of both, 0 to 1; 0 where both have none."""
    if not len(one) and not len(other):
        return 0.0
    shared = _shared(one, other)
    return shared / (len(one) + len(other) - shared)


def _shared(one: Shingles, other: Shingles) -> int:
    if len(one) > len(other):
        one, other = other, one
    if not len(one):
        return 0
    places = np.searchsorted(other, one)
    places[places == len(other)] = 0
    return int(np.count_nonzero(other[places] == one))


def flat(sets: Sequence[Shingles]) -> tuple[Shingles, list[int]]:
    """All sets behind one another, and where each begins, with the end as the last."""
    offsets = np.cumsum([0, *map(len, sets)])
    joined = np.concatenate(sets) if sets else np.zeros(0, dtype=np.uint64)
    return joined, [int(offset) for offset in offsets]
