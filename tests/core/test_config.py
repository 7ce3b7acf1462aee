"""An experiment is a name or a TOML file, and a wrong key gets the nearest right one."""

from pathlib import Path

import pytest

from globesumm import config
from globesumm.errors import DataError, UnknownName, UsageError


@pytest.mark.parametrize("name", sorted(config.shipped()))
def test_every_shipped_experiment_loads(name: str) -> None:
    assert config.load(name).recipes


def test_an_unknown_key_gets_the_nearest_right_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("max_word = 100\n")
    with pytest.raises(UnknownName, match=r"'max_word' in .*mine\.toml: did you mean 'max_words'"):
        config.load(str(path))


def test_an_unknown_name_gets_the_nearest_shipped_one() -> None:
    with pytest.raises(UnknownName, match="did you mean 'demo'"):
        config.load("demmo")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("max_words = 0", "max_words is 0"),
        ("max_words = 'many'", "max_words"),
        ("recipes = []", "recipes is empty"),
        ("recipes = [", "not TOML"),
    ],
)
def test_a_wrong_value_is_named(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(content)
    with pytest.raises(DataError, match=complaint):
        config.load(str(path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.toml: cannot be read"):
        config.load(str(tmp_path / "nowhere.toml"))
