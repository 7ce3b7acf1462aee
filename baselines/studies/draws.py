"""Choices that depend on a seed and on names alone: the same on every machine and version."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")


def number(*key: object) -> int:
    """A whole number from 0 to 2**64 - 1 that belongs to `key`."""
    text = "\n".join(map(str, key)).encode("utf-8", "backslashreplace")
    return int.from_bytes(sha256(text).digest()[:8])


def choice(options: Sequence[T], *key: object) -> T:
    """The one of `options` that belongs to `key`; uniform over keys."""
    return options[number(*key) % len(options)]


def shuffled(items: Iterable[T], name: Callable[[T], object], *key: object) -> list[T]:
    """`items` in an order that belongs to `key`, whatever order they came in."""
    return sorted(items, key=lambda item: (number(*key, name(item)), str(name(item))))
