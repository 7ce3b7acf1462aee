"""Every parser of the table with drawn inputs for a few seconds; ``make fuzz`` goes on for long."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("mwparserfromhell", reason="needs the extra 'retrieval'")
pytest.importorskip("warcio", reason="needs the extra 'retrieval'")

from tests.fuzz.changes import changed
from tests.fuzz.targets import TARGETS, carry_out
from tests.fuzz.test_long_inputs import bounded

EXAMPLES = 1600
FOUND = json.loads(Path(__file__).with_name("found.json").read_text("utf-8"))
"""Inputs that once broke a parser (as Latin-1), by target."""


@pytest.mark.parametrize("name", TARGETS)
def test_every_seed_is_taken_or_refused_in_words(name: str) -> None:
    target = TARGETS[name]
    taken = [carry_out(target, content) for content in target.seeds()]
    assert any(taken), "no seed has the shape that the parser reads"


@pytest.mark.parametrize(
    ("name", "content"), [(name, one) for name, held in FOUND.items() for one in held]
)
def test_what_once_broke_a_parser_does_not_any_more(name: str, content: str) -> None:
    with bounded(name):
        carry_out(TARGETS[name], content.encode("latin-1"))


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_changed_inputs_are_taken_or_refused_in_words(name: str) -> None:
    target = TARGETS[name]
    seeds = target.seeds()

    @settings(max_examples=max(20, int(EXAMPLES * min(1.0, target.share * 5))))
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        carry_out(target, data.draw(changed(target, seeds)))

    tried()
