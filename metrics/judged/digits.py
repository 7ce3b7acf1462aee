"""Reading a rating from 1 to 5, without ever guessing one.

A reply is a rating if it is one digit and nothing else; blanks, characters that cannot be seen,
quotation marks, emphasis and a full stop around it are no words, and ``4.0`` is 4.  Anything else
(prose, ``4/5``, ``4.5``, two numbers, 0 or 6) is no rating, and the reason says what was read.
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
_LIKELY = 0.5
"""Probability of all five digits together, below which a reader is told of it."""


@dataclass(frozen=True, slots=True)
class Digit:
    """A rating from 1 to 5, or None with the reason; `note` is what a reader must know of it."""

    value: float | None
    reason: str | None = None
    note: str | None = None


def read_digit(reply: str) -> Digit:
    """The rating that `reply` is."""
    found = _RATING.match(unicodedata.normalize("NFKC", _seen(reply)))
    if found is None:
        return Digit(None, f"the judge gave no number from 1 to 5: {excerpt(reply, 60)!r}")
    return Digit(float(found[1]))


def _seen(text: str) -> str:
    """What can be seen of `text`: a reason that quotes a digit must not deny that it is one."""
    return "".join(
        char for char in text if char.isspace() or unicodedata.category(char) not in ("Cc", "Cf")
    )


def expected_digit(completion: Completion) -> Digit:
    """The mean of the ratings, each weighted by its probability at the digit's place.

    That is sum(p(k) * k) / sum(p(k)) over k = 1 to 5 (G-Eval, Liu et al., 2023).  Unscored where
    the reply is no rating, and where the server told no probabilities.  Where the digits have
    less than half of the probability, the judge would rather have said something else; the note
    says so.
    """
    plain = read_digit(completion.text)
    if plain.value is None:
        return plain
    place = next((one for one in completion.tokens if read_digit(one.text).value), None)
    if place is None or not place.likeliest:
        return Digit(None, "the server told no token probabilities: rate without weights")
    mass: dict[int, float] = {}
    for token, logprob in place.likeliest:
        bare = unicodedata.normalize("NFKC", _seen(token)).strip()
        if bare in {"1", "2", "3", "4", "5"}:
            mass[int(bare)] = mass.get(int(bare), 0.0) + math.exp(logprob)
    total = math.fsum(mass.values())
    if not total:
        return Digit(None, "the server told no probability of a digit: rate without weights")
    value = math.fsum(digit * weight for digit, weight in mass.items()) / total
    note = f"all digits together have a probability of {total:.2f}" if total < _LIKELY else None
    return Digit(value, note=note)
