"""Quarter-hours, the clock that GDELT's files go by; all times are UTC."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from globesumm.errors import UsageError

QUARTER = timedelta(minutes=15)
LONGEST_WINDOW = timedelta(days=50 * 366)

_STAMP = "%Y%m%d%H%M%S"


def stamp(moment: datetime) -> str:
    """`moment` as GDELT writes it: 14 digits."""
    return moment.strftime(_STAMP)


def from_stamp(digits: str) -> datetime:
    """The moment that 14 digits name; a ValueError if there is no such moment."""
    if len(digits) != 14 or not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"{digits[:30]!r} is not a time of 14 digits")
    return datetime(
        int(digits[:4]), int(digits[4:6]), int(digits[6:8]),
        int(digits[8:10]), int(digits[10:12]), int(digits[12:]), tzinfo=UTC,
    )  # fmt: skip


def floor(moment: datetime) -> datetime:
    """The quarter-hour that `moment` lies in, by its beginning."""
    moment = moment.astimezone(UTC)
    return moment.replace(minute=moment.minute // 15 * 15, second=0, microsecond=0)


@dataclass(frozen=True, slots=True)
class Window:
    """The quarter-hours from `first` to `last`, both of them included."""

    first: datetime
    last: datetime

    def __post_init__(self) -> None:
        if self.last < self.first:
            raise UsageError(
                f"the window ends ({self.last:%Y-%m-%d %H:%M}) before it begins "
                f"({self.first:%Y-%m-%d %H:%M} UTC): give the earlier first"
            )
        if self.last - self.first > LONGEST_WINDOW:
            raise UsageError(
                f"a window of {len(self):,} quarter-hours, from {self.first:%Y-%m-%d} to "
                f"{self.last:%Y-%m-%d}, is none: GDELT 2.0 begins on 2015-02-18"
            )

    def __len__(self) -> int:
        return (self.last - self.first) // QUARTER + 1

    def __iter__(self) -> Iterator[datetime]:
        return (self.first + QUARTER * place for place in range(len(self)))

    def __contains__(self, moment: object) -> bool:
        return isinstance(moment, datetime) and self.first <= moment <= self.last


def window(first: str, last: str) -> Window:
    """The window between two moments as people write them.

    A day (``2023-05-02``) or month (``2023-05``) means all of it, so that as `last` it ends with
    its last quarter-hour; a time (``2023-05-02T10:15``, with ``Z`` or an offset, UTC where
    neither is said) means the quarter-hour it lies in.  Raises `UsageError` for anything else.
    """
    return Window(_moment(first, "first"), _moment(last, "last"))


def _moment(text: str, end: Literal["first", "last"]) -> datetime:
    try:
        if re.fullmatch(r"\d{14}", text):
            return floor(from_stamp(text))
        if re.fullmatch(r"\d{4}-\d\d", text):
            begin = date.fromisoformat(f"{text}-01")
            return _day(begin if end == "first" else _next_month(begin) - timedelta(days=1), end)
        if re.fullmatch(r"\d{4}-?\d\d-?\d\d", text):
            return _day(date.fromisoformat(text), end)
        return floor(_time(text))
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"{text[:40]!r} is not a day or time: write 2023-05-02 or 2023-05-02T10:15 (UTC)"
        ) from error


def _time(text: str) -> datetime:
    if not re.match(r"\d{4}-?\d\d-?\d\d[T ]", text):
        # Python knows days by their week, too, and takes them for midnight.
        raise ValueError("not a day and a time of day")
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _day(day: date, end: Literal["first", "last"]) -> datetime:
    return datetime.combine(day, time(0, 0) if end == "first" else time(23, 45), tzinfo=UTC)


def _next_month(first_day: date) -> date:
    return (first_day + timedelta(days=31)).replace(day=1)
