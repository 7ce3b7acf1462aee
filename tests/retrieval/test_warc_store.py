"""The store of fetched pages: what was kept comes back, whatever a kill left behind."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("warcio", reason="needs the extra 'retrieval'")
pytest.importorskip("isal", reason="needs the extra 'retrieval'")

from globesumm.errors import DataError, UsageError
from retrieval import page_store
from retrieval.answers import Exchange, Fetched
from retrieval.fetching import Cause, FetchError
from retrieval.page_store import BUCKETS, Bucket, bucket_of
from retrieval.warc import pages_in
from tests.torture.small_disk import fill, small_disk

NOW = datetime(2023, 5, 15, 12, tzinfo=UTC)
URL = "http://a.example/1"


def page(url: str, body: bytes = b"<p>The bridge closed.</p>", start: str | None = None) -> Fetched:
    headers = (("Content-Type", "text/html; charset=koi8-r"), ("ETag", '"x"'))
    last = Exchange(url=url, at=NOW, status=200, reason="OK", headers=headers, body=body)
    hops: tuple[Exchange, ...] = (last,)
    if start:
        moved = (("Location", url),)
        hops = (Exchange(url=start, at=NOW, status=301, reason="", headers=moved, body=b""), last)
    return Fetched(url=url, content=body, kind="text/html", charset="koi8-r", hops=hops)


def contents(folder: Path) -> dict[str, bytes]:
    """URL → content of every page that the bucket gives back."""
    with Bucket(folder, 0) as bucket:
        return {
            url: bucket.page(kept, 10_000).content
            for number in range(9)
            if (kept := bucket.get(url := f"http://a.example/{number}")) and kept.file
        }


def filled(folder: Path, count: int = 3) -> None:
    with Bucket(folder, 0) as bucket:
        for number in range(count):
            url = f"http://a.example/{number}"
            bucket.add(url, page(url, b"<p>%d</p>" % number))


def test_a_page_comes_back_as_it_was_sent_under_any_of_its_addresses(tmp_path: Path) -> None:
    with Bucket(tmp_path, 0) as bucket:
        assert bucket.get(URL) is None
        bucket.add(URL, page("http://b.example/2", start=URL))
    with Bucket(tmp_path, 0) as bucket:
        kept = bucket.get("https://www.a.example/1?utm_source=x#top")
        assert kept is not None
        assert (kept.final, kept.etag, kept.at) == ("http://b.example/2", '"x"', NOW)
        raw = bucket.page(kept, 10_000)
        assert (raw.url, raw.charset, raw.seen) == ("http://b.example/2", "koi8-r", NOW)
        assert raw.content == b"<p>The bridge closed.</p>"


def test_a_full_disk_keeps_no_one_out_once_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        (disk / ".00.lock").touch()
        ballast = fill(disk)
        first = Bucket(disk, 0)
        with pytest.raises(OSError, match="space"), first:
            first.add(URL, page(URL))
        ballast.unlink()
        filled(disk)
        assert len(contents(disk)) == 3


def test_a_failure_is_kept_for_its_address_and_a_page_takes_its_place(tmp_path: Path) -> None:
    gone = FetchError(URL, "status 404", Cause.GONE)
    slow = FetchError(URL, "took too long", Cause.TOO_SLOW)
    with Bucket(tmp_path, 0) as bucket:
        assert bucket.add(URL, slow).is_passing
        assert not bucket.add(URL, gone).is_passing
        archived = f"https://web.archive.org/web/2023/{URL}"
        assert bucket.get(archived) is None
        bucket.add(archived, page(archived))
    with Bucket(tmp_path, 0) as bucket:
        kept = bucket.get(URL)
        assert kept is not None
        assert kept.final == archived
        bucket.add(URL, gone)
        assert bucket.get(URL) == kept
        with pytest.raises(DataError, match="status 404"):
            bucket.page(page_store.Kept(url=URL, at=NOW, cause="gone", reason="status 404"), 99)


@pytest.mark.parametrize("torn", [1, 40, 200])
def test_what_a_killed_process_left_unfinished_is_cut_off(tmp_path: Path, torn: int) -> None:
    filled(tmp_path)
    warc, index = tmp_path / "00-00000.warc.gz", tmp_path / "00.index.jsonl"
    before = contents(tmp_path)
    size, lines = warc.stat().st_size, index.read_bytes()
    with warc.open("ab") as file:
        file.write(warc.read_bytes()[:torn])
    with index.open("ab") as file:
        file.write(lines.splitlines()[0][: torn // 2])
    assert contents(tmp_path) == before
    assert (warc.stat().st_size, index.read_bytes()) == (size, lines)
    with Bucket(tmp_path, 0) as bucket:
        bucket.add("http://a.example/7", page("http://a.example/7"))
    assert len(contents(tmp_path)) == 4
    assert len(list(pages_in(warc, 10_000))) == 4


def test_a_page_that_the_disk_lost_is_asked_for_again_and_the_others_are_kept(
    tmp_path: Path,
) -> None:
    filled(tmp_path)
    warc = tmp_path / "00-00000.warc.gz"
    os.truncate(warc, warc.stat().st_size - 5)
    assert sorted(contents(tmp_path)) == ["http://a.example/0", "http://a.example/1"]
    filled(tmp_path)
    assert len(contents(tmp_path)) == 3
    assert len(list(pages_in(warc, 10_000))) == 5


def test_a_damaged_line_of_the_index_costs_only_its_page(tmp_path: Path) -> None:
    filled(tmp_path)
    index = tmp_path / "00.index.jsonl"
    lines = index.read_bytes().splitlines(keepends=True)
    index.write_bytes(lines[0] + b"{\xff\n" + lines[2])
    content = (tmp_path / "00-00000.warc.gz").read_bytes()
    assert sorted(contents(tmp_path)) == ["http://a.example/0", "http://a.example/2"]
    filled(tmp_path)
    assert len(contents(tmp_path)) == 3
    assert (tmp_path / "00-00000.warc.gz").read_bytes() == content


def test_pages_outlive_their_index(tmp_path: Path) -> None:
    filled(tmp_path)
    warc, index = tmp_path / "00-00000.warc.gz", tmp_path / "00.index.jsonl"
    content = warc.read_bytes()
    index.unlink()
    filled(tmp_path, 1)
    assert warc.read_bytes() == content
    assert len(list(pages_in(tmp_path / "00-00001.warc.gz", 10_000))) == 1


def test_a_full_file_is_followed_by_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_store, "LARGEST_FILE", 2000)
    filled(tmp_path, 8)
    assert len(list(tmp_path.glob("*.warc.gz"))) > 1
    assert contents(tmp_path) == {f"http://a.example/{n}": b"<p>%d</p>" % n for n in range(8)}
    filled(tmp_path, 8)
    assert len(contents(tmp_path)) == 8


def test_two_processes_do_not_write_one_bucket(tmp_path: Path) -> None:
    with (
        Bucket(tmp_path, 0),
        pytest.raises(UsageError, match="another process"),
        Bucket(tmp_path, 0),
    ):
        pass
    with Bucket(tmp_path, 0), Bucket(tmp_path, 1):
        pass


def test_looking_changes_nothing_and_waits_for_nobody(tmp_path: Path) -> None:
    assert Bucket.as_it_is(tmp_path / "none", 0).get(URL) is None
    assert not (tmp_path / "none").exists()
    filled(tmp_path)
    index = tmp_path / "00.index.jsonl"
    with index.open("ab") as file:
        file.write(b'{"torn')
    content = index.read_bytes()
    with Bucket(tmp_path, 1):
        assert Bucket.as_it_is(tmp_path, 0).get("http://a.example/2") is not None
    assert index.read_bytes() == content


def test_a_host_has_one_bucket_whatever_its_spelling() -> None:
    spellings = ("http://a.example/1", "https://A.example:8080/2", "http://www.a.example/?q")
    assert len({bucket_of(url) for url in spellings}) == 1
    found = {bucket_of(f"http://h{number}.example/") for number in range(2000)}
    assert found == set(range(BUCKETS))


@pytest.mark.parametrize(
    ("reason", "name", "value"),
    [("Ünïcode", "X-Ü", "ä"), ("a\r\nX: b", "X", "a\r\n b"), ("", "Bad Name", "x")],
)
def test_hostile_headers_neither_break_a_record_nor_add_lines_to_it(
    tmp_path: Path, reason: str, name: str, value: str
) -> None:
    headers = (("Content-Type", "text/html"), (name, value))
    hop = Exchange(url=URL, at=NOW, status=200, reason=reason, headers=headers, body=b"<p>x</p>")
    fetched = Fetched(url=URL, content=b"<p>x</p>", kind="text/html", hops=(hop,))
    with Bucket(tmp_path, 0) as bucket:
        raw = bucket.page(bucket.add(URL, fetched), 10_000)
    assert raw.content == b"<p>x</p>"
