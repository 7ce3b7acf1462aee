"""globesumm cite and globesumm ledger, from the command's side."""

import json
import re
from pathlib import Path

import pytest

from baselines.citations import Standing, read_citations
from baselines.ledger import Treatment
from baselines.ledger.judging import ModelJudge
from baselines.ledger.written import read_ledger
from globesumm.cli import main
from globesumm.llm.request import Request
from globesumm.llm.scripted import Scripted
from globesumm.runs import Run
from globesumm.values import Issue, IssueKind, Statement

TEXTS = (
    ("en", "The bridge at Vale fell on Monday. One person was killed."),
    ("en", "The bridge at Vale fell on Monday. Five people were killed."),
    ("de", "Die Brücke bei Vale war alt."),
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    documents = tmp_path / "vale.jsonl"
    documents.write_text(
        "".join(
            json.dumps({"id": str(day), "language": language, "text": text,
                        "published": f"2023-09-0{day}T10:00:00Z"}) + "\n"
            for day, (language, text) in enumerate(TEXTS, 1)
        ),
        encoding="utf-8",
    )  # fmt: skip
    out = tmp_path / "run"
    recipes = ("--recipe", "crs.none.lead", "--recipe", "sts.none.lead")
    assert main(["summarize", str(documents), "--out", str(out), *recipes]) == 0
    return out


def test_an_extract_is_cited_exactly_and_the_file_reads_back(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["cite", str(run), "--entailer", "lexical"]) == 0
    shown = capsys.readouterr().out
    assert "# vale by crs.none.lead, round 2" in shown
    assert "word for word" in shown
    assert "German (1 of 3 documents)" in shown
    found = read_citations(Run.open(run))
    assert {one.recipe for one in found} == {"crs.none.lead", "sts.none.lead"}
    assert {one.standing for one in found} == {Standing.SUPPORTED}


@pytest.mark.parametrize("form", ["markdown", "jsonl"])
def test_other_forms_hold_one_recipe_where_one_is_named(
    run: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    capsys.readouterr()
    chosen = ("--recipe", "sts.none.lead", "--format", form)
    assert main(["cite", str(run), "--entailer", "none", *chosen]) == 0
    shown = capsys.readouterr().out
    assert "sts.none.lead" in shown.replace("\\", "")
    assert "crs.none.lead" not in shown
    if form == "jsonl":
        assert all(json.loads(line)["event"] == "vale" for line in shown.splitlines())


def test_each_round_is_cited_and_nothing_is_judged_twice(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["cite", str(run), "--entailer", "lexical", "--judge-all", "--prefixes"]
    assert main([*command, "--recipe", "crs.none.lead"]) == 0
    first = (run / "citations.jsonl").read_bytes()
    assert {one.round for one in read_citations(Run.open(run))} == {1, 2}
    assert main([*command, "--recipe", "crs.none.lead"]) == 0
    assert (run / "citations.jsonl").read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--recipe", "crs.none.leaf"), "did you mean 'crs.none.lead'"),
        (("--event", "dale"), "did you mean 'vale'"),
        (("--nearest", "-1"), "--nearest is -1"),
        (("--labelled",), "name either a RUN folder or --labelled"),
        (("--entailer", "none", "--judge-all"), "--judge-all asks an entailer"),
        (("--entailer", "judge"), "name it with --judge"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    run: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    assert main(["cite", str(run), *arguments]) == 2
    assert message in capsys.readouterr().err


ISSUES = json.dumps(
    {
        "issues": [
            {
                "kind": "conflict",
                "detail": "how many were killed",
                "sentences": [{"report": 1, "sentence": 2}, {"report": 2, "sentence": 2}],
            }
        ]
    }
)
SCRIPT = (
    ("Break the report", '{"sentences": ["The bridge fell on Monday.", "Five were killed."]}'),
    ("equally at home", '{"sentences": ["The bridge fell on Monday.", "Five were killed."]}'),
    ("Compare the reports", ISSUES),
    (
        "Now settle the conflicts",
        '{"strategies": [{"conflict": 1, "cause": "update", "strategy": "Say the later."}]}',
    ),
    ("Write one summary", "The bridge at Vale fell on Monday. Five people were killed there."),
    ("statement", "yes"),
)


def test_a_written_summary_is_cited_and_its_conflicts_listed_with_causes_and_strategies(
    tmp_path: Path, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"pattern": p, "answer": a}) + "\n" for p, a in SCRIPT))
    model, out = f"scripted:{answers}", tmp_path / "written"
    source = str(tmp_path / "vale.jsonl")
    assert main(["summarize", source, "--out", str(out), "--model", model]) == 0
    capsys.readouterr()
    assert main(["cite", str(out), "--entailer", "judge", "--judge", model, "--nearest", "0"]) == 0
    found = read_citations(Run.open(out))
    assert [one.standing for one in found] == [Standing.SUPPORTED] * 2
    # One question for each sentence of the summary and each of the documents.
    assert [(one.judged, one.pairs) for one in found] == [(5, 5)] * 2
    assert main(["ledger", str(out), "--entailer", "lexical", "--format", "jsonl"]) == 0
    (entry,) = read_ledger(Run.open(out))
    # The second round sets the summary so far against the third report, in the same words.
    assert (entry.cause, entry.arose, entry.named) == ("update", 1, (1, 2))
    assert entry.plans[-1].text == "Say the later."
    assert {voice.published is not None for voice in entry.voices} >= {True}


def test_a_run_without_a_summary_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Run.start(tmp_path / "run", {"recipes": "crs.none.lead"})
    for verb in ("cite", "ledger"):
        assert main([verb, str(tmp_path / "run"), "--entailer", "lexical"]) == 2
        assert "holds no summary yet" in capsys.readouterr().err


def test_a_run_without_conflicts_has_an_empty_ledger(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["ledger", str(run), "--entailer", "lexical"]) == 0
    assert "No round names a conflict" in capsys.readouterr().out
    assert read_ledger(Run.open(run)) == []


def test_the_ledger_of_hand_written_rounds_says_that_nobody_ran_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["ledger", "--sample", "marrakesh-earthquake", "--entailer", "lexical"]
    assert main([*command, "--format", "markdown"]) == 0
    shown = capsys.readouterr().out
    assert "round records written by hand" in shown
    assert "16 conflicts" in shown
    assert main(["ledger", "--sample", "titan-submersible", "--entailer", "lexical"]) == 2
    assert main(["ledger"]) == 2
    assert "name either a RUN folder or --sample EVENT" in capsys.readouterr().err


def test_a_model_as_judge_gives_one_verdict_a_conflict_and_none_where_it_makes_no_sense() -> None:
    issue = Issue(
        kind=IssueKind.CONFLICT,
        statements=(
            Statement(document="1", index=2, language="en", text="One person was killed."),
            Statement(document="2", index=2, language="en", text="Five people were killed."),
        ),
        differs="number: 1 / 5",
    )

    def sensible(request: Request) -> str:
        mark = re.findall(r"verdicts-[0-9a-f]{6}", request.messages[0].content)[-1]
        return f"{mark}: [1, -1, 0]"

    found = ModelJudge(Scripted(sensible))("Five were killed.", "en", [issue, issue, issue])
    assert [one.treatment for one in found] == [
        Treatment.ADDRESSED,
        Treatment.UNADDRESSED,
        Treatment.ABSENT,
    ]
    unread = ModelJudge(Scripted(lambda _: "I cannot say."))("Five were killed.", "en", [issue])
    assert [one.treatment for one in unread] == [None]
    assert unread[0].note


def test_a_broken_plot_folder_costs_no_ledger_and_no_plot_is_said_to_be_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, taken = tmp_path / "run", tmp_path / "taken"
    taken.write_text("a file")
    rows = [
        {"id": str(day), "language": "en", "published": f"2023-09-0{day}T00:00:00Z",
         "text": f"The quake in the north killed {day * 137} people on Friday."}
        for day in (1, 2, 3)
    ]  # fmt: skip
    source = tmp_path / "quake.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["summarize", str(source), "--out", str(run)]) == 0
    capsys.readouterr()
    ledger = ["ledger", str(run), "--entailer", "lexical", "--plots", str(taken)]
    assert main(ledger) == 2
    assert "by time of report" in capsys.readouterr().out
    assert read_ledger(Run.open(run))
    source.write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    alone = tmp_path / "alone"
    assert main(["summarize", str(source), "--out", str(alone)]) == 0
    ledger[1] = str(alone)
    assert main(ledger) == 0
    assert "no plot of quake" in capsys.readouterr().err
