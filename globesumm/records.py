"""The one place that knows JSON.

Values go to files and come back through their declared types: an unknown key, a missing key
or a wrong type is a `DataError` with the path of the field.  Files appear whole or not at all
(unique temporary name, fsync, ``os.replace``).
"""

import json
import math
import os
import re
from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast, get_args, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python
from pydantic_core import to_json as pydantic_to_json

from globesumm.errors import DataError, UsageError, cannot_read
from globesumm.unfinished import new_file
from globesumm.values import Rejected

T = TypeVar("T")

AGAIN = "delete it and repeat the command that made it"
"""What to do about a broken file that a command made."""

CORRECT = "correct that line or take it out, or restore the file from a copy"
"""What to do about a broken line that nothing makes again."""

LONGEST_LINE = 32 * 1024 * 1024
"""Bytes of the longest JSON Lines record accepted; a longer one is refused by name."""


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    _forbid_unknown_keys(kind)
    return TypeAdapter(kind)


def _forbid_unknown_keys(kind: Any) -> None:
    """Set pydantic's rule on a dataclass and on every dataclass inside it."""
    if is_dataclass(kind) and "__pydantic_config__" not in vars(kind):
        setattr(kind, "__pydantic_config__", ConfigDict(extra="forbid"))  # noqa: B010  # mypy knows no such attribute
        for hint in get_type_hints(kind).values():
            _forbid_unknown_keys(hint)
    for part in get_args(kind):
        _forbid_unknown_keys(part)


def to_json(value: object) -> str:
    """`value` as one line of JSON, keys in declared order.

    Text that UTF-8 cannot carry (lone surrogates in a model's answer) is written as JSON
    escapes, so it survives the trip.
    """
    plain = to_plain(value)
    try:
        text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(plain, allow_nan=False)
    except ValueError as error:
        raise DataError(f"cannot write {type(value).__name__} as JSON: {error}") from error
    return text


def to_compact_json(value: object) -> str:
    """`value` as JSON without blanks, four times as fast as `to_json`; for bulk stores.

    Digests are taken of `to_json`, whose form therefore stays.  Values with numbers that JSON
    lacks (NaN, infinity) go the slow way, which refuses them.
    """
    try:
        text = pydantic_to_json(value, inf_nan_mode="strings").decode()
    except PydanticSerializationError:
        return to_json(value)
    return to_json(value) if '"NaN"' in text or 'Infinity"' in text else text


def to_plain(value: object) -> Any:
    """`value` as dicts, lists, strings, numbers, booleans and None."""
    try:
        return to_jsonable_python(value)
    except (PydanticSerializationError, UnicodeEncodeError) as error:
        raise DataError(f"cannot write {type(value).__name__} as JSON: {error}") from error


def from_json(kind: type[T], text: str | bytes, where: str = "JSON", *, strict: bool = False) -> T:
    """The value of type `kind` that `text` holds; `where` names it in errors.

    With `strict` what JSON lacks (NaN, infinity) is refused: nothing of ours writes it.
    """
    try:
        plain = strictly(text) if strict else json.loads(text)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise DataError(
            f"{where}: not UTF-8 (byte 0x{byte:02x}): save the file as UTF-8, as "
            "iconv -f latin1 -t utf-8 does for Latin-1"
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not JSON ({error})") from error
    return from_plain(kind, plain, where)


def strictly(text: str | bytes) -> Any:
    """What JSON says; a ValueError for what is none: NaN, Infinity, numbers beyond a computer's."""
    return json.loads(text, parse_constant=_refuse, parse_float=_finite)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text[:40])


def from_plain(kind: type[T], plain: object, where: str) -> T:
    """The value of type `kind` that parsed JSON, TOML or CSV holds."""
    try:
        return cast("T", _adapter(cast("Hashable", kind)).validate_python(plain))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        path = ".".join(str(part) for part in first["loc"])
        place = f"{where}: {path}" if path else where
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise DataError(f"{place}: {_in_words(first['msg'])}{more}") from error


def _in_words(complaint: str) -> str:
    """What a file's author can act on: pydantic speaks of Python's types and lowers no name."""
    if complaint.startswith("Value error, "):
        return complaint.removeprefix("Value error, ")
    said = complaint.lower().replace("valid tuple", "list")
    return re.sub(r"dictionary or an instance of \w+", "table of keys", said)


def read_record(path: Path, kind: type[T]) -> T:
    """The one value of type `kind` in the file `path`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(cannot_read(path, error)) from error
    return from_json(kind, content, str(path), strict=True)


def read_records(path: Path, kind: type[T]) -> Iterator[T | Rejected]:
    """Each line of a JSON Lines file as a value, or as a `Rejected` that names line and reason."""
    for where, line in _lines(path):
        yield _parsed(kind, where, line)


def read_own_records(path: Path, kind: type[T], remedy: str = CORRECT) -> Iterator[T]:
    """Each line of a file that this package wrote itself.

    A bad line is a `DataError` that says where it is and, with `remedy`, what to do.
    """
    for where, line in _lines(path):
        if isinstance(line, str):
            raise DataError(f"{where}: {line}; {remedy}")
        try:
            value = from_json(kind, line, where, strict=True)
        except DataError as error:
            raise DataError(f"{error}; {remedy}") from error
        yield value


def read_made(path: Path, kind: type[T]) -> list[T]:
    """The lines of a file that a command made and can make again; none where it is not there.

    A bad line is a `DataError` that says so.
    """
    return list(read_own_records(path, kind, AGAIN)) if path.exists() else []


def read_plain_records(path: Path) -> Iterator[tuple[str, dict[str, Any]] | Rejected]:
    """Each line of a JSON Lines file as (place, object); anything but an object is `Rejected`."""
    for where, line in _lines(path):
        record = _parsed(dict[str, Any], where, line)
        yield record if isinstance(record, Rejected) else (where, record)


def _parsed(kind: type[T], where: str, line: bytes | str) -> T | Rejected:
    if isinstance(line, str):
        return Rejected(where=where, reason=line)
    try:
        return from_json(kind, line, where)
    except DataError as error:
        reason = str(error).removeprefix(f"{where}: ")
        return Rejected(where=where, reason=reason, excerpt=line[:200].decode(errors="replace"))


def _lines(path: Path) -> Iterator[tuple[str, bytes | str]]:
    """(place, bytes) of each line that is not blank, or (place, why not) if it is too long."""
    # A device or a pipe may never end.
    if path.exists() and not path.is_file():
        raise DataError(f"{path}: cannot be read (no regular file)")
    try:
        file = path.open("rb")
    except OSError as error:
        raise DataError(cannot_read(path, error)) from error
    with file:
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            where = f"{path}:{number}"
            if len(line) > LONGEST_LINE:
                while line and not line.endswith(b"\n"):
                    line = file.readline(LONGEST_LINE)
                yield where, f"line longer than {LONGEST_LINE} bytes"
            elif line.strip():
                yield where, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


def write_record(path: Path, value: object) -> None:
    """Write one value to `path`, indented for reading; the file appears whole or not at all."""
    write_bytes(path, _indented(value) + b"\n")


def _indented(value: object) -> bytes:
    with suppress(PydanticSerializationError, UnicodeEncodeError):
        content = pydantic_to_json(value, indent=1)
        # What is no number may be words of a text as well: the slow way tells.
        if b"NaN" not in content and b"Infinity" not in content:
            return content
    return json.dumps(json.loads(to_json(value)), indent=1, ensure_ascii=False).encode(
        "utf-8", errors="backslashreplace"
    )


def write_records(path: Path, values: Iterable[object]) -> int:
    """Write values to `path`, one a line, whole or not at all; returns how many."""
    written = 0

    def lines() -> Iterator[bytes]:
        nonlocal written
        for value in values:
            yield f"{to_json(value)}\n".encode()
            written += 1

    _write_chunks(path, lines())
    return written


def append_record(path: Path, value: object) -> None:
    """Add one line to `path` and force it to the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(to_json(value) + "\n")
        file.flush()
        os.fsync(file.fileno())


def write_text(path: Path, text: str) -> None:
    """Write `text` to `path` as UTF-8, whole or not at all."""
    write_bytes(path, text.encode("utf-8", errors="backslashreplace"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path`, whole or not at all.

    A link is followed; what is there and is no regular file (a folder, a device) is refused, as
    a `UsageError`, since the new file would take its place.
    """
    _write_chunks(path, (content,))


def _write_chunks(path: Path, chunks: Iterable[bytes]) -> None:
    path = path.resolve() if path.is_symlink() else path
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is no regular file: name another to write to")
    with new_file(path) as file:
        for chunk in chunks:
            file.write(chunk)
