"""The concrete details of a news sentence: numbers, dates, times, weekdays and negation.

Two near-paraphrases, also in different languages, contradict each other where such a detail
differs.  Everything rests on word lists by language; a language that lacks one is named.
"""

from datetime import UTC, datetime

from globesumm.text.details.clocks import read_clocks
from globesumm.text.details.compare import differences
from globesumm.text.details.days import read_days
from globesumm.text.details.lexicon import languages_with, lexicon
from globesumm.text.details.model import (
    Bound,
    Clock,
    Day,
    Details,
    Difference,
    Kind,
    Quantity,
    Span,
)  # fmt: skip
from globesumm.text.details.negations import read_negations
from globesumm.text.details.quantities import read_quantities
from globesumm.text.details.reading import Reading
from globesumm.text.details.tokens import LONGEST, fold, tokenize
from globesumm.text.details.tolerance import compatible

__all__ = [
    "Bound", "Clock", "Day", "Details", "Difference", "Kind", "Quantity", "Span", "compatible",
    "details", "differences", "month_languages", "negation_languages", "number_word_languages",
    "weekday_languages",
]  # fmt: skip

MOST = 40
"""Details of one sort that are kept of a sentence; one with more is a table, not a sentence."""

_NAMES = {
    "months": "month names",
    "weekdays": "weekday names",
    "small": "number words",
    "scales": "scale words",
    "negation": "negation",
    "bounds": 'words such as "about"',
    "currencies": "currency names",
    "units": "unit names",
}


def details(sentence: str, language: str, published: datetime | None = None) -> Details:
    """Read the numbers, times, dates and negations of `sentence`.

    `language` is a code of `globesumm.languages`; for any other, digits, signs and numeric
    dates are still read and `Details.notes` names what could not be.  `published` (aware)
    dates weekdays (the nearest such day not after it), "yesterday" and days without a year.
    """
    known = lexicon(language)
    text = sentence[:LONGEST]
    folded, offsets = fold(text, language)
    tokens = tokenize(text, folded, offsets, plain_space=known.plain_space)
    reading = Reading(text, tokens, known.marks(tokens), known)
    when = published.astimezone(UTC) if published is not None and published.tzinfo else published
    days = read_days(reading, when)
    told = (day.resolved for day in days if day.resolved is not None)
    reading.day = next(told, when.date() if when is not None else None)
    clocks = read_clocks(reading)
    quantities, years = read_quantities(reading)
    notes = [f"no list of {_NAMES[name]} for {language!r}" for name in known.lacking]
    if len(sentence) > LONGEST:
        notes.append(f"only the first {LONGEST} of {len(sentence)} characters were read")
    if max(len(quantities), len(clocks), len(days) + len(years)) > MOST:
        notes.append(f"only the first {MOST} numbers, times and dates each were kept")
    lists_negation = "negation" not in known.lacking
    return Details(
        language=language,
        length=len(sentence),
        quantities=tuple(quantities[:MOST]),
        clocks=tuple(sorted(clocks, key=lambda clock: clock.start))[:MOST],
        days=tuple(sorted([*days, *years], key=lambda day: day.start))[:MOST],
        negations=tuple(read_negations(reading, folded, offsets)) if lists_negation else None,
        notes=tuple(notes),
    )


def negation_languages() -> frozenset[str]:
    """The languages with a list of negations."""
    return languages_with("negation")


def number_word_languages() -> frozenset[str]:
    """The languages with a list of number words."""
    return languages_with("small")


def month_languages() -> frozenset[str]:
    """The languages with a list of month names."""
    return languages_with("months")


def weekday_languages() -> frozenset[str]:
    """The languages with a list of weekday names."""
    return languages_with("weekdays")
