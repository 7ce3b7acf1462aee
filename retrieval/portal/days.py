"""Which day: titles of portal pages, names of saved files, windows of days.

All days are Wikipedia's, that is UTC.
"""

import re
from calendar import month_name
from collections.abc import Iterator
from datetime import date, timedelta

from globesumm.errors import UsageError

FIRST_DAY = date(2002, 1, 1)
"""The portal holds nothing earlier."""

_MONTHS = {name.lower(): number for number, name in enumerate(month_name) if name}
_ISO = re.compile(r"(?<!\d)(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})(?!\d)")
_WORDS = re.compile(r"(?<!\d)(\d{4})[ _-]+([A-Za-z]{3,9})[ _-]+(\d{1,2})(?!\d)")


def title_of(day: date) -> str:
    """The title of the portal page of a day: ``Portal:Current events/2023 May 15``."""
    return f"Portal:Current events/{day.year} {_english(day.month)} {day.day}"


def _english(month: int) -> str:
    return next(name for name, number in _MONTHS.items() if number == month).capitalize()


def day_from(year: str, month: str, day: str) -> date | None:
    """The day that three words mean; the month may be a number or an English name."""
    number = _MONTHS.get(month.strip().lower())
    try:
        found = date(int(year), int(month) if number is None else number, int(day))
    except (ValueError, OverflowError):
        return None
    return found if found >= FIRST_DAY else None


def day_in(name: str) -> date | None:
    """The day that a title, an id or a file name speaks of, or None.

    ``Portal:Current events/2023 May 15``, ``2023_May_15``, ``2023-05-15.1155135755.wiki``.
    """
    for pattern in (_WORDS, _ISO):
        if found := pattern.search(name):
            return day_from(*found.groups())
    return None


def parse_day(text: str, option: str) -> date:
    """A day as a user writes it, ``2023-05-15``; raises UsageError naming the option."""
    try:
        # Python knows weeks, too, and takes one for its Monday.
        day = None if "W" in text else date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None:
        raise UsageError(f"{option} {text!r} is no day: write it like 2023-05-15")
    if day < FIRST_DAY:
        raise UsageError(f"{option} {text}: the portal begins on {FIRST_DAY}: give a later day")
    return day


def days_between(first: date, last: date) -> Iterator[date]:
    """Every day from `first` to `last`, both included."""
    if last < first:
        raise UsageError(
            f"the window ends ({last}) before it begins ({first}): give the earlier day first"
        )
    for number in range((last - first).days + 1):
        yield first + timedelta(days=number)
