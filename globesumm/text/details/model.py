"""The values that reading a sentence yields and that a comparison returns."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum


class Kind(StrEnum):
    """What sort of detail a reading or a difference is about."""

    NUMBER = "number"
    ORDINAL = "ordinal"
    PERCENT = "percent"
    MONEY = "money"
    MEASURE = "measure"
    TIME = "time"
    DATE = "date"
    WEEKDAY = "weekday"
    NEGATION = "negation"


class Bound(StrEnum):
    """How firmly a sentence states a value."""

    EXACT = "exact"
    ABOUT = "about"
    AT_LEAST = "at least"
    AT_MOST = "at most"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Text as written, with its character offsets ``[start, end)`` in the sentence."""

    written: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity(Span):
    """A number with what it counts or measures.

    `amount` is the number as stated, `value` the same in the base unit of `unit` (metres,
    seconds, square metres, grams, degrees Celsius, metres a second, or an ISO 4217 code for
    money).  `high` is the upper end of a range (equal to `value` otherwise).  `precision` is
    the size of the last stated place, so that 1.2 million may round 1,234,567.  `topic` is the
    class of the noun or verb beside it, where known (``"killed"``).  A `soft` quantity may
    well be an article or part of an idiom ("one", "a hundred"): it can agree with another
    but never contradict one.
    """

    kind: Kind
    amount: Decimal
    value: Decimal
    high: Decimal
    precision: Decimal
    bound: Bound = Bound.EXACT
    unit: str | None = None
    stated_unit: str | None = None
    topic: str | None = None
    soft: bool = False


ELSEWHERE = "elsewhere"
"""The place of a time in some other zone, which the sentence does not name in a known way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock(Span):
    """A time of day in minutes after midnight.

    `half_day` is true where the hour may mean morning or evening; `zone` is minutes east of
    UTC, None where the sentence does not say.  `place` names a zone whose offset is not known
    (a summer time without a date), or is `ELSEWHERE`; a time of the place itself has neither.
    """

    minutes: int
    half_day: bool = False
    zone: int | None = None
    place: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Day(Span):
    """A date, month, year, weekday (Monday is 0) or relative day, as far as it is stated.

    `resolved` is the calendar day where it is stated or follows from the publication date;
    `relative` marks "yesterday" and the like, which are off by one across time zones.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    resolved: date | None = None
    relative: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """The concrete details of one sentence.

    `negations` are the places that negate, a double form ("ne … pas") counted once.  It is
    None where the language has no list of negations, which is not the same as none found;
    `notes` names every list the language lacks.  `length` is that of the sentence.
    """

    language: str
    length: int
    quantities: tuple[Quantity, ...] = ()
    clocks: tuple[Clock, ...] = ()
    days: tuple[Day, ...] = ()
    negations: tuple[Span, ...] | None = None
    notes: tuple[str, ...] = ()

    @property
    def negated(self) -> bool | None:
        """Whether the sentence negates something; None where its language has no list."""
        return None if self.negations is None else bool(self.negations)

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Offsets ``[start, end)`` of every quantity, time and date, in reading order."""
        found: list[Span] = [*self.quantities, *self.clocks, *self.days]
        return tuple(sorted({(span.start, span.end) for span in found}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One detail on which two sentences cannot both be right.

    `left` and `right` are as written (empty where an affirmative sentence has no negation),
    `left_value` and `right_value` in a form independent of language.
    """

    kind: Kind
    left: str
    right: str
    left_value: str
    right_value: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.left_value} / {self.right_value}"

    def swapped(self) -> "Difference":
        """The same difference with its sides exchanged."""
        return Difference(
            kind=self.kind,
            left=self.right,
            right=self.left,
            left_value=self.right_value,
            right_value=self.left_value,
        )
