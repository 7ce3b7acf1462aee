"""WARC files as a source: what warcio wrote, what was damaged, what was made to hurt."""

import gzip
import io
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("warcio", reason="needs the extra 'retrieval'")

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from globesumm.values import Document, Rejected
from retrieval.answers import Exchange
from retrieval.draft import RawPage, Settings
from retrieval.read import read
from retrieval.warc import BROKEN, pages_in
from retrieval.warc_write import packed

TEXT = (
    "The bridge over the river closed on Monday after engineers found {n} cracks in two of its "
    "pillars. The mayor said that repairs would take six weeks and cost about four million euros."
)
HTML = [("Content-Type", "text/html; charset=utf-8")]


def page(number: int) -> bytes:
    paragraphs = "".join(f"<p>{TEXT.format(n=number + extra)}</p>" for extra in range(5))
    return f"<html lang='en'><head><title>B</title></head><body>{paragraphs}</body></html>".encode()


def record(
    url: str,
    body: bytes,
    *,
    status: str = "200 OK",
    headers: list[tuple[str, str]] | None = None,
    kind: str = "response",
    whole: bool = True,
) -> bytes:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=whole)
    http = StatusAndHeaders(status, HTML if headers is None else headers, protocol="HTTP/1.1")
    plain = kind not in {"response", "request", "revisit"}
    writer.write_record(
        writer.create_warc_record(
            url,
            kind,
            payload=io.BytesIO(body),
            http_headers=None if plain else http,
            warc_content_type="text/html" if plain else None,
            warc_headers_dict={"WARC-Date": "2023-05-15T12:00:00Z"},
        )
    )
    return out.getvalue()


def written(tmp_path: Path, *records: bytes, name: str = "news.warc.gz") -> Path:
    (tmp_path / name).write_bytes(b"".join(records))
    return tmp_path / name


def both(path: Path, max_bytes: int = 1_000_000) -> tuple[list[RawPage], list[Rejected]]:
    found = list(pages_in(path, max_bytes))
    return (
        [one for one in found if isinstance(one, RawPage)],
        [one for one in found if isinstance(one, Rejected)],
    )


@pytest.mark.parametrize("whole", [True, False])
def test_pages_come_in_the_order_of_the_file(tmp_path: Path, *, whole: bool) -> None:
    name = "news.warc.gz" if whole else "news.warc"
    urls = [f"http://a.example/{number}" for number in range(5)]
    records = [record(url, page(place), whole=whole) for place, url in enumerate(urls)]
    pages, rejected = both(written(tmp_path, *records, name=name))
    assert [one.url for one in pages] == urls
    assert [one.content for one in pages] == [page(place) for place in range(5)]
    assert pages[0].charset == "utf-8"
    assert pages[0].seen == datetime(2023, 5, 15, 12, tzinfo=UTC)
    assert not rejected


def test_one_gzip_stream_around_all_records_is_read_too(tmp_path: Path) -> None:
    records = [record(f"http://a.example/{n}", page(n), whole=False) for n in range(4)]
    pages, rejected = both(written(tmp_path, gzip.compress(b"".join(records))))
    assert len(pages) == 4
    assert not rejected


def test_a_warc_file_is_a_form_that_can_be_read(tmp_path: Path) -> None:
    written(tmp_path, record("http://a.example/1", page(1)), record("http://a.example/2", page(2)))
    documents = [one for one in read(tmp_path, settings=Settings()) if isinstance(one, Document)]
    assert [one.url for one in documents] == ["http://a.example/1", "http://a.example/2"]
    assert all(one.language == "en" and "six weeks" in one.text for one in documents)


def test_what_is_no_page_is_passed_over_or_named(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        record("http://a.example/1", b"", kind="revisit"),
        record("http://a.example/2", b"", status="302 Found", headers=[("Location", "/x")]),
        record("http://a.example/3", b"GIF89a", headers=[("Content-Type", "image/gif")]),
        record("http://a.example/4", page(4), status="404 Not Found"),
        record("http://a.example/5", page(5), status="503 Busy"),
        record("http://a.example/6", b"x" * 2_000_000),
        record("ftp://a.example/7", page(7)),
        record("http://user:s3cret@a.example/8", page(8)),
        record("http://a.example/9", page(9), kind="resource"),
        record("urn:x", b"a: b", kind="metadata"),
    )
    pages, rejected = both(path)
    assert [one.url for one in pages] == ["http://a.example/9"]
    assert [one.kind for one in rejected] == [
        "gone",
        "other-status",
        "too-large",
        "not-web",
        "not-web",
    ]
    assert "s3cret" not in repr(rejected)


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (gzip.compress(page(1)), [*HTML, ("Content-Encoding", "gzip")]),
        (page(1), [*HTML, ("Content-Encoding", "gzip")]),
        (b"5\r\n" + page(1)[:5] + b"\r\n" + f"{len(page(1)) - 5:x}".encode() + b"\r\n" + page(1)[5:]
         + b"\r\n0\r\n\r\n", [*HTML, ("Transfer-Encoding", "chunked")]),
    ],
)  # fmt: skip
def test_a_body_is_unpacked(tmp_path: Path, body: bytes, headers: list[tuple[str, str]]) -> None:
    pages, _ = both(written(tmp_path, record("http://a.example/1", body, headers=headers)))
    assert [one.content for one in pages] == [page(1)]


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("damage", ["flip", "cut", "zero", "junk"])
def test_a_broken_record_is_named_and_the_others_are_read(
    tmp_path: Path, place: int, damage: str
) -> None:
    records = [record(f"http://a.example/{number}", page(number)) for number in range(4)]
    bad = bytearray(records[place])
    if damage == "flip":
        bad[len(bad) // 2] ^= 0xFF
    elif damage == "cut":
        del bad[len(bad) // 2 :]
    elif damage == "zero":
        bad[:] = bytes(len(bad))
    else:
        bad[:] = Random(7).randbytes(len(bad))
    records[place] = bytes(bad)
    pages, rejected = both(written(tmp_path, *records))
    kept = [f"http://a.example/{number}" for number in range(4) if number != place]
    assert [one.url for one in pages] == kept
    assert [one.kind for one in rejected] == [BROKEN]
    assert rejected[0].where.endswith(f":{sum(map(len, records[:place]))}")


def test_a_broken_record_of_a_plain_file_is_named(tmp_path: Path) -> None:
    records = [record(f"http://a.example/{n}", page(n), whole=False) for n in range(3)]
    records[1] = records[1].replace(b"WARC/1.0\r\n", b"WARC/nonsense\r\n", 1)
    pages, rejected = both(written(tmp_path, *records, name="news.warc"))
    assert [one.url for one in pages] == ["http://a.example/0", "http://a.example/2"]
    assert [one.kind for one in rejected] == [BROKEN]


def test_the_last_record_of_a_file_that_was_cut_is_named(tmp_path: Path) -> None:
    records = [record(f"http://a.example/{number}", page(number)) for number in range(3)]
    for keep in (20, len(records[2]) - 1, len(records[2]) // 2):
        pages, rejected = both(written(tmp_path, *records[:2], records[2][:keep]))
        assert len(pages) == 2
        assert [one.kind for one in rejected] == [BROKEN]


def test_headers_without_end_are_given_up(tmp_path: Path) -> None:
    long = gzip.compress(b"WARC/1.0\r\nX: " + b"a" * 30_000_000)
    many = gzip.compress(b"WARC/1.0\r\n" + b"X: a\r\n" * 3_000_000)
    good = record("http://a.example/1", page(1))
    for bad in (long, many):
        pages, rejected = both(written(tmp_path, bad, good))
        assert [one.url for one in pages] == ["http://a.example/1"]
        assert "headers of more than" in rejected[0].reason


@pytest.mark.parametrize("content", [b"", b"\n\n", b"nonsense", b"\x1f\x8b", b"PK\x03\x04" * 99])
def test_a_file_that_is_no_warc_gives_no_page_and_no_crash(tmp_path: Path, content: bytes) -> None:
    pages, rejected = both(written(tmp_path, content))
    assert not pages
    assert len(rejected) == bool(content.strip())


def test_damage_anywhere_never_ends_the_reading(tmp_path: Path) -> None:
    records = [record(f"http://a.example/{number}", page(number)) for number in range(6)]
    whole = b"".join(records)
    draw = Random(3)
    for _ in range(60):
        bad = bytearray(whole)
        for _ in range(draw.randrange(1, 4)):
            bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
        pages, rejected = both(written(tmp_path, bytes(bad)))
        assert len(pages) + len(rejected) >= 5
        assert len(pages) >= 3


def test_an_odd_record_says_nothing_to_the_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    odd = record("http://a.example/1", page(1), whole=False).replace(
        b"http://a.example/1", b"http://a.exa \x1b[2J/"
    )
    pages, rejected = both(written(tmp_path, odd, name="news.warc"))
    assert len(pages) + len(rejected) == 1
    assert capfd.readouterr() == ("", "")


def test_what_is_kept_is_what_was_sent_by_another_reader_too(tmp_path: Path) -> None:
    headers = (("Content-Type", "text/html; charset=utf-8"), ("Transfer-Encoding", "chunked"),
               ("Content-Encoding", "gzip"), ("X-Ü", "ä"))  # fmt: skip
    hop = Exchange(
        url="http://a.example/1",
        at=datetime(2023, 5, 15, tzinfo=UTC),
        status=200,
        reason="OK",
        headers=headers,
        body=gzip.compress(page(1)),
    )
    path = written(tmp_path, packed(hop))
    with path.open("rb") as file:
        found = next(iter(ArchiveIterator(file, check_digests="raise")))
        assert found.rec_headers.get_header("WARC-Target-URI") == "http://a.example/1"
        assert found.http_headers.get_statuscode() == "200"
        assert found.content_stream().read() == page(1)
    pages, _ = both(path)
    assert [one.content for one in pages] == [page(1)]
