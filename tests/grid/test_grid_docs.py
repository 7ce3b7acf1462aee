"""What the documentation says of grids is all there is, and what it shows can be loaded."""

import argparse
import re
from dataclasses import fields
from pathlib import Path

import pytest

from globesumm import config
from globesumm.cli import grid
from globesumm.config.drafts import Drafts
from globesumm.config.tables import Decoded, Judge, Limits, ModelRow, PreSteps, Slice
from globesumm.errors import DataError

PAGE = Path(__file__).parents[2] / "docs" / "grid.md"
KINDS = (config.Experiment, Slice, Decoded, ModelRow, PreSteps, Drafts, Judge, Limits)
TABLES = {"slice", "decoding", "models", "helpers", "presteps", "drafts", "judges", "limits"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_the_experiment_file_is_documented(kind: type) -> None:
    page = PAGE.read_text(encoding="utf-8")
    known = {field.name for field in fields(kind)}
    missing = [name for name in known - TABLES if f"`{name}`" not in page]
    assert not missing
    assert all(f"`[{name}]`" in page or f"`[[{name}]]`" in page for name in TABLES)


def test_every_option_that_changes_what_is_done_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    parser = argparse.ArgumentParser()
    grid.add_arguments(parser)
    options = {name for action in parser._actions for name in action.option_strings}
    missing = [name for name in options if name not in page]
    assert set(missing) <= {"-h", "--help", "--at-once"}


def test_the_file_shown_is_refused_for_the_one_reason_stated(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "mine.toml"
    path.write_text(shown, encoding="utf-8")
    with pytest.raises(DataError, match=r"Qwen3-8B has none"):
        config.load(str(path))
    path.write_text(shown.replace("spend = 20.0", "calls = 20"), encoding="utf-8")
    assert len(config.load(str(path)).models) == 2
