"""Rounds of a run go into the published layout of a data set, and come back the same."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("rensa", reason="needs the extra 'retrieval'")
pytest.importorskip("pyarrow", reason="needs the extra 'retrieval'")

from annotation.published import read_published, republished
from annotation.published.layout import Published
from globesumm.cli.main import run
from globesumm.records import write_records
from globesumm.runs import Run
from tests.annotation.test_published_layout import THREE, summarized, written
from tests.dataset.conftest import event


def layout(folder: Path) -> list[dict[str, object]]:
    return [
        json.loads(line)
        for path in sorted((folder / "layout").glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]


def test_a_runs_rounds_are_written_and_read_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_records(tmp_path / "events.jsonl", [THREE, event(1)])
    made = Run.start(tmp_path / "run", {"recipe": "crs.kis-clp.protocol"})
    made.write_summary(summarized())
    out = tmp_path / "set"
    command = ["dataset", str(tmp_path / "events.jsonl"), "--out", str(out),
               "--layout", "globesumm", "--run", str(tmp_path / "run")]  # fmt: skip
    assert run(command) == 1
    assert "1 event without rounds" in capsys.readouterr().err
    records = {str(one["description"]): one for one in layout(out)}
    whole = records[THREE.description]
    assert whole["news"] == written()["news"]
    assert whole["GPT4"] == written()["GPT4"]
    assert "GPT4" not in records[event(1).description]

    (tmp_path / "published.jsonl").write_text(json.dumps(whole) + "\n")
    (read,) = read_published(tmp_path / "published.jsonl")
    assert isinstance(read, Published)
    assert read.broken == ()
    assert republished(read) == whole

    again = tmp_path / "again"
    command = ["dataset", str(tmp_path / "published.jsonl"), "--out", str(again)]
    assert run([*command, "--layout", "globesumm"]) == 0
    assert layout(again) == [whole]


def test_a_run_of_another_recipe_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_records(tmp_path / "events.jsonl", [THREE])
    made = Run.start(tmp_path / "run", {"recipe": "sts.none.direct"})
    made.write_summary(replace(summarized(), recipe="sts.none.direct"))
    command = ["dataset", str(tmp_path / "events.jsonl"), "--out", str(tmp_path / "set"),
               "--layout", "globesumm", "--run", str(tmp_path / "run")]  # fmt: skip
    assert run(command) == 2
    assert "holds no summary by crs.kis-clp.protocol" in capsys.readouterr().err
