"""New articles folded into a finished event: what is kept, made, asked, refused and shown."""

import json
import re
from pathlib import Path

import pytest

from baselines.grid.uses import read_uses
from baselines.growing import Growth, Kind, changes, read_growth
from globesumm.cli import main
from globesumm.runs import Run
from globesumm.values import Summary

TEXTS = (
    ("en", "The bridge at Vale fell on Monday. One person was hurt at Vale."),
    ("fr", "Le pont de Vale s'est effondré lundi. Deux personnes ont été blessées."),
    ("en", "The bridge at Vale that fell on Monday was old. Two people were hurt."),
    ("en", "The mayor of Vale resigned on Thursday. A new bridge at Vale is planned."),
)
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


def documents(path: Path, *days: int, text: str | None = None, hour: int = 10) -> Path:
    rows = [
        {
            "id": str(day),
            "language": TEXTS[day - 1][0],
            "text": text or TEXTS[day - 1][1],
            "published": f"2023-09-0{day}T{hour}:00:00Z",
        }
        for day in days
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def scripted(tmp_path: Path) -> str:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({"pattern": p, "answer": a}) + "\n" for p, a in SCRIPT))
    return f"scripted:{path}"


def summarize(source: Path, out: Path, *more: str) -> int:
    return main(["summarize", str(source), "--out", str(out), *more])


def only(out: Path) -> Summary:
    (summary,) = Run.open(out).summaries()
    return summary


LEAD = ("--recipe", "crs.none.lead")


def test_a_later_article_becomes_the_next_round_and_the_earlier_ones_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert summarize(documents(tmp_path / "vale.jsonl", 1, 2, 3), run, *LEAD) == 0
    before = only(run)
    capsys.readouterr()
    assert summarize(documents(tmp_path / "later.jsonl", 4), run, "--append") == 0
    shown = capsys.readouterr().out
    after = only(run)
    assert len(after.rounds) == len(before.rounds) + 1
    for one, other in zip(before.rounds, after.rounds, strict=False):
        assert (one.summary, one.inputs, one.documents) == (
            other.summary, other.inputs, other.documents,
        )  # fmt: skip
    assert after.rounds[-1].added == ("4",)
    assert "2 rounds kept, 1 made" in shown
    assert "+ The mayor of Vale resigned on Thursday." in shown
    (growth,) = read_growth(Run.open(run))
    assert (growth.added, growth.kept, growth.made) == (("4",), 2, 1)


@pytest.mark.parametrize("recipe", ["crs.none.lead", "crs.none.random", "sts.none.lead"])
def test_a_grown_summary_is_the_one_that_all_articles_at_once_would_have_given(
    tmp_path: Path, recipe: str
) -> None:
    chosen = ("--recipe", recipe)
    assert summarize(documents(tmp_path / "vale.jsonl", 1, 2), tmp_path / "grown", *chosen) == 0
    for day in (3, 4):
        new = documents(tmp_path / f"{day}.jsonl", day)
        assert summarize(new, tmp_path / "grown", "--append") == 0
    (tmp_path / "whole").mkdir()
    whole = documents(tmp_path / "whole" / "vale.jsonl", 1, 2, 3, 4)
    assert summarize(whole, tmp_path / "run", *chosen) == 0
    assert only(tmp_path / "grown") == only(tmp_path / "run")
    grown, at_once = Run.open(tmp_path / "grown"), Run.open(tmp_path / "run")
    assert grown.record().settings == at_once.record().settings


def test_folding_one_article_makes_only_that_rounds_calls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, model = tmp_path / "run", scripted(tmp_path)
    assert summarize(documents(tmp_path / "vale.jsonl", 1, 2, 3), run, "--model", model) == 0
    held = only(run)
    assert read_uses(Run.open(run), held.recipe, held.event)
    # Not even the store of calls is needed: what the run holds is enough.
    (run / "calls.sqlite").unlink()
    capsys.readouterr()
    later = documents(tmp_path / "later.jsonl", 4)
    assert summarize(later, run, "--append", "--model", model) == 0
    said = capsys.readouterr()
    calls, hits = map(int, re.findall(r"this time: (\d+) calls, (\d+) from the store", said.err)[0])
    # The article is split; where the issues are, strategies, summary, and its split to carry on.
    assert calls + hits == 1 + 4
    assert "2 rounds kept, 1 made" in said.out
    # The calls of the earlier text are not told as those of the grown one.
    assert read_uses(Run.open(run), held.recipe, held.event) is None


def test_the_single_turn_is_made_again_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert (
        summarize(documents(tmp_path / "vale.jsonl", 1, 2), run, "--recipe", "sts.none.lead") == 0
    )
    assert summarize(documents(tmp_path / "later.jsonl", 3), run, "--append") == 0
    assert "single turn: its one round was made again over all documents" in capsys.readouterr().out


def test_an_older_article_is_refused_and_with_redo_rounds_are_made_from_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert summarize(documents(tmp_path / "vale.jsonl", 1, 2, 4), run, *LEAD) == 0
    before = only(run)
    older = documents(tmp_path / "older.jsonl", 3)
    assert summarize(older, run, "--append") == 2
    assert "3: older than the event's last article" in capsys.readouterr().err
    assert only(run) == before
    assert summarize(older, run, "--append", "--redo") == 0
    assert "1 round kept, 2 made" in capsys.readouterr().out
    assert only(run).rounds[-1].documents == ("1", "2", "3", "4")


def test_an_article_given_again_costs_nothing_and_another_text_of_its_id_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert summarize(documents(tmp_path / "vale.jsonl", 1, 2), run, *LEAD) == 0
    before = (run / "run.json").read_bytes()
    assert summarize(documents(tmp_path / "again.jsonl", 2), run, "--append") == 0
    assert "nothing to fold" in capsys.readouterr().err
    changed = documents(tmp_path / "changed.jsonl", 2, text="Le pont tient toujours à Vale.")
    assert summarize(changed, run, "--append") == 2
    assert "another document '2'" in capsys.readouterr().err
    assert (run / "run.json").read_bytes() == before
    assert read_growth(Run.open(run)) == []


def test_what_was_interrupted_after_the_article_was_taken_goes_on_with_the_same_command(
    tmp_path: Path,
) -> None:
    from baselines.growing.record import write_grown
    from baselines.growing.taking import take
    from globesumm.cli.inputs import read_event

    run = tmp_path / "run"
    assert summarize(documents(tmp_path / "vale.jsonl", 1, 2), run, *LEAD) == 0
    later = documents(tmp_path / "later.jsonl", 3)
    (event,) = Run.open(run).events()
    write_grown(Run.open(run), take(event, read_event(str(later)).event.documents).event)
    assert summarize(later, run, "--append") == 0
    assert only(run).rounds[-1].documents == ("1", "2", "3")


def test_scores_of_the_earlier_text_do_not_stand_beside_the_grown_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, reference = tmp_path / "run", tmp_path / "reference.txt"
    reference.write_text("The bridge at Vale fell on Monday.")
    source = documents(tmp_path / "vale.jsonl", 1, 2)
    assert summarize(source, run, *LEAD, "--reference", str(reference)) == 0
    assert main(["score", str(run), "--metrics", "rouge"]) == 0
    assert main(["cite", str(run), "--entailer", "none"]) == 0
    assert Run.open(run).scores()
    assert summarize(documents(tmp_path / "later.jsonl", 3), run, "--append") == 0
    assert "dropped from scores.jsonl, citations.jsonl" in capsys.readouterr().err
    assert Run.open(run).scores() == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--append", "--recipe", "crs.none.random"), "recipes"),
        (("--append", "--max-words", "40"), "max_words"),
        (("--append", "--event", "tale"), "did you mean 'vale'"),
        (("--append", "--config", "smoke"), "--config does not go with --append"),
        (("--redo",), "--redo goes with --append"),
    ],
)
def test_what_would_make_another_run_of_it_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], message: str
) -> None:
    run = tmp_path / "run"
    assert summarize(documents(tmp_path / "vale.jsonl", 1, 2), run, *LEAD) == 0
    before = only(run)
    assert summarize(documents(tmp_path / "later.jsonl", 3), run, *more) == 2
    assert message in capsys.readouterr().err
    assert only(run) == before


def test_a_dry_run_says_what_would_be_made_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert summarize(documents(tmp_path / "vale.jsonl", 1, 2, 3), run, *LEAD) == 0
    before = {path: path.read_bytes() for path in run.rglob("*.json*")}
    capsys.readouterr()
    assert summarize(documents(tmp_path / "later.jsonl", 4), run, "--append", "--dry-run") == 0
    assert "2 rounds kept, 1 to make" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in run.rglob("*.json*")} == before


def test_where_the_new_round_fails_the_earlier_summary_stays_and_the_command_goes_on_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, model = tmp_path / "run", scripted(tmp_path)
    assert summarize(documents(tmp_path / "vale.jsonl", 1, 2), run, "--model", model) == 0
    before = only(run)
    later = documents(tmp_path / "later.jsonl", 3)
    broken = [(p, "I cannot." if p == "Compare the reports" else a) for p, a in SCRIPT]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"pattern": p, "answer": a}) + "\n" for p, a in broken))
    assert summarize(later, run, "--append", "--model", model) == 1
    assert "its earlier summary stays" in capsys.readouterr().err
    assert only(run) == before
    assert Run.open(run).failures() == []
    assert read_growth(Run.open(run)) == []
    # The store keeps unusable answers too; a model that answers otherwise is another store's.
    (run / "calls.sqlite").unlink()
    scripted(tmp_path)
    assert summarize(later, run, "--append", "--model", model) == 0
    assert only(run).rounds[-1].documents == ("1", "2", "3")


def test_a_part_of_a_grid_does_not_grow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "grid" / "parts" / "one"
    assert summarize(documents(tmp_path / "vale.jsonl", 1, 2), run, *LEAD) == 0
    assert summarize(documents(tmp_path / "later.jsonl", 3), run, "--append") == 2
    assert "is no run of globesumm summarize" in capsys.readouterr().err


def test_a_run_made_with_a_model_asks_for_that_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, model = tmp_path / "run", scripted(tmp_path)
    assert summarize(documents(tmp_path / "vale.jsonl", 1, 2), run, "--model", model) == 0
    later = documents(tmp_path / "later.jsonl", 3)
    assert summarize(later, run, "--append") == 2
    assert "name it with --model" in capsys.readouterr().err
    assert summarize(later, run, "--append", "--model", model, "--temperature", "1") == 2
    assert "decoding" in capsys.readouterr().err


def test_a_new_wording_is_told_apart_from_a_new_sentence() -> None:
    before = ["At least 296 people were killed.", "Roads are blocked.", "It was felt in Spain."]
    after = ["At least 820 people were killed.", "Roads are blocked.", "Spain sent two dogs."]
    found = changes(before, after)
    assert [one.kind for one in found] == [
        Kind.REWORDED, Kind.KEPT, Kind.REMOVED, Kind.ADDED,
    ]  # fmt: skip
    assert [one.after for one in found if one.after] == after
    assert sorted(one.before for one in found if one.before) == sorted(before)


def test_a_growth_reads_back(tmp_path: Path) -> None:
    from globesumm.records import read_own_records, write_records

    growth = Growth(
        event="e", recipe="r", added=("a",), kept=1, made=1,
        changes=tuple(changes(["a"], ["b"])),
    )  # fmt: skip
    write_records(tmp_path / "growth.jsonl", [growth])
    assert list(read_own_records(tmp_path / "growth.jsonl", Growth)) == [growth]
