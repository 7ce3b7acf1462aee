"""What spoils real inputs costs only itself: it is named, and the rest goes on."""

import json
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.runs import Run

GOOD = {"id": "good", "language": "en", "published": "2023-09-09T10:00:00Z",
        "text": "The bridge fell on Monday. Two people were hurt."}  # fmt: skip


def documents(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def summarize(source: Path, out: Path) -> int:
    return main(["summarize", str(source), "--recipe", "crs.none.lead", "--out", str(out)])


def test_a_document_without_text_is_a_named_record_and_the_rest_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = {**GOOD, "id": "empty", "text": " \n\u00a0 "}
    source = documents(tmp_path / "d.jsonl", empty, GOOD)
    assert summarize(source, tmp_path / "run") == 1
    (refused,) = Run.open(tmp_path / "run").rejected()
    assert "no text" in refused.reason
    assert "d.jsonl:1" in refused.where
    assert "no text" in capsys.readouterr().err


def test_a_document_without_a_date_is_kept_last_and_noted(tmp_path: Path) -> None:
    undated = {**GOOD, "id": "a-undated", "published": None, "text": "No one knows when."}
    source = documents(tmp_path / "d.jsonl", undated, GOOD)
    assert summarize(source, tmp_path / "run") == 0
    (summary,) = Run.open(tmp_path / "run").summaries()
    assert summary.rounds[-1].documents == ("good", "a-undated")
    assert any("no publication time" in note for note in summary.rounds[-1].notes)


@pytest.mark.parametrize("content", ["", "\n\n", "[]\n", '{"id": "a"}\n', "\x00\x00\n"])
def test_an_empty_document_list_ends_with_2_and_leaves_nothing(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "d.jsonl"
    source.write_text(content)
    assert summarize(source, tmp_path / "run") == 2
    assert "holds no document with text" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_an_empty_folder_ends_with_2(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    assert summarize(tmp_path / "pages", tmp_path / "run") == 2
    assert main(["read", str(tmp_path / "pages"), "--out", str(tmp_path / "d.jsonl")]) == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bytes.txt", b"The bridge fell\xff\xfe on Monday.\xc3\x28 Two were hurt badly there.\n"),
        ("nuls.txt", b"The bridge fell\x00\x00 on Monday. Two people were hurt badly there.\n"),
        ("nuls.html", b"<p>The bridge\x00 fell on Monday.</p><p>Two people were hurt there.</p>"),
        ("utf16.txt", "The bridge fell on Monday. Two people were hurt.".encode("utf-16")),
        (
            "escapes.jsonl",
            b'{"text": "The bridge fell \\ud800 on Monday. Two people were hurt."}\n',
        ),
        ("controls.txt", b"The bridge \x1b[31mfell\x07 on Monday. Two people were hurt there.\n"),
    ],
)
def test_broken_characters_are_cleaned_and_noted(tmp_path: Path, name: str, content: bytes) -> None:
    source = tmp_path / name
    source.write_bytes(content)
    out = tmp_path / "out" / "d.jsonl"
    assert main(["read", str(source), "--out", str(out)]) == 0
    (line,) = out.read_text(encoding="utf-8").splitlines()
    document = json.loads(line)
    assert "fell" in document["text"]
    assert document["notes"]
    assert not set(document["text"]) & set("\x00\x07\x1b\ud800")
    assert summarize(out, tmp_path / "run") == 0


def test_ten_megabytes_of_one_line_pass_or_are_refused_by_name(tmp_path: Path) -> None:
    source = tmp_path / "pages"
    source.mkdir()
    (source / "huge.txt").write_text("word " * 2_000_000)
    (source / "good.txt").write_text("The bridge fell on Monday. Two people were hurt.")
    status = main(["read", str(source), "--out", str(tmp_path / "d.jsonl")])
    ids = [json.loads(line)["id"] for line in (tmp_path / "d.jsonl").read_text().splitlines()]
    assert "good" in ids
    if status == 1:
        refused = (tmp_path / "d.rejected.jsonl").read_text()
        assert "huge.txt" in refused
    else:
        assert status == 0
        assert "huge" in ids


def test_the_same_command_resumes_and_another_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = documents(tmp_path / "d.jsonl", GOOD)
    assert summarize(source, tmp_path / "run") == 0
    capsys.readouterr()
    assert summarize(source, tmp_path / "run") == 0
    assert "1 summary there already" in capsys.readouterr().err
    documents(source, {**GOOD, "text": "Something else happened."})
    assert summarize(source, tmp_path / "run") == 2
    assert "data: " in capsys.readouterr().err


def test_a_dry_run_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = documents(tmp_path / "d.jsonl", GOOD)
    assert main(["summarize", str(source), "--out", str(tmp_path / "run"), "--dry-run"]) == 0
    assert "1 event with 1 document x 1 recipe = 1 summary" in capsys.readouterr().out
    assert not (tmp_path / "run").exists()


def test_a_bad_candidate_line_stays_in_the_denominator(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "system.jsonl"
    good = {"id": "a", "candidate": "Two words", "language": "en", "references": ["Two words"]}
    documents(source, good, {"id": "b", "candidate": 7, "language": "en"})
    command = ["score", "--candidates", str(source), "--metrics", "rouge", "--format", "jsonl"]
    assert main(command) == 1
    *rows, last = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    rouge1 = next(row for row in last["aggregate"] if row["metric"] == "rouge1")
    assert (rouge1["mean"], rouge1["n"], rouge1["expected"]) == (1.0, 1, 2)
    assert {row["note"] for row in rows if row["value"] is None} == {
        "not read: candidate: input should be a valid string"
    }
