"""Which side of a conflict a sentence takes, as far as figures, notes and negations show it."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import combinations

from globesumm.text.details import Bound, Day, Details, Kind, compatible, details, differences
from globesumm.values import Issue, Statement

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_CLOCK = re.compile(r"(\d\d):(\d\d)(?:[+-]\d\d:\d\d)?")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_KINDS = {kind.value: kind for kind in Kind}
_MEASURED = {Kind.NUMBER, Kind.ORDINAL, Kind.PERCENT, Kind.MONEY, Kind.MEASURE}
Figure = Decimal | int | str
SPECIFIC = 3
"""Digits from which on a number alone tells what it is about."""


def kind_and_values(differs: str | None) -> tuple[Kind | None, tuple[str, ...]]:
    """``"number: ≥296 / 820"`` → its kind and values; (None, parts) where it is in words."""
    if not differs or " / " not in differs:
        return None, ()
    name, colon, rest = differs.partition(": ")
    kind = _KINDS.get(name) if colon else None
    parts = tuple(part.strip() for part in (rest if colon else differs).split(" / "))
    return kind, tuple(dict.fromkeys(part for part in parts if part))


@lru_cache(maxsize=4096)
def figures_of(issue: Issue) -> tuple[Kind | None, tuple[str, ...]]:
    """The kind and values that a conflict turns on.

    They are those of `differs` or, where that is in words, those of the details on which its
    statements contradict each other; not where a note names the sides.

    Of several details the one whose figures or subject `differs` names counts, else the one on
    which most statements differ.  Without one it is (None, the parts of `differs`).
    """
    kind, values = kind_and_values(issue.differs)
    if kind is not None and readable(kind, values):
        return kind, values
    if noted(issue):
        return None, values
    found: dict[tuple[Kind, str | None], dict[str, None]] = {}
    for one, other in combinations(issue.statements, 2):
        left, right = (_read(s.text, s.language, None) for s in (one, other))
        for differs in differences(left, right):
            about = _about(left, differs.left) or _about(right, differs.right)
            held = found.setdefault((differs.kind, about), {})
            held |= {differs.left_value: None, differs.right_value: None}
    words = (issue.differs or "").casefold()
    best = max(
        found,
        key=lambda key: (
            key[0] is not Kind.NEGATION,
            sum(bare(value) in words for value in found[key]) + bool(key[1] and key[1] in words),
            len(found[key]),
        ),
        default=None,
    )
    return (kind, values) if best is None else (best[0], tuple(found[best]))


def _about(read: Details, written: str) -> str | None:
    return next((one.topic for one in read.quantities if one.written == written), None)


def readable(kind: Kind | None, values: Iterable[str]) -> bool:
    """Whether the values are figures that a sentence can be searched for."""
    if kind is Kind.NEGATION:
        return set(values) <= {"negated", "affirmed"}
    return kind is not None and all(_figure(kind, value) is not None for value in values)


def told_values(
    text: str, language: str, published: datetime | None, kind: Kind, values: Iterable[str]
) -> list[str]:
    """Which of `values` the sentence gives."""
    given = figures_in(text, language, published, kind)
    return [value for value in values if figure_of(kind, value) in given]


def figures_in(text: str, language: str, published: datetime | None, kind: Kind) -> set[Figure]:
    """What of `kind` the sentence gives, each in the form of `figure_of`."""
    read = _read(text, language, published)
    if kind is Kind.NEGATION:
        return set() if read.negated is None else {"negated" if read.negated else "affirmed"}
    if kind in _MEASURED:
        return {figure for one in read.quantities for figure in (one.amount, one.value)}
    given: set[Figure]
    if kind is Kind.TIME:
        given = {one.minutes for one in read.clocks}
        return given | {(one.minutes + 720) % 1440 for one in read.clocks if one.half_day}
    given = {name for day in read.days for name in _names(day)}
    if kind is Kind.DATE:
        given |= {str(one.amount) for one in read.quantities}
    return given


def figure_of(kind: Kind, value: str) -> Figure | None:
    """A readable value (see `readable`) in the form in which a sentence is searched for it."""
    return value if kind is Kind.NEGATION else _figure(kind, value)


def topics(text: str, language: str, kind: Kind, value: str) -> set[str]:
    """What the figure `value` counts in the sentence (``"killed"``), as far as it is known."""
    wanted = _figure(kind, value)
    return {
        one.topic
        for one in _read(text, language, None).quantities
        if one.topic and wanted in (one.amount, one.value)
    }


def counted(text: str, language: str) -> dict[str, str]:
    """What the sentence counts, with the figure as written: ``{"killed": "2,946"}``."""
    found = _read(text, language, None).quantities
    return {one.topic: one.written for one in found if one.topic and not one.soft}


def specific(value: str) -> bool:
    """Whether the figure is long enough to be known again by itself."""
    return sum(character.isdigit() for character in value) >= SPECIFIC


def amount(kind: Kind | None, value: str) -> Decimal | None:
    """The number in a value that is one, for plots."""
    found = _figure(kind, value) if kind in _MEASURED else None
    return found if isinstance(found, Decimal) else None


def agrees(text: str, language: str, kind: Kind | None, value: str, other: str) -> bool:
    """Whether what the sentence says of `value` ("over 2,000") leaves room for `other` (2012)."""
    mine, theirs = amount(kind, value), amount(kind, other)
    if mine is None or theirs is None:
        return value == other
    for one in _read(text, language, None).quantities:
        if one.amount == mine:
            exact = replace(
                one,
                amount=theirs,
                value=theirs * one.value / one.amount if one.amount else theirs,
                high=theirs * one.value / one.amount if one.amount else theirs,
                precision=Decimal(1),
                bound=Bound.EXACT,
            )
            return compatible(one, exact)
    return False


def noted(issue: Issue) -> dict[Statement, str]:
    """Each statement's side, where the note says who says what.

    A note reads ``"153: a, b; 672: c. …"``, by documents, or ``"153: a 3; 672: a 4"``, by
    documents and sentences.  A statement whose document stands on two sides has none.
    """
    _, values = kind_and_values(issue.differs)
    sides: dict[str, list[str]] = {}
    for part in re.split(r"; |\. ", issue.note or ""):
        value, colon, names = part.rpartition(": ")
        if colon and value in values:
            for name in names.split(", "):
                sides.setdefault(name.strip(), []).append(value)
    found = {}
    for one in issue.statements:
        said = sides.get(f"{one.document} {one.index}") or sides.get(one.document, [])
        if len(set(said)) == 1:
            found[one] = said[0]
    return found if len(set(found.values())) > 1 else {}


def bare(value: str) -> str:
    """The value without its sign of a bound."""
    return value.lstrip("≥≤~")


def _names(day: Day) -> set[str]:
    weekday = set() if day.weekday is None else {_WEEKDAYS[day.weekday]}
    return weekday | {str(day.year), str(day.resolved)}


def _figure(kind: Kind | None, value: str) -> Figure | None:
    if kind is Kind.TIME:
        found = _CLOCK.fullmatch(value)
        return None if found is None else int(found[1]) * 60 + int(found[2])
    if kind in _MEASURED:
        number = _NUMBER.match(bare(value))
        try:
            return None if number is None else Decimal(number[0])
        except InvalidOperation:
            return None
    if kind in {Kind.DATE, Kind.WEEKDAY}:
        return value if value in _WEEKDAYS or value[:4].isdigit() else None
    return None


@lru_cache(maxsize=20_000)
def _read(text: str, language: str, published: datetime | None) -> Details:
    return details(text, language, published)
