"""Numbers and sets of numbers that break arithmetic, and what every result must be."""

import dataclasses
import json
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from globesumm.errors import DataError, UsageError
from globesumm.records import strictly, to_json
from globesumm.values import Score

Set = list[float | None]

NUMBERS: dict[str, float] = {
    "not a number": math.nan,
    "infinite": math.inf,
    "infinite below": -math.inf,
    "huge": 1e308,
    "huge below": -1e308,
    "large": 9e99,
    "tiny": 5e-324,
    "tiny below": -5e-324,
    "small": 1e-300,
    "negative zero": -0.0,
    "beyond exact integers": 2**53 + 1,
    "beyond floats": 10**400,
    "below none": -7.25,
}

SETS: dict[str, Set] = {
    "empty": [],
    "unscored": [None, None, None],
    "one": [0.5],
    "one of three": [None, 0.5, None],
    "two alike": [0.25, 0.25],
    "all equal": [1 / 3] * 12,
    "all zero": [0.0] * 6,
    "zeros of both signs": [0.0, -0.0, 0.0, -0.0],
    "mixture": [0.1, None, 0.9, None, 0.4, 0.4, None],
    "large apart": [9e99, -9e99, 9e99],
    "tiny and one": [5e-324, 1.0, 1e-320],
    "all tiny": [5e-324, 1e-323, 1.5e-323],
    "integers": [2**53, 2**53 + 1, 2**53 + 2],
    "nearly equal": [1.0, 1.0 + 2**-52, 1.0 - 2**-53],
    **{f"{name} among others": [0.25, number, 0.75, 0.5] for name, number in NUMBERS.items()},
    **{f"{name} alone": [number] for name, number in NUMBERS.items()},
}

REFUSALS = (UsageError, DataError, ValueError)
"""What may come instead of a result, with words; FloatingPointError and others may not."""

_NO_NUMBER = re.compile(r"(?<![\w-])-?(?:nan|inf|infinity|1\.#ind|1\.#inf)(?![\w-])", re.IGNORECASE)
_MINUS_NOTHING = re.compile(r"(?<![\w.,-])-0(?:\.0+)?(?![\w.])")


@contextmanager
def quiet() -> Iterator[None]:
    """Within it a warning of arithmetic is an error."""
    with warnings.catch_warnings(), np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("error", RuntimeWarning)
        yield


def outcome(compute: Callable[[], Any]) -> Any:
    """What `compute` gives, which is sound, or the refusal in words that it raised."""
    with quiet():
        try:
            found = compute()
        except REFUSALS as error:
            found = error
    if isinstance(found, Exception):
        assert str(found).strip(), "refused without a word"
    else:
        assert_sound(found)
    return found


def assert_sound(found: Any) -> None:
    """No part is NaN or infinite, no text of it shows one or minus nothing, and it is JSON."""
    for part in parts(found):
        if isinstance(part, str):
            assert not _NO_NUMBER.search(part), part
            assert not _MINUS_NOTHING.search(part), part
        elif isinstance(part, float):
            assert math.isfinite(part), found
    strictly(to_json(plain(found)))


def parts(found: Any) -> Iterator[Any]:
    """Every number and text in a result, however deep."""
    if isinstance(found, str | int | float | None):
        yield found
    elif dataclasses.is_dataclass(found) and not isinstance(found, type):
        for field in dataclasses.fields(found):
            yield from parts(getattr(found, field.name))
    elif isinstance(found, np.ndarray):
        yield from (float(value) for value in found.ravel())
    elif isinstance(found, np.generic):
        yield found.item()
    elif isinstance(found, Mapping):
        for key, value in found.items():
            yield from parts(key)
            yield from parts(value)
    elif isinstance(found, Iterable):
        for one in found:
            yield from parts(one)


def plain(found: Any) -> Any:
    """A result as it would be written; arrays and sets are lists."""
    return json.loads(json.dumps(found, default=_as_json)) if not _simple(found) else found


def _simple(found: Any) -> bool:
    return isinstance(found, str | int | float | None)


def _as_json(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): held for key, held in value.items()}
    if isinstance(value, Iterable):
        return list(value)
    return str(value)


def scores(
    values: Sequence[float | None], system: str = "s", metric: str = "rouge1"
) -> list[Score]:
    """One score an item; ValueError for a value that no score can have."""
    return [
        Score(
            id=f"item-{place}", metric=metric, value=value, signature=f"{metric}|v:1",
            note=None if value is not None else "no summary", event=f"item-{place}", recipe=system,
        )
        for place, value in enumerate(values)
    ]  # fmt: skip


def known(values: Sequence[float | None]) -> list[float]:
    """The set without its gaps."""
    return [value for value in values if value is not None]


def array(values: Sequence[float | None]) -> Any:
    """The set as floats, gaps as NaN, which is how arrays here say them."""
    try:
        return np.array([math.nan if one is None else one for one in values], dtype=np.float64)
    except OverflowError as error:
        raise ValueError("an array holds no such integer") from error
