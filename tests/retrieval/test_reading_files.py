"""A folder or file of pages and texts becomes documents; what cannot is named."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.errors import UnknownName, UsageError
from globesumm.values import Document, Rejected
from retrieval.draft import Settings
from retrieval.read import FORMATS, read

PARAGRAPHS = (
    "The bridge over the river closed on Monday after engineers found cracks in two pillars.",
    "The mayor said that repairs would take six weeks and cost about four million euros.",
    "Commuters were told to use the northern crossing until the work is finished.",
)
PAGE = (
    "<html lang='en'><head><title>Bridge closed</title></head>"
    "<body><h1>Bridge closed</h1>{}</body></html>"
)


def page(*paragraphs: str) -> str:
    return PAGE.format("".join(f"<p>{paragraph}</p>" for paragraph in paragraphs or PARAGRAPHS))


def documents(source: Path, **options: str) -> list[Document]:
    return [found for found in read(source, **options) if isinstance(found, Document)]  # type: ignore[arg-type]


def rejected(source: Path) -> list[Rejected]:
    return [found for found in read(source) if isinstance(found, Rejected)]


def test_a_folder_is_read_in_the_order_of_its_paths(tmp_path: Path) -> None:
    for name in ("b.html", "a.html", "sub/c.html", "sub/a.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(page() if name.endswith("html") else "\n".join(PARAGRAPHS))
    assert [document.id for document in documents(tmp_path)] == ["a", "b", "sub-a", "sub-c"]
    assert list(read(tmp_path)) == list(read(tmp_path))


def test_a_page_gives_its_headline_and_text_apart(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_text(page())
    (document,) = documents(tmp_path / "one.html")
    assert document.title == "Bridge closed"
    assert document.text == "\n".join(PARAGRAPHS)
    assert (document.language, document.language_declared) == ("en", "en")
    assert document.language_detected == "en"


@pytest.mark.parametrize("name", ["one.html.gz", "one.txt.gz"])
def test_packed_files_are_read_like_plain_ones(tmp_path: Path, name: str) -> None:
    text = page() if "html" in name else "\n".join(PARAGRAPHS)
    (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    (document,) = documents(tmp_path)
    assert (document.id, document.text) == ("one", "\n".join(PARAGRAPHS))


def test_ids_that_clash_get_a_number_and_a_note(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(page())
    (tmp_path / "a.txt").write_text("\n".join(PARAGRAPHS))
    first, second = documents(tmp_path)
    assert (first.id, second.id) == ("a", "a-2")
    assert any(note.startswith("id:") for note in second.notes)


def test_ids_hold_nothing_that_a_file_name_may_not(tmp_path: Path) -> None:
    (tmp_path / "новости дня: 5 & 6.txt").write_text("\n".join(PARAGRAPHS))
    (document,) = documents(tmp_path)
    assert document.id == "новости-дня-5-6"


def test_a_title_line_above_a_blank_one_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Bridge closed\n\n" + "\n".join(PARAGRAPHS))
    (document,) = documents(tmp_path)
    assert (document.title, document.text) == ("Bridge closed", "\n".join(PARAGRAPHS))


def test_a_first_sentence_is_not_taken_for_a_title(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{PARAGRAPHS[0]}\n\n{PARAGRAPHS[1]}")
    (document,) = documents(tmp_path)
    assert document.title is None
    assert document.text.startswith(PARAGRAPHS[0])


def test_a_file_name_may_say_date_and_language(tmp_path: Path) -> None:
    (tmp_path / "2023-05-15_agency.en.txt").write_text("Short.")
    (document,) = documents(tmp_path)
    assert document.published is not None
    assert document.published.isoformat() == "2023-05-15T00:00:00+00:00"
    assert (document.language, document.language_detected) == ("en", None)


def test_a_document_without_a_date_is_kept_and_noted(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(page())
    (document,) = documents(tmp_path)
    assert document.published is None
    assert "published: not stated" in document.notes


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.html", b""),
        ("blank.txt", b" \n\t\n"),
        ("signs.txt", b"--- *** ---"),
        ("menu.html", b"<html><body><script>var text = 'none';</script></body></html>"),
        ("picture.png", b"\x89PNG"),
        ("cut.html.gz", gzip.compress(b"<p>text</p>" * 99, mtime=0)[:40]),
        ("not.txt.gz", b"not packed"),
    ],
)
def test_what_holds_no_text_is_named_and_the_rest_goes_on(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "good.txt").write_text("\n".join(PARAGRAPHS))
    (reject,) = rejected(tmp_path)
    assert reject.where == str(tmp_path / name)
    assert reject.reason
    assert str(tmp_path) not in reject.reason
    assert [document.id for document in documents(tmp_path)] == ["good"]


def test_hidden_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / ".hidden.txt").write_text("\n".join(PARAGRAPHS))
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "a.txt").write_text("\n".join(PARAGRAPHS))
    assert list(read(tmp_path)) == []


def test_a_file_over_the_limit_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_text("word " * 1000)
    (tmp_path / "bomb.txt.gz").write_bytes(gzip.compress(b"word " * 100_000))
    found = list(read(tmp_path, settings=Settings(max_bytes=1000)))
    assert all(isinstance(reject, Rejected) for reject in found)
    assert all("1000 bytes" in reject.reason for reject in found if isinstance(reject, Rejected))


def test_broken_bytes_are_repaired_and_noted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(
        b"Caf\xe9 owners\x00 said that they would close \xff early today.\n"
    )
    (document,) = documents(tmp_path)
    assert "\x00" not in document.text
    assert "owners said" in document.text
    assert document.notes
    document.text.encode()


def test_one_line_of_ten_megabytes_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("many words in one line " * 450_000)
    (document,) = documents(tmp_path)
    assert len(document.text) > 10_000_000
    assert document.language == "en"


def test_a_page_nested_too_deeply_is_named_and_not_fatal(tmp_path: Path) -> None:
    (tmp_path / "deep.html").write_text("<div>" * 100_000 + "<p>Bottom of it all.</p>")
    (reject,) = read(tmp_path)
    assert isinstance(reject, Rejected)
    assert "too deeply nested" in reject.reason


def test_a_page_whose_depths_are_cut_off_says_so(tmp_path: Path) -> None:
    deep = "<div>" * 1000 + "<p>Bottom of it all.</p>" + "</div>" * 1000
    (tmp_path / "deep.html").write_text(page().replace("</body>", f"{deep}</body>"))
    (document,) = documents(tmp_path)
    assert PARAGRAPHS[0] in document.text
    assert any("may be missing" in note for note in document.notes)


@pytest.mark.parametrize("name", ["htlm", "HTML5", "pdf"])
def test_an_unknown_format_is_refused_with_what_is_known(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownName):
        read(tmp_path, format=name)


def test_a_source_that_does_not_exist_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        read(tmp_path / "nothing")
    (tmp_path / "file.xyz").write_text("text")
    with pytest.raises(UsageError, match="format"):
        read(tmp_path / "file.xyz")


def test_an_unknown_language_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        read(tmp_path, language="klingonese")
    with pytest.raises(UnknownName):
        read(tmp_path, candidates=["en", "klingonese"])


def test_the_callers_language_stands_and_doubt_is_noted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(PARAGRAPHS))
    (document,) = documents(tmp_path, language="deu")
    assert (document.language, document.language_detected) == ("de", "en")
    assert any("language" in note for note in document.notes)


def test_a_format_asked_for_beats_the_ending(tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text(page())
    (document,) = documents(tmp_path / "page.txt", format="html")
    assert document.text == "\n".join(PARAGRAPHS)


def test_no_two_formats_claim_one_ending() -> None:
    endings = [ending for row in FORMATS.values() for ending in row.endings]
    assert len(endings) == len(set(endings))
    assert all(ending.startswith(".") and ending == ending.lower() for ending in endings)


@given(content=st.binary(max_size=400))
@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("name", ["a.html", "a.txt", "a.csv", "a.json", "a.jsonl", "a.rss"])
def test_no_bytes_whatever_stop_the_reading(
    tmp_path_factory: pytest.TempPathFactory, name: str, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("bytes") / name
    path.write_bytes(content)
    for found in read(path):
        assert isinstance(found, Document | Rejected)
