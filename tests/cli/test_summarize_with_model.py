"""summarize with a model, from the command's side: planned, paid once, resumed, failed by name."""

import json
import re
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.runs import Run

FACTS = '{"sentences": ["The bridge at Vale fell on Monday.", "Two people were hurt at Vale."]}'
ISSUES = json.dumps(
    {
        "issues": [
            {
                "kind": "conflict",
                "sentences": [{"report": 1, "sentence": 2}, {"report": 2, "sentence": 2}],
                "detail": "how many were hurt",
            }
        ]
    }
)
STRATEGIES = json.dumps(
    {"strategies": [{"conflict": 1, "cause": "update", "strategy": "Take the later figure."}]}
)
SCRIPT = (
    ("Break the report", FACTS),
    ("equally at home", FACTS),
    ("Compare the reports", ISSUES),
    ("Now settle the conflicts", STRATEGIES),
    ("Write one summary", "The bridge at Vale fell on Monday, and two people were hurt."),
)


def files(tmp_path: Path, script: tuple[tuple[str, str], ...] = SCRIPT) -> tuple[Path, str]:
    texts = (
        ("en", "The bridge at Vale fell on Monday. One person was hurt."),
        ("fr", "Le pont de Vale s'est effondré lundi. Deux personnes ont été blessées."),
        ("en", "The bridge at Vale that fell on Monday was old. Two were hurt."),
    )
    documents = tmp_path / "event.jsonl"
    documents.write_text(
        "".join(
            json.dumps({"id": str(day), "language": language, "text": text,
                        "published": f"2023-09-0{day}T10:00:00Z"}) + "\n"
            for day, (language, text) in enumerate(texts, 1)
        )
    )  # fmt: skip
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"pattern": p, "answer": a}) + "\n" for p, a in script))
    return documents, f"scripted:{answers}"


def summarize(documents: Path, model: str, out: Path, *more: str) -> int:
    return main(["summarize", str(documents), "--model", model, "--out", str(out), *more])


def test_a_dry_run_and_the_run_agree_on_the_calls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents, model = files(tmp_path)
    assert summarize(documents, model, tmp_path / "run", "--dry-run") == 0
    planned = re.search(r"in all +(\d+)", capsys.readouterr().out)
    assert planned
    # 3 documents split, 1 of them put into English, 4 calls in each of 2 rounds.
    assert int(planned[1]) == 3 + 1 + 8
    assert not (tmp_path / "run").exists()
    assert summarize(documents, model, tmp_path / "run") == 0
    said = capsys.readouterr()
    calls, hits = map(int, re.findall(r"this time: (\d+) calls, (\d+) from the store", said.err)[0])
    # Answers of this script repeat, and so do some requests; they are paid once.
    assert calls + hits == 12
    alike = f" + {12 - calls} not needed (nothing to change, or texts alike)"
    assert f"12 calls planned = {calls} made{alike if calls < 12 else ''}\n" in said.err
    assert f"{calls} calls in all; none beyond the plan\n" in said.err
    assert "The bridge at Vale fell on Monday, and two people were hurt." in said.out


def test_a_run_that_a_cap_stops_has_its_account_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents, model = files(tmp_path)
    assert summarize(documents, model, tmp_path / "run", "--most-calls", "2") == 2
    said = capsys.readouterr().err
    assert "12 calls planned = 0 made + 12 not reached (1 are not made yet)\n" in said
    assert "0 calls in all of those that ended; none beyond the plan; what was asked" in said
    held = (tmp_path / "run" / "asked.json").read_text(encoding="utf-8")
    assert json.loads(held)["left"] == 1
    assert summarize(documents, model, tmp_path / "run") == 0
    assert "are not made yet" not in capsys.readouterr().err


def test_rounds_keep_issues_causes_strategies_and_raw_answers(tmp_path: Path) -> None:
    documents, model = files(tmp_path)
    assert summarize(documents, model, tmp_path / "run") == 0
    (summary,) = Run.open(tmp_path / "run").summaries()
    assert summary.recipe == "crs.kis-clp.protocol"
    first = summary.rounds[0]
    assert [issue.cause for issue in first.issues] == ["update"]
    assert {statement.document for statement in first.issues[0].statements} == {"1", "2"}
    assert first.strategies[0].text == "Take the later figure."
    assert ISSUES in first.answers.values()


def test_a_second_run_makes_no_call_and_a_lost_summary_costs_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents, model = files(tmp_path)
    assert summarize(documents, model, tmp_path / "run") == 0
    (path,) = (tmp_path / "run" / "summaries").glob("*/*.json")
    before = path.read_bytes()
    capsys.readouterr()
    assert summarize(documents, model, tmp_path / "run") == 0
    assert "this time: 0 calls, 0 from the store" in capsys.readouterr().err
    path.unlink()
    assert summarize(documents, model, tmp_path / "run") == 0
    assert "this time: 0 calls" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_nonsense_fails_that_summary_by_name_with_prompt_and_answer_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents, model = files(tmp_path, (*SCRIPT[:2], ("", "???")))
    assert summarize(documents, model, tmp_path / "run") == 1
    (failure,) = Run.open(tmp_path / "run").failures()
    told = capsys.readouterr().err
    assert re.search(r"12 calls planned = \d+ made \+ .*not reached \(1 summary failed\)", told)
    assert "1 asked again, since the first answer could not be used" in told
    assert "where" in failure.reason
    assert failure.answer == "???"
    assert "Compare the reports" in failure.prompt[-1][1]
    assert "failed: crs.kis-clp.protocol on event" in told


def test_another_prompt_is_another_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents, model = files(tmp_path)
    assert summarize(documents, model, tmp_path / "run") == 0
    own = tmp_path / "prompts" / "kis"
    own.mkdir(parents=True)
    from globesumm.prompts import shipped_prompts

    text = shipped_prompts()["kis.default"].content.decode()
    (own / "default.md").write_text(text.replace("key facts", "main facts"))
    more = ("--prompts", str(tmp_path / "prompts"))
    assert summarize(documents, model, tmp_path / "run", *more) == 2
    assert "prompts: " in capsys.readouterr().err


def test_a_cap_stops_the_run_cleanly_and_it_goes_on_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents, model = files(tmp_path)
    assert summarize(documents, model, tmp_path / "run", "--most-calls", "3") == 2
    assert "3" in capsys.readouterr().err
    assert summarize(documents, model, tmp_path / "run") == 0
    assert len(Run.open(tmp_path / "run").summaries()) == 1


def test_a_missing_key_names_the_variable_and_what_needs_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    documents, _ = files(tmp_path)
    assert summarize(documents, "gpt-4o", tmp_path / "run") == 2
    error = capsys.readouterr().err
    assert "OPENAI_API_KEY" in error
    assert "--model extractive" in error


def test_a_recipe_that_takes_a_model_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents, _ = files(tmp_path)
    command = ["summarize", str(documents), "--recipe", "crs.kis.direct", "--out", "x"]
    assert main(command) == 2
    assert "needs a model: name one with --model" in capsys.readouterr().err


def test_a_server_that_is_down_is_said_at_once_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents, _ = files(tmp_path)
    out = tmp_path / "run"
    assert summarize(documents, "m", out, "--base-url", "http://127.0.0.1:9") == 2
    assert "no server answers at http://127.0.0.1:9" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("name", ["smoke", "ablation", "scale", "paper-table5"])
def test_an_experiment_of_which_only_a_part_would_be_done_is_the_grids(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert main(["summarize", "--config", name, "--out", str(out), "sample:titan-submersible"]) == 2
    said = capsys.readouterr().err
    assert "models" in said
    assert f"globesumm grid {name}" in said
    assert not out.exists()


def test_a_sample_event_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "mine.toml", tmp_path / "run"
    path.write_text(
        'inputs = ["sample:titan-submersible"]\nrecipes = ["crs.none.lead"]\n', encoding="utf-8"
    )
    assert main(["summarize", "--config", str(path), "--out", str(out)]) == 0
    assert "titan-submersible by crs.none.lead" in capsys.readouterr().out
