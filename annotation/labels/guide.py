"""What people read before the first item of a kind: definitions and a worked example."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from annotation.labels.kinds import check_item
from annotation.labels.values import Item
from globesumm.records import from_plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """The `question`, `definitions` (a paragraph each), an `example` with its `answer`, and why."""

    question: str
    definitions: tuple[str, ...]
    example: Mapping[str, Any] = field(hash=False)
    answer: Mapping[str, Any] = field(hash=False)
    explanation: str


@cache
def guide(kind: str) -> Guide:
    """The guide of ``guides/<kind>.toml``."""
    path = files(__package__).joinpath("guides", f"{kind}.toml")
    return from_plain(Guide, tomllib.loads(path.read_text(encoding="utf-8")), f"guide of {kind}")


@cache
def example(kind: str) -> Item:
    """The worked example of `kind` as an item whose `gold` is the answer."""
    one = guide(kind)
    return check_item(Item(id="example", kind=kind, payload=one.example, gold=one.answer))
