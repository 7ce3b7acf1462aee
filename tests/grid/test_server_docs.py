"""The model tables that the documentation shows are tables that the program reads."""

import argparse
import re
from importlib import import_module
from pathlib import Path

import pytest

from globesumm import config

PAGE = Path(__file__).parents[2] / "docs" / "servers.md"
BLOCKS = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_documented_model_table_loads(block: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(block, encoding="utf-8")
    assert len(config.load(str(path)).models) == 1


def test_every_kind_of_server_is_documented() -> None:
    assert len(BLOCKS) >= 5


FOLDER = PAGE.parent
COMMAND = re.compile(r"globesumm (grid|compare|calls|summarize)\b([^`\n]*)")


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.md")), ids=lambda page: page.name)
def test_every_option_of_a_command_that_a_page_shows_exists(page: Path) -> None:
    for verb, rest in COMMAND.findall(page.read_text("utf-8")):
        parser = argparse.ArgumentParser()
        import_module(f"globesumm.cli.{verb}").add_arguments(parser)
        known = {name for action in parser._actions for name in action.option_strings}
        command, _, _ = rest.partition("#")
        assert set(re.findall(r"(?<!\S)--[a-z][a-z-]*", command)) <= known, (verb, rest)
