"""Growing from what is broken, edited by hand or cut short, and with settings that are none."""

import json
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from baselines.growing import read_growth
from globesumm.cli import main
from globesumm.records import read_record, write_record
from globesumm.runs import Run
from globesumm.unfinished import new_file
from globesumm.values import RunRecord
from tests.growing.test_growing import LEAD, documents, only, summarize


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A finished run of two articles that was scored, cited and searched for conflicts."""
    out, reference = tmp_path / "run", tmp_path / "reference.txt"
    reference.write_text("The bridge at Vale fell on Monday.")
    source = documents(tmp_path / "vale.jsonl", 1, 2)
    assert summarize(source, out, *LEAD, "--reference", str(reference)) == 0
    assert main(["score", str(out), "--metrics", "rouge"]) == 0
    assert main(["cite", str(out), "--entailer", "none"]) == 0
    assert main(["ledger", str(out), "--entailer", "lexical"]) == 0
    return out


def kept(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*.json*")
    }


class _Died(BaseException):
    """The process ends here."""


def test_whichever_write_it_dies_at_the_same_command_ends_as_if_it_had_not(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = str(documents(tmp_path / "later.jsonl", 3))
    whole = tmp_path / "whole"
    shutil.copytree(run, whole)
    made = 0

    def counted(path: Path) -> object:
        nonlocal made
        made += 1
        if made == dies_at:
            raise _Died
        return new_file(path)

    monkeypatch.setattr("globesumm.records.new_file", counted)
    dies_at = 0
    append = ["summarize", later, "--append", "--out"]
    assert main([*append, str(whole)]) == 0
    writes, undisturbed = made, kept(whole)
    assert writes >= 6  # settings, events, what could not be read, dropped lines, growth, summary
    for dies_at in range(1, writes + 1):
        one, made = tmp_path / f"run-{dies_at}", 0
        shutil.copytree(run, one)
        with suppress(_Died):
            main([*append, str(one)])
        assert made == dies_at
        assert main([*append, str(one)]) == 0
        assert kept(one) == undisturbed, dies_at


def test_an_article_that_cannot_be_read_is_kept_with_its_reason_and_once(
    run: Path, tmp_path: Path
) -> None:
    later = documents(tmp_path / "later.jsonl", 3)
    later.write_bytes(later.read_bytes() + b'{"id": "torn", "te\n')
    for _ in range(2):
        assert summarize(later, run, "--append") == 1
        (one,) = Run.open(run).rejected()
        assert "later.jsonl:2" in one.where
    assert only(run).rounds[-1].documents == ("1", "2", "3")


def test_a_summary_whose_rounds_are_gone_is_made_whole(run: Path, tmp_path: Path) -> None:
    summary = only(run)
    Run.open(run).write_summary(replace(summary, rounds=()))
    assert summarize(documents(tmp_path / "later.jsonl", 3), run, "--append") == 0
    assert [one.summary for one in only(run).rounds[:-1]] == [one.summary for one in summary.rounds]
    (growth,) = read_growth(Run.open(run))
    assert growth.kept == 0


@pytest.mark.parametrize(
    "settings",
    [{}, {"seed": "x"}, {"seed": 1.5}, {"seed": 2**80}, {"max_words": True}, {"max_words": -1},
     {"max_words": 10**9}, {"max_words": "250"}, {"recipes": ""}, {"recipes": 3}, {"target": "?"},
     {"target": None}],
)  # fmt: skip
def test_settings_that_are_none_are_refused_in_one_line(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], settings: dict[str, object]
) -> None:
    record = read_record(run / "run.json", RunRecord)
    edited: dict[str, object] = {**record.settings, **settings} if settings else {}
    write_record(run / "run.json", {"settings": edited, "facts": record.facts})
    refused(capsys, ["summarize", str(documents(tmp_path / "l.jsonl", 3)), "--out", str(run)])


@pytest.mark.parametrize(
    "more",
    [("--max-words", "0"), ("--max-words", "-3"), ("--max-words", "1000000000"),
     ("--seed", str(2**70)), ("--target", "?")],
)  # fmt: skip
def test_options_that_are_no_settings_are_refused_in_one_line(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, str]
) -> None:
    source = str(documents(tmp_path / "l.jsonl", 3))
    refused(capsys, ["summarize", source, "--out", str(run), *more])
    refused(capsys, ["summarize", source, "--out", str(tmp_path / "new"), *more], append=False)


def refused(capsys: pytest.CaptureFixture[str], command: list[str], *, append: bool = True) -> None:
    capsys.readouterr()
    assert main([*command, *(["--append"] if append else [])]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("globesumm: ")


@pytest.mark.parametrize("name", ["scores.jsonl", "citations.jsonl", "ledger.jsonl"])
def test_a_broken_file_of_the_earlier_text_is_named_and_the_summary_stays(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    summary = only(run)
    with (run / name).open("ab") as file:
        file.write(b'{"event": "vale", "rec')
    later = documents(tmp_path / "later.jsonl", 3)
    assert summarize(later, run, "--append") == 2
    assert f"{name}:" in (said := capsys.readouterr().err)
    assert "delete it and repeat the command that made it" in said
    assert only(run) == summary
    (run / name).unlink()
    assert summarize(later, run, "--append") == 0
    assert only(run).rounds[-1].documents == ("1", "2", "3")
    assert json.loads((run / "growth.jsonl").read_text().splitlines()[-1])["made"] == 1


def test_a_run_without_events_says_so(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "events.jsonl").write_bytes(b"")
    assert summarize(documents(tmp_path / "later.jsonl", 3), run, "--append") == 2
    assert "holds no event" in capsys.readouterr().err
