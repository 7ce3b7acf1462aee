"""On which details two sentences cannot both be right."""

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from typing import TypeVar

from globesumm.text.details.hours import comparable, hours, same_time
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
from globesumm.text.details.tolerance import compatible

S = TypeVar("S", bound=Span)


def differences(a: Details, b: Details) -> tuple[Difference, ...]:
    """The details on which `a` and `b` contradict each other, in the order of `a`.

    Equal and compatible details are paired first ("more than 1,000" with 1,037); of what is
    left, details of one kind, unit and topic are paired by nearness in the sentence, and each
    such pair is a difference.  A detail that only one side gives is none.  The result for
    ``(b, a)`` holds the same pairs with their sides exchanged.
    """
    found = [
        *_quantity_differences(a, b),
        *_clock_differences(a, b),
        *_day_differences(a, b),
    ]
    found.sort(key=lambda item: (item[0], item[1]))
    return (*(difference for _, _, difference in found), *_negation_differences(a, b))


_Found = list[tuple[int, int, Difference]]


def _pair(
    left: list[S], right: list[S], cost: Callable[[S, S], float | None]
) -> tuple[list[tuple[S, S]], list[S], list[S]]:
    """Greedy pairs by rising cost (None: never), and what is left over on each side."""
    options = []
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            price = cost(one, other)
            if price is not None:
                # Ties are settled without regard to which side is which.
                tie = sorted([(one.start, one.written), (other.start, other.written)])
                options.append((price, tie, i, j))
    options.sort(key=lambda option: option[:2])
    used_left: set[int] = set()
    used_right: set[int] = set()
    pairs = []
    for _, _, i, j in options:
        if i not in used_left and j not in used_right:
            used_left.add(i)
            used_right.add(j)
            pairs.append((left[i], right[j]))
    return (
        pairs,
        [one for i, one in enumerate(left) if i not in used_left],
        [one for j, one in enumerate(right) if j not in used_right],
    )


def _apart(a: Details, b: Details) -> Callable[[Span, Span], float]:
    """Distance between two spans' relative places in their sentences, from 0 to 1."""

    def distance(one: Span, other: Span) -> float:
        return abs(one.start / max(a.length, 1) - other.start / max(b.length, 1))

    return distance


# --- quantities ---------------------------------------------------------------------------


def _quantity_differences(a: Details, b: Details) -> _Found:
    apart = _apart(a, b)
    left, right = list(a.quantities), list(b.quantities)

    def equal(one: Quantity, other: Quantity) -> float | None:
        same = one.value == other.value and one.high == other.high and one.unit == other.unit
        if not same and one.amount != other.amount:
            return None
        return apart(one, other) + (0 if same and one.kind == other.kind else 2)

    def close(one: Quantity, other: Quantity) -> float | None:
        return apart(one, other) if _alike(one, other) and compatible(one, other) else None

    def against(one: Quantity, other: Quantity) -> float | None:
        if one.soft or other.soft or not _alike(one, other):
            return None
        if one.topic and other.topic and one.topic != other.topic:
            if "people" not in {one.topic, other.topic}:
                return None
            return apart(one, other) + 1
        return apart(one, other) + (0 if one.topic == other.topic else 1)

    _, left, right = _pair(left, right, equal)
    _, left, right = _pair(left, right, close)
    left = _without_years(left, b.days)
    right = _without_years(right, a.days)
    pairs, _, _ = _pair(left, right, against)
    return [
        (one.start, other.start, _difference(one.kind, one, other, _shown(one), _shown(other)))
        for one, other in pairs
    ]


def _without_years(quantities: list[Quantity], days: Sequence[Day]) -> list[Quantity]:
    """Drop numbers that the other side reads as part of a date."""
    stated = {Decimal(part) for day in days for part in (day.year, day.month, day.day) if part}
    return [q for q in quantities if q.kind is not Kind.NUMBER or q.amount not in stated]


def _alike(one: Quantity, other: Quantity) -> bool:
    return one.kind == other.kind and one.unit == other.unit


_SIGNS = {Bound.EXACT: "", Bound.ABOUT: "~", Bound.AT_LEAST: "≥", Bound.AT_MOST: "≤"}


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _shown(quantity: Quantity) -> str:
    text = _plain(quantity.amount)
    if quantity.high != quantity.value:
        ratio = quantity.amount / quantity.value if quantity.value else Decimal(1)
        text += f"–{_plain(quantity.high * ratio)}"
    unit = quantity.stated_unit or quantity.unit
    if quantity.kind is Kind.PERCENT:
        unit = "%"
    return f"{_SIGNS[quantity.bound]}{text}{f' {unit}' if unit else ''}"


# --- times of day -------------------------------------------------------------------------


def _clock_differences(a: Details, b: Details) -> _Found:
    apart = _apart(a, b)

    def agree(one: Clock, other: Clock) -> float | None:
        return apart(one, other) if same_time(one, other) else None

    def against(one: Clock, other: Clock) -> float | None:
        return apart(one, other) if comparable(one, other) else None

    _, left, right = _pair(list(a.clocks), list(b.clocks), agree)
    pairs, _, _ = _pair(left, right, against)
    return [
        (one.start, other.start, _difference(Kind.TIME, one, other, *hours(one, other)))
        for one, other in pairs
    ]


# --- days ---------------------------------------------------------------------------------


def _day_differences(a: Details, b: Details) -> _Found:
    apart = _apart(a, b)

    def against(one: Day, other: Day) -> float | None:
        shared, clash = _fields(one, other)
        return apart(one, other) if shared and clash and _grain(one) == _grain(other) else None

    left, right = list(a.days), list(b.days)
    # Like agrees with like first: in "Thursday, 8 July" against "Thursday, 7 July" the weekday
    # must not excuse the date.  A day may be named more than once on one side.
    for alike in (True, False):
        agreed = [
            (one, other)
            for one in left
            for other in right
            if (_form(one) == _form(other)) is alike and _agree(one, other)
        ]
        left = [day for day in left if all(day is not one for one, _ in agreed)]
        right = [day for day in right if all(day is not other for _, other in agreed)]
    left, right = _stated_once(left, b), _stated_once(right, a)
    pairs, _, _ = _pair(left, right, against)
    return [
        (one.start, other.start,
         _difference(_day_kind(one, other), one, other, _iso(one), _iso(other)))
        for one, other in pairs
    ]  # fmt: skip


def _stated_once(days: list[Day], other: Details) -> list[Day]:
    """Drop years that the other side reads as a plain number."""
    amounts = {quantity.amount for quantity in other.quantities}
    return [
        day for day in days
        if day.month or day.resolved or day.year is None or Decimal(day.year) not in amounts
    ]  # fmt: skip


def _agree(one: Day, other: Day) -> bool:
    shared, clash = _fields(one, other)
    return bool(shared) and not clash


def _form(day: Day) -> str:
    if day.relative:
        return "relative"
    return "weekday" if day.weekday is not None else _grain(day)


def _grain(day: Day) -> str:
    if day.weekday is not None or day.relative or day.day:
        return "day"
    return "month" if day.month else "year"


def _day_kind(one: Day, other: Day) -> Kind:
    both = one.weekday is not None and other.weekday is not None
    return Kind.WEEKDAY if both else Kind.DATE


def _fields(one: Day, other: Day) -> tuple[int, bool]:
    """How many fields both days give (resolved where possible), and whether one clashes."""
    if one.weekday is not None and other.weekday is not None:
        return 1, one.weekday != other.weekday
    if one.relative or other.relative:
        if one.resolved is None or other.resolved is None:
            return _stated_fields(one, other)
        slack = 0 if one.relative and other.relative else 1
        return 3, abs((one.resolved - other.resolved).days) > slack
    if one.weekday is not None or other.weekday is not None:
        first, second = _weekday(one), _weekday(other)
        return (0, False) if first is None or second is None else (1, first != second)
    return _stated_fields(one, other)


def _stated_fields(one: Day, other: Day) -> tuple[int, bool]:
    pairs = [(one.year, other.year), (one.month, other.month), (one.day, other.day)]
    both = [(x, y) for x, y in pairs if x is not None and y is not None]
    return len(both), any(x != y for x, y in both)


def _weekday(day: Day) -> int | None:
    if day.weekday is not None:
        return day.weekday
    return day.resolved.weekday() if isinstance(day.resolved, date) else None


_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def _iso(day: Day) -> str:
    if day.weekday is not None:
        return _NAMES[day.weekday]
    if day.resolved is not None:
        return day.resolved.isoformat()
    year = f"{day.year:04}" if day.year else "-"
    if day.month is None:
        return year
    return f"{year}-{day.month:02}" + (f"-{day.day:02}" if day.day else "")


# --- negation -----------------------------------------------------------------------------


def _negation_differences(a: Details, b: Details) -> list[Difference]:
    if a.negations is None or b.negations is None or bool(a.negations) == bool(b.negations):
        return []
    return [
        Difference(
            kind=Kind.NEGATION,
            left=" … ".join(span.written for span in a.negations),
            right=" … ".join(span.written for span in b.negations),
            left_value="negated" if a.negations else "affirmed",
            right_value="negated" if b.negations else "affirmed",
        )
    ]


def _difference(kind: Kind, one: Span, other: Span, left: str, right: str) -> Difference:
    return Difference(
        kind=kind, left=one.written, right=other.written, left_value=left, right_value=right
    )
