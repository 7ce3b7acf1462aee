"""Times as pages, feeds and tables write them.

Only what can be read one way is read: ``05/06/2023`` is the fifth of June or the sixth of May,
so it gives nothing.  A time without a zone is taken as UTC and a date alone as its midnight in
UTC; both are said in a note.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

NO_ZONE = "published: no time zone given, read as UTC"
DATE_ONLY = "published: date only, midnight UTC"
EARLIEST_YEAR = 1700
"""Before this year no publication is believed: newspapers' archives begin about there."""

_ISO_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ]+(\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?",
    re.IGNORECASE,
)
_ISO_DATE = re.compile(r"(\d{4})[-/.](\d\d?)[-/.](\d\d?)(?!\d)")
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)Z?)?")
_WEEKDAY = re.compile(r"^[^\W\d]+day\s*,?\s+", re.IGNORECASE)
_ENGLISH = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b. %d, %Y")


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time (aware, UTC) and what had to be assumed to get it (None if nothing)."""

    time: datetime
    note: str | None = None


def moment(text: str) -> Moment | None:
    """The time that `text` states, or None if it cannot be read in exactly one way."""
    written = " ".join(text.split())[:80]
    try:
        return _iso(written) or _compact(written) or _named(written)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def _iso(text: str) -> Moment | None:
    if match := _ISO_TIME.match(text):
        day, clock, zone = match.groups()
        hour, _, rest = clock.replace(",", ".").partition(":")
        time = datetime.fromisoformat(f"{day}T{hour.zfill(2)}:{_six_digits(rest)}")
        if zone is None:
            return Moment(time.replace(tzinfo=UTC), NO_ZONE)
        zone = "+00:00" if zone.upper() in {"Z", "UTC", "GMT"} else zone
        return Moment(datetime.fromisoformat(time.isoformat() + zone).astimezone(UTC))
    if match := _ISO_DATE.match(text):
        year, month, day_number = (int(part) for part in match.groups())
        return Moment(datetime(year, month, day_number, tzinfo=UTC), DATE_ONLY)
    return None


def _six_digits(rest: str) -> str:
    """Seconds with at most six decimals: some systems write nanoseconds."""
    seconds, dot, fraction = rest.partition(".")
    return f"{seconds}{dot}{fraction[:6].ljust(6, '0')}" if dot else seconds


def _compact(text: str) -> Moment | None:
    if match := _COMPACT.fullmatch(text):
        digits = "".join(part for part in match.groups() if part is not None)
        pattern = "%Y%m%d%H%M%S" if match.group(4) else "%Y%m%d"
        time = datetime.strptime(digits, pattern).replace(tzinfo=UTC)
        return Moment(time, None if match.group(4) else DATE_ONLY)
    if re.fullmatch(r"1\d{9}(?:\d{3})?(?:\.\d+)?", text):  # Unix time, 2001 to 2033
        seconds = float(text)
        return Moment(datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC))
    return None


def _named(text: str) -> Moment | None:
    bare = _WEEKDAY.sub("", text)
    for pattern in _ENGLISH:
        try:
            return Moment(datetime.strptime(bare, pattern).replace(tzinfo=UTC), DATE_ONLY)
        except ValueError:
            continue
    if not re.search(r"\d:\d\d", text) or not re.match(r"(?:[A-Za-z]{3,9},? )?\d", text):
        return None
    time = parsedate_to_datetime(text)
    if time.tzinfo is None:
        return Moment(time.replace(tzinfo=UTC), NO_ZONE)
    return Moment(time.astimezone(UTC))


def doubt(time: datetime, now: datetime) -> str | None:
    """Why no news report can have been published at `time`, or None if one can.

    Zero dates of programs (years 1, 1601) lie before any newspaper's archive, and a time more
    than a day after `now` is a slip or a trick.
    """
    if time.year < EARLIEST_YEAR:
        return f"lies before {EARLIEST_YEAR}"
    return "lies in the future" if time > now + timedelta(days=1) else None


def doubt_note(written: object, why: str) -> str:
    """What is noted about a date that was not taken."""
    return f"published: {str(written)[:40]!r} {why}"
