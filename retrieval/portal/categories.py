"""The portal's ten usual headings, however they are written.

GlobeSumm's data set sorts its events into eleven classes (its README); their names are not
published.  The portal's own ten are the classes here; any other heading has none and is kept as it
was written.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

NOT_NEWS = "not news"
"""What `class_of` says of headings under which no news stands."""

_NEAR = 92.0
"""Likeness (rapidfuzz's ratio, 0 to 100) from which a heading counts as a known one misspelt."""


def categories() -> tuple[str, ...]:
    """The ten usual headings."""
    return tuple(_table()["names"])


def class_of(heading: str) -> str | None:
    """The usual heading that `heading` means, `NOT_NEWS`, or None where it is neither."""
    folded = _folded(heading)
    known = _known()
    if folded in known:
        return known[folded]
    from rapidfuzz import fuzz, process

    # Short names are a slip away from each other ("sport", "spot"): only long ones are guessed.
    if len(folded) < 8:
        return None
    near = process.extractOne(folded, known.keys(), scorer=fuzz.ratio, score_cutoff=_NEAR)
    return known[near[0]] if near else None


def _folded(heading: str) -> str:
    text = heading.casefold().replace("&", " and ").strip(" :.–—-\t")
    return re.sub(r"\s+", " ", re.sub(r"^the ", "", text[:200])).strip()


@cache
def _table() -> dict[str, Any]:
    source = files("globesumm").joinpath("data", "portal", "categories.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def _known() -> dict[str, str]:
    table = _table()
    known = {_folded(name): NOT_NEWS for name in table["not_news"]}
    for name, others in table["names"].items():
        known |= {_folded(written): name for written in (name, *others)}
    return known
