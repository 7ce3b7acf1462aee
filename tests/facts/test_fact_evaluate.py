"""Everything in one command, human references as systems, and summaries by a named model."""

import json
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.errors import UsageError
from globesumm.llm import backends
from globesumm.llm.request import Completion, Request
from globesumm.records import to_json
from globesumm.runs import alone
from globesumm.values import Document, Event
from metrics.facts.records import Candidate
from metrics.facts.references import of_sources, with_references
from metrics.facts.sources import of_event
from tests.facts.rule_judge import RuleJudge

FLOOD = Event(
    id="flood",
    description="A flood",
    category="disaster",
    documents=(
        Document(id="a", text="The river rose to 7 metres.\nPeople fled.", language="en"),
        Document(id="b", text="El agua llega a 40 casas.", language="es"),
    ),
    references=("The river rose to 7 metres. Nobody slept.", "El agua llega a 40 casas."),
    reference_language="en",
)


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> RuleJudge:
    model = RuleJudge("rules")
    monkeypatch.setattr(backends, "_backend", lambda *_, **__: model)
    return model


def events(folder: Path) -> str:
    path = folder / "events.jsonl"
    path.write_text(to_json(FLOOD) + "\n")
    return str(path)


def test_every_reference_of_an_event_is_a_summary_by_a_system_of_its_own() -> None:
    first, second = of_sources([of_event(FLOOD)])
    assert (first.system, first.language) == ("reference", "en")
    assert (second.system, second.summary) == ("reference 2", FLOOD.references[1])
    with pytest.raises(UsageError, match="already called 'reference'"):
        with_references([Candidate(id="x", system="reference", summary="s")], [of_event(FLOOD)])
    with pytest.raises(UsageError, match="no source has a reference"):
        with_references([], [])


def test_human_references_are_scored_as_systems_in_one_step(
    tmp_path: Path, rules: RuleJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["facts", "evaluate", "--sources", events(tmp_path), "--references"]
    command += ["--judge", "rules", "--out", str(out)]
    assert main([*command, "--dry-run"]) == 0
    assert "2 texts of 1 source and 2 summaries: 4 + 4 + 4 calls" in capsys.readouterr().out
    assert not rules.asked
    assert not out.exists()
    assert main([*command, "--format", "jsonl"]) == 0
    told = capsys.readouterr().out.splitlines()
    lines = [json.loads(line) for line in told if line.startswith('{"id"')]
    found = {line["system"]: line for line in lines}
    # Two key facts, 7 metres and 40 houses; the first reference has one, and one fact invented.
    assert found["reference"]["completeness"] == 0.5
    assert found["reference"]["conciseness"] == 0.5
    assert found["reference"]["faithfulness"] == 0.5
    assert found["reference 2"]["faithfulness"] == 1
    verdicts = [json.loads(line) for line in (out / "verdicts.jsonl").read_text().splitlines()]
    assert {line["scenario"] for line in verdicts} == {"disaster"}
    asked = sum(rules.asked.values())
    assert main(command) == 0
    assert sum(rules.asked.values()) == asked


def test_summaries_of_ones_own_stand_beside_the_references(
    tmp_path: Path, rules: RuleJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"id": "flood", "system": "mine", "summary": "People fled."}\n')
    out = str(tmp_path / "out")
    command = ["facts", "evaluate", str(path), "--sources", events(tmp_path), "--out", out]
    assert main([*command, "--references", "--judge", "rules"]) == 0
    told = capsys.readouterr().out
    assert "mine" in told
    assert "reference 2" in told
    assert rules.asked["decompose"] == 3
    assert main(["facts", "evaluate", "--sources", events(tmp_path), "--out", out]) == 2


def test_a_second_process_in_the_same_folder_is_kept_out(
    tmp_path: Path, rules: RuleJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["facts", "extract", events(tmp_path), "--out", str(out), "--judge", "rules"]
    with alone(out):
        assert main(command) == 2
    assert f"another process is working in {out}" in capsys.readouterr().err
    assert not rules.asked
    assert main(command) == 0


class Writer(RuleJudge):
    """Keeps the temperatures that it was asked at."""

    def __init__(self) -> None:
        super().__init__("writer")
        self.temperatures: list[float | None] = []

    def complete(self, request: Request, /) -> Completion:
        self.temperatures.append(request.decoding.temperature)
        return super().complete(request)


def test_summaries_are_generated_by_the_model_named_with_its_temperature_0_unless_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Writer()
    monkeypatch.setattr(backends, "_backend", lambda *_, **__: model)
    command = ["facts", "generate", events(tmp_path), "--out", str(tmp_path / "out")]
    assert main([*command, "--model", "writer"]) == 0
    assert main([*command, "--model", "writer", "--temperature", "0.7"]) == 0
    assert model.temperatures == [0.0, 0.7]
    assert main(command) == 2
    assert "name it with --model MODEL" in capsys.readouterr().err
    assert main([*command, "--model", "writer", "--temperature", "-1"]) == 2
    assert main([*command, "--judge", "writer"]) == 2
