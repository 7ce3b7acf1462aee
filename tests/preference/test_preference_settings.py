"""What a preference file may say; what cannot be meant is refused where it stands."""

from pathlib import Path

import pytest

from baselines.preference.settings import Preference, load, shipped
from globesumm.cli.main import run as globesumm
from globesumm.errors import DataError, GlobeSummError, UnknownName
from globesumm.records import write_records

PLAIN = 'train = ["samples"]\nheld_out = 2\nmodel = "folder"\n'


def read(tmp_path: Path, text: str) -> Preference:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return load(str(path))[0]


@pytest.mark.parametrize("name", shipped())
def test_every_config_that_comes_with_the_package_can_be_read(name: str) -> None:
    settings, _ = load(name)
    assert settings.training.beta == 0.1
    assert settings.training.divergence == "reverse_kl"


def test_the_papers_numbers_are_the_defaults(tmp_path: Path) -> None:
    settings = read(tmp_path, PLAIN)
    how = settings.training
    assert (how.beta, how.learning_rate, how.divergence, how.batch) == (0.1, 5e-5, "reverse_kl", 4)
    assert (settings.rounds, settings.drafts.n) == (10, 9)
    assert settings.drafts.proxies == ("llm-coverage", "llm-faithfulness")


WRONG = {
    "[training]\nbeta = -0.1": "training.*beta is -0.1",
    "[training]\nbeta = 0": "beta is 0",
    '[training]\nbeta = "much"': "training.beta",
    "[training]\nbeta = nan": "beta is nan",
    "[training]\nlearning_rate = inf": "learning_rate is inf",
    "[training]\nbatch = 0": "batch is 0",
    '[training]\ndivergence = "kl"': "training.divergence",
    "[drafts]\nn = 1": "one draft makes no pair",
    "[drafts]\ntemperature = 0": "every draft would be the same",
    "[pairs]\nmargin = 1": "margin is 1",
    '[pairs]\nrule = "best"': "pairs.rule",
    '[pairs]\nmargin = 0.1\n[drafts]\njoint = "lexicographic"': "needs one number a draft",
    "[lora]\nrank = 0": "rank is 0",
    "[machine]\nutilisation = 2": "utilisation is 2",
}


@pytest.mark.parametrize("more", WRONG)
def test_what_cannot_be_meant_is_refused_with_its_place(tmp_path: Path, more: str) -> None:
    with pytest.raises(DataError, match=WRONG[more]):
        read(tmp_path, PLAIN + more)


@pytest.mark.parametrize("lines", ['train = []\nheld_out = 1\nmodel = "m"', PLAIN + "rounds = 0"])
def test_an_empty_set_and_no_round_are_refused(tmp_path: Path, lines: str) -> None:
    with pytest.raises(DataError, match=r"train is empty|rounds is 0"):
        read(tmp_path, lines)


def test_a_run_without_anything_held_out_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="say what is held out"):
        read(tmp_path, 'train = ["samples"]\nmodel = "m"')


def test_an_unknown_key_gets_the_nearest_one(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="learning_rate"):
        read(tmp_path, PLAIN + "[training]\nlearning_rat = 1")


def refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    assert globesumm(["prefer", str(path), "--out", str(tmp_path / "run")]) == 2
    assert not (tmp_path / "run").exists()
    return capsys.readouterr().err


def test_a_folder_that_holds_no_model_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("trl")
    (tmp_path / "folder").mkdir()
    assert "holds no model" in refused(PLAIN, tmp_path, capsys)


def test_the_hub_is_not_asked_for_a_model_unless_told_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("trl")
    said = refused(PLAIN.replace('"folder"', '"nobody/has-this"'), tmp_path, capsys)
    assert "the hub was not asked" in said


def test_a_file_of_no_topics_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_records(tmp_path / "none.jsonl", [])
    said = refused(PLAIN.replace('"samples"', '"none.jsonl"'), tmp_path, capsys)
    assert "no topic can stand" in said


def test_test_topics_that_are_in_train_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PLAIN.replace("held_out = 2", 'test = ["samples"]')
    assert "train and test are not apart" in refused(text, tmp_path, capsys)


def test_errors_are_of_the_projects_tree() -> None:
    assert issubclass(DataError, GlobeSummError)
