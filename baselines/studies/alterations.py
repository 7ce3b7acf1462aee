"""One detail of a sentence altered.

Rules and word lists by language are in ``alterations.toml``.  Every rule changes one stretch of
the sentence and nothing else, and says what it changed.  What is not covered: numbers in words,
negation by anything but the listed verbs, changes of names and places.
"""

from collections.abc import Callable, Iterator, Mapping

import regex

from baselines.studies.draws import choice, number
from baselines.studies.spotting import (
    YEAR,
    Altered,
    Change,
    applied,
    day_numbers,
    lists,
    month_names,
    negates,
    plain_numbers,
    weekday_names,
)


def alter(sentence: str, language: str, kind: str, *key: object) -> Altered | None:
    """`sentence` with one detail of `kind` (a key of `KINDS`) altered, or None if it has none.

    `key` draws among what could be altered and into what; equal keys give equal results.
    """
    drawn = (*key, sentence, kind)
    options = [
        (rule, change) for rule in KINDS[kind] for change in _RULES[rule](sentence, language, drawn)
    ]
    return applied(sentence, kind, choice(options, *drawn)) if options else None


def _numbers(sentence: str, language: str, key: tuple[object, ...]) -> Iterator[Change]:
    """The first digit exchanged for one at least two away: the value moves by 20 % or more.

    Format, unit and all else stay.  Years, days, times and numbers that are names are left.
    """
    for found in plain_numbers(sentence, language):
        first = found[0][0]
        old = int(first)
        new = choice([d for d in range(1, 10) if abs(d - old) >= 2], *key, found.start())
        zero = ord(first) - old
        yield Change(found.start(), found.start() + 1, chr(zero + new), found[0])


def _months(sentence: str, language: str, key: tuple[object, ...]) -> Iterator[Change]:
    for start, end, form, place in month_names(sentence, language):
        others = [other for other in range(12) if form[other] != form[place]]
        yield Change(start, end, form[choice(others, *key, start)])


def _weekdays(sentence: str, language: str, key: tuple[object, ...]) -> Iterator[Change]:
    """A day two to five days away, so that a change of time zone cannot explain it."""
    for start, end, form, place in weekday_names(sentence, language):
        yield Change(start, end, form[(place + choice(range(2, 6), *key, start)) % 7])


def _days(sentence: str, language: str, key: tuple[object, ...]) -> Iterator[Change]:
    """The number of the day beside a month's name, moved by 3 to 12."""
    for start, end, day in day_numbers(sentence, language):
        new = (day - 1 + 3 + number(*key, start) % 10) % 28 + 1
        if abs(new - day) >= 2:
            yield Change(start, end, str(new))


def _years(sentence: str, _language: str, key: tuple[object, ...]) -> Iterator[Change]:
    there = {found[0] for found in YEAR.finditer(sentence)}
    for found in YEAR.finditer(sentence):
        near = [str(int(found[0]) + step) for step in (-4, -3, -2, 2, 3, 4)]
        others = [year for year in near if year not in there]
        yield Change(found.start(), found.end(), choice(others, *key, found.start()))


def _negations(sentence: str, language: str, _key: tuple[object, ...]) -> Iterator[Change]:
    """The first listed verb negated; nothing in a sentence that negates already."""
    if negates(sentence, language):
        return
    matches = [
        (found.start(), found.end(), found.expand(put))
        for find, put in lists()[language]["negate"]
        if (found := regex.search(find, sentence))
    ]
    if matches:
        yield Change(*min(matches))


_Rule = Callable[[str, str, tuple[object, ...]], Iterator[Change]]

_RULES: Mapping[str, _Rule] = {
    "number": _numbers,
    "month": _months,
    "weekday": _weekdays,
    "day": _days,
    "year": _years,
    "negation": _negations,
}

KINDS: Mapping[str, tuple[str, ...]] = {
    "number": ("number",),
    "date": ("month", "weekday", "day", "year"),
    "negation": ("negation",),
}
"""Kinds of alteration and the rules that make them."""
