"""Rows of GDELT's files: the real samples, and every way in which a row or file can be bad."""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.languages import GLOBESUMM, parse
from retrieval.gdelt import fields
from retrieval.gdelt.articles import BAD_BYTES, LATER, Article, articles
from retrieval.gdelt.failures import OfAnotherKind
from retrieval.gdelt.names import Product, Stream
from retrieval.gdelt.read import read
from retrieval.gdelt.rows import LONGEST_ROW, Tally, rows
from retrieval.gdelt.schema import raw_columns, table_columns
from retrieval.gdelt.tables import table_rows
from tests.retrieval.gdelt_files import data, gkg, gkg_row, zipped


def parsed(content: bytes, stream: Stream = Stream.ENGLISH) -> tuple[list[Article], Tally]:
    tally = Tally("file", Product.GKG)
    return list(articles([content], stream, tally)), tally


def one(**fields_of_row: Any) -> Article:
    found, tally = parsed(gkg(gkg_row(**fields_of_row)), Stream.TRANSLATED)
    assert tally.counts["kept"] == 1
    return found[0]


def served(folder: Path, sample: str, member: str) -> tuple[list[tuple[Any, ...]], Tally]:
    path = zipped(folder, member, data("rows", sample).read_bytes())
    found, tally = read(path)
    return list(found), tally


SAMPLES = [
    ("events.csv", "20200318104500.export.CSV", Product.EXPORT),
    ("eventsT.csv", "20200318103000.translation.export.CSV", Product.EXPORT),
    ("mentions.csv", "20200318104500.mentions.CSV", Product.MENTIONS),
    ("mentionsT.csv", "20200318103000.translation.mentions.CSV", Product.MENTIONS),
    ("gkg.csv", "20200318104500.gkg.csv", Product.GKG),
    ("gkgT.csv", "20200318103000.translation.gkg.csv", Product.GKG),
]


@pytest.mark.parametrize(("sample", "member", "product"), SAMPLES)
def test_every_row_of_the_real_samples_is_read(
    tmp_path: Path, sample: str, member: str, product: Product
) -> None:
    found, tally = served(tmp_path, sample, member)
    citations = 2 if sample == "gkg.csv" else 0
    assert tally.counts["rows"] == 100
    assert (len(found), tally.counts["not_web"]) == (100 - citations, citations)
    assert tally.rejected == []
    assert tally.counts["bad_bytes"] == tally.counts["unreadable_fields"] == 0
    assert {len(row) for row in found} == {len(table_columns(product))}


def test_languages_of_the_real_translated_rows_are_told(tmp_path: Path) -> None:
    found, tally = served(tmp_path, "gkgT.csv", SAMPLES[5][1])
    languages = Counter(row[3] for row in found)
    assert languages == {"fr": 31, "vi": 29, "sl": 21, "cs": 19}
    assert tally.counts["unknown_language"] == 0
    names = [column.name for column in table_columns(Product.MENTIONS)]
    found, _ = served(tmp_path, "mentionsT.csv", SAMPLES[3][1])
    mine = {row[names.index("language")] for row in found}
    spoken = {"es", "ar", "fr", "it", "id", "pl", "pt", "ko", "el", "bg", "cs", "ru", "tr", "sr"}
    assert mine == spoken | {"hu"}


def test_titles_times_and_lengths_of_the_real_rows(tmp_path: Path) -> None:
    found, tally = served(tmp_path, "gkgT.csv", SAMPLES[5][1])
    documents = [Article(*row) for row in found]
    assert sum(document.title is not None for document in documents) == 47
    assert tally.counts["untitled"] == 53, "the 50 of 2015, and three empty elements"
    titles = {document.title for document in documents}
    assert "Pohvalno: podatki o potrjenih okužbah tudi po občinah" in titles
    assert not [title for title in titles if title and ("&#" in title or "<" in title)]
    assert {document.seen for document in documents} == {
        datetime(2015, 2, 18, 22, 45, tzinfo=UTC),
        datetime(2020, 3, 18, 10, 30, tzinfo=UTC),
    }
    assert all(document.published is None or document.published <= document.seen
               for document in documents)  # fmt: skip
    assert documents[-1].words == 84
    assert all(document.words and document.words > 0 for document in documents)


def test_dates_of_events_stay_apart_from_when_they_were_added(tmp_path: Path) -> None:
    found, _ = served(tmp_path, "events.csv", SAMPLES[0][1])
    names = [column.name for column in raw_columns(Product.EXPORT)]
    first = dict(zip(names, found[0], strict=True))
    assert first["SQLDATE"] == "20140218"
    assert first["DATEADDED"] == datetime(2015, 2, 18, 23, 0, tzinfo=UTC)
    assert first["EventCode"].startswith("0"), "leading zeros count"
    assert isinstance(first["GoldsteinScale"], float)


def test_translated_mentions_of_the_codebook_sample_are_in_known_languages() -> None:
    with data("mentions", "mentionssamp.csv").open(encoding="utf-8", newline="") as file:
        sample = list(csv.DictReader(file))
    assert len(sample) == 1635
    codes = {
        fields.translated_from(row["mentiondoctranslationinfo"].encode()) or "" for row in sample
    }
    assert len(codes) >= 31
    assert {fields.source_language(code) for code in codes} & {"und"} == set()


def test_a_data_frame_saved_as_mentions_is_refused_by_name() -> None:
    content = data("mentions", "mentionssamp.csv").read_bytes()
    tally = Tally("file", Product.MENTIONS)
    with pytest.raises(OfAnotherKind, match="a table with ',' between fields"):
        list(table_rows([content], Stream.TRANSLATED, tally))


def test_every_language_of_the_codebook_but_its_misprint_is_known() -> None:
    codes = json.loads(data("codebook", "languages.json").read_text())
    unknown = {code for code in codes if fields.source_language(code) == "und"}
    assert unknown == {"axe"}


THREE_LETTERS = (
    *("fra", "bul", "swe", "hin", "ita", "hun", "nld", "por", "rus", "ara", "ron", "dan", "mkd"),
    *("tur", "ukr", "cat", "pol", "kor", "ell", "fin", "spa", "ces", "deu", "heb", "sqi", "eng"),
)


@pytest.mark.parametrize("language", GLOBESUMM)
def test_each_of_the_26_languages_is_told_by_its_three_letters(language: str) -> None:
    code = THREE_LETTERS[GLOBESUMM.index(language)]
    info = f"srclc:{code};eng:Moses 2.1.1 / MosesCore Europarl: x-en / GT 1.0".encode()
    assert fields.translated_from(info) == code
    assert fields.source_language(code) == language == parse(code)


@pytest.mark.parametrize(
    ("code", "language"),
    [("alb", "sq"), ("cze", "cs"), ("dut", "nl"), ("fre", "fr"), ("ger", "de"), ("gre", "el"),
     ("mac", "mk"), ("rum", "ro"), ("iw", "he"), ("xqq", "und"), ("", "und")],
)  # fmt: skip
def test_other_codes_are_told_or_unknown(code: str, language: str) -> None:
    assert fields.source_language(code) == language


def test_an_english_row_without_translation_is_english_and_a_translated_one_unknown() -> None:
    content = gkg(gkg_row())
    assert parsed(content)[0][0].language == "en"
    found, tally = parsed(content, Stream.TRANSLATED)
    assert (found[0].language, found[0].language_code) == ("und", None)
    assert tally.counts["unknown_language"] == 1


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Des s&#xE9;nateurs US", "Des sénateurs US"),
        ("Apple kompania m&#xEB; e vlefshme", "Apple kompania më e vlefshme"),
        ("zacz&#x119;&#x142;y", "zaczęły"),
        ("&amp;#x17E;ivot &amp;amp; d&#237;lo", "život & dílo"),
        ("Mid-day meals & schools", "Mid-day meals & schools"),
        ("AT&T &quot;wins&quot;", 'AT&T "wins"'),
        ("<![CDATA[Two   words]]>", "Two words"),
        ("&#xD800;&#x0;&#x110000;x&#x1;", "\ufffd\ufffd\ufffdx"),
        ("&#x10FFFFFFFFFF;y", "\ufffdy"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("bell\x07 and\x1b[31m red", "bell and[31m red"),
        ('Miranda "Muttnation', 'Miranda "Muttnation'),
    ],
)
def test_titles_are_unescaped_and_squeezed(written: str, title: str) -> None:
    assert one(title=written).title == title


@pytest.mark.parametrize(
    "extras",
    [
        "",
        "<PAGE_TITLE></PAGE_TITLE>",
        "<PAGE_TITLE>no end",
        "<PAGE_TITLE> &#x20; </PAGE_TITLE>",
        "<PAGE_LINKS>a;b",
    ],
)
def test_a_missing_title_is_none(extras: str) -> None:
    assert one(extras=extras).title is None


@given(st.text(max_size=300))
def test_every_title_is_one_line_of_storable_text(text: str) -> None:
    title = fields.plain(text)
    assert title is None or (title == title.strip() and len(title.splitlines()) == 1)
    if title is not None:
        json.dumps(title, ensure_ascii=False).encode("utf-8", errors="strict")


def test_publication_stays_apart_from_when_it_was_seen() -> None:
    stamped = "<PAGE_PRECISEPUBTIMESTAMP>{}</PAGE_PRECISEPUBTIMESTAMP>"
    before = one(extras=stamped.format("20230501221500"))
    assert before.published == datetime(2023, 5, 1, 22, 15, tzinfo=UTC)
    assert before.seen == datetime(2023, 5, 2, 10, 0, tzinfo=UTC)
    after = one(extras=stamped.format("20230502100100"))
    assert (after.published, after.notes) == (None, (LATER,))
    for wrong in ("20231301000000", "yesterday", "2023", ""):
        assert one(extras=stamped.format(wrong)).published is None


@pytest.mark.parametrize(
    ("words", "number"), [("250", 250), ("", None), ("-3", None), ("9" * 40, None), ("1e3", None)]
)
def test_lengths_that_are_no_number_are_none(words: str, number: int | None) -> None:
    assert one(words=words).words == number


BAD_ROWS = {
    "short": b"\t".join(gkg_row().split(b"\t")[:-1]),
    "long": gkg_row() + b"\tmore",
    "blank": b"",
    "no time": gkg_row(date="yesterday"),
    "spreadsheet": gkg_row(date="2.02E+13"),
    "no address": gkg_row(url="as listed in Russian /BBC Monitoring/(c) BBC"),
    "scheme": gkg_row(url="javascript:alert(1)"),
    "password": gkg_row(url="https://me:secret@example.org/"),
    "blanks": gkg_row(url="https://example.org/a b"),
    "control": gkg_row(url="https://example.org/\x1b[31m"),
    "port": gkg_row(url="https://example.org:99999999/"),
    "no host": gkg_row(url="https:///path"),
    "endless": gkg_row(url="https://example.org/" + "a" * 9000),
    "address bytes": gkg_row().replace(b"org/a", b"org/\xc3\x28"),
    "garbage": b"\x00\xff" * 50,
}


@pytest.mark.parametrize("kind", BAD_ROWS)
def test_a_bad_row_loses_itself_alone_and_is_named(kind: str) -> None:
    good = [gkg_row(number=number, url=f"https://example.org/{number}") for number in range(6)]
    content = gkg(*good[:3], BAD_ROWS[kind], *good[3:])
    found, tally = parsed(content)
    assert [document.url for document in found] == [
        f"https://example.org/{number}" for number in range(6)
    ]
    assert (tally.counts["rows"], tally.counts["kept"], tally.counts["rejected"]) == (7, 6, 1)
    assert [(rejected.where, bool(rejected.reason)) for rejected in tally.rejected] == [
        ("file:4", True)
    ]


def test_a_password_in_an_address_is_stored_nowhere() -> None:
    url = "https://me:" + "secret" * 50 + "@example.org/"
    _, tally = parsed(gkg(gkg_row(url=url), gkg_row()))
    assert tally.counts["rejected"] == 1
    assert "secret" not in repr(tally)
    cells = ["1"] * 61
    cells[59], cells[60] = "20230502100000", "https://me:secret@example.org/a?b=c@d"
    (row,) = table_rows(["\t".join(cells).encode()], Stream.ENGLISH, Tally("x", Product.EXPORT))
    assert row[60] == "https://example.org/a?b=c@d"


def test_bad_bytes_outside_what_is_kept_cost_nothing_and_inside_are_noted() -> None:
    in_gcam = gkg_row().replace(b"wc:250", b"wc:\xc3\x28")
    in_title = gkg_row().replace(b"A title", b"A \xc3\x28 title")
    in_source = gkg_row().replace(b"\texample.org\t", b"\texample\xff\t")
    found, tally = parsed(gkg(in_gcam, in_title, in_source))
    assert [document.notes for document in found] == [(), (BAD_BYTES,), (BAD_BYTES,)]
    assert found[1].title == "A \ufffd( title"
    assert tally.counts["bad_bytes"] == 2


def test_quotes_carriage_returns_and_nulls_are_letters_like_others() -> None:
    quoted = gkg_row(title='He said "no')
    returned = gkg_row(title="one\rtwo")
    null = gkg_row(gcam="a\x00b")
    found, _ = parsed(gkg(quoted, returned, null, gkg_row(number=9)))
    assert [document.title for document in found] == [
        'He said "no',
        "one two",
        "A title",
        "A title",
    ]


def test_line_ends_of_another_system_are_taken_off() -> None:
    found, tally = parsed(gkg(gkg_row(), gkg_row()).replace(b"\n", b"\r\n"))
    assert len(found) == 2
    assert tally.counts["carriage_returns"] == 2


def test_citations_without_an_address_are_counted_and_left_out() -> None:
    found, tally = parsed(gkg(gkg_row(collection="2", url="source/date"), gkg_row()))
    assert len(found) == 1
    assert tally.counts["not_web"] == 1


@given(st.lists(st.binary(max_size=40), max_size=12), st.integers(1, 30))
def test_pieces_of_any_size_give_the_same_rows(lines: list[bytes], size: int) -> None:
    content = b"\n".join(lines)
    pieces = [content[place : place + size] for place in range(0, len(content), size)]
    counted = Tally("file", Product.GKG)
    counted.counts["kept"] = 1
    found = list(rows(pieces, counted))
    whole = content.split(b"\n")
    whole = whole[:-1] if whole[-1] == b"" else whole
    cut = [(place, line.removesuffix(b"\r")) for place, line in enumerate(whole, start=1)]
    assert found == [(place, line) for place, line in cut if line]
    assert counted.counts["rows"] == len(whole)


def test_a_row_without_end_is_passed_over_and_the_next_is_read() -> None:
    def pieces() -> Iterator[bytes]:
        yield gkg(gkg_row(number=1))
        for _ in range(LONGEST_ROW // 65536 + 3):
            yield b"x" * 65536
        yield b"\n" + gkg(gkg_row(number=2))

    tally = Tally("file", Product.GKG)
    found = list(articles(pieces(), Stream.ENGLISH, tally))
    assert [document.id for document in found] == ["20230502100000-1", "20230502100000-2"]
    assert "longer than" in tally.rejected[0].reason


def table_of(width: int, separator: str = "\t", cell: str = "1") -> bytes:
    return (separator.join([cell] * width) + "\n").encode() * 3


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (table_of(61), r"export rows \(61 columns\)"),
        (table_of(16), r"mentions rows \(16 columns\)"),
        (table_of(11), "GDELT 1.0 knowledge graph"),
        (table_of(27, ";"), "a table with ';' between fields"),
        (table_of(27, ","), "a table with ',' between fields"),
        (gkg_row(date="2.02E+13") + b"\n", "numbers like 2.02E"),
        ("\t".join(column.name for column in raw_columns(Product.GKG)).encode() + b"\n", "header"),
        (b"<!DOCTYPE html>\n<html>\n", "a web page"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" * 9, "a binary file"),
        (b"one\ntwo\n", "1 columns where 27 are due"),
        (b"\n\n\n", "a blank line"),
    ],
)
def test_a_file_of_another_kind_is_refused_by_name(content: bytes, reason: str) -> None:
    with pytest.raises(OfAnotherKind, match=reason):
        parsed(content)


@pytest.mark.parametrize("width", [57, 58])
def test_events_of_gdelt_1_are_told_from_those_of_2(width: int) -> None:
    tally = Tally("file", Product.EXPORT)
    with pytest.raises(OfAnotherKind, match=f"GDELT 1.0 file of events .{width} columns"):
        list(table_rows([table_of(width)], Stream.ENGLISH, tally))


def test_a_spreadsheets_export_is_refused_by_name() -> None:
    cells = ["1", "20190121", "201901", "2019", "2019.05", *[""] * 54, "2.02E+13", "http://x.org/"]
    tally = Tally("file", Product.EXPORT)
    with pytest.raises(OfAnotherKind, match="as a spreadsheet or data frame writes it"):
        list(table_rows([(";".join(cells) + "\r\n").encode() * 30], Stream.ENGLISH, tally))
    tally = Tally("file", Product.EXPORT)
    with pytest.raises(OfAnotherKind, match=r"numbers like 2\.02E"):
        list(table_rows([("\t".join(cells) + "\n").encode()], Stream.ENGLISH, tally))


def test_a_file_of_millions_of_bad_rows_is_refused_after_a_few() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"no\trow\n" * 100

    tally = Tally("file", Product.GKG)
    with pytest.raises(OfAnotherKind):
        list(articles(endless(), Stream.ENGLISH, tally))
    assert tally.counts["rejected"] == 20


def test_an_empty_file_has_no_rows_and_is_no_failure() -> None:
    found, tally = parsed(b"")
    assert found == []
    assert tally.counts["rows"] == 0


def test_fields_that_are_not_of_their_type_are_null_and_counted() -> None:
    cells = ["x"] * 16
    cells[0], cells[1], cells[2], cells[3] = "1" * 30, "20230502100000", "20230502100000", "1"
    cells[11], cells[13], cells[14] = "", "nan", "srclc:deu;eng:GT-DEU 1.0"
    tally = Tally("file", Product.MENTIONS)
    (row,) = table_rows(["\t".join(cells).encode()], Stream.TRANSLATED, tally)
    found = dict(zip((c.name for c in table_columns(Product.MENTIONS)), row, strict=True))
    assert found["GLOBALEVENTID"] is None, "more than 64 bits"
    assert found["MentionDocTone"] is None, "never NaN"
    assert found["SentenceID"] is None
    assert found["Confidence"] is None
    assert found["language"] == "de"
    assert tally.counts["unreadable_fields"] == 8
