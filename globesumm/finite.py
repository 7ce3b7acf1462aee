"""What counts as a number: what can be averaged, squared and printed."""

from collections.abc import Iterable

LARGEST = 1e100
"""In size: sums and squares of larger values would leave the numbers that a computer has."""


def is_number(value: float) -> bool:
    """Whether a value can be averaged and compared: finite, and up to `LARGEST` in size."""
    return -LARGEST <= value <= LARGEST


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
