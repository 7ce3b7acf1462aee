"""``globesumm gdelt`` from the local mirror: tables, and the account of every quarter-hour."""

import gzip
import json
import pickle
from collections import Counter
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.cli import main
from globesumm.languages import LANGUAGES
from globesumm.shards import Shard, only_here
from globesumm.values import Document
from retrieval.gdelt.base import FolderBase
from retrieval.gdelt.cache import Cache
from retrieval.gdelt.failures import NotServed
from retrieval.gdelt.gal import PARTIAL, Listing, listings, minute_files, stand_ins
from retrieval.gdelt.gaps import known_unlisted
from retrieval.gdelt.names import FileName, Product, Stream
from retrieval.gdelt.rows import Tally
from retrieval.gdelt.schema import Column, table_columns
from retrieval.gdelt.slots import from_stamp, window
from retrieval.gdelt.stage import Ingestion, ingest
from retrieval.gdelt.writing import write_jsonl
from tests.retrieval.gdelt_files import BASE, gkg, gkg_row, line, write_lists, zipped
from tests.retrieval.mirror.web_server import Mirror

KNOWN = "20230502101500"
"""A quarter-hour that English and translated stream both lack, and are known to."""


def gdelt(mirror: Mirror | Path, out: Path, *more: str) -> int:
    base = mirror.gdelt.base if isinstance(mirror, Mirror) else str(mirror)
    given = ["--from", "2023-05-02T09:30", "--to", "2023-05-02T10:30", "--workers", "1"]
    quick = ["--tries", "3", "--wait", "0"]
    return main(["gdelt", *given, "--base", base, "--out", str(out), *quick, *more])


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in path.read_text().splitlines()]


def fill(mirror: Mirror, **more: Any) -> None:
    """The window as GDELT's host has it: without what is known to be missing."""
    mirror.gdelt.fill("20230502093000", slots=5, streams=["english"], skip={KNOWN}, **more)
    mirror.gdelt.fill(
        "20230502093000", slots=5, streams=["translation"], skip={KNOWN, "20230502100000"}, **more
    )


def test_a_window_is_had_whole_but_for_what_is_known_to_be_missing(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(mirror)
    assert gdelt(mirror, tmp_path / "g", "--products", "gkg,export,mentions") == 0
    told = capsys.readouterr()
    slots = records(tmp_path / "g" / "slots.jsonl")
    states = Counter((slot["stream"], slot["product"], slot["state"]) for slot in slots)
    for product in ("gkg", "export", "mentions"):
        assert states["english", product, "had"] == 4
        assert states["english", product, "known missing"] == 1
        assert states["translated", product, "had"] == 3
        assert states["translated", product, "known missing"] == 2
    assert len(slots) == 30
    assert "2023-05-02 english gkg: 4 of 5 had; 10:15 known missing: never listed" in told.out
    assert "10:00 to 10:15 (2) known missing" in told.out
    for name, file in mirror.gdelt.files.items():
        table = tmp_path / "g" / file.product / f"{name.rsplit('.', 2)[0]}.jsonl"
        assert len(records(table)) == file.rows == 10


def test_the_second_run_fetches_nothing_and_says_the_same(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(mirror)
    gone, spoilt = "20230502093000.gkg.csv.zip", "20230502094500.translation.gkg.csv.zip"
    mirror.fault(f"*{gone}", "404")
    mirror.fault(f"*{spoilt}", "wrong bytes")
    assert gdelt(mirror, tmp_path / "g") == 1
    first = capsys.readouterr().out
    mirror.forget()
    before = {path: path.read_bytes() for path in (tmp_path / "g" / "gkg").glob("*.jsonl")}
    assert gdelt(mirror, tmp_path / "g") == 1
    assert mirror.asked() == []
    second = capsys.readouterr().out
    assert second.splitlines()[:3] == first.splitlines()[:3]
    assert before == {path: path.read_bytes() for path in (tmp_path / "g" / "gkg").glob("*.jsonl")}
    failed = {
        slot["file"]: slot["kind"]
        for slot in records(tmp_path / "g" / "slots.jsonl")
        if slot["state"] == "failed"
    }
    assert failed == {gone: "NotServed", spoilt: "NotAsListed"}
    mirror.mend()
    assert gdelt(mirror, tmp_path / "g", "--again") == 0
    assert {path.rpartition("/")[2] for path in mirror.asked("/gdeltv2/2")} == {gone, spoilt}


def test_faults_that_pass_cost_nothing(mirror: Mirror, tmp_path: Path) -> None:
    fill(mirror)
    for number, fault in enumerate(("429 with Retry-After", "500", "cut", "reset")):
        slot = ("093000", "094500", "100000", "103000")[number]
        mirror.fault(f"*20230502{slot}.gkg*", fault, times=1)
    assert gdelt(mirror, tmp_path / "g") == 0


def test_worker_processes_make_the_same_tables(mirror: Mirror, tmp_path: Path) -> None:
    fill(mirror)
    assert gdelt(mirror, tmp_path / "one") == 0
    assert gdelt(mirror, tmp_path / "two", "--workers", "2") == 0
    tables = [
        {path.name: path.read_bytes() for path in (tmp_path / out / "gkg").glob("*.jsonl")}
        for out in ("one", "two")
    ]
    assert tables[0] == tables[1]
    assert len(tables[0]) == 7


def test_a_listed_file_that_is_known_not_to_be_served_is_no_failure(
    mirror: Mirror, tmp_path: Path
) -> None:
    mirror.gdelt.add("20221111000000", served=False)
    asked = ["--from", "2022-11-11T00:00", "--to", "2022-11-11T00:00", "--streams", "english"]
    assert gdelt(mirror, tmp_path / "g", *asked) == 0
    (slot,) = records(tmp_path / "g" / "slots.jsonl")
    assert (slot["state"], slot["kind"]) == ("known missing", "KnownGap")
    mirror.gdelt.add("20221111000000", listed=False)
    assert gdelt(mirror, tmp_path / "g", *asked, "--again") == 0
    assert records(tmp_path / "g" / "slots.jsonl")[0]["state"] == "had", "a mirror may have it"


def test_what_nobody_accounts_for_is_a_failure_with_its_cause(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mirror.gdelt.fill(
        "20230502093000", slots=5, streams=["english"], skip={KNOWN, "20230502094500"}
    )
    assert gdelt(mirror, tmp_path / "g", "--streams", "english") == 1
    out = capsys.readouterr().out
    assert "09:45 failed: not listed, and in no register of gaps" in out
    assert "10:15 known missing" in out


def test_bad_rows_and_bad_files_are_counted_named_and_left_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host = tmp_path / "host"
    zipped(host, "20230502093000.gkg.csv", gkg(gkg_row(), b"short\trow", gkg_row(number=2)))
    zipped(host, "20230502094500.gkg.csv", b"\tlooks\tlike\tnothing\n")
    zipped(host, "20230502100000.gkg.csv", b"")
    (host / "20230502103000.gkg.csv.zip").write_bytes(b"<html>")
    write_lists(host, ["not a line\n"])
    assert gdelt(host, tmp_path / "g", "--streams", "english") == 1
    told = capsys.readouterr()
    heads, english = (text.split() for text in told.out.splitlines()[:2])
    assert heads[-1] == "rejected"
    assert english == ["english", "gkg", "5", "2", "1", "1", "2", "3", "2", "0", "1"]
    assert "not a line" in told.err
    failed = {
        slot["slot"][11:16]: slot["cause"]
        for slot in records(tmp_path / "g" / "slots.jsonl")
        if slot["state"] == "failed"
    }
    assert "4 columns where 27 are due" in failed["09:45"]
    assert "a web page" in failed["10:30"]
    (bad,) = records(tmp_path / "g" / "rejected" / "20230502093000.gkg.jsonl")
    assert bad["where"] == "20230502093000.gkg.csv.zip:2"
    assert bad["reason"] == "2 columns where 27 are due"


def test_quarter_hours_that_failed_in_a_row_are_not_all_given_the_cause_of_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host = tmp_path / "host"
    for time in ("0930", "0945"):
        zipped(host, f"20230502{time}00.gkg.csv", b"<html>")
    zipped(host, "20230502100000.gkg.csv", gkg(gkg_row()))
    write_lists(host)
    assert gdelt(host, tmp_path / "g", "--streams", "english") == 1
    same = "09:30 to 09:45 (2) failed: not a file of gkg rows: a web page or other markup;"
    assert same in capsys.readouterr().out
    zipped(host, "20230502094500.gkg.csv", b"a\tb\n")
    write_lists(host)
    assert gdelt(host, tmp_path / "g", "--streams", "english") == 1
    assert same.replace(";", " (and 1 other causes);") in capsys.readouterr().out


def test_jsonl_and_parquet_hold_the_same_in_the_stated_columns(
    mirror: Mirror, tmp_path: Path
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    fill(mirror)
    products = ["--products", "gkg,export,mentions"]
    assert gdelt(mirror, tmp_path / "j", *products) == 0
    assert gdelt(mirror, tmp_path / "p", *products, "--format", "parquet") == 0
    for product in (Product.GKG, Product.EXPORT, Product.MENTIONS):
        names = [column.name for column in table_columns(product)]
        tables = sorted((tmp_path / "j" / product).glob("*.jsonl"))
        assert len(tables) == 7
        for path in tables:
            plain = records(path)
            assert all(list(record) == names for record in plain)
            table = parquet.read_table(tmp_path / "p" / product / f"{path.stem}.parquet")
            assert table.schema.names == names
            times = [c.name for c in table_columns(product) if c.type == "time"]
            rows = table.to_pylist()
            for row in rows:
                for name in times:
                    value = row[name]
                    row[name] = value and f"{value:%Y-%m-%dT%H:%M:%SZ}"
            assert rows == plain


def test_a_folder_of_one_format_is_not_mixed_with_another(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    fill(mirror)
    assert gdelt(mirror, tmp_path / "g") == 0
    assert gdelt(mirror, tmp_path / "g", "--format", "parquet") == 2
    assert "format" in capsys.readouterr().err
    mirror.forget()
    mixed = ["--products", "export,gkg", "--format", "parquet"]
    assert gdelt(mirror, tmp_path / "g", *mixed) == 2
    assert not (tmp_path / "g" / "export").exists(), "refused before the first table is made"
    assert mirror.asked() == []


def test_a_second_command_in_the_same_folder_is_refused_and_the_first_goes_on(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also between two parts, when none of the tables' own folders is held."""
    fill(mirror)
    with only_here(tmp_path / "g"):
        assert gdelt(mirror, tmp_path / "g", "--products", "export") == 2
    assert "another process is working in" in capsys.readouterr().err
    assert all("masterfilelist" in path for path in mirror.asked())
    assert not (tmp_path / "g" / "slots.jsonl").exists()
    assert gdelt(mirror, tmp_path / "g", "--products", "export") == 0


def test_a_dry_run_tells_files_and_bytes_and_fetches_lists_alone(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(mirror)
    assert gdelt(mirror, tmp_path / "g", "--dry-run") == 0
    files = [file for file in mirror.gdelt.files.values() if file.product == "gkg"]
    size = sum(len(file.content) for file in files)
    assert f"7 files, {size:,} bytes" in capsys.readouterr().out
    assert all("masterfilelist" in path for path in mirror.asked())
    assert not (tmp_path / "g" / "gkg").exists()
    assert gdelt(mirror, tmp_path / "g") == 0
    capsys.readouterr()
    assert gdelt(mirror, tmp_path / "g", "--dry-run") == 0
    assert "0 files, 0 bytes" in capsys.readouterr().out


def test_zips_can_be_dropped_but_never_those_of_a_base_folder(
    mirror: Mirror, tmp_path: Path
) -> None:
    fill(mirror)
    assert gdelt(mirror, tmp_path / "g", "--drop-zips") == 0
    assert not list((tmp_path / "g" / "zips").glob("*.zip"))
    mirror.forget()
    assert gdelt(mirror, tmp_path / "g", "--drop-zips") == 0
    assert mirror.asked() == []
    host = tmp_path / "host"
    zipped(host, "20230502093000.gkg.csv", gkg(gkg_row()))
    write_lists(host)
    gdelt(host, tmp_path / "h", "--streams", "english", "--drop-zips", "--cache", str(host))
    assert (host / "20230502093000.gkg.csv.zip").is_file()


def test_more_than_the_disk_holds_is_refused_beforehand(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mirror.gdelt.add("20230502093000", size=10**14)
    assert gdelt(mirror, tmp_path / "g", "--streams", "english") == 2
    assert "--drop-zips" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--streams", "englisch"], "did you mean 'english'?"),
        (["--products", "gkgs"], "did you mean 'gkg'?"),
        (["--products", "gal"], "unknown product 'gal'"),
        (["--format", "csv"], "unknown format 'csv'"),
        (["--from", "2024-01-01"], "before it begins"),
        (["--from", "tomorrow"], "is not a day or time"),
        (["--base", "/no/such/folder"], "neither an http(s) address nor a folder"),
        (["--tries", "0"], "--tries is 1 or more"),
        (["--wait", "nan"], "--wait 0 or more"),
        (["--from", "2023-W18-2"], "is not a day or time"),
        (["--to", "2023-W18"], "is not a day or time"),
        (["--from", "0001-01-01", "--to", "9999-12-31"], "GDELT 2.0 begins on 2015-02-18"),
        (["--workers", "0"], "state 1 or more"),
        (["--cluster", "127.0.0.1:8786"], "names no cluster"),
        (["--cluster", "file:/no/such/file"], "no scheduler file"),
        (["--cluster", "slurm:cpu,pace=9"], "unknown setting 'pace'"),
        (["--cache", ""], "an empty path"),
        (["--out", ""], "an empty path"),
    ],
)
def test_a_wrong_request_is_told_why(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str], given: list[str], said: str
) -> None:
    assert gdelt(mirror, tmp_path / "g", *given) == 2
    assert said in capsys.readouterr().err
    assert gdelt(mirror, tmp_path / "g", *given, "--dry-run") == 2
    assert mirror.asked() == []


def test_a_window_before_gdelt_began_is_known_to_be_missing(mirror: Mirror, tmp_path: Path) -> None:
    mirror.gdelt.add("20150218230000")
    asked = ["--from", "2015-02-18T22:30", "--to", "2015-02-18T23:00", "--streams", "english"]
    assert gdelt(mirror, tmp_path / "g", *asked) == 0
    causes = [slot["cause"] for slot in records(tmp_path / "g" / "slots.jsonl")]
    assert [bool(cause and "before the stream began" in cause) for cause in causes] == [
        True, True, False
    ]  # fmt: skip


def gal_record(number: int, **more: object) -> dict[str, object]:
    return {
        "date": "2023-05-02T09:31:00Z",
        "url": f"https://paper.example/{number}?utm_source=x",
        "domain": "paper.example",
        "outletName": "The Paper",
        "title": "Povode&#x148; v &#x10C;esku",
        "desc": "Voda stoupla &amp; klesla.",
        "lang": "cs",
        **more,
    }


def test_the_article_list_has_titles_and_minutes_without_a_file_are_normal(
    mirror: Mirror, tmp_path: Path
) -> None:
    mirror.gdelt.add_gal("20230502093100", [gal_record(1), gal_record(2, lang="iw"), {"url": 5}])
    mirror.gdelt.add_gal("20230502094400", [gal_record(3, title="")])
    asked = ["--to", "2023-05-02T09:45", "--streams", "gal"]
    assert gdelt(mirror, tmp_path / "g", *asked) == 1
    found = records(tmp_path / "g" / "gal" / "20230502093000.gal.jsonl")
    assert [(record["title"], record["language"]) for record in found] == [
        ("Povodeň v Česku", "cs"),
        ("Povodeň v Česku", "he"),
        (None, "cs"),
    ]
    assert found[0]["description"] == "Voda stoupla & klesla."
    assert found[0]["seen"] == "2023-05-02T09:31:00Z"
    assert len(records(tmp_path / "g" / "rejected" / "20230502093000.gal.jsonl")) == 1
    states = {slot["slot"][11:16]: slot for slot in records(tmp_path / "g" / "slots.jsonl")}
    assert states["09:30"]["state"] == "had"
    assert states["09:45"]["kind"] == "NotServed"
    mirror.forget()
    assert gdelt(mirror, tmp_path / "g", *asked) == 1
    assert mirror.asked() == []


def test_a_page_that_is_gone_has_a_stand_in_marked_as_partial(
    mirror: Mirror, tmp_path: Path
) -> None:
    mirror.gdelt.add_gal("20230502093100", [gal_record(1), gal_record(2)])
    assert gdelt(mirror, tmp_path / "g", "--to", "2023-05-02T09:30", "--streams", "gal") == 0
    zips = tmp_path / "g" / "zips"
    path = zips / "20230502093100.gal.json.gz"
    found = list(listings(path, Tally(path.name, Product.GAL)))
    dead = ["http://www.paper.example/1", "https://paper.example/never-seen"]
    (made,) = stand_ins(dead, found).items()
    url, document = made
    assert url == dead[0]
    assert isinstance(document, Document)
    assert (document.title, document.language) == ("Povodeň v Česku", "cs")
    assert document.text == "Voda stoupla & klesla."
    assert PARTIAL in document.notes
    assert document.published is None, "when it was seen is not when it was published"


@pytest.mark.parametrize(
    "record",
    [
        [], 5, {}, {"url": "file:///etc/passwd"}, gal_record(1, date="soon"), gal_record(1, url=""),
        gal_record(1, date=None), gal_record(1, url="https://me:secret@paper.example/"),
    ],
)  # fmt: skip
def test_a_bad_record_of_the_article_list_is_named_and_the_rest_goes_on(
    mirror: Mirror, tmp_path: Path, record: Any
) -> None:
    mirror.gdelt.add_gal("20230502093100", [gal_record(1), record, gal_record(2)])
    assert gdelt(mirror, tmp_path / "g", "--to", "2023-05-02T09:30", "--streams", "gal") == 0
    assert len(records(tmp_path / "g" / "gal" / "20230502093000.gal.jsonl")) == 2
    (bad,) = records(tmp_path / "g" / "rejected" / "20230502093000.gal.jsonl")
    assert bad["where"].endswith(":2")


def test_half_of_a_surrogate_pair_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "20230502093100.gal.json.gz"
    text = json.dumps(gal_record(1, title="a\ud83d")) + "\n"
    path.write_bytes(gzip.compress(text.encode()))
    (found,) = listings(path, Tally(path.name, Product.GAL))
    assert isinstance(found, Listing)
    assert found.title == "a?"


def test_a_quarter_hour_has_fifteen_minutes() -> None:
    names = minute_files(from_stamp("20230502234500"))
    assert (len(names), names[0], names[-1]) == (
        15, "20230502234500.gal.json.gz", "20230502235900.gal.json.gz"
    )  # fmt: skip


def test_a_stage_is_a_plain_function_of_a_shard_and_a_path(tmp_path: Path) -> None:
    path = zipped(tmp_path / "host", "20230502093000.gkg.csv", gkg(gkg_row(), gkg_row(number=2)))
    settings = Ingestion(
        base=FolderBase(tmp_path / "host"),
        cache=Cache(tmp_path / "zips"),
        form="jsonl",
        rejected=tmp_path / "rejected",
    )
    stage = pickle.loads(pickle.dumps(partial(ingest, settings=settings)))
    counts = stage(Shard("20230502093000.gkg", line(path).strip()), tmp_path / "out")
    assert counts == {"rows": 2, "kept": 2, "undated": 2, "bytes": path.stat().st_size}
    assert [record["language"] for record in records(tmp_path / "out")] == ["en", "en"]
    assert "en" in LANGUAGES
    with pytest.raises(NotServed):
        stage(Shard("x", f"1 {'0' * 32} http://x/20230502100000.gkg.csv.zip"), tmp_path / "out")


CELLS: dict[str, st.SearchStrategy[Any]] = {
    "text": st.text(),
    "address": st.text(),
    "day": st.text(),
    "integer": st.integers(-(1 << 63), (1 << 63) - 1),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "time": st.datetimes(timezones=st.just(UTC)).map(lambda time: time.replace(microsecond=0)),
    "texts": st.lists(st.text(), max_size=3).map(tuple),
}


@given(st.data())
def test_json_lines_read_back_as_what_was_written(data: st.DataObject) -> None:
    types = data.draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=6))
    columns = [Column(f"c%{place}", type_, "") for place, type_ in enumerate(types)]  # type: ignore[arg-type]
    rows = data.draw(
        st.lists(st.tuples(*(st.none() | CELLS[type_] for type_ in types)), max_size=3)
    )
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.jsonl")
        assert write_jsonl(rows, columns, path) == len(rows)
        found = [json.loads(line) for line in path.read_bytes().decode().split("\n")[:-1]]
    assert len(found) == len(rows)
    for record, row in zip(found, rows, strict=True):
        assert list(record) == [column.name for column in columns]
        for value, cell in zip(record.values(), row, strict=True):
            if isinstance(cell, datetime):
                assert datetime.fromisoformat(value) == cell
            else:
                assert value == (list(cell) if isinstance(cell, tuple) else cell)


@pytest.mark.parametrize("product", [Product.GKG, Product.GAL])
def test_the_stated_schema_names_every_column(product: Product) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "gdelt.md").read_text()
    for column in table_columns(product):
        assert f"`{column.name}`" in page


def test_half_a_year_reports_its_12_english_and_24_translated_gaps_and_no_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host = tmp_path / "host"
    host.mkdir()
    window_ = window("2023-05", "2023-10")
    for name, stream in (
        ("masterfilelist.txt", Stream.ENGLISH),
        ("masterfilelist-translation.txt", Stream.TRANSLATED),
    ):
        files = (FileName(slot, stream, Product.GKG) for slot in window_)
        lines = [f"1000 {'0' * 32} {BASE}{file}\n" for file in files if not known_unlisted(file)]
        (host / name).write_text("".join(lines))
    whole = ["--from", "2023-05", "--to", "2023-10"]
    assert gdelt(host, tmp_path / "g", *whole, "--dry-run") == 0
    _, english, translated, total = (text.split() for text in capsys.readouterr().out.splitlines())
    # Quarter-hours, listed, known missing, unexplained, to do.
    assert english[2:7] == ["17,664", "17,652", "12", "0", "17,652"]
    assert translated[2:7] == ["17,664", "17,640", "24", "0", "17,640"]
    assert total[0] == "0", "a folder is read in place"
    one_less = (host / "masterfilelist.txt").read_text().splitlines(keepends=True)[1:]
    (host / "masterfilelist.txt").write_text("".join(one_less))
    assert gdelt(host, tmp_path / "g", *whole, "--dry-run") == 0
    told = capsys.readouterr().out.splitlines()
    assert told[1].split()[2:6] == ["17,664", "17,651", "12", "1"]
    assert "1 unexplained: not listed, and in no register of gaps" in told
