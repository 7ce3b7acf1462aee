"""Tables, JSON, feeds and data-set layouts become documents; bad rows are named."""

import gzip
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from globesumm.errors import DataError
from globesumm.records import write_records
from globesumm.values import Document, Rejected
from retrieval.event import event_of
from retrieval.read import read
from retrieval.url import normal, url_id

TEXT = "The bridge over the river closed on Monday after engineers found cracks in two pillars."
GERMAN = "Die Brücke über den Fluss wurde am Montag gesperrt, weil zwei Pfeiler Risse haben."


def both(source: Path) -> tuple[list[Document], list[Rejected]]:
    found = list(read(source))
    return (
        [document for document in found if isinstance(document, Document)],
        [reject for reject in found if isinstance(reject, Rejected)],
    )


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_a_table_is_read_with_whatever_delimiter_it_has(tmp_path: Path, mark: str) -> None:
    rows = [["ID", "Headline", "article", "lang_abbr", "date", "outlet", "link"]]
    rows.append(["7", "Bridge", f'"{TEXT}"', "en", "20230515", "Daily", "http://a.example/1"])
    (tmp_path / "t.csv").write_text("\n".join(mark.join(row) for row in rows))
    ((document,), rejects) = both(tmp_path)
    assert not rejects
    assert (document.id, document.title, document.text) == ("7", "Bridge", TEXT)
    assert (document.language, document.source, document.url) == (
        "en",
        "Daily",
        "http://a.example/1",
    )
    assert document.published == datetime(2023, 5, 15, tzinfo=UTC)


def test_rows_that_do_not_fit_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    lines = ["title,text", f"A,{TEXT}", "B,", f"C,{TEXT} x,too,many", f'D,"{GERMAN}"', ""]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    documents, rejects = both(tmp_path / "t.csv")
    assert [document.title for document in documents] == ["A", "D"]
    assert [reject.where.rpartition(":")[2] for reject in rejects] == ["3", "4"]


def test_a_cell_longer_than_the_csv_modules_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f'text\n"{TEXT * 3000}"\n')
    (documents, _) = both(tmp_path / "t.csv")
    assert len(documents[0].text) > 200_000


def test_a_table_without_text_says_what_the_column_may_be_called(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    (_, (reject,)) = both(tmp_path / "t.csv")
    assert "maintext" in reject.reason
    assert reject.excerpt == "a,b"


def test_ids_without_a_column_come_from_the_content(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"text\n{TEXT}\n{TEXT}\n")
    (first, second), _ = both(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text(f"text\n{TEXT}\n")
    (again,), _ = both(tmp_path / "t.csv")
    assert first.id == again.id
    assert second.id == f"{first.id}-2"


def test_a_date_that_can_be_read_two_ways_is_left_out_and_noted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"date,text\n05/06/2023,{TEXT}\n2090-01-01,{TEXT}\n")
    documents, _ = both(tmp_path / "t.csv")
    assert [document.published for document in documents] == [None, None]
    assert any("05/06/2023" in note for note in documents[0].notes)
    assert any("future" in note for note in documents[1].notes)


def test_our_own_documents_come_back_as_they_were(tmp_path: Path) -> None:
    documents = [
        Document(id="a", text=TEXT, language="en", published=datetime(2023, 5, 15, tzinfo=UTC)),
        Document(id="b/ü", text=GERMAN, language="de", language_declared="en", notes=("kept",)),
    ]
    write_records(tmp_path / "d.jsonl", documents)
    found, rejects = both(tmp_path / "d.jsonl")
    assert not rejects
    assert [document.text for document in found] == [TEXT, GERMAN]
    assert found[0] == documents[0]
    assert found[1].notes[:1] == ("kept",)


@pytest.mark.parametrize("packed", [False, True])
def test_json_lines_with_other_names_are_read(tmp_path: Path, *, packed: bool) -> None:
    records = [
        {"maintext": TEXT, "date_publish": "2023-05-15 10:00:00", "source_domain": "a.example"},
        {"body": [TEXT, GERMAN], "Lang": "EN", "published_at": 1684156680},
        {"text": 5},
        ["no", "object"],
    ]
    content = "\n".join(json.dumps(record) for record in records).encode() + b"\n{broken\n"
    path = tmp_path / ("d.jsonl.gz" if packed else "d.jsonl")
    path.write_bytes(gzip.compress(content) if packed else content)
    documents, rejects = both(path)
    assert [document.text for document in documents] == [TEXT, f"{TEXT}\n{GERMAN}"]
    assert [document.source for document in documents] == ["a.example", None]
    assert [reject.where.rpartition(":")[2] for reject in rejects] == ["3", "4", "5"]


def test_a_lone_surrogate_in_json_is_replaced_and_noted(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text('{"text": "cut \\ud83d off, ' + TEXT + '"}\n')
    (document,), _ = both(tmp_path / "d.jsonl")
    document.text.encode()
    assert any("surrogate" in note for note in document.notes)


def test_a_published_event_gives_its_news(tmp_path: Path) -> None:
    news = [
        {
            "lang_abbr": "en",
            "lang_full": "English",
            "date": 20230515,
            "title": "A",
            "article": TEXT,
        },
        {
            "lang_abbr": "de",
            "lang_full": "German",
            "date": "2023-05-16",
            "title": "B",
            "article": GERMAN,
        },
        {"lang_abbr": "de", "title": "C", "article": ""},
        "no object",
    ]
    event = {"date": 20230515, "description": "Bridge", "category": "Disasters", "news": news}
    for name, content in (("one.json", event), ("list.json", [event]), ("map.json", {"e1": event})):
        (tmp_path / name).write_text(json.dumps(content))
        documents, rejects = both(tmp_path / name)
        assert [document.language for document in documents] == ["en", "de"]
        assert [document.published.day for document in documents if document.published] == [15, 16]
        assert len(rejects) == 2


def test_json_that_holds_no_reports_is_one_finding(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(json.dumps([{"a": 1}] * 500))
    documents, rejects = both(tmp_path / "d.json")
    assert (len(documents), len(rejects)) == (0, 1)
    assert "499 more" in rejects[0].reason


def multiling(folder: Path) -> None:
    (folder / "M0012.english").write_text(f"A bridge\n\nMonday, May 15, 2023\n\n{TEXT}\n")
    (folder / "M0012.german").write_text(
        f"Eine Brücke\nMontag, der fünfzehnte Mai, 2023\n{GERMAN}\n"
    )
    (folder / "M0012.Hebrew").write_text(
        "גשר\n\nיום שני, ה15 במאי, 2023\n\nהגשר מעל הנהר נסגר ביום שני.\n"
    )
    (folder / "M0013.french").write_text(f"Un pont\nLundi 15 mai 2023\n{TEXT}\n")
    (folder / "M0014.english").write_text(f"A bridge\nTuesday, May 16, 2023 {TEXT}\n")


@pytest.mark.parametrize("inner", [False, True])
def test_the_multiling_layout_gives_title_date_and_text(tmp_path: Path, *, inner: bool) -> None:
    folder = tmp_path / "SourceTexts" if inner else tmp_path
    folder.mkdir(exist_ok=True)
    multiling(folder)
    documents, rejects = both(tmp_path)
    assert not rejects
    found = {document.id: document for document in documents}
    assert set(found) == {
        "M0012.english",
        "M0012.german",
        "M0012.hebrew",
        "M0013.french",
        "M0014.english",
    }
    assert {document.language_declared for document in documents} == {"en", "de", "he", "fr"}
    assert found["M0012.german"].text == GERMAN
    assert found["M0012.hebrew"].title == "גשר"
    assert found["M0014.english"].text == TEXT
    days = {id_: document.published.day for id_, document in found.items() if document.published}
    assert days == {**dict.fromkeys(found, 15), "M0014.english": 16}
    assert any("English text" in note for note in found["M0012.hebrew"].notes)


FEED = f"""<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>The Daily</title><language>en-GB</language>
<item><title>Bridge &amp; river</title><link>http://a.example/1?utm_source=rss</link>
<pubDate>Mon, 15 May 2023 13:18:00 +0200</pubDate><description>Short.</description>
<content:encoded><![CDATA[<p>{TEXT}</p><p>{TEXT * 8}</p><script>x()</script>]]></content:encoded>
</item>
<item><title>Later</title><description>&lt;b&gt;Only&lt;/b&gt; a summary.</description></item>
<item><title>Empty</title></item>
</channel></rss>"""


def test_a_feed_gives_its_entries_with_their_own_text(tmp_path: Path) -> None:
    pytest.importorskip("feedparser", reason="needs the extra 'retrieval'")
    (tmp_path / "feed.xml").write_text(FEED)
    (first, second), (reject,) = both(tmp_path)
    assert first.title == "Bridge & river"
    assert first.text == f"{TEXT}\n{TEXT * 8}"
    assert first.published == datetime(2023, 5, 15, 11, 18, tzinfo=UTC)
    assert (first.source, first.language_declared) == ("The Daily", "en")
    assert second.text == "Only a summary."
    assert any(note.startswith("partial") for note in second.notes)
    assert (reject.reason, reject.excerpt) == ("no text", "Empty")


def test_xml_that_is_no_feed_is_named(tmp_path: Path) -> None:
    pytest.importorskip("feedparser", reason="needs the extra 'retrieval'")
    (tmp_path / "a.xml").write_text("<catalog><book/></catalog>")
    (_, (reject,)) = both(tmp_path)
    assert "feed" in reject.reason


@pytest.mark.parametrize(
    "other",
    [
        "https://www.daily.example/News/A?id=3#top",
        "http://daily.example:80/News/A/?utm_source=feed&id=3&fbclid=x",
        "https://web.archive.org/web/20230515000000/https://daily.example/News/A?id=3",
        "https://www-daily-example.cdn.ampproject.org/c/s/www.daily.example/News/A/amp/?id=3",
        "https://amp.daily.example/News/A/amp?id=3",
    ],
)
def test_addresses_of_one_article_have_one_form_and_one_id(other: str) -> None:
    assert normal(other) == "http://daily.example/News/A?id=3"
    assert url_id(other) == url_id("http://daily.example/News/A?id=3")
    assert normal(normal(other)) == normal(other)


@pytest.mark.parametrize(
    ("one", "another"),
    [
        (
            "http://a.example/vernota.asp?id_noticia=44619",
            "http://a.example/vernota.asp?id_noticia=44620",
        ),
        ("http://a.example/News", "http://a.example/news"),
        ("http://a.example:8080/x", "http://a.example/x"),
        ("http://a.example/x", "http://b.example/x"),
    ],
)
def test_addresses_of_two_articles_stay_apart(one: str, another: str) -> None:
    assert normal(one) != normal(another)
    assert url_id(one) != url_id(another)


def made(id_: str, day: int | None, title: str | None = None) -> Document:
    published = datetime(2023, 5, day, tzinfo=UTC) if day else None
    return Document(id=id_, text=TEXT, language="en", published=published, title=title)


def test_an_event_has_its_documents_in_time_and_undated_ones_last() -> None:
    event = event_of(
        [made("d", None), made("c", 16, "Second"), made("b", 15, "First"), made("a", 15)]
    )
    assert [document.id for document in event.documents] == ["a", "b", "c", "d"]
    assert (event.description, event.date) == ("First", datetime(2023, 5, 15, tzinfo=UTC))
    assert event.notes
    assert event_of([made("a", 15)], id="e", description="Given").description == "Given"


def test_an_event_without_documents_or_with_one_id_twice_is_refused() -> None:
    with pytest.raises(DataError, match="none"):
        event_of([])
    with pytest.raises(DataError, match="'a'"):
        event_of([made("a", 15), made("a", 16)])


@pytest.mark.slow
def test_every_multiling_text_of_the_shared_data_is_dated_and_in_its_language() -> None:
    folder = Path(os.environ.get("GLOBESUMM_DATA", "")) / "events" / "multiling2011" / "SourceTexts"
    if not os.environ.get("GLOBESUMM_DATA") or not folder.is_dir():
        pytest.skip("GLOBESUMM_DATA with events/multiling2011 is absent")
    documents, rejects = both(folder)
    assert (len(documents), rejects) == (420, [])
    assert all(
        document.published and document.title
        for document in documents
        if document.id not in UNTITLED
    )
    assert [
        d.id for d in documents if not d.language == d.language_detected == d.language_declared
    ] == []
    day = {document.id: document.published for document in documents}
    assert all(day[id_] == day[f"{id_[:5]}.english"] for id_ in day)


UNTITLED = {"M0013.french", "M0049.hindi"}
"""Texts of the data set whose first line is the dateline."""
