"""Files and terminals that refuse: one line and status 2, never a traceback, nothing destroyed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.progress import visible
from globesumm.runs import Run

ESCAPE = "\x1b[31m"


def document(path: Path, text: str = "The bridge fell on Monday. Two people were hurt.") -> Path:
    row = {"id": "a", "language": "en", "text": text, "published": "2023-09-09T10:00:00Z"}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return path


def made(tmp_path: Path) -> Path:
    source = document(tmp_path / "d.jsonl")
    command = ["summarize", str(source), "--recipe", "crs.none.lead", "--out"]
    assert main([*command, str(tmp_path / "run")]) == 0
    return tmp_path / "run"


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.splitlines()[-1].startswith("globesumm: ")
    assert "Traceback" not in error
    return error


@pytest.mark.parametrize("place", ["folder", "below a file", "device", "no such system folder"])
def test_a_place_that_cannot_be_written_is_refused_in_one_line(
    tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source = document(tmp_path / "d.jsonl")
    (tmp_path / "folder").mkdir()
    where = {
        "folder": tmp_path / "folder",
        "below a file": source / "x.jsonl",
        "device": Path(os.devnull),
        "no such system folder": Path("/proc/none/x.jsonl"),
    }[place]
    refused(["read", str(source), "--out", str(where)], capsys)
    assert not Path(os.devnull).is_file()
    run = made(tmp_path)
    refused(["report", str(run), "--out", str(where)], capsys)


def test_a_link_is_written_through(tmp_path: Path) -> None:
    target, link = tmp_path / "target.jsonl", tmp_path / "link.jsonl"
    target.write_text("old")
    link.symlink_to(target)
    assert main(["read", str(document(tmp_path / "d.jsonl")), "--out", str(link)]) == 0
    assert link.is_symlink()
    assert '"id"' in target.read_text()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_refused_and_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    source = document(tmp_path / "d.jsonl")
    for arguments in (
        ["score", "--candidates", str(pipe)],
        ["meta", str(pipe)],
        ["summarize", str(source), "--config", str(pipe), "--out", str(tmp_path / "r")],
        ["summarize", str(source), "--reference", str(pipe), "--out", str(tmp_path / "r")],
    ):
        assert "no regular file" in refused(arguments, capsys)


def test_a_terminal_without_letters_shows_their_numbers(tmp_path: Path) -> None:
    source = document(tmp_path / "d.jsonl", "Мост рухнул в понедельник.")
    code = "import sys; from globesumm.cli import main; sys.exit(main())"
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    for arguments in (
        ["metrics"],
        ["summarize", str(source), "--recipe", "crs.none.lead", "--out", str(tmp_path / "r")],
    ):
        ended = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True, env=environment, check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.isascii()


def test_control_characters_of_outside_text_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made(tmp_path)
    (path,) = (run / "summaries").glob("*/*.json")
    stored = json.loads(path.read_text())
    stored["text"] = f"{ESCAPE}red\u202e"
    path.write_text(json.dumps(stored))
    capsys.readouterr()
    command = ["summarize", str(tmp_path / "d.jsonl"), "--recipe", "crs.none.lead", "--out"]
    assert main([*command, str(run)]) == 0
    said = capsys.readouterr()
    assert ESCAPE not in said.out + said.err
    assert "\\x1b[31mred\\x202e" in said.out
    assert visible("a\tb\nc") == "a\tb\nc"


@pytest.mark.parametrize("content", ["", "[]", "{", '{"settings": 1}', "\x00\x01"])
@pytest.mark.parametrize("verb", ["score", "report"])
def test_a_broken_run_json_is_named_by_every_verb(
    tmp_path: Path, content: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made(tmp_path)
    (run / "run.json").write_text(content)
    assert "run.json" in refused([verb, str(run)], capsys)


def test_a_broken_summary_is_named_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made(tmp_path)
    (path,) = (run / "summaries").glob("*/*.json")
    whole = path.read_bytes()
    path.write_bytes(whole[:40])
    assert "delete it and repeat the command" in refused(["report", str(run)], capsys)
    path.write_bytes(whole.replace(b'"event": "d"', b'"event": "other"'))
    assert "holds the summary of 'other'" in refused(["report", str(run)], capsys)


def test_the_report_of_an_older_form_of_run_is_made_all_the_same(tmp_path: Path) -> None:
    run = made(tmp_path)
    record = json.loads((run / "run.json").read_text())
    record["settings"], record["facts"] = {}, {}
    (run / "run.json").write_text(json.dumps(record))
    (path,) = (run / "summaries").glob("*/*.json")
    stored = json.loads(path.read_text()) | {"rounds": []}
    path.write_text(json.dumps(stored))
    assert main(["report", str(run)]) == 0
    page = (run / "report.html").read_text()
    assert "not recorded" in page
    assert "The bridge fell on Monday." in page


def test_a_summary_longer_than_asked_says_so(tmp_path: Path) -> None:
    source = document(tmp_path / "d.jsonl")
    out = tmp_path / "short"
    command = ["summarize", str(source), "--recipe", "crs.none.lead", "--max-words", "1"]
    assert main([*command, "--out", str(out)]) == 0
    (summary,) = Run.open(out).summaries()
    if len(summary.text.split()) > 1:
        assert any("more than the 1 asked for" in note for note in summary.rounds[-1].notes)


@pytest.mark.parametrize("content", ["", "\n \n", "123"])
def test_an_empty_reference_is_refused(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    reference = tmp_path / "reference.txt"
    reference.write_text(content)
    source = document(tmp_path / "d.jsonl")
    command = ["summarize", str(source), "--reference", str(reference), "--out"]
    assert "holds no text" in refused([*command, str(tmp_path / "r")], capsys)


@pytest.mark.parametrize("content", ["max_words = true", "a = " + "[" * 5000 + "]" * 5000])
def test_a_strange_config_is_refused(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "strange.toml"
    path.write_text(content)
    source = document(tmp_path / "d.jsonl")
    command = ["summarize", str(source), "--config", str(path), "--out", str(tmp_path / "r")]
    assert "strange.toml" in refused(command, capsys)
