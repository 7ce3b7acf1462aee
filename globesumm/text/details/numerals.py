"""Numbers out of digits and number words."""

from decimal import Decimal
from typing import Any

import regex

from globesumm.text.details.lexicon import Lexicon, Mark
from globesumm.text.details.tokens import Token

MOST_DIGITS = 21
"""A longer run of digits is an identifier, not a quantity."""

_SEPARATOR = regex.compile(r"[.,'\u066b\u066c\u00a0 ]")


def read_digits(written: str, lexicon: Lexicon) -> tuple[Decimal, int] | None:
    """The number that `written` (folded digits and separators) means, with its decimal places.

    The language decides between decimal and thousands mark, helped by the shape: "1.037" is
    1037 where the comma is the decimal mark, "6.8" is 6.8 everywhere.  None where the shape is
    no number ("1.2.3").  Nobody writes three zeros after a decimal mark.
    """
    parts = _SEPARATOR.split(written)
    marks = _SEPARATOR.findall(written)
    if sum(map(len, parts)) > MOST_DIGITS:
        return None
    if not marks:
        # "0800" and "007" are codes.
        return None if len(parts[0]) > 1 and parts[0][0] == "0" else (Decimal(parts[0]), 0)
    last = marks[-1]
    zeros = parts[-1] == "000" and last in ".,"
    if _grouped(parts, marks) and (
        len(marks) > 1 or ((zeros or _groups(last, lexicon)) and not parts[0].startswith("0"))
    ):
        return Decimal("".join(parts)), 0
    if last in ".,\u066b" and last not in marks[:-1] and _grouped(parts[:-1], marks[:-1]):
        return Decimal("".join(parts[:-1]) + "." + parts[-1]), len(parts[-1])
    return None


def _groups(mark: str, lexicon: Lexicon) -> bool:
    """Whether a single `mark` before three digits parts thousands in this language."""
    return mark not in {lexicon.decimal, "\u066b"} or mark == lexicon.group_too


def _grouped(parts: list[str], marks: list[str]) -> bool:
    """Groups of three, or of two before the last three as in India, with one kind of mark."""
    if not marks:
        return len(parts) == 1
    inner = {len(part) for part in parts[1:-1]}
    return (
        len(set(marks)) == 1
        and 1 <= len(parts[0]) <= 3
        and len(parts[-1]) == 3
        and (inner <= {3} or (inner == {2} and marks[0] == "," and len(parts[0]) <= 2))
    )


class Numeral:
    """A number being put together from words, left to right."""

    def __init__(self) -> None:
        self.total, self.current = Decimal(0), Decimal(0)
        self.ceiling = Decimal("Infinity")
        self.words = 0
        self.scaled = self.firm = False

    @property
    def value(self) -> Decimal:
        return self.total + self.current

    def small(self, value: Decimal) -> bool:
        """Add a number below 100 where it fits below what is there."""
        if value <= 0:
            return False
        room = Decimal(10 if value < 10 else 100)
        if self.current and (self.current % room or (value >= 10 and self.current < 100)):
            return False
        if self.current and value < 10 and self.current < 20:
            return False
        self.current += value
        self.firm = True
        return True

    def before_tens(self, value: Decimal) -> bool:
        """Arabic order: the unit stands before the tens."""
        if not 1 <= self.current % 100 <= 9 or value % 10:
            return False
        self.current += value
        return True

    def hundred(self) -> bool:
        if self.current >= 100:
            return False
        self.firm = self.firm or bool(self.current)
        self.current = (self.current or Decimal(1)) * 100
        return True

    def hundreds(self, count: int) -> bool:
        if self.current:
            return False
        self.current, self.firm = Decimal(count * 100), True
        return True

    def scale(self, factor: Decimal) -> bool:
        if factor >= self.ceiling:
            # "two hundred thousand million": a larger scale after a smaller multiplies it all.
            if self.current or not self.total or factor * self.total > Decimal(10) ** 18:
                return False
            self.total *= factor
            return True
        self.firm = self.firm or bool(self.current)
        self.total += (self.current or 1) * factor
        self.current, self.ceiling, self.scaled = Decimal(0), factor, True
        return True

    def take(self, mark: dict[str, Mark], units_first: bool) -> int:
        """Take the number word marked here; returns how many tokens it covers, 0 if none fits."""
        for category, (_, value, size) in _in_order(mark):
            if self._take(category, value, units_first):
                self.words += size
                return size
        return 0

    def _take(self, category: str, value: Any, units_first: bool) -> bool:
        if category == "hundred":
            return self.hundred()
        if category == "hundreds":
            return self.hundreds(value)
        if category == "scale":
            return bool(self.scale(value))
        number = Decimal(value)
        return self.small(number) or (
            units_first and category == "tens" and self.before_tens(number)
        )


_WORDS = ("scale", "hundreds", "hundred", "tens", "small")


def _in_order(mark: dict[str, Mark]) -> list[tuple[str, Mark]]:
    found = [(name, mark[name]) for name in _WORDS if name in mark]
    return sorted(found, key=lambda item: -item[1][2])


def is_number_word(mark: dict[str, Mark]) -> bool:
    """Whether a number word or scale word begins here."""
    return not mark.keys().isdisjoint(_WORDS)


def read_words(
    tokens: list[Token], marks: list[dict[str, Mark]], start: int, lexicon: Lexicon
) -> tuple[Numeral, int]:
    """The number written in words from token `start` on, and the token after it."""
    numeral, place = Numeral(), start
    while place < len(tokens):
        step = 0
        if numeral.words and tokens[place].text == "-" and _touching(tokens, place):
            step = 1
        elif numeral.words and "and" in marks[place]:
            step = marks[place]["and"][2]
        if place + step >= len(tokens):
            break
        taken = numeral.take(marks[place + step], lexicon.units_first)
        if not taken:
            break
        place += step + taken
    return numeral, place


def _touching(tokens: list[Token], place: int) -> bool:
    return (
        0 < place < len(tokens) - 1
        and tokens[place - 1].end == tokens[place].start
        and tokens[place].end == tokens[place + 1].start
    )
