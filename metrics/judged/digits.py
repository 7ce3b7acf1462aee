"""Reading a rating from 1 to 5, without ever guessing one.

A reply is a rating if it is one digit and nothing else; blanks, quotation marks, emphasis and a
full stop around it are no words, and ``4.0`` is 4.  Anything else (prose, ``4/5``, ``4.5``, two
numbers, 0 or 6) is no rating, and the reason says what was read.
"""

import math
import re
import unicodedata
from dataclasses import dataclass

from globesumm.llm.errors import excerpt
from globesumm.llm.request import Completion

LOWEST, HIGHEST = 1, 5
GRAMMAR = "root ::= [1-5]"
"""What servers that keep a grammar are asked for."""

MOST_RIVALS = 20
"""Likeliest tokens asked for: all five digits, also where others are in between."""

_RATING = re.compile(r"[\s*_`\"'“”]*([1-5])(?:\.0+)?[\s*_`\"'“”.]*\Z")
_SHORTEST_MASS = 0.5
"""Probability that the digits must have together for their mean to stand for a rating."""


@dataclass(frozen=True, slots=True)
class Digit:
    """A rating from 1 to 5, or None with the reason."""

    value: float | None
    reason: str | None = None


def read_digit(reply: str) -> Digit:
    """The rating that `reply` is."""
    found = _RATING.match(unicodedata.normalize("NFKC", reply))
    if found is None:
        return Digit(None, f"the judge gave no number from 1 to 5: {excerpt(reply, 60)!r}")
    return Digit(float(found[1]))


def expected_digit(completion: Completion) -> Digit:
    """The mean of the ratings, each weighted by its probability at the digit's place.

    That is sum(p(k) * k) / sum(p(k)) over k = 1 to 5 (G-Eval, Liu et al., 2023).  Unscored where
    the reply is no rating, where the server told no probabilities, and where the digits it told
    have less than half of the probability, so that their mean would stand for little.
    """
    plain = read_digit(completion.text)
    if plain.value is None:
        return plain
    place = next((one for one in completion.tokens if read_digit(one.text).value), None)
    if place is None or not place.likeliest:
        return Digit(None, "the server told no token probabilities: rate without weights")
    mass: dict[int, float] = {}
    for token, logprob in place.likeliest:
        bare = unicodedata.normalize("NFKC", token).strip()
        if bare in {"1", "2", "3", "4", "5"}:
            mass[int(bare)] = mass.get(int(bare), 0.0) + math.exp(logprob)
    total = math.fsum(mass.values())
    if total < _SHORTEST_MASS:
        return Digit(None, f"the digits 1 to 5 have a probability of only {total:.2f}")
    return Digit(math.fsum(digit * weight for digit, weight in mass.items()) / total)
