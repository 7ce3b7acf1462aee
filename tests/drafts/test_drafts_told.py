"""What a run says of its drafts on stderr: temperature 0, and choices that nothing decided."""

import json
from pathlib import Path

import pytest

from baselines.drafts.base import Choice, Scored
from baselines.drafts.record import is_blind
from globesumm.cli import main
from globesumm.records import to_json, write_records
from globesumm.runs import Run
from globesumm.values import Round
from tests.drafts.conftest import event

RATING = "how (completely|faithful)"


def asked(folder: Path, rating: str, *more: str, draft: str = "The ferry $key sank.") -> list[str]:
    write_records(folder / "documents.jsonl", event(2).documents)
    script = folder / "script.jsonl"
    rows = [{"pattern": RATING, "answer": rating}, {"pattern": ".*", "answer": draft}]
    script.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return [
        "summarize", str(folder / "documents.jsonl"), "--model", f"scripted:{script}",
        "--recipe", "sts.none.direct.rerank", "--drafts", "3", "--out", str(folder / "run"), *more,
    ]  # fmt: skip


@pytest.mark.parametrize("rating", ["5", "I would give it a 4.", "5/5", "10"])
def test_a_run_says_that_its_judge_told_no_draft_from_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rating: str
) -> None:
    assert main(asked(tmp_path, rating)) == 0
    told = capsys.readouterr().err
    assert "nothing told the drafts apart in 1 of 1 choice" in told
    assert f"globesumm drafts {tmp_path / 'run'}" in told
    (made,) = Run.open(tmp_path / "run").summaries()[0].rounds
    assert is_blind(made)


def test_temperature_0_is_said_to_draw_one_text_where_several_are_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cold = ("--draft-temperature", "0", "--dry-run")
    assert main(asked(tmp_path, "5", *cold)) == 0
    assert "rerank: drafts are drawn at temperature 0" in capsys.readouterr().err
    for plain in (("--dry-run",), (*cold, "--drafts", "1")):
        assert main(asked(tmp_path, "5", *plain)) == 0
        assert "temperature 0" not in capsys.readouterr().err


def test_equal_drafts_are_rated_once_and_the_plan_is_not_passed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = asked(tmp_path, "4", draft="The ferry sank.")
    assert main([*same, "--dry-run"]) == 0
    assert "<=9" in capsys.readouterr().out
    assert main(same) == 0
    assert "this time: 5 calls" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("tied", "ranks", "blind"),
    [((), (1, 2), False), ((1, 2), (1, 1), True), ((), (None, None), True), ((), (1,), False)],
)
def test_a_choice_is_blind_where_all_stand_first_or_none_could_be_compared(
    tied: tuple[int, ...], ranks: tuple[int | None, ...], blind: bool
) -> None:
    scored = tuple(Scored(number=at, rank=rank) for at, rank in enumerate(ranks, 1))
    choice = Choice(chosen=1, rule="mean", scored=scored, tied=tied)
    made = Round(index=1, documents=("a",), added=("a",), summary="x",
                 answers={"summary.choice": to_json(choice)})  # fmt: skip
    assert is_blind(made) is blind
