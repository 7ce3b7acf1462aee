"""A query without a model: what the event's articles are called there, its numbers and dates.

Names by language links are the work of people; what is lost is what the event's verbs say.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any

from globesumm.languages import LANGUAGES
from globesumm.text.details import Day, Quantity, details
from retrieval.portal.values import PortalEvent

RULE = "language-links-1"
"""Version of the rule; it changes when any query would."""

SOURCE = "en"
"""The language of the portal."""


def worded(event: PortalEvent, language: str) -> str | None:
    """The query for `event` in `language`; None where no article of it has a name there.

    In the portal's own language it is the description.
    """
    if language == SOURCE:
        return event.description
    names = list(names_in(event, language).values())
    if not names:
        return None
    return " ".join(dict.fromkeys([*names, *_figures(event, language)]))


def names_in(event: PortalEvent, language: str) -> dict[str, str]:
    """What the articles of `event` are called: English title to name, those of its text first."""
    titles = [*event.pages, *(page for topic in event.topics for page in topic.pages)]
    named = {title: event.names.get(title, {}).get(language) for title in titles}
    # Two articles of one name, such as a city and its province, are one word to look for.
    once: dict[str, str] = {}
    for title, name in named.items():
        if name and name not in once.values():
            once[title] = name
    return once


def _figures(event: PortalEvent, language: str) -> Iterator[str]:
    day = datetime(event.date.year, event.date.month, event.date.day, tzinfo=UTC)
    found = details(event.description, SOURCE, day)
    for quantity in found.quantities:
        # A number in words is written in words elsewhere, too.
        if any(character.isdecimal() for character in quantity.written):
            yield from _number(quantity, language)
    for stated in found.days:
        if (text := _date(stated, language)) is not None:
            yield text


def _number(quantity: Quantity, language: str) -> Iterator[str]:
    """As newspapers write it there, and without marks between its thousands."""
    amount = quantity.amount
    if amount >= 1_000_000 and quantity.precision >= 1000:
        # "3 million": the digits stand beside a word that is another in each language.
        amount = amount / 1_000_000
    for pattern in ("{n, number}", "{n, number, ::group-off}"):
        # Where thousands are parted by a blank, Lucene sees two numbers, and so must the query.
        yield " ".join(_formatted(pattern, language, n=float(amount)).split())


def _date(day: Day, language: str) -> str | None:
    if day.relative or day.month is None:
        return None
    year = day.year or (day.resolved.year if day.resolved else None)
    skeleton = ("d" if day.day else "") + "MMMM" + ("y" if day.year else "")
    try:
        # Noon keeps the day in whichever zone the formatter works.
        moment = datetime(year or 2000, day.month, day.day or 1, 12, tzinfo=UTC)
    except ValueError:
        # 31 February was written, and is no day.
        return None
    return _formatted(f"{{d, date, ::{skeleton}}}", language, d=moment)


def _formatted(pattern: str, language: str, **values: float | datetime) -> str:
    text: str = _format(pattern, language).format(values)
    return text


@cache
def _format(pattern: str, language: str) -> Any:
    from icu4py.locale import Locale
    from icu4py.messageformat import MessageFormat

    code = language if language in LANGUAGES else SOURCE
    # What the portal dates by one calendar is not looked for by another (Persian, Buddhist).
    return MessageFormat(pattern, Locale(f"{code}@calendar=gregorian"))
