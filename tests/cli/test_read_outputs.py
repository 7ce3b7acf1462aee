"""What `read` writes, what it leaves alone, and what it says about what it could not read."""

import json
import os
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.cli.read import rejected_file

TEXT = "The bridge over the river closed on Monday after engineers found cracks in two pillars.\n"
Printed = pytest.CaptureFixture[str]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT)
    return folder


def read(source: Path | str, out: Path, *more: str) -> int:
    return main(["read", str(source), "--out", str(out), *more])


def ids(out: Path) -> list[str]:
    return [json.loads(line)["id"] for line in out.read_text().splitlines()]


def test_the_file_of_documents_stays_where_nothing_could_be_read(
    tmp_path: Path, pages: Path, capsys: Printed
) -> None:
    out = tmp_path / "d.jsonl"
    assert read(pages, out) == 0
    before = out.read_bytes()
    (pages / "a.txt").write_text("")
    capsys.readouterr()
    assert read(pages, out) == 2
    assert out.read_bytes() == before
    said = capsys.readouterr()
    assert "is left as it was" in said.err
    assert "nothing written" in said.out
    assert "a.txt" in (tmp_path / "d.rejected.jsonl").read_text()


def test_where_there_was_no_file_none_is_made_of_nothing(
    tmp_path: Path, pages: Path, capsys: Printed
) -> None:
    (pages / "a.txt").write_text("")
    assert read(pages, tmp_path / "d.jsonl") == 2
    assert not (tmp_path / "d.jsonl").exists()
    assert "is not written" in capsys.readouterr().err
    assert (tmp_path / "d.rejected.jsonl").exists()


@pytest.mark.parametrize(
    ("out", "beside"),
    [
        ("documents.jsonl", "documents.rejected.jsonl"),
        ("news.2023", "news.2023.rejected.jsonl"),
        ("news.2024", "news.2024.rejected.jsonl"),
        ("a.b/news.2023.jsonl", "a.b/news.2023.rejected.jsonl"),
        ("news.json", "news.json.rejected.jsonl"),
        ("news", "news.rejected.jsonl"),
    ],
)
def test_refusals_are_beside_the_documents_under_the_whole_name(out: str, beside: str) -> None:
    assert rejected_file(Path(out)) == Path(beside)


@pytest.mark.parametrize(
    ("first", "second"),
    [("news.2023", "news.2024"), ("d.json", "d.jsonl"), ("d", "d.jsonl"), ("d.jsonl", "d")],
)
def test_no_reading_deletes_or_overwrites_the_refusals_of_another(
    tmp_path: Path, pages: Path, first: str, second: str
) -> None:
    (pages / "b.txt").write_text("")
    assert read(pages, tmp_path / first) == 1
    kept = rejected_file(tmp_path / first)
    before = kept.read_bytes()
    (pages / "b.txt").unlink()
    assert read(pages, tmp_path / second) in {0, 2}
    assert kept.read_bytes() == before


def test_old_refusals_of_the_same_out_go_when_all_is_read(tmp_path: Path, pages: Path) -> None:
    (pages / "b.txt").write_text("")
    out = tmp_path / "d.jsonl"
    assert read(pages, out) == 1
    (pages / "b.txt").unlink()
    assert read(pages, out) == 0
    assert not rejected_file(out).exists()


@pytest.mark.parametrize("content", [TEXT, '{"id": "a", "text": "b"}\n', "\0"])
def test_a_file_of_another_kind_under_the_name_of_the_refusals_is_left_alone(
    tmp_path: Path, pages: Path, content: str, capsys: Printed
) -> None:
    out = tmp_path / "d.jsonl"
    rejected_file(out).write_text(content)
    assert read(pages, out) == 2
    assert rejected_file(out).read_text() == content
    assert "holds something else" in capsys.readouterr().err


def test_a_reading_into_its_own_folder_does_not_read_what_it_wrote(pages: Path) -> None:
    (pages / "empty.txt").write_text("")
    out = pages / "documents.jsonl"
    for _ in range(3):
        assert read(pages, out) == 1
        assert ids(out) == ["a"]
        assert len(rejected_file(out).read_text().splitlines()) == 1


def test_a_run_in_the_folder_of_pages_is_not_read(pages: Path) -> None:
    out = pages / "documents.jsonl"
    assert read(pages, out) == 0
    command = ["summarize", str(out), "--recipe", "crs.none.lead", "--out", str(pages / "run")]
    assert main(command) == 0
    assert read(pages, out) == 0
    assert ids(out) == ["a"]


@pytest.mark.parametrize("out", ["fifo", "folder", "device"])
def test_only_a_regular_file_is_written(tmp_path: Path, pages: Path, out: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "device").symlink_to("/dev/null")
    assert read(pages, tmp_path / out) == 2
    assert not (tmp_path / out).is_file()


@pytest.mark.parametrize("source", ["", "/dev/zero", "fifo.html", "http://u:s3cret@a.example/b"])
@pytest.mark.parametrize("verb", ["read", "summarize"])
def test_sources_that_cannot_be_read_are_told_in_one_line(
    tmp_path: Path, verb: str, source: str, capsys: Printed
) -> None:
    os.mkfifo(tmp_path / "fifo.html")
    place = str(tmp_path / source) if source.startswith("fifo") else source
    assert main([verb, place, "--format", "html", "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr()
    assert len(said.err.splitlines()) == 1
    assert "s3cret" not in said.err + said.out
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "name", ["a\x1b[31m.txt", "a\r.txt", "a\x07.txt", "a\x9b2J.txt", "a\n.txt"]
)
@pytest.mark.parametrize("content", ["", TEXT])
def test_no_file_name_reaches_the_terminal_raw(
    tmp_path: Path, pages: Path, name: str, content: str, capsys: Printed
) -> None:
    (pages / name).write_text(content)
    read(pages, tmp_path / "d.jsonl")
    read(pages / name, tmp_path / f"{name}.jsonl")
    said = capsys.readouterr()
    for stream in (said.out, said.err.replace("\r", "")):
        assert not set(stream) & {"\x1b", "\x07", "\x9b"}
    refusals = [line for line in said.err.split("\n") if line.startswith("refused:")]
    assert all("txt" in line and "\r" not in line for line in refusals)


@pytest.mark.parametrize("when", ["0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z"])
def test_documents_from_the_ends_of_the_calendar_are_summarized(tmp_path: Path, when: str) -> None:
    rows = [
        {"id": name, "language": "en", "published": when, "text": f"{TEXT} It was {day}."}
        for name, day in (("a", "yesterday"), ("b", "on Sunday"), ("c", "tomorrow"))
    ]
    source = tmp_path / "d.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["summarize", str(source), "--recipe", "crs.none.lead"]
    assert main([*command, "--out", str(tmp_path / "run")]) == 0


def test_an_interrupt_while_languages_load_ends_with_130(
    tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from langdetect.detector_factory import DetectorFactory

    from retrieval import language_models

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    language_models._factory.cache_clear()
    monkeypatch.setattr(DetectorFactory, "add_profile", interrupted)
    assert read(pages, tmp_path / "d.jsonl") == 130
    assert not (tmp_path / "d.jsonl").exists()
    monkeypatch.undo()
    assert read(pages, tmp_path / "d.jsonl") == 0


def test_reports_without_a_date_are_said_to_come_last_and_how_dates_are_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "reports.csv"
    table.write_text(
        "id,text,published\n"
        "a,The bridge at Vale fell on Monday and two people were hurt.,\n"
        "b,The bridge at Vale fell and three people were hurt there.,2023-09-09T05:40Z\n",
        encoding="utf-8",
    )
    out = tmp_path / "documents.jsonl"
    assert main(["read", str(table), "--out", str(out)]) == 0
    said = capsys.readouterr().err
    assert "1 without a date" in said
    assert "comes last, by id" in said
    table.write_text(table.read_text("utf-8").replace("hurt.,\n", "hurt.,2023-09-08\n"), "utf-8")
    assert main(["read", str(table), "--out", str(out)]) == 0
    assert "comes last" not in capsys.readouterr().err
