"""Dates, months, years, weekdays and relative days."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

import regex

from globesumm.text.details.model import Day
from globesumm.text.details.reading import Reading

_SKIPPED = {".", ",", "-", "/", "(", ")", "'", "º", "ª", "°", "–"}
_PLACES = regex.compile(r"[./-]")


def read_days(reading: Reading, published: datetime | None) -> list[Day]:
    """Every date of the sentence; its tokens are taken."""
    days = [
        *_numeric(reading),
        *_dotted(reading),
        *_marked(reading),
        *_named(reading),
        *_weekdays(reading),
        *_relative(reading, published),
    ]
    return [_resolve(day, published) for day in days]


def _numeric(reading: Reading) -> Iterator[Day]:
    for place, token in enumerate(reading.tokens):
        if token.kind == "d":
            parts = [int(part) for part in _PLACES.split(token.text)]
            order = "ymd" if parts[0] > 31 else reading.lexicon.order
            if order == "ymd" and parts[0] <= 31:
                order = "dmy"
            if order == "mdy" and parts[0] > 12:
                order = "dmy"
            if order == "dmy" and parts[1] > 12:
                order = "mdy"
            found = dict(zip(order, parts, strict=True))
            year = found["y"] + (0 if found["y"] > 99 else 2000 if found["y"] < 50 else 1900)
            if 1 <= found["m"] <= 12 and 1 <= found["d"] <= 31 and 1000 <= year <= 2199:
                yield _day(reading, place, place + 1, year=year, month=found["m"], day=found["d"])


def _dotted(reading: Reading) -> Iterator[Day]:
    """A day and a month where the comma is the decimal mark: as in "7.7.", in reading order."""
    if reading.lexicon.decimal != ",":
        return
    for place, token in enumerate(reading.tokens):
        day, dot, month = token.text.partition(".")
        if (
            token.kind == "n" and dot and day.isdigit() and month.isdigit()
            and reading.is_sign(place + 1, ".") and reading.touching(place + 1)
            and 1 <= int(day[:3]) <= 31 and 1 <= int(month[:3]) <= 12
            and place + 2 < len(reading.tokens) and not reading.tokens[place + 2].capital
        ):  # fmt: skip
            year = reading.year(place + 2)
            end = place + 2 if year is None else place + 3
            yield _day(reading, place, end, year=year, month=int(month), day=int(day))


def _marked(reading: Reading) -> Iterator[Day]:
    """Numbers with a sign that says what they are: 2005年7月7日, ngày 7 tháng 7 năm 2005."""
    steps = (("year", 1000, 2199), ("month", 1, 12), ("day", 1, 31))
    place = 0
    while place < len(reading.tokens):
        found: dict[str, int] = {}
        end = place
        while len(found) < 3:
            for name, low, high in steps:
                if name in found:
                    continue
                value = reading.integer(end, low, high)
                after = reading.mark(end + 1, f"{name}_after")
                if value is not None and after:
                    found[name], end = value, end + 1 + after[2]
                    break
                before = reading.mark(end, f"{name}_before")
                value = reading.integer(end + before[2], low, high) if before else None
                if before and value is not None:
                    found[name], end = value, end + before[2] + 1
                    break
            else:
                if found and reading.is_sign(end, ",/") and end + 1 < len(reading.tokens):
                    end += 1
                    if not any(reading.mark(end, f"{n}_before") for n, _, _ in steps):
                        end -= 1
                        break
                    continue
                break
        if found.get("month") or found.get("year"):
            yield _day(
                reading, place, end,
                year=found.get("year"), month=found.get("month"), day=found.get("day"),
            )  # fmt: skip
        place = max(end, place + 1)


def _named(reading: Reading) -> Iterator[Day]:
    for place in range(len(reading.tokens)):
        mark = reading.mark(place, "month", "month_soft")
        if not mark:
            continue
        start, end = place, place + mark[2]
        # Two names of one month ("يوليو/تموز") are one month.
        while reading.is_sign(end, "/(") and (twin := reading.mark(end + 1, "month", "month_soft")):
            end += 1 + twin[2]
        day, start = _day_before(reading, place)
        if day is None and reading.lexicon.day_after_month:
            day, end = _day_after(reading, end)
        year, end = _year_after(reading, end)
        if year is None and reading.lexicon.order == "ymd":
            year, start = _year_before(reading, start)
        # "may" and "march" are months only beside a day or a year.
        if mark[0] == "month" or day is not None or year is not None:
            yield _day(reading, start, end, year=year, month=mark[1], day=day)


def _skips(reading: Reading, place: int) -> bool:
    return 0 <= place < len(reading.tokens) and (
        reading.tokens[place].text in _SKIPPED
        or bool(reading.mark(place, "of", "ordinal_after", "number_sign", "day_after"))
    )


def _day_before(reading: Reading, month: int) -> tuple[int | None, int]:
    place = month - 1
    for _ in range(3):
        day = reading.integer(place, 1, 31)
        if day is not None:
            return day, place
        if not _skips(reading, place):
            break
        place -= 1
    return None, month


def _day_after(reading: Reading, end: int) -> tuple[int | None, int]:
    place = end
    for _ in range(2):
        day = reading.integer(place, 1, 31)
        if day is not None:
            ordinal = reading.mark(place + 1, "ordinal_after")
            return day, place + 1 + (ordinal[2] if ordinal else 0)
        if not _skips(reading, place):
            break
        place += 1
    return None, end


def _year_after(reading: Reading, end: int) -> tuple[int | None, int]:
    place = end
    for _ in range(4):
        year = reading.year(place)
        if year is not None:
            return year, place + 1
        if not _skips(reading, place):
            break
        place += 1
    return None, end


def _year_before(reading: Reading, start: int) -> tuple[int | None, int]:
    for place in (start - 1, start - 2):
        year = reading.year(place)
        if year is not None:
            return year, place
        if not _skips(reading, place):
            break
    return None, start


def _weekdays(reading: Reading) -> Iterator[Day]:
    capital = reading.lexicon.raw.get("weekdays_capital", False)
    for place, token in enumerate(reading.tokens):
        mark = reading.mark(place, "weekday")
        if mark and (token.capital or not capital) and not _counted(reading, place):
            yield _day(reading, place, place + mark[2], weekday=mark[1])
            continue
        mark = reading.mark(place, "weekday_short")
        if mark and (reading.is_sign(place + mark[2], ".,") or reading.is_sign(place - 1, "(")):
            yield _day(reading, place, place + mark[2], weekday=mark[1])


def _counted(reading: Reading, place: int) -> bool:
    """Whether a number stands before: "5 luni" is five months, not Monday the fifth."""
    return place > 0 and reading.tokens[place - 1].kind == "n" and place - 1 not in reading.taken


def _relative(reading: Reading, published: datetime | None) -> Iterator[Day]:
    if published is None:
        return
    offsets = {"today": 0, "yesterday": -1, "tomorrow": 1}
    for place in range(len(reading.tokens)):
        mark = reading.mark(place, *offsets)
        if mark:
            resolved = _shifted(published.date(), offsets[mark[0]])
            yield _day(reading, place, place + mark[2], resolved=resolved, relative=True)


def _day(
    reading: Reading,
    start: int,
    end: int,
    *,
    year: int | None = None,
    month: int | None = None,
    day: int | None = None,
    weekday: int | None = None,
    resolved: date | None = None,
    relative: bool = False,
) -> Day:
    written, first, last = reading.take(start, end)
    return Day(
        written=written, start=first, end=last, year=year, month=month, day=day,
        weekday=weekday, resolved=resolved, relative=relative,
    )  # fmt: skip


def _resolve(day: Day, published: datetime | None) -> Day:
    """`day` with its calendar date where it is stated or follows from the publication date."""
    resolved = day.resolved
    if resolved is None and day.month and day.day and (day.year or published):
        years = [day.year] if day.year else []
        if published and not day.year:
            years = [published.year - 1, published.year, published.year + 1]
        dates = [found for year in years if (found := _date(year, day.month, day.day))]
        if dates:
            near = published.date() if published else dates[0]
            resolved = min(dates, key=lambda found: abs((found - near).days))
    if resolved is None and day.weekday is not None and published is not None:
        back = (published.weekday() - day.weekday) % 7
        resolved = _shifted(published.date(), -back)
    if resolved == day.resolved:
        return day
    return Day(
        written=day.written, start=day.start, end=day.end, year=day.year, month=day.month,
        day=day.day, weekday=day.weekday, resolved=resolved, relative=day.relative,
    )  # fmt: skip


def _shifted(day: date, days: int) -> date | None:
    """The day so many `days` later; None where the calendar ends (years 1 and 9999)."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
