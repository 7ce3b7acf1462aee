"""Each long verb killed a few times; ``make torture`` kills them 200 times."""

import importlib.util
import os
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")

from tests.torture.cases import CASES
from tests.torture.forking import Commands
from tests.torture.killing import placed, torture

KILLS = 2
FEW = {"score", "perspective", "portal"}
"""The others are killed by tests of their own; GLOBESUMM_TORTURE=1 has them all killed here."""

VERBS = CASES.keys() if os.environ.get("GLOBESUMM_TORTURE") else FEW


@pytest.mark.slow
@pytest.mark.parametrize("verb", sorted(VERBS))
def test_a_verb_killed_at_drawn_moments_ends_as_if_it_had_not_been(
    verb: str, tmp_path: Path
) -> None:
    case = CASES[verb]
    for package in case.needs:
        if not importlib.util.find_spec(package):
            pytest.skip(f"{package} is not installed")
    with placed(tmp_path / "place") as place, Commands(tmp_path) as commands:
        figures = torture(case, place, commands, KILLS, seed=1)
    assert figures.kills == KILLS
