"""Pages made to break a parser: refused by name, bounded in time, and the rest goes on."""

import time
from contextlib import suppress
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("mwparserfromhell", reason="needs the extra 'retrieval'")

from globesumm.errors import DataError
from retrieval.portal import Parsed
from retrieval.portal.events import Origin
from retrieval.portal.html import read_html
from retrieval.portal.inline import MOST_UNCLOSED, unclosed
from retrieval.portal.wikitext import read_wikitext
from retrieval.portal.wrapper import LARGEST_PAGE

GOOD = "*Good. [https://good.example (G)]"
FRAME = "{{{{Current events|year=2023|month=05|day=15|content=\n{good}\n{body}\n}}}}"
SECONDS = 20
"""On a machine that is busy with other things; alone none takes more than 3."""


def read(body: str) -> Parsed:
    started = time.process_time()
    (day,) = read_wikitext(FRAME.format(good=GOOD, body=body), Origin(where="page"), DAY)
    assert time.process_time() - started < SECONDS
    return day


DAY = date(2023, 5, 15)
ROOM = LARGEST_PAGE - 400


def filled(piece: str) -> str:
    """As much of `piece` as a page may hold."""
    return (piece * (ROOM // len(piece) + 1))[:ROOM]


HOSTILE = {
    "one long line": "*" + "x" * (ROOM - 1),
    "bullets ever deeper": "\n".join("*" * level + " x" for level in range(1, 1900)),
    "open templates": filled("{{a|"),
    "open templates, a line each": filled("*{{a|[[b|\n"),
    "open tags": filled("*" + "<b>" * 3000 + "\n"),
    "tags without an end": filled("*" + "<a " * 3000 + "\n"),
    "crossing templates and links": filled("*" + "{{a|[[b|" * 600 + "}}" * 600 + "]]" * 600 + "\n"),
    "footnotes never closed": filled("<ref>"),
    "comments never closed": filled("<!--"),
    "templates in templates": "{{" * (ROOM // 4) + "}}" * (ROOM // 4),
    "templates in templates over lines": "{{\n" * (ROOM // 5) + "}}" * (ROOM // 5),
    "no-name links in one bullet": filled("*" + "http://a.example " * 500 + "\n"),
    "brackets behind a stop": filled("*x." + "(A)" * 3000 + "y\n"),
    "apostrophes": filled("*" + "'" * 9000 + "\n"),
    "blanks": filled("*a" + " " * 9000 + "b\n"),
    "the same event again and again": filled("*a\n"),
    "headings alone": filled("'''a'''\n"),
    "tables": filled("{|\n|}\n"),
    "line ends of all kinds": filled("\r\n\r\x0b\x0c"),
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_page_is_bounded_in_time_and_its_good_event_is_had(body: str) -> None:
    day = read(body)
    assert day.events[0].description == "Good."


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("*" + "x" * 10_001, "a line of more than 10000 characters"),
        ("*" + "[[a|" * 9, "9 brackets, braces or tags are opened and never closed"),
        ("*" * 21 + "x", "nested deeper than 20 levels"),
        ("{| class=x", "table markup where news should be"),
        ("stray words", "text outside any list, without a source"),
        ("*https://a.example/1", "a source without a word"),
        ("*x\n" * 5001, "a day of more than 5000 lines or 500000 characters; what follows is"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line_and_the_rest_goes_on(
    body: str, reason: str
) -> None:
    day = read(f"{body}\n{GOOD}2")
    assert day.rejected[0].reason.startswith(reason)
    assert day.rejected[0].where.startswith("page:")
    assert day.events[0].description == "Good."


def test_many_frames_in_one_page_take_no_more_time() -> None:
    text = filled("{{Current events|year=2023|month=05|day=15|content=")
    started = time.process_time()
    read_wikitext(text, Origin(where="page"))
    assert time.process_time() - started < SECONDS


def test_a_page_larger_than_mediawiki_keeps_is_refused_by_name() -> None:
    with pytest.raises(DataError, match="longer than 2097152 characters"):
        read_wikitext("*" + "x" * 10_000_000, Origin(where="page"))


def test_odd_characters_do_no_harm() -> None:
    day = read("*A\0B\ud800C\u202eD\x1b[31mE\ufeff. [https://a.example (\u202eA)]")
    assert day.events[1].description == "AB\ufffdCD[31mE."
    assert day.events[1].sources[0].outlet == "A"


def test_markup_left_open_by_mistake_costs_only_its_own_bullet() -> None:
    day = read("*[[War\n**A. [https://a.example (A)\n*B {{nowrap|C. [https://b.example (B)]\n*D.")
    assert [event.description for event in day.events][-1] == "D."
    assert [event.description[:1] for event in day.events] == ["G", "A", "B", "D"]
    assert [topic.text for topic in day.events[1].topics] == ["[[War"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", 0),
        ("[[a|b]] {{c|d}} [https://e f] <b>g</b><br><ref name=x/>", 0),
        ("[[a", 1),
        ("[[a}}", 1),
        ("{{a|[[b|}}]]", 1),
        ("<b><i></b>", 2),
        ("<a ", 1),
        ("a]] b}} c>", 0),
        ("[not a link", 0),
    ],
)
def test_marks_left_open_are_counted(text: str, left: int) -> None:
    assert unclosed(text) == left
    assert left <= MOST_UNCLOSED


WIKITEXT = st.lists(
    st.sampled_from(
        [
            *("*", "**", "***", ";", ":", "#", "\n", "\n*", "\n**", " ", "'''", "''", "==", "{{"),
            *("}}", "[[", "]]", "[https://a.example ", "]", "|", "<ref>", "</ref>", "<!--", "-->"),
            *("{{Current events|year=2023|month=05|day=15|content=", "|}", "{|", "(Reuters)", "."),
            *("<nowiki>", "<br>", "</b>", "&nbsp;", "&#0;", "Sports", "War", "é", "\ud800", "\0"),
            *("{{ill|A|de|B}}", "{{cite web|url=x|work=", "File:", "#REDIRECT", "{{{", "http://"),
        ]
    ),
    max_size=60,
).map("".join)


@settings(max_examples=300)
@given(WIKITEXT)
def test_any_wikitext_is_read_or_refused_with_a_reason(text: str) -> None:
    days: list[Parsed] = []
    with suppress(DataError):
        days = read_wikitext(text, Origin(where="page"), DAY)
    for day in days:
        ids = [event.id for event in day.events]
        assert len(set(ids)) == len(ids)
        assert all(event.description for event in day.events)
        assert all(event.parent in {None, *ids} for event in day.events)
        assert all(refused.reason and refused.where for refused in day.rejected)


HTML_HOSTILE = {
    "deep elements": b"<div>" * 5000,
    "deep lists": b"<ul><li>x" * 3000,
    "deep italics": b"<ul><li>" + b"<i>" * 3000 + b"x",
    "not HTML": bytes(range(256)) * 100,
    "nothing": b"",
    "many bullets": b"<ul>" + b"<li>x" * 50_000,
    "entities": b"<ul><li>" + b"&amp;#x0;&#xd800;&#1114112;" * 1000,
}


@pytest.mark.parametrize("body", HTML_HOSTILE.values(), ids=HTML_HOSTILE.keys())
def test_a_hostile_saved_page_is_bounded_in_time_and_refused_or_read(body: bytes) -> None:
    started = time.process_time()
    for head in (b"", b'<div class="vevent" id="2023_May_15"><div class="description">'):
        with suppress(DataError):
            days = read_html(head + body, Origin(where="page"), DAY)
            assert [day.date for day in days] == [DAY]
    assert time.process_time() - started < SECONDS
