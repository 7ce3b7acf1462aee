"""``globesumm score --metrics nic,cre``: an entailer and a judge of known rules."""

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from globesumm.cli import main, modelling
from globesumm.llm.backends import OpenedModel, open_model
from globesumm.llm.request import Request
from globesumm.llm.scripted import Scripted
from globesumm.runs import Run
from globesumm.values import (
    ConflictCause,
    Document,
    Event,
    Issue,
    IssueKind,
    Round,
    Statement,
    Strategy,
    Summary,
)
from metrics.cre_formula import cre
from metrics.entailment import Entailer, Hypothesis, Verdict, presets

RECIPE = "crs.none.lead"
TEXT = "Says #1. Says #2 and 296 or 632."
WORDS = 8


class Marks(Entailer):
    """Entails what shares a mark like #7 with the premise; a model as far as names go."""

    asked = 0

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold

    @property
    def identity(self) -> str:
        return "marks"

    def judge(
        self, premise: str, _language: str, hypotheses: Sequence[Hypothesis]
    ) -> list[Verdict]:
        Marks.asked += len(hypotheses)
        held = set(re.findall(r"#\d+", premise))
        return [
            Verdict(value=float(bool(held & set(re.findall(r"#\d+", one.text)))))
            for one in hypotheses
        ]


class Judge:
    """1 if both figures of a conflict are in the summary, -1 if one is, else 0."""

    calls = 0

    def __call__(self, request: Request) -> str:
        Judge.calls += 1
        content = request.messages[0].content
        blocks = re.findall(r"^(~+) (\w+)\n(.*?)\n\1$", content, re.DOTALL | re.MULTILINE)
        shown = {label: text for _, label, text in blocks}
        mark = re.findall(r"verdicts-[0-9a-f]{6}", content)[-1]
        verdicts = []
        for line in shown["conflicts"].splitlines():
            said = re.findall(r"\d+", line.split(". ", 1)[1])
            held = [number for number in said if number in re.findall(r"\d+", shown["summary"])]
            verdicts.append(1 if len(held) == len(said) else -1 if held else 0)
        return f"{mark}: {verdicts}"


def conflict(note: str, cause: ConflictCause | None = None) -> Issue:
    statements = tuple(Statement(document="a", index=n, language="en", text=note) for n in range(2))
    return Issue(kind=IssueKind.CONFLICT, statements=statements, note=note, cause=cause)


EVENT = Event(
    id="quake",
    description="quake",
    documents=(Document(id="a", text="Fact #1.", language="en"),),
    references=("Told #1. Told #2. Told #3. Told #4.",),
    reference_language="en",
    conflicts=(
        conflict("296 or 632 died", ConflictCause.UPDATE),
        conflict("at 18 or 26 km", ConflictCause.ERROR),
        conflict("on the 9th or of 632", ConflictCause.ERROR),
    ),
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    def opened(_name: str, _url: str | None, **settings: Any) -> OpenedModel:
        return open_model(Scripted(Judge()), **settings)

    monkeypatch.setattr(presets, "STAND_INS", {"vector": Marks})
    monkeypatch.setattr(modelling, "open_model", opened)
    Marks.asked = Judge.calls = 0
    made = Run.start(tmp_path / "run", {"seed": 0})
    made.write_events([EVENT])
    made.write_summary(
        Summary(event="quake", recipe=RECIPE, model="m", target="en", text=TEXT, rounds=())
    )
    return made


BOTH = ("--metrics", "nic,cre", "--entailer", "vector", "--judge", "rule")


def test_nic_and_cre_of_a_run_are_the_values_computed_by_hand(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", str(run.folder), *BOTH]) == 0
    said = capsys.readouterr().out
    held = {score.metric: score for score in run.scores()}
    assert held["nic"].value == pytest.approx(1 - 10 * 0.5 / math.log(WORDS), abs=1e-9)
    assert held["nic-coverage"].value == pytest.approx(0.5)
    assert held["cre"].value == pytest.approx(cre([1, 0, -1]).value, abs=1e-9)
    assert "conflicts:marked" in held["cre"].signature
    assert "nic-coverage" in said.splitlines()[0]
    assert "conflicts of cause update: 1 settled, 0 not touched, 0 not settled" in said
    assert "conflicts of cause error: 0 settled, 1 not touched, 1 not settled" in said
    assert "language-bias" in said


def test_a_second_scoring_asks_for_nothing_again(run: Run) -> None:
    main(["score", str(run.folder), *BOTH])
    before = (Marks.asked, Judge.calls)
    assert before == (4, 1)
    assert (run.folder / "calls.sqlite").exists()
    main(["score", str(run.folder), *BOTH])
    assert (Marks.asked, Judge.calls) == before


def test_without_entailer_and_judge_they_are_listed_with_the_options_they_need(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", str(run.folder), "--metrics", "rouge"]) == 0
    said = capsys.readouterr().out
    assert "nic ↓: 0/1 scored, needs an entailment model, named with --entailer" in said
    assert "cre ↑: 0/1 scored, needs an instruction-following model that judges" in said


def test_conflicts_can_come_from_the_last_rounds_of_a_reference_annotation(run: Run) -> None:
    other = Run.start(run.folder.parent / "annotation", {"seed": 1})
    other.write_events([EVENT])
    rounds = tuple(
        Round(
            index=number,
            documents=("a",),
            added=(),
            summary="x",
            issues=(conflict(note),),
            strategies=(Strategy(issue=0, text="Say both.", cause=ConflictCause.UPDATE),),
        )
        for number, note in enumerate(("dropped: 1 or 2", *(f"{n}96 or 632" for n in range(5))), 1)
    )
    other.write_summary(
        Summary(event="quake", recipe=RECIPE, model="m", target="en", text="x", rounds=rounds)
    )
    arguments = ["--metrics", "cre", "--judge", "rule", "--annotation", str(other.folder)]
    assert main(["score", str(run.folder), *arguments]) == 0
    (score,) = (score for score in run.scores() if score.metric == "cre")
    assert "conflicts:issues/5" in score.signature
    # 632 stands in the text, and of the other figures 296 does.
    assert score.value == pytest.approx(cre([-1, -1, 1, -1, -1]).value, abs=1e-9)


def test_a_candidates_file_is_scored_with_an_entailer(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    path = run.folder.parent / "theirs.jsonl"
    line = {"id": "q", "candidate": TEXT, "language": "en", "references": list(EVENT.references)}
    path.write_text(json.dumps(line))
    arguments = ["--metrics", "nic", "--entailer", "vector", "--format", "jsonl"]
    assert main(["score", "--candidates", str(path), *arguments]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first["metric"] == "nic"
    assert first["value"] == pytest.approx(1 - 5 / math.log(WORDS), abs=1e-9)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--metrics", "nic"], "it needs an entailment model, named with --entailer"),
        (["--metrics", "rouge", "--entailer", "vector"], "--entailer is for NIC"),
        (["--metrics", "rouge", "--judge", "rule"], "--judge is for CRE"),
        (["--metrics", "cre", "--annotation", "x"], "--annotation is for CRE"),
        (["--metrics", "nic", "--entailer", "judge"], "name it with --judge"),
        (["--metrics", "nicc"], "did you mean 'nic'?"),
    ],
)
def test_what_is_missing_is_said_in_one_line(
    more: list[str], said: str, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", str(run.folder), *more]) == 2
    assert said in capsys.readouterr().err
