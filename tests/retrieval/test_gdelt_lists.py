"""GDELT's master lists, the quarter-hours they name, and the register of what they leave out."""

import json
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.errors import DataError, UsageError
from retrieval.gdelt.gaps import _not_served, known_gap, known_unlisted, true_size
from retrieval.gdelt.lists import listed, read_list
from retrieval.gdelt.names import BEGINS, FileName, Product, Stream, file_name
from retrieval.gdelt.plan import plan
from retrieval.gdelt.slots import Window, floor, from_stamp, stamp, window
from tests.retrieval.gdelt_files import data

MD5 = "26cad055aac9a78760e1daa1efa089b6"
EXCERPT = "masterfilelist.2015-02-18_19.excerpt.txt"
NOW = datetime(2026, 8, 9, tzinfo=UTC)


def write(folder: Path, *lines: str) -> Path:
    path = folder / "masterfilelist.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def name(text: str) -> FileName:
    return file_name(text)


def test_the_excerpt_of_the_real_list_is_read_whole_with_its_oddities() -> None:
    found = read_list(data("lists", EXCERPT))
    assert (found.lines, len(found.files), found.rejected, found.blank) == (51, 51, [], 0)
    assert found.newest == datetime(2015, 2, 19, 10, 15, tzinfo=UTC)
    slots = list(dict.fromkeys(file.slot for file in found.files))
    assert slots != sorted(slots), "04:00 is listed before 03:45"
    assert found.files[name("20150219094500.gkg.csv.zip")].size == 194
    assert found.files[name("20150219093000.gkg.csv.zip")].size == 44_538_785
    assert {file.product for file in found.files} == {
        Product.EXPORT, Product.MENTIONS, Product.GKG
    }  # fmt: skip


def test_what_the_excerpt_leaves_out_is_known_to_be_missing() -> None:
    found = read_list(data("lists", EXCERPT))
    absent = ["07:00", "07:30", "08:15", "08:30", "08:45", "09:00", "09:15"]
    asked = window("2015-02-19T06:45", "2015-02-19T09:45")
    parts = [(Stream.ENGLISH, product) for product in (Product.GKG, Product.EXPORT)]
    made = list(plan(asked, parts, {Stream.ENGLISH: found}, NOW))
    for product in (Product.GKG, Product.EXPORT):
        missing = [f"{one.name.slot:%H:%M}" for one in made
                   if one.name.product is product and one.listed is None and one.known]  # fmt: skip
        assert missing == absent
    assert not [one for one in made if one.unexplained]
    assert {f"{one.name.slot:%H:%M}" for one in made if one.listed and one.known} == {
        "07:45", "08:00"
    }, "listed, and known not to be served"  # fmt: skip


@pytest.mark.parametrize(
    "file", ["lastupdate.2026-08-19T0415.txt", "lastupdate-translation.2018-11-09T1515.txt",
             "lastupdate-translation.2026-06-18T1130.txt", "lastupdate.2026-09-09T0415.txt"]
)  # fmt: skip
def test_an_update_list_names_the_three_files_of_one_quarter_hour(file: str) -> None:
    found = read_list(data("lists", file))
    assert len(found.files) == found.lines == 3
    assert len({one.slot for one in found.files}) == 1
    expected = Stream.TRANSLATED if "translation" in file else Stream.ENGLISH
    assert {one.stream for one in found.files} == {expected}


def test_lines_that_say_nothing_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    base = "http://data.gdeltproject.org/gdeltv2"
    path = write(
        tmp_path,
        f"100 {MD5} {base}/20230502100000.gkg.csv.zip",
        "",
        f"100 {MD5}",
        f"many {MD5} {base}/20230502101500.gkg.csv.zip",
        f"100 nothash {base}/20230502101500.gkg.csv.zip",
        f"100 {MD5} {base}/20230502101700.gkg.csv.zip",
        f"100 {MD5} {base}/20230502101500.wav.zip",
        f"100 {MD5} {base}/20231302101500.gkg.csv.zip",
        f"100 {MD5} {base}/../../etc/passwd",
        "\x00\x01\x02",
        f"  7\t{MD5.upper()}   {base}/20230502103000.translation.export.CSV.zip  ",
    )
    found = read_list(path)
    assert [str(one) for one in found.files] == [
        "20230502100000.gkg.csv.zip",
        "20230502103000.translation.export.CSV.zip",
    ]
    assert (found.lines, found.blank, len(found.rejected)) == (11, 1, 8)
    assert found.rejected[0].where.endswith("masterfilelist.txt:3")
    assert "2 parts" in found.rejected[0].reason
    assert "quarter-hour" in found.rejected[3].reason


def test_impossible_times_outside_the_window_spoil_nothing(tmp_path: Path) -> None:
    good = f"100 {MD5} http://x/20230502100000.gkg.csv.zip"
    path = write(
        tmp_path,
        good,
        f"100 {MD5} http://x/99999999999999.gkg.csv.zip",
        f"100 {MD5} http://x/²²²²²²²²²²²²²².gkg.csv.zip",
    )
    found = read_list(path, window("2023-05-02", "2023-05-02"))
    assert len(found.files) == 1
    assert found.newest == datetime(2023, 5, 2, 10, tzinfo=UTC)


def test_a_file_named_twice_counts_as_the_later_line_says(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        f"100 {MD5} http://x/20230502100000.gkg.csv.zip",
        f"200 {MD5} http://x/20230502100000.gkg.csv.zip",
        f"200 {MD5} http://x/20230502100000.gkg.csv.zip",
    )
    found = read_list(path)
    assert found.twice == 1
    assert [one.size for one in found.files.values()] == [200]


@pytest.mark.parametrize("content", [b"", b"<html>\n<p>404</p>\n", b"\x00" * 5000, b"\n\n"])
def test_what_is_no_list_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "masterfilelist.txt"
    path.write_bytes(content)
    with pytest.raises(DataError, match="not a GDELT file list"):
        read_list(path)


def test_only_the_window_and_what_is_asked_for_is_kept(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        *(f"1 {MD5} http://x/202305021{hour}0000.{kind}.zip"
          for hour in range(3) for kind in ("gkg.csv", "export.CSV")),
    )  # fmt: skip
    found = read_list(path, window("2023-05-02T11:00", "2023-05-02T11:00"), products=[Product.GKG])
    assert [str(one) for one in found.files] == ["20230502110000.gkg.csv.zip"]
    assert found.newest == datetime(2023, 5, 2, 12, tzinfo=UTC)


@given(st.text(max_size=200))
def test_no_line_breaks_the_reader_of_lines(text: str) -> None:
    try:
        found = listed(text)
    except ValueError:
        return
    assert listed(str(found)) == found


@given(
    st.integers(0, 400_000), st.sampled_from([Stream.ENGLISH, Stream.TRANSLATED]),
    st.sampled_from([Product.GKG, Product.EXPORT, Product.MENTIONS]),
)  # fmt: skip
def test_a_file_name_says_what_it_was_made_of(
    number: int, stream: Stream, product: Product
) -> None:
    made = FileName(BEGINS[Stream.ENGLISH] + timedelta(minutes=15 * number), stream, product)
    assert file_name(str(made)) == made
    assert from_stamp(stamp(made.slot)) == made.slot


@pytest.mark.parametrize(("stream", "number"), [(Stream.ENGLISH, 12), (Stream.TRANSLATED, 24)])
def test_may_to_october_2023_lacks_exactly_the_known_quarter_hours(
    stream: Stream, number: int
) -> None:
    asked = window("2023-05", "2023-10")
    assert len(asked) == 17_664
    for product in (Product.GKG, Product.EXPORT, Product.MENTIONS):
        missing = [slot for slot in asked if known_unlisted(FileName(slot, stream, product))]
        assert len(missing) == number
        assert not [slot for slot in asked if known_gap(FileName(slot, stream, product))]
    english = [from_stamp(digits) for digits in (
        "20230502101500", "20230522174500", "20230523061500", "20230526141500", "20230530141500",
        "20230609023000", "20230611033000", "20230724171500", "20230829084500", "20230905204500",
        "20231017143000", "20231024064500",
    )]  # fmt: skip
    quarter = timedelta(minutes=15)
    before = [slot - quarter for slot in english] if stream is Stream.TRANSLATED else []
    assert missing == sorted([*english, *before])


@pytest.mark.parametrize(
    ("stream", "cycles", "file"),
    [
        (Stream.ENGLISH, 7_286, "gaps-english.json"),
        (Stream.TRANSLATED, 12_546, "gaps-translated.json"),
    ],
)
def test_the_register_holds_every_gap_that_was_found(
    stream: Stream, cycles: int, file: str
) -> None:
    stated = json.loads(data("gaps", file).read_text())
    slots = {
        from_stamp(stamp(datetime.fromisoformat(run["start"]))) + timedelta(minutes=15 * place)
        for run in stated["gap_runs"]
        for place in range(run["cycles"])
    }
    assert len(slots) == cycles
    every = Window(BEGINS[stream], datetime(2026, 8, 9, 20, 45, tzinfo=UTC))
    mine = {slot for slot in every if known_unlisted(FileName(slot, stream, Product.GKG))}
    assert mine == slots


def test_listed_files_that_are_not_served_are_known_one_by_one() -> None:
    files = [name(text) for text in _not_served()]
    assert Counter((file.stream.value, file.product.value) for file in files) == {
        ("english", "gkg"): 128,
        ("english", "export"): 95,
        ("english", "mentions"): 94,
        ("translated", "gkg"): 117,
        ("translated", "export"): 83,
        ("translated", "mentions"): 85,
    }
    assert len({file.slot for file in files}) == 138
    early = [
        slot
        for slot in window("2015-05-29T00:00", "2015-05-29T06:45")
        if known_gap(FileName(slot, Stream.ENGLISH, Product.GKG))
    ]
    assert early
    assert not known_gap(FileName(early[0], Stream.ENGLISH, Product.EXPORT))


def test_the_one_wrong_size_is_corrected() -> None:
    assert true_size(name("20160508140000.gkg.csv.zip")) == 10_276_183
    assert true_size(name("20160508140000.export.CSV.zip")) is None


def test_quarter_hours_that_no_one_accounts_for_are_failures_with_a_cause(tmp_path: Path) -> None:
    found = read_list(write(tmp_path, f"1 {MD5} http://x/20230601100000.gkg.csv.zip"))
    asked = window("2023-06-01T09:45", "2023-06-01T10:15")
    made = plan(asked, [(Stream.ENGLISH, Product.GKG)], {Stream.ENGLISH: found},
                datetime(2023, 6, 1, 10, 5, tzinfo=UTC))  # fmt: skip
    assert [one.unexplained for one in made] == [
        "not listed, and in no register of gaps", None, "lies in the future"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "last", "begin", "end", "count"),
    [
        ("2023-05-02", "2023-05-02", "20230502000000", "20230502234500", 96),
        ("2023-02", "2023-02", "20230201000000", "20230228234500", 28 * 96),
        ("2023-12", "2023-12", "20231201000000", "20231231234500", 31 * 96),
        ("20230502101700", "2023-05-02T10:29:59Z", "20230502101500", "20230502101500", 1),
        ("2023-05-02T10:15+02:00", "2023-05-02T09:00", "20230502081500", "20230502090000", 4),
        ("2023-10-29T02:30+02:00", "2023-10-29T02:30+01:00", "20231029003000", "20231029013000", 5),
    ],
)  # fmt: skip
def test_windows_are_utc_and_include_their_last_quarter_hour(
    first: str, last: str, begin: str, end: str, count: int
) -> None:
    made = window(first, last)
    assert (stamp(made.first), stamp(made.last), len(made)) == (begin, end, count)
    assert len(list(made)) == count


def test_the_clock_of_the_machine_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    try:
        assert stamp(window("2023-05-02T10:20", "2023-05-02T10:20").first) == "20230502101500"
        assert floor(datetime(2023, 5, 2, 10, 20, tzinfo=UTC)).hour == 10
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


@pytest.mark.parametrize(
    "written",
    [
        "",
        "yesterday",
        "2023-13-01",
        "2023-05-32",
        "99999999999999",
        "٢٠٢٣-٠٥-٠٢",
        "2023-05-02T25:00",
        "9999-12-31T23:59-23:59",
    ],
)
def test_what_is_no_day_or_time_is_refused(written: str) -> None:
    with pytest.raises(UsageError, match="is not a day or time"):
        window(written, "2023-05-02")


def test_a_window_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(UsageError, match="before it begins"):
        window("2023-05-03", "2023-05-02")
