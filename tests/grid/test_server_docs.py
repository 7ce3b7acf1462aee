"""The model tables that the documentation shows are tables that the program reads."""

import re
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
