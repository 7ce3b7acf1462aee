"""What the steps of ``facts`` asked beside what they were to ask, by step, in ``asked.json``."""

import json
from pathlib import Path

import pytest

from baselines.account import Account, StepAccount
from globesumm.cli import main
from globesumm.llm import backends
from globesumm.llm.errors import ContextOverrun
from globesumm.llm.request import Completion, Request
from globesumm.records import read_record
from tests.facts.rule_judge import RuleJudge
from tests.facts.test_fact_evaluate import events

SUMMARIES = {"mine": "People fled. Nobody slept.", "yours": "The river rose to 7 metres."}


class Judge(RuleJudge):
    """One that gives no usable answer, or none, to questions that hold certain words."""

    unusable: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    def complete(self, request: Request) -> Completion:
        said = request.messages[-1].content
        if any(words in said for words in self.refused):
            raise ContextOverrun("too long")
        answer = super().complete(request)
        if len(request.messages) == 1 and any(words in said for words in self.unusable):
            return Completion(text="I would rather not.", usage=answer.usage)
        return answer


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    model = Judge("rules")
    monkeypatch.setattr(backends, "_backend", lambda *_, **__: model)
    return model


def command(folder: Path, *more: str) -> list[str]:
    lines = [
        json.dumps({"id": "flood", "system": name, "summary": text, "language": "en"})
        for name, text in SUMMARIES.items()
    ]
    (folder / "s.jsonl").write_text("\n".join(lines) + "\n")
    return [
        "facts", "evaluate", str(folder / "s.jsonl"), "--sources", events(folder),
        "--judge", "rules", "--out", str(folder / "out"), *more,
    ]  # fmt: skip


def steps(folder: Path) -> dict[str, StepAccount]:
    held = read_record(folder / "out/asked.json", dict[str, Account])
    return {one.step: one for told in held.values() for one in told.steps}


def test_each_step_tells_its_calls_as_the_plan_counted_them_and_again_without_asking(
    tmp_path: Path, judge: Judge, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command(tmp_path), "--dry-run"]) == 0
    assert "4 + 4 + 4 calls" in capsys.readouterr().out
    assert main(command(tmp_path)) == 0
    told = steps(tmp_path)
    assert {name: one.planned for name, one in told.items()} == {
        "facts.extract": 2, "facts.review": 2, "facts.decompose": 2, "facts.match": 2,
        "facts.verify": 4,
    }  # fmt: skip
    assert sum(one.made for one in told.values()) == sum(judge.asked.values())
    assert all((one.unreached, one.again, one.unanswered) == (0, 0, 0) for one in told.values())
    assert "4 calls planned = 4 made" in capsys.readouterr().err
    before = (tmp_path / "out/asked.json").read_bytes()
    asked = judge.asked.total()
    assert main(command(tmp_path)) == 0
    assert judge.asked.total() == asked
    assert (tmp_path / "out/asked.json").read_bytes() == before


def test_what_is_asked_again_stands_beyond_the_plan_and_in_every_later_account(
    tmp_path: Path, judge: Judge
) -> None:
    judge.unusable = ("People fled. Nobody slept.",)
    main(command(tmp_path))
    told = steps(tmp_path)["facts.decompose"]
    assert (told.planned, told.made, told.again, told.spared) == (2, 2, 1, 0)
    main(command(tmp_path))
    assert steps(tmp_path)["facts.decompose"] == told


def test_what_a_failed_summary_would_have_needed_is_not_reached(
    tmp_path: Path, judge: Judge, capsys: pytest.CaptureFixture[str]
) -> None:
    judge.refused = ("People fled. Nobody slept.",)
    assert main(command(tmp_path)) == 1
    told = steps(tmp_path)
    assert told["facts.decompose"].unanswered == 1
    # The other summary is matched and verified; this one's facts are not known.
    assert (told["facts.verify"].planned, told["facts.verify"].unreached) == (4, 2)
    assert "not reached (1 summary failed)" in capsys.readouterr().err
    judge.refused = ()
    main(command(tmp_path))
    assert steps(tmp_path)["facts.verify"].unreached == 0


def test_summaries_by_a_model_have_their_account_too(tmp_path: Path, judge: Judge) -> None:
    out = str(tmp_path / "out")
    assert main(["facts", "generate", events(tmp_path), "--model", "rules", "--out", out]) == 0
    told = steps(tmp_path)["facts.summarize"]
    assert (told.planned, told.made) == (1, judge.asked.total())
