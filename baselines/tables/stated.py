"""What the paper says of its tables, as data: ``findings.toml`` read into contrasts."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from globesumm.records import from_plain

Expect = Literal["better", "worse", "not-better"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A finding on two groups of cells; see the head of ``findings.toml``."""

    id: str
    section: str
    table: int
    claim: str
    left: str
    right: str
    measures: tuple[str, ...]
    pipelines: tuple[str, ...]
    expect: Expect = "better"
    said_of: tuple[str, ...] = ()
    others: bool = True
    models: Literal["each", "largest"] = "each"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A finding on the share of one cause among all conflicts handled wrongly."""

    id: str
    section: str
    claim: str
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A finding that another command computes."""

    id: str
    section: str
    claim: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """All findings of ``findings.toml``; the trends are contrasts over sizes of models."""

    contrasts: tuple[Contrast, ...]
    trends: tuple[Contrast, ...]
    shares: tuple[Share, ...]
    elsewhere: tuple[Elsewhere, ...]


@cache
def known() -> Known:
    """The literal table of findings."""
    text = files("baselines.tables").joinpath("findings.toml").read_text(encoding="utf-8")
    return from_plain(Known, tomllib.loads(text), "findings.toml")


def expected_of(name: str) -> Expect:
    """What the paper says of the left side of the finding called `name`."""
    for one in (*known().contrasts, *known().trends):
        if one.id == name:
            return one.expect
    return "better"
