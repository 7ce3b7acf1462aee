"""What counts as a number: what can be averaged, squared and printed."""

import sys
from collections.abc import Iterable
from typing import Any

LARGEST = 1e100
"""In size: sums and squares of larger values would leave the numbers that a computer has."""

LONG = 1e15
"""In size: from here on a number is written with a power of ten."""


def is_number(value: float) -> bool:
    """Whether a value can be averaged and compared: finite, and up to `LARGEST` in size."""
    return -LARGEST <= value <= LARGEST


def shown(value: float, digits: int) -> str:
    """A number with so many digits after the point, with powers of ten where it is long.

    Zero has no sign.  A ValueError for what is not finite.
    """
    if not -sys.float_info.max <= value <= sys.float_info.max:
        raise ValueError(f"{value!r:.40} is no number to show")
    return f"{value:z.{digits}f}" if abs(value) < LONG else f"{value:.{digits}e}"


def counted(count: int, what: str, form: str = "") -> str:
    """``1 summary``, ``2 summaries``; `form` is that of the count (``","``).

    `what` is the regular English noun of one, words before it included.
    """
    plural = f"{what[:-1]}ies" if what[-1] == "y" and what[-2] not in "aeiou" else f"{what}s"
    return f"{count:{form}} {what if count == 1 else plural}"


def all_numbers(values: Any) -> None:
    """Raise ValueError unless every value of the numpy array `values` is a number."""
    if values.size and not bool((abs(values) <= LARGEST).all()):
        raise ValueError(f"not every value is a number up to {LARGEST:g} in size")


def numbers(values: Iterable[float]) -> list[float]:
    """The values as they are; one that is no number (`is_number`) is a ValueError that names it."""
    found = list(values)
    for value in found:
        if not is_number(value):
            raise ValueError(
                f"the value {value!r:.40} is no number up to {LARGEST:g} in size: "
                "where there is none it is null, and a note says why"
            )
    return found
