"""What a run put out as a data set of the hub, read by the `datasets` library."""

from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.runs import Run
from tests.report.made_run import RECIPE, full_run

datasets = pytest.importorskip("datasets", reason="the extra 'tuning' is not installed")


def exported(tmp_path: Path, *more: str, said: str | None = None) -> Path:
    run = full_run(tmp_path / "run", said)
    out = tmp_path / "set"
    main(["export", str(run.folder), "--to", "datasets", "--out", str(out), *more])
    return out


def loaded(folder: Path, name: str, cache: Path) -> list[dict[str, object]]:
    found = datasets.load_dataset(str(folder), name, split="results", cache_dir=str(cache))
    return [dict(row) for row in found]


def test_summaries_and_scores_load_with_what_is_missing_as_nulls_and_reasons(
    tmp_path: Path,
) -> None:
    out = exported(tmp_path)
    summaries = loaded(out, "summaries", tmp_path / "cache")
    missing = [row for row in summaries if row["text"] is None]
    assert [(row["recipe"], row["reason"]) for row in missing] == [("crs.none.lead", "cut off")] * 2
    made = [row for row in summaries if row["recipe"] == RECIPE]
    assert [row["last"] for row in made] == [False, True, False, True]
    assert made[1]["references"] == ["296 people died."]
    assert "quake" not in str(made[1]["documents"])
    scores = loaded(out, "scores", tmp_path / "cache")
    held = {(row["event"], row["metric"]): row for row in scores}
    assert held["e1", "nic"]["value"] is None
    assert held["e1", "nic"]["note"] == "needs a model"
    assert held["e2", "rouge1"]["value"] == pytest.approx(0.002)
    assert held["e2", "rouge1"]["signature"] == "rouge|v:1"
    assert held["e2", "rouge1"]["better"] == "higher"


def test_the_card_says_n_of_n_signatures_columns_and_that_documents_are_not_in_it(
    tmp_path: Path,
) -> None:
    card = (exported(tmp_path, "--licence", "cc-by-4.0") / "README.md").read_text(encoding="utf-8")
    assert 'license: "cc-by-4.0"' in card
    assert "2 of 2 | rouge\\|v:1 |" in card
    assert "0 of 2" in card
    assert "The documents are not in it" in card
    assert "| reason | string |" in card


def test_no_text_of_a_document_is_in_the_files(tmp_path: Path) -> None:
    out = exported(tmp_path)
    rows = loaded(out, "summaries", tmp_path / "cache")
    assert not any("至少632人死亡" in str(row) for row in rows)


@pytest.mark.parametrize("said", ["\ud800 lone", "a | b\n# c", "![x](http://x.example/y.png)"])
def test_texts_that_nobody_here_wrote_pass_and_are_no_markup_of_the_card(
    said: str, tmp_path: Path
) -> None:
    out = exported(tmp_path, said=said)
    rows = loaded(out, "summaries", tmp_path / "cache")
    assert any(str(row["text"]).startswith(said[:1].replace("\ud800", "\ufffd")) for row in rows)
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "![x](http" not in card
    assert "\n# c" not in card


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--to", "inspect", "--licence", "mit", "--out", "o"], "--licence stands on a data"),
        (["--to", "inspect", "--recipe", "crs.none.leed", "--out", "o"], "did you mean"),
        (["--to", "datasets", "--out", "run"], "is a run folder"),
        (["--to", "datasets", "--out", "run/run.json"], "is a file: name a folder"),
        (["--to", "datasets", "--licence", 'a"\n- b: c', "--out", "o"], "as cc-by-4.0"),
        (["--to", "datasets", "--out", "project"], "README.md is there and is of something else"),
    ],
)
def test_a_wrong_export_is_refused(
    arguments: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    full_run(tmp_path / "run")
    (tmp_path / "project").mkdir()
    readme = tmp_path / "project" / "README.md"
    readme.write_text("# Mine", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["export", "run", *arguments]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
    assert readme.read_text(encoding="utf-8") == "# Mine"


@pytest.mark.parametrize("form", ["inspect", "datasets"])
def test_a_run_that_holds_no_summaries_of_events_is_refused(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Run.start(tmp_path / "run", {"kind": "perspective", "target": "en"})
    asked = ["export", str(tmp_path / "run"), "--to", form, "--out", str(tmp_path / "o")]
    assert main(asked) == 2
    assert "holds no summaries of events by recipes" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_a_run_without_scores_loads_and_has_no_table_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = exported(tmp_path)
    assert datasets.get_dataset_config_names(str(out)) == ["summaries", "scores"]
    (tmp_path / "run" / "scores.jsonl").unlink()
    monkeypatch.chdir(tmp_path / "run")
    main(["export", ".", "--to", "datasets", "--out", str(out)])
    assert datasets.get_dataset_config_names(str(out)) == ["summaries"]
    assert len(loaded(out, "summaries", tmp_path / "cache")) == 6
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "# Summaries and scores of run\n" in card
    assert '"scores"' not in card
