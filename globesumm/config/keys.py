"""Keys of a file against the fields they are to fill, at every depth."""

from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from globesumm.errors import DataError, UnknownName


def check_keys(kind: Any, content: object, where: str, path: str = "") -> None:
    """Raise `UnknownName`, which suggests the right one, for a key that `kind` has no field for.

    A true or false where none is asked for is a `DataError`: read as a number it would be 1 or 0.
    """
    if isinstance(content, bool) and bool not in _choices(kind):
        raise DataError(f"{where}: {path}: give {_expected(kind)}, not true or false")
    if isinstance(content, dict) and (table := _dataclass(kind)):
        hints = _hints(table)
        known = [field.name for field in fields(table)]
        for key, value in content.items():
            if key not in known:
                raise UnknownName(f"key in [{path}]" if path else "config key", key, known, where)
            check_keys(hints[key], value, where, f"{path}.{key}" if path else key)
    elif isinstance(content, list):
        inner = next((get_args(one)[0] for one in _choices(kind) if get_origin(one) is tuple), Any)
        for number, value in enumerate(content, 1):
            check_keys(inner, value, where, f"{path} {number}")


@cache
def _hints(table: Any) -> dict[str, Any]:
    return get_type_hints(table)


def _choices(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _dataclass(kind: Any) -> Any:
    return next((one for one in _choices(kind) if is_dataclass(one)), None)


_PLAIN: dict[Any, str] = {int: "a whole number", float: "a number", str: "a text"}


def _expected(kind: Any) -> str:
    """What a value of `kind` is called in a file."""
    names = []
    for one in _choices(kind):
        if is_dataclass(one) or get_origin(one) is dict:
            names.append("a table")
        elif get_origin(one) is tuple:
            names.append("a list")
        elif one is not type(None):
            names.append(_PLAIN.get(one, "another value"))
    return " or ".join(dict.fromkeys(names)) or "another value"
