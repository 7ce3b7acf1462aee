"""Which side of a conflict a sentence takes, as far as figures, notes and negations show it."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import combinations

from globesumm.text.details import Bound, Details, Kind, compatible, details, differences
from globesumm.values import Issue, Statement

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_CLOCK = re.compile(r"(\d\d):(\d\d)")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_KINDS = {kind.value: kind for kind in Kind}
_MEASURED = {Kind.NUMBER, Kind.ORDINAL, Kind.PERCENT, Kind.MONEY, Kind.MEASURE}
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
    read = _read(text, language, published)
    return [value for value in values if _gives(read, kind, value)]


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


def _gives(read: Details, kind: Kind, value: str) -> bool:
    if kind is Kind.NEGATION:
        return read.negated is not None and read.negated == (value == "negated")
    wanted = _figure(kind, value)
    if kind in _MEASURED:
        return any(wanted in (one.amount, one.value) for one in read.quantities)
    if kind is Kind.TIME:
        return any(
            one.minutes == wanted or (one.half_day and (one.minutes + 720) % 1440 == wanted)
            for one in read.clocks
        )
    return any(_is_day(one.weekday, one.year, one.resolved, value) for one in read.days) or any(
        str(one.amount) == value for one in read.quantities if kind is Kind.DATE
    )


def _is_day(weekday: int | None, year: int | None, resolved: object, value: str) -> bool:
    name = None if weekday is None else _WEEKDAYS[weekday]
    return value in {name, str(year), str(resolved)}


def _figure(kind: Kind | None, value: str) -> Decimal | int | str | None:
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
