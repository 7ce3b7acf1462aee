"""Whatever lies in a folder is read or named: links, pipes, devices, binaries, our own runs."""

import gzip
import io
import os
import random
import shutil
import socket
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from globesumm.errors import UsageError
from globesumm.runs import Run
from globesumm.text.clean import decode
from globesumm.values import Document, Rejected
from retrieval.binary import FEWEST_BROKEN, MOST_BROKEN, broken_share
from retrieval.draft import Settings
from retrieval.read import FORMATS, read

TEXT = (
    "The bridge over the river closed on Monday after engineers found cracks in two pillars.\n"
    "The mayor said that repairs would take six weeks and cost about four million euros.\n"
)


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose path is short enough for the name of a socket."""
    folder = Path(tempfile.mkdtemp())
    yield folder
    shutil.rmtree(folder)


def bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


ODD: dict[str, tuple[Callable[[Path], None], str]] = {
    "dangling": (lambda path: path.symlink_to("nowhere.txt"), "a link to nothing"),
    "self": (lambda path: path.symlink_to(path.name), "cannot be read"),
    "loop": (lambda path: path.symlink_to("."), "a link to a folder"),
    "up": (lambda path: path.symlink_to(".."), "a link to outside the folder"),
    "out": (lambda path: path.symlink_to("/etc/passwd"), "a link to outside the folder"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "a link to outside the folder"),
    "pipe": (os.mkfifo, "not a regular file"),
    "socket": (bind, "not a regular file"),
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("ending", ["", ".html", ".txt", ".jsonl", ".json", ".csv", ".rss", ".gz"])
def test_what_is_no_file_of_the_folder_is_named_and_the_rest_goes_on(
    short_path: Path, kind: str, ending: str
) -> None:
    make, reason = ODD[kind]
    (short_path / "good.txt").write_text(TEXT)
    make(short_path / f"odd{ending}")
    document, reject = read(short_path)
    assert isinstance(document, Document)
    assert isinstance(reject, Rejected)
    assert reject.where == str(short_path / f"odd{ending}")
    assert reason in reject.reason


def test_a_link_to_a_file_inside_is_read(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text(TEXT)
    (tmp_path / "b.txt").symlink_to("sub/a.txt")
    assert [one.id for one in read(tmp_path) if isinstance(one, Document)] == ["b", "sub-a"]


def test_a_folder_named_through_a_link_is_read(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text(TEXT)
    (tmp_path / "link").symlink_to("real")
    assert [isinstance(one, Document) for one in read(tmp_path / "link")] == [True]


@pytest.mark.parametrize("closed", ["", "sub"])
def test_a_folder_that_cannot_be_listed_is_named(
    tmp_path: Path, closed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    listing = os.scandir

    def scandir(path: str) -> object:
        if Path(path) == tmp_path / closed:
            raise PermissionError(13, "Permission denied", str(path))
        return listing(path)

    monkeypatch.setattr(os, "scandir", scandir)
    (reject,) = read(tmp_path)
    assert isinstance(reject, Rejected)
    assert (reject.where, reject.reason) == (
        str(tmp_path / closed),
        "cannot be read (Permission denied)",
    )


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in {"folder", "url"}])
def test_pipes_and_devices_named_directly_are_refused_before_they_are_opened(
    tmp_path: Path, name: str
) -> None:
    os.mkfifo(tmp_path / "fifo.html")
    for source in (tmp_path / "fifo.html", Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(UsageError, match="not a regular file"):
            read(source, format=name)


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in {"folder", "url"}])
def test_no_reader_opens_a_pipe_that_took_the_place_of_a_file(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "M0012.english")
    (found,) = FORMATS[name].reader(str(tmp_path / "M0012.english"), "a", Settings())
    assert isinstance(found, Rejected)
    assert "not a regular file" in found.reason


@pytest.mark.parametrize("source", ["", " ", "\n"])
def test_an_empty_source_is_refused(source: str) -> None:
    with pytest.raises(UsageError, match="no source"):
        read(source)


@pytest.mark.parametrize("source", ["a" * 5000, "a\0b", "/proc/1/mem/x"])
def test_a_name_that_no_file_can_have_is_refused(source: str) -> None:
    with pytest.raises(UsageError):
        read(source)


@pytest.mark.parametrize("depth", [".", "out", "out/more"])
def test_our_own_runs_are_no_news(tmp_path: Path, depth: str) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    run = Run.start(tmp_path / depth / "run", {"seed": 0})
    run.write_events([], [Rejected(where="x", reason="y")])
    assert [type(one) for one in read(tmp_path)] == [Document]
    with pytest.raises(UsageError, match="holds no news"):
        read(run.folder)


@pytest.mark.parametrize("content", ["", "{}", '{"text": "A run of the river."}', "[1]"])
def test_another_programs_run_json_hides_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "run.json").write_text(content)
    (tmp_path / "sub" / "a.txt").write_text(TEXT)
    assert "sub-a" in [one.id for one in read(tmp_path) if isinstance(one, Document)]


def test_files_to_leave_out_are_left_out_by_every_name_they_have(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "b.txt").symlink_to("a.txt")
    left = frozenset({(tmp_path / "a.txt").resolve()})
    assert list(read(tmp_path, settings=Settings(leave_out=left))) == []


def packed() -> bytes:
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("word/document.xml", TEXT)
        return file.getvalue()


NOISE = random.Random(0).randbytes(20_000)
BINARIES = {
    "PDF": b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n",
    "PostScript": b"%!PS-Adobe-3.0\n%%Title: report\n",
    "RTF": rb"{\rtf1\ansi The bridge closed.}",
    "PNG": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "GIF": b"GIF89a\x01\0\x01\0",
    "JPEG": b"\xff\xd8\xff\xe0\0\x10JFIF",
    "WAVE or the like": b"RIFF\x24\0\0\0WAVEfmt ",
    "MP4": b"\0\0\0\x20ftypisom\0\0\2\0",
    "ZIP": packed(),
    "GZIP": gzip.compress(TEXT.encode()),
    "ELF": b"\x7fELF\x02\x01\x01" + b"\0" * 9,
    "Windows program": b"MZ\x90\0\x03\0\0\0",
    "SQLite": b"SQLite format 3\0" + b"\0" * 50,
    "noise": NOISE,
    "noise after text": TEXT.encode() + NOISE,
    "compressed": gzip.compress(NOISE)[12:],
    "zeros": b"\0" * 5000,
}


@pytest.mark.parametrize("kind", BINARIES)
@pytest.mark.parametrize("name", ["a.html", "a.txt", "M0012.english", "a.html.gz", "a.txt.gz"])
def test_what_is_no_text_is_refused_with_the_reason(tmp_path: Path, name: str, kind: str) -> None:
    content = BINARIES[kind]
    content = gzip.compress(content) if name.endswith(".gz") else content
    (tmp_path / name).write_bytes(content)
    (reject,) = read(tmp_path)
    assert isinstance(reject, Rejected)
    assert "not a text" in reject.reason
    assert str(tmp_path) not in reject.reason


@pytest.mark.parametrize(
    "start",
    [
        "MZ, the makers of trams, closed.",
        "GIF is 30.",
        "PK said no.",
        "ID3 tags went.",
        "RIFF raff",
    ],
)
def test_a_text_that_starts_with_the_letters_of_a_signature_is_read(
    tmp_path: Path, start: str
) -> None:
    (tmp_path / "a.txt").write_text(f"{start}\n{TEXT}")
    (document,) = read(tmp_path)
    assert isinstance(document, Document)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"]
)
def test_a_text_in_any_of_the_encodings_met_is_no_binary(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes((TEXT * 5).encode(encoding))
    (document,) = read(tmp_path)
    assert isinstance(document, Document)
    assert "bridge" in document.text


def test_the_threshold_counts_removed_controls_and_replacement_characters() -> None:
    assert broken_share(decode(b"word" * 24 + b"\0\x01\x02\x7f"))[0] == 4
    broken, share = broken_share(decode(b"abc\0" * 100 + b"\xef\xbf\xbd"))
    assert broken == 101
    assert share == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize(("broken", "read_as"), [(0, Document), (0.8, Document), (1.2, Rejected)])
def test_damage_up_to_the_threshold_is_repaired_and_beyond_it_refused(
    tmp_path: Path, broken: float, read_as: type
) -> None:
    count = round(broken * MOST_BROKEN * 1000)
    assert not 0 < count <= FEWEST_BROKEN
    (tmp_path / "a.txt").write_bytes(b"\x01" * count + b"word " * ((1000 - count) // 5))
    (found,) = read(tmp_path)
    assert isinstance(found, read_as)
