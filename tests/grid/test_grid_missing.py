"""What the data lack is missing with its reason, in every count, and ends no run."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from baselines.grid.failures import MISSING
from globesumm.cli import main
from globesumm.records import write_records
from globesumm.values import Event
from tests.grid.conftest import event


def without_text(number: int) -> Event:
    whole = event(number)
    return replace(whole, documents=tuple(replace(one, text="") for one in whole.documents))


LACKING: dict[str, Callable[[int], Event]] = {
    "NoText": without_text,
    "NoReference": event,
}

LIMITED = """
inputs = ["events.jsonl"]
recipes = ["crs.none.lead", "crs.none.oracle"]
metrics = ["rouge"]
[limits]
failures = 1
failed_share = 0.01
"""


def test_every_kind_of_lack_is_tried() -> None:
    assert set(LACKING) == set(MISSING)


@pytest.mark.parametrize("kind", LACKING)
def test_what_the_data_lack_counts_toward_no_limit_of_failures(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking = [LACKING[kind](number) for number in range(25)]
    whole = replace(event(99), references=("Nine people are missing.",))
    write_records(tmp_path / "events.jsonl", [*lacking, whole])
    path, out = tmp_path / "mine.toml", tmp_path / "run"
    path.write_text(LIMITED, encoding="utf-8")
    for _ in range(2):
        assert main(["grid", str(path), "--out", str(out)]) == 1
        said = capsys.readouterr()
        assert "stopped" not in said.err
        assert "of events without text or reference" in said.err
        assert "1/26" in said.out
    (failure, *_) = out.glob("parts/*/failures/crs.none.oracle/*.json")
    assert kind in failure.read_text(encoding="utf-8")


def test_a_failed_summary_has_its_own_reason_in_every_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second metric's scores leave the first one's reasons as they are."""
    write_records(tmp_path / "events.jsonl", [event(1)])
    path, out = tmp_path / "mine.toml", tmp_path / "run"
    path.write_text(LIMITED, encoding="utf-8")
    for metrics in ('["rouge"]', '["nic-lexical"]'):
        path.write_text(LIMITED.replace('["rouge"]', metrics), encoding="utf-8")
        assert main(["grid", str(path), "--out", str(out)]) == 1
    scores = (out / "parts" / "no-model--en" / "scores.jsonl").read_text(encoding="utf-8")
    of_oracle = [json.loads(line) for line in scores.splitlines() if "oracle" in line]
    assert {one["metric"] for one in of_oracle} >= {"rouge1", "nic-lexical"}
    made = [one for one in of_oracle if one["metric"] in ("rouge1", "nic-lexical")]
    assert all("has no reference" in one["note"] for one in made)
    assert "made after" not in capsys.readouterr().out
