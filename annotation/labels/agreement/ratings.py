"""What several people said of the same units, as coefficients of agreement take it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import UsageError
from globesumm.finite import numbers

Value = str | int | float | bool
"""One answer; numbers and truth values are numbers to the ordinal and interval levels."""

Codes = NDArray[np.intp]
"""Answers by number of their category, shape (units, raters); -1 where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """`values[u][r]` is what `raters[r]` said of `units[u]`, None where they said nothing.

    `groups` names for each unit what it is drawn with in a bootstrap (the item whose sentences
    the units are); by default every unit is drawn by itself.  An answer in figures that
    is no number (`globesumm.finite`) is a ValueError.
    """

    units: tuple[str, ...]
    raters: tuple[str, ...]
    values: tuple[tuple[Value | None, ...], ...]
    groups: tuple[str, ...]

    def __post_init__(self) -> None:
        numbers(one for row in self.values for one in row if isinstance(one, int | float))

    @property
    def categories(self) -> tuple[Value, ...]:
        """The answers given, each once: numbers in order, then words in theirs."""
        return _ordered({one for row in self.values for one in row if one is not None})

    @property
    def numeric(self) -> bool:
        """Whether all answers are numbers or truth values, so that distances mean something."""
        return not any(isinstance(one, str) for one in self.categories)

    def codes(self) -> Codes:
        """The answers by number of their category (`categories`)."""
        number = {one: place for place, one in enumerate(self.categories)}
        rows = [[-1 if one is None else number[one] for one in row] for row in self.values]
        return np.array(rows, dtype=np.intp).reshape(len(self.units), len(self.raters))

    def of(self, raters: Sequence[str]) -> "Ratings":
        """Those of some raters alone; units that none of them rated are left out."""
        places = [self.raters.index(name) for name in raters]
        rows = [tuple(row[place] for place in places) for row in self.values]
        kept = [u for u, row in enumerate(rows) if any(one is not None for one in row)]
        return Ratings(
            units=tuple(self.units[u] for u in kept),
            raters=tuple(raters),
            values=tuple(rows[u] for u in kept),
            groups=tuple(self.groups[u] for u in kept),
        )


def ratings(
    said: Iterable[tuple[str, str, Value]], groups: Mapping[str, str] | None = None
) -> Ratings:
    """From (unit, rater, answer), each unit and rater once; `groups` by unit where they differ.

    Raises `UsageError` where one person says two things of one unit.
    """
    table: dict[str, dict[str, Value]] = {}
    raters: dict[str, None] = {}
    for unit, rater, answer in said:
        row = table.setdefault(unit, {})
        if row.setdefault(rater, answer) != answer:
            raise UsageError(f"{rater} says both {row[rater]!r} and {answer!r} of {unit!r}")
        raters.setdefault(rater)
    names = tuple(sorted(raters))
    held = groups or {}
    return Ratings(
        units=tuple(table),
        raters=names,
        values=tuple(tuple(row.get(name) for name in names) for row in table.values()),
        groups=tuple(held.get(unit, unit) for unit in table),
    )


def from_matrix(rows: Sequence[Sequence[Value | None]]) -> Ratings:
    """From one row a rater with one column a unit, as textbooks print reliability data."""
    columns = tuple(zip(*rows, strict=True))
    units = tuple(str(number) for number in range(1, len(columns) + 1))
    return Ratings(
        units=units,
        raters=tuple(str(number) for number in range(1, len(rows) + 1)),
        values=columns,
        groups=units,
    )


def from_counts(table: Sequence[Sequence[int]]) -> Ratings:
    """From how many raters chose each category of each unit, as Fleiss's tables are printed.

    Who chose what is not in such a table, so that only measures that do not ask may be taken.
    """
    rows = [[place for place, count in enumerate(row) for _ in range(count)] for row in table]
    most = max(map(len, rows), default=0)
    units = tuple(str(number) for number in range(1, len(rows) + 1))
    return Ratings(
        units=units,
        raters=tuple(str(number) for number in range(1, most + 1)),
        values=tuple((*row, *[None] * (most - len(row))) for row in rows),
        groups=units,
    )


def tally(values: Iterable[Value | None]) -> Counter[Value]:
    """How often each answer was given."""
    return Counter(one for one in values if one is not None)


def _ordered(values: set[Value]) -> tuple[Value, ...]:
    return tuple(sorted(values, key=lambda one: (isinstance(one, str), one)))
