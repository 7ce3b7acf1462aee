"""Lists of pages to fetch, in every form, and what in them names no page."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.values import Rejected
from retrieval.harvest import Part, plan
from retrieval.page_store import bucket_of
from retrieval.url import host_of
from retrieval.wanted import REPEATED, Wanted, wanted_in

SEEN = datetime(2023, 5, 1, 9, 30, tzinfo=UTC)
ROW = {"url": "http://a.example/1", "title": "Bridge", "language": "deu", "seen": SEEN.isoformat()}


def both(path: Path) -> tuple[list[Wanted], list[Rejected]]:
    found = list(wanted_in(path))
    return (
        [one for one in found if isinstance(one, Wanted)],
        [one for one in found if isinstance(one, Rejected)],
    )


def test_lines_of_a_text_are_addresses(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(
        b"\xef\xbb\xbfhttp://a.example/1\r\n\n# note\nnonsense\nhttp://u:s3@a.example/\n"
    )
    wanted, rejected = both(path)
    assert [(one.url, one.where) for one in wanted] == [("http://a.example/1", f"{path}:1")]
    assert [one.where for one in rejected] == [f"{path}:4", f"{path}:5"]
    assert "s3" not in repr(rejected)
    packed = tmp_path / "list.txt.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert [one.url for one in both(packed)[0]] == ["http://a.example/1"]


@pytest.mark.parametrize("seen", ["20230501093000", "20230501T093000Z", "2023-05-01T09:30:00Z",
                                  "2023-05-01T09:30:00", "2023-05-01T11:30:00+02:00"])  # fmt: skip
def test_a_row_brings_what_it_knows_of_its_page(tmp_path: Path, seen: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({**ROW, "seen": seen, "words": 7}) + "\n")
    ((one,), rejected) = both(path)
    assert (one.url, one.title, one.language, one.seen) == (ROW["url"], "Bridge", "deu", SEEN)
    assert not rejected


def test_events_of_the_portal_bring_the_addresses_of_their_sources(tmp_path: Path) -> None:
    event = {"id": "e", "description": "x", "sources": [
        {"url": "http://a.example/1", "outlet": "A"}, {"url": None, "outlet": "B"},
        {"url": "http://c.example/1", "outlet": None}]}  # fmt: skip
    (tmp_path / "e.jsonl").write_text(json.dumps(event) + "\n" + json.dumps({"sources": []}) + "\n")
    wanted, rejected = both(tmp_path)
    assert [(one.url, one.outlet) for one in wanted] == [
        ("http://a.example/1", "A"),
        ("http://c.example/1", None),
    ]
    assert not rejected


def test_tables_are_read_with_and_without_a_header(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("title\tURL\tlanguage\nBridge\thttp://a.example/1\tde\n")
    (tmp_path / "b.tsv").write_text("20230501\thttp://b.example/1\tx\n\thttp://b.example/2\n")
    (tmp_path / "c.tsv").write_text("url\tlang\nhttp://c.example/1\tru\n")
    wanted, rejected = both(tmp_path)
    assert [one.url for one in wanted] == [
        "http://a.example/1",
        "http://b.example/1",
        "http://b.example/2",
        "http://c.example/1",
    ]
    assert (wanted[0].title, wanted[0].language, wanted[3].language) == ("Bridge", "de", "ru")
    assert not rejected


def test_parquet_is_read_as_rows(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs the extra 'retrieval'")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"url": ["http://a.example/1", None], "seen": [SEEN, SEEN]})
    parquet.write_table(table, tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"PAR1 torn")
    wanted, rejected = both(tmp_path)
    assert [(one.url, one.seen) for one in wanted] == [("http://a.example/1", SEEN)]
    assert [one.kind for one in rejected] == ["not-web", "not-a-list"]


def test_a_folder_is_read_without_what_other_stages_keep_there(tmp_path: Path) -> None:
    (tmp_path / "_failures").mkdir()
    (tmp_path / "_failures" / "x.jsonl").write_text(json.dumps(ROW))
    (tmp_path / "a.jsonl").write_text(json.dumps(ROW))
    (tmp_path / "b.png").write_bytes(b"\x89PNG")
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(b"{}"))
    (tmp_path / "d.warc.gz").write_bytes(b"")
    wanted, rejected = both(tmp_path)
    assert len(wanted) == 1
    assert [Path(one.where).name for one in rejected] == ["b.png", "c.jsonl.gz"]


@given(st.binary(max_size=300))
def test_any_bytes_give_rows_or_reasons(content: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.txt", "a.jsonl", "a.tsv", "a.txt.gz"):
            path = Path(folder) / name
            path.write_bytes(content)
            for one in wanted_in(path):
                assert isinstance(one, Wanted | Rejected)


def rows(*urls: str) -> list[Wanted]:
    return [Wanted(url=url, where=f"list:{place}") for place, url in enumerate(urls, start=1)]


def test_a_host_lies_in_one_part_and_no_page_is_lost_or_doubled() -> None:
    urls = [f"http://h{host}.example/{number}" for host in range(60) for number in range(20)]
    parts, rejected = plan(rows(*urls), key="k", per_shard=200)
    assert sorted(page.url for part in parts for page in part.pages) == sorted(urls)
    assert not rejected
    hosts = [{host_of(page.url) for page in part.pages} for part in parts]
    assert sum(map(len, hosts)) == 60
    assert len(parts) > 2
    assert len({part.name for part in parts}) == len(parts)


def test_the_second_address_of_a_page_is_named_with_the_first() -> None:
    parts, rejected = plan(
        rows("http://a.example/1?id=2", "https://m.a.example/1?utm_id=3&id=2"), "k"
    )
    assert [page.url for part in parts for page in part.pages] == ["http://a.example/1?id=2"]
    assert [(one.where, one.kind) for one in rejected] == [("list:2", REPEATED)]
    assert "http://a.example/1?id=2" in rejected[0].reason


def test_a_part_is_named_by_its_pages_and_what_decides_the_results() -> None:
    def names(key: str, *urls: str) -> list[str]:
        return [part.name for part in plan(rows(*urls), key)[0]]

    one = names("k", "http://a.example/1")
    assert one == names("k", "http://a.example/1")
    assert one != names("other", "http://a.example/1")
    assert one != names("k", "http://a.example/1", "http://a.example/2")
    assert one[0].startswith(f"{bucket_of('http://a.example/'):02x}-")


def test_the_list_of_a_part_is_written_once(tmp_path: Path) -> None:
    part = Part(name="00-00-x", pages=tuple(rows("http://a.example/1")))
    first, second = part.shard(tmp_path), part.shard(tmp_path)
    assert first == second
    assert Path(first.source).read_text().count("\n") == 1
