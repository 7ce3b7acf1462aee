"""A sentence under reading: its tokens, what the lexicon says of them, and what is taken."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

import regex

from globesumm.text.details.lexicon import Lexicon, Mark
from globesumm.text.details.numerals import read_digits
from globesumm.text.details.tokens import Token

_JOINS_LETTERS = regex.compile(r"[\p{Latin}\p{Greek}\p{Cyrillic}]")


@dataclass(slots=True)
class Reading:
    """Shared by the readers of dates, times and quantities; each takes tokens from the others."""

    text: str
    tokens: list[Token]
    marks: list[dict[str, Mark]]
    lexicon: Lexicon
    taken: set[int] = field(default_factory=set)
    day: date | None = None
    """The day that the sentence tells of, by which zones with a summer time are read."""
    grown: int | None = None
    """The token after the last number that something grew or fell to."""

    def mark(self, place: int, *categories: str) -> Mark | None:
        """The longest entry of one of `categories` that begins at token `place`."""
        if not 0 <= place < len(self.tokens) or place in self.taken:
            return None
        found = [self.marks[place][name] for name in categories if name in self.marks[place]]
        return max(found, key=lambda mark: mark[2], default=None)

    def mark_before(self, place: int, *categories: str) -> Mark | None:
        """The longest entry of one of `categories` that ends just before token `place`."""
        for size in range(min(self.lexicon.longest, place), 0, -1):
            mark = self.mark(place - size, *categories)
            if mark and mark[2] == size:
                return mark
        return None

    def is_sign(self, place: int, signs: str) -> bool:
        return 0 <= place < len(self.tokens) and self.tokens[place].text in signs

    def touching(self, place: int) -> bool:
        """Whether token `place` follows the one before it without a space."""
        return 0 < place < len(self.tokens) and (
            self.tokens[place - 1].end == self.tokens[place].start
        )

    def integer(self, place: int, low: int, high: int) -> int | None:
        """The whole number at `place` if it is free, written in plain digits and in range."""
        if not 0 <= place < len(self.tokens) or place in self.taken:
            return None
        token = self.tokens[place]
        if token.kind != "n" or not token.text.isdigit() or len(token.text) > 4:
            return None
        return int(token.text) if low <= int(token.text) <= high else None

    def year(self, place: int, low: int = 1800) -> int | None:
        """The year of the common era at `place`; Thai texts count 543 years more."""
        if self.lexicon.raw.get("buddhist_years") and (buddhist := self.integer(place, 2400, 2699)):
            return buddhist - 543
        return self.integer(place, low, 2199)

    def number(self, place: int) -> tuple[Decimal, int] | None:
        """The number in digits at `place`, with its decimal places."""
        token = self.tokens[place]
        return read_digits(token.text, self.lexicon) if token.kind == "n" else None

    def names_something(self, place: int) -> bool:
        """Whether the digits at `place` are part of a name or code (COVID-19, F-16, G20)."""
        if not self.touching(place):
            return self._tail_names(place)
        before = self.tokens[place - 1]
        if before.kind == "w" and self.tokens[place].text == "0":
            return True  # The sign for zero ends abbreviations in Hindi.
        if before.kind == "w" and not (self.marks[place - 1].keys() & _BEFORE_DIGITS):
            return bool(_JOINS_LETTERS.match(before.text)) or self._tail_names(place)
        if before.text in "-/_#" and self.touching(place - 1):
            letters = self.tokens[place - 2]
            # A Hebrew or Arabic particle ("in-300") or a currency code is no name.
            return (
                letters.kind == "w"
                and bool(_JOINS_LETTERS.match(letters.text))
                and not (self.marks[place - 2].keys() & _BEFORE_DIGITS)
            )
        return self._tail_names(place)

    def _tail_names(self, place: int) -> bool:
        """Letters stuck to the digits that no list knows: "4x4", "3D", "737MAX"."""
        if not self.touching(place + 1):
            return False
        after = self.tokens[place + 1]
        return (
            after.kind == "w"
            and bool(_JOINS_LETTERS.match(after.text))
            and not self.marks[place + 1]
            and (after.capital or len(after.text) == 1)
        )

    def take(self, start: int, end: int) -> tuple[str, int, int]:
        """Take tokens ``[start, end)``; returns what was written there and its offsets."""
        self.taken.update(range(start, end))
        first, last = self.tokens[start].start, self.tokens[end - 1].end
        return self.text[first:last], first, last


_BEFORE_DIGITS = {"currency", "clock_before", "number_sign", "and", "of", "percent_before",
                  "year_before", "month_before", "day_before", "bound"}  # fmt: skip
