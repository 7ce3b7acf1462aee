"""Resource tiers: how much written data a language has, from a data file."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def tiers() -> Mapping[str, int]:
    """Language code to tier, 0 (nearly nothing) to 5 (most); Joshi et al. (2020)."""
    source = files("globesumm").joinpath("data", "resource_tiers.toml")
    rows = tomllib.loads(source.read_text(encoding="utf-8"))
    return {code: int(tier) for tier, codes in rows.items() for code in codes}
