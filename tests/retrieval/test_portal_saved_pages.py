"""Saved pages: HTML of every period against its wikitext, folders as people keep them, output."""

import gzip
import json
import re
from dataclasses import fields, replace
from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest

pytest.importorskip("mwparserfromhell", reason="needs the extra 'retrieval'")

from globesumm.cli.main import run
from globesumm.errors import DataError
from globesumm.records import from_json, read_own_records, to_json
from globesumm.shards import Shard, only_here
from retrieval.portal import Parsed, PortalEvent
from retrieval.portal.events import Origin
from retrieval.portal.html import days_in_html, read_html
from retrieval.portal.ingest import DayRecord
from retrieval.portal.output import read_events, write_events
from retrieval.portal.saved import saved_pages
from retrieval.portal.stage import events_of_day, shard_of
from retrieval.portal.store import PageStore
from retrieval.portal.wikitext import read_wikitext

DAY = date(2023, 5, 15)
WIKITEXT = """{{Current events|year=2023|month=05|day=15|content=
'''Armed conflicts and attacks'''
*[[War in Foo (2020–present)|War in Foo]], [[Bar]]
**[[Foo]]'s ''army'' takes [[Bar City#History|Bar]]. [https://a.example/1?x=1&y=2 (''The A'')]{B}
***One dies.
*{{ill|Baz|de|Bäz|lt=The Baz}} speaks.[https://c.example/3 (C)]

'''Sports'''
*A wins. [https://d.example/4 (D)]
}}""".replace("{B}", " [https://b.example/2 (AFP via B)]")
LIST = """<ul><li><a href="/wiki/War_in_Foo_(2020%E2%80%93present)" title="t">War in Foo</a>, <a
 href="/wiki/Bar" title="Bar">Bar</a>
<ul><li><a href="/wiki/Foo" class="mw-redirect" title="Foo">Foo</a>'s <i>army</i> takes <a
 href="/wiki/Bar_City#History" title="Bar City">Bar</a>. <a rel="nofollow" class="external text"
 href="https://a.example/1?x=1&amp;y=2">(<i>The A</i>)</a> <a rel="nofollow"
 class="external text" href="https://b.example/2">(AFP via B)</a>
<ul><li>One dies.</li></ul></li></ul></li>
<li><a href="/w/index.php?title=Baz&amp;action=edit&amp;redlink=1" class="new"
 title="Baz (page does not exist)">The Baz</a><span class="noprint" style="font-size:85%">
 &#91;<a href="https://de.wikipedia.org/wiki/B%C3%A4z" class="extiw">de</a>&#93;</span>
 speaks.<a rel="nofollow" class="external text" href="https://c.example/3">(C)</a></li></ul>"""
SPORT = """<ul><li>A wins. <a rel="nofollow" class="external text" href="https://d.example/4">(D)
 </a><sup class="reference"><a href="#cite_note-1">[1]</a></sup></li></ul>"""
NAVIGATION = """<div class="current-events-heading plainlinks"><div class="current-events-title"
 role="heading"><span class="summary">May&#160;15,&#160;2023<span style="display:none">&#160;(<span
 class="bday dtstart published updated itvstart">{day}</span>)</span> (Monday)</span></div>
<ul class="current-events-navbar editlink noprint"><li><a class="external text"
 href="https://en.wikipedia.org/w/index.php?title=Portal:Current_events/2023_May_15&amp;action=edit"
>edit</a></li></ul></div>"""


def framed(day: str, iso: str, first: str, second: str) -> str:
    return (
        f'<div role="region" id="{day}" class="current-events-main vevent">'
        f"{NAVIGATION.format(day=iso)}"
        f'<div class="current-events-content description">\n{first}\n{LIST}\n{second}\n{SPORT}'
        "</div></div>"
    )


BOLD = ("<p><b>Armed conflicts and attacks</b>\n</p>", "<p><b>Sports</b></p>")
ROLE = (
    '<div class="current-events-content-heading" role="heading">Armed conflicts and attacks</div>',
    '<div class="current-events-content-heading" role="heading">Sports</div>',
)
TERMS = ("<dl><dt>Armed conflicts and attacks</dt></dl>", "<dl><dt>Sports</dt></dl>")
HEADS = ("<h3>Armed conflicts and attacks</h3>", '<div class="mw-heading"><h3>Sports</h3></div>')
TABLE = (
    '<table class="vevent"><tr><td><span class="summary">May 15, 2023 (<span class="bday">'
    '2023-05-15</span>)</span></td></tr><tr><td class="description">'
    f"{TERMS[0]}{LIST}{TERMS[1]}{SPORT}</td></tr></table>"
)
PERIODS = {
    "since 2021": framed("2023_May_15", "2023-05-15", *BOLD),
    "2018 to 2020": framed("2023_May_15", "2023-05-15", *ROLE),
    "before 2018": TABLE,
    "terms in the newer frame": framed("2023_May_15", "2023-05-15", *TERMS),
    "real headings": framed("2023_May_15", "2023-05-15", *HEADS),
    "no id": framed("", "2023-05-15", *BOLD),
    "rendered by Parsoid": framed("2023_May_15", "2023-05-15", *BOLD)
    .replace('href="/wiki/', 'rel="mw:WikiLink" href="./')
    .replace('rel="nofollow" class="external text"', 'rel="mw:ExtLink nofollow"'),
    "saved by a browser": framed("2023_May_15", "2023-05-15", *BOLD).replace(
        'href="/w', 'href="https://en.wikipedia.org/w'
    ),
}


def comparable(parsed: Parsed) -> list[PortalEvent]:
    """Without what only one of the two forms can know."""
    return [replace(event, line=None, page=None, revision=None) for event in parsed.events]


def from_wikitext() -> Parsed:
    (day,) = read_wikitext(WIKITEXT, Origin(where="page"))
    return day


@pytest.mark.parametrize("page", PERIODS.values(), ids=PERIODS.keys())
def test_html_of_every_period_gives_the_same_events_as_the_wikitext(page: str) -> None:
    (day,) = read_html(f"<html><body>{page}</body></html>".encode(), Origin(where="page"))
    assert comparable(day) == comparable(from_wikitext())
    assert (day.date, day.topics, day.rejected) == (DAY, 1, ())


def test_the_events_of_both_forms_are_the_ones_written() -> None:
    takes, dies, speaks, wins = from_wikitext().events
    assert takes.description == "Foo's army takes Bar."
    assert takes.topics[0].pages == ("War in Foo (2020–present)", "Bar")
    assert [(it.url, it.label) for it in takes.sources] == [
        ("https://a.example/1?x=1&y=2", "The A"),
        ("https://b.example/2", "AFP via B"),
    ]
    assert (dies.parent, dies.notes) == (takes.id, ("no source",))
    assert speaks.names == {"Baz": {"de": "Bäz"}}
    assert wins.category == "Sports"


def test_a_month_gives_each_of_its_days_and_any_one_of_them_alone() -> None:
    month = framed("2023_May_15", "2023-05-15", *BOLD) + framed("2023_May_14", "2023-05-14", *BOLD)
    content = month.encode()
    assert days_in_html(content, Origin(where="page")) == [DAY, date(2023, 5, 14)]
    (alone,) = read_html(content, Origin(where="page"), date(2023, 5, 14))
    assert len(alone.events) == 4
    with pytest.raises(DataError, match="does not hold 2023-05-13"):
        read_html(content, Origin(where="page"), date(2023, 5, 13))


def test_the_revision_of_a_month_is_not_taken_for_that_of_its_days() -> None:
    script = '<script>RLCONF={"wgPageName":"%s","wgRevisionId":77};</script>'
    own = (script % "Portal:Current_events/2023_May_15") + PERIODS["since 2021"]
    (day,) = read_html(own.encode(), Origin(where="page"))
    assert {event.revision for event in day.events} == {77}
    month = (script % "Portal:Current_events/May_2023") + PERIODS["since 2021"]
    (day,) = read_html(month.encode(), Origin(where="page"))
    assert {event.revision for event in day.events} == {None}
    assert {event.page for event in day.events} == {"Portal:Current events/2023 May 15"}


def test_a_page_that_is_none_of_the_portal_is_refused() -> None:
    with pytest.raises(DataError, match="holds no day of the portal"):
        read_html(b"<html><body><h1>Sign in</h1></body></html>", Origin(where="page"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    saved = tmp_path / "saved"
    saved.mkdir()
    return saved


def days_of(out: Path) -> dict[str, DayRecord]:
    return {str(day.date): day for day in read_own_records(out / "days.jsonl", DayRecord)}


def portal(folder: Path, out: Path, *more: str) -> int:
    window = ("--from", "2023-05-14", "--to", "2023-05-16")
    return run(
        ["portal", *window, "--saved", str(folder), "--out", str(out), "--workers", "1", *more]
    )


def test_the_day_is_found_in_the_name_the_facts_or_the_page(folder: Path) -> None:
    other = WIKITEXT.replace("day=15", "day=16")
    (folder / "2023-05-15.77.wiki").write_text(WIKITEXT, "utf-8")
    (folder / "page.wikitext").write_text(other, "utf-8")
    (folder / "9.wiki").write_text("*A. [https://a.example (A)]", "utf-8")
    (folder / "9.json").write_text('{"page": "Portal:Current events/2023 May 17"}')
    with gzip.open(folder / "May 2023.html.gz", "wb") as file:
        file.write(framed("2023_May_18", "2023-05-18", *BOLD).encode())
    found, rejected = saved_pages(folder)
    assert sorted(day.day for day in found) == [15, 16, 17, 18]
    assert found[DAY].revision == 77
    assert rejected == []


def test_the_day_of_saving_in_the_name_of_a_html_page_is_not_taken_for_its_day(
    folder: Path,
) -> None:
    page = framed("2023_May_15", "2023-05-15", *BOLD)
    (folder / "2026-11-30 Portal - Wikipedia.html").write_text(page, "utf-8")
    assert list(saved_pages(folder)[0]) == [DAY]


def test_of_several_revisions_of_a_day_the_newest_counts(folder: Path, tmp_path: Path) -> None:
    (folder / "2023-05-15.100.wiki").write_text(WIKITEXT.replace("A wins", "B wins"), "utf-8")
    (folder / "2023-05-15.99.wiki").write_text(WIKITEXT, "utf-8")
    assert portal(folder, tmp_path / "out", "--from", "2023-05-15", "--to", "2023-05-15") == 0
    assert list(read_events(tmp_path / "out/events"))[-1].description == "B wins."


def test_a_saved_page_that_was_damaged_fails_its_day_by_name(folder: Path, tmp_path: Path) -> None:
    (folder / "2023-05-15.77.wiki").write_text(WIKITEXT, "utf-8")
    (folder / "2023-05-15.77.json").write_text(json.dumps({"sha256": sha256(b"x").hexdigest()}))
    assert portal(folder, tmp_path / "out") == 1
    day = days_of(tmp_path / "out")["2023-05-15"]
    assert "its SHA-256 is not the one" in str(day.cause)


def test_a_saved_page_that_was_edited_is_made_anew(folder: Path, tmp_path: Path) -> None:
    path = folder / "2023-05-15.wiki"
    path.write_text(WIKITEXT, "utf-8")
    portal(folder, tmp_path / "out")
    path.write_text(WIKITEXT.replace("A wins", "B wins"), "utf-8")
    portal(folder, tmp_path / "out")
    assert list(read_events(tmp_path / "out/events"))[-1].description == "B wins."


def test_files_of_no_day_are_named_and_other_files_passed_over(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "2023-05-15.wiki").write_text(WIKITEXT, "utf-8")
    (folder / "notes.txt").write_text("buy milk", "utf-8")
    (folder / "odd.html").write_bytes(b"<p>nothing")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    assert portal(folder, tmp_path / "out") == 1
    rejected = (tmp_path / "out/rejected.jsonl").read_text("utf-8")
    assert "nothing says which day it is of" in rejected
    assert "odd.html" in rejected
    assert "picture" not in rejected
    assert f"2023-05-14: failed: {folder} holds no page" in capsys.readouterr().out


def test_a_day_is_known_missing_only_where_the_wiki_was_asked_for_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder named by mistake holds no page of any day, and must not look like an empty year."""
    store = PageStore(folder)
    store.keep(DAY, "Portal:Current events/2023 May 15", 7, "2023-05-16T00:00:00Z", WIKITEXT)
    store.keep_gone(date(2023, 5, 14), "https://wiki.example/w/api.php")
    assert portal(folder, tmp_path / "out") == 1
    states = [str(day.state) for day in days_of(tmp_path / "out").values()]
    assert states == ["known missing", "had", "failed"]
    assert "2023-05-14: known missing: Portal:Current events/2023 May 14 did not exist" in (
        capsys.readouterr().out
    )
    (folder / "2023-05-16.missing.json").write_text("{", "utf-8")
    assert portal(folder, tmp_path / "out") == 1
    assert "2023-05-16.missing.json" in (tmp_path / "out/rejected.jsonl").read_text("utf-8")


@pytest.mark.parametrize(
    ("encoding", "note"),
    [("utf-8", ""), ("utf-8-sig", ""), ("utf-16", ""), ("cp1252", "(guessed)")],
)
def test_a_page_saved_in_another_encoding_keeps_its_letters(
    folder: Path, tmp_path: Path, encoding: str, note: str
) -> None:
    text = WIKITEXT.replace("A wins", "Él ganó en Zürich").replace("–", "-")
    (folder / "2023-05-15.wiki").write_bytes(text.encode(encoding))
    assert portal(folder, tmp_path / "out", "--from", "2023-05-15", "--to", "2023-05-15") == 0
    *_, last = read_events(tmp_path / "out/events")
    assert last.description == "Él ganó en Zürich."
    notes = days_of(tmp_path / "out")["2023-05-15"].notes
    assert note in " ".join(notes)
    assert bool(notes) is bool(note)


def test_letters_that_are_lost_and_news_outside_the_frame_are_said_of_the_day(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = WIKITEXT.replace("A wins", "Á ©wins") + "\n*Vandalism. [https://v.example (V)]"
    (folder / "2023-05-15.wiki").write_bytes(page.encode().replace("©".encode(), b"\xc3\x28"))
    assert portal(folder, tmp_path / "out", "--from", "2023-05-15", "--to", "2023-05-15") == 0
    assert days_of(tmp_path / "out")["2023-05-15"].notes == (
        "1 invalid byte sequences replaced by U+FFFD (utf-8)",
        "1 bullets outside the day's frame passed over",
    )
    assert "1 day with notes" in capsys.readouterr().err


def test_bytes_that_are_no_text_fail_their_day(folder: Path, tmp_path: Path) -> None:
    (folder / "2023-05-15.wiki").write_bytes(bytes(range(9)) * 20)
    assert portal(folder, tmp_path / "out") == 1
    assert "holds no text" in str(days_of(tmp_path / "out")["2023-05-15"].cause)


def test_malformed_pieces_of_a_day_are_counted_and_named(folder: Path, tmp_path: Path) -> None:
    text = WIKITEXT.replace("'''Sports'''", "*" + "[[a|" * 30 + "\n'''Sports'''")
    (folder / "2023-05-15.wiki").write_text(text, "utf-8")
    assert portal(folder, tmp_path / "out") == 1
    assert days_of(tmp_path / "out")["2023-05-15"].counts["rejected"] == 1
    assert "opened and never closed" in (tmp_path / "out/rejected.jsonl").read_text("utf-8")
    assert len(list(read_events(tmp_path / "out/events"))) == 4


def test_a_page_that_changes_while_the_command_runs_is_noticed(
    folder: Path, tmp_path: Path
) -> None:
    path = folder / "2023-05-15.wiki"
    path.write_text(WIKITEXT, "utf-8")
    shard = shard_of(saved_pages(folder)[0][DAY])
    path.write_text(WIKITEXT + " ", "utf-8")
    with pytest.raises(DataError, match="was changed since it was listed"):
        events_of_day(shard, tmp_path / "x", form="jsonl", languages=(), names=None)


def test_the_stage_is_a_plain_function_of_a_shard_and_a_path(folder: Path, tmp_path: Path) -> None:
    (folder / "2023-05-15.wiki").write_text(WIKITEXT, "utf-8")
    shard = shard_of(saved_pages(folder)[0][DAY])
    assert isinstance(shard, Shard)
    assert shard.name == "2023-05-15"
    counts = events_of_day(shard, tmp_path / "part", form="jsonl", languages=(), names=None)
    assert (counts["events"], counts["topics"], counts["sources"]) == (4, 1, 4)
    assert len((tmp_path / "part").read_text("utf-8").splitlines()) == 4


def test_an_event_survives_the_trip_through_both_forms(tmp_path: Path) -> None:
    events = list(from_wikitext().events)
    events[0] = replace(events[0], names={"Foo": {"de": "Fuu", "ru": "Фу"}}, revision=7)
    assert from_json(PortalEvent, to_json(events[0])) == events[0]
    for form in ("jsonl", "parquet"):
        if form == "parquet":
            pytest.importorskip("pyarrow", reason="needs the package pyarrow")
        out = tmp_path / form
        out.mkdir()
        write_events(out / f"{DAY}.{form}", events, form)
        assert list(read_events(out)) == events


def test_parquet_and_jsonl_of_a_window_hold_the_same(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the package pyarrow")
    (folder / "2023-05-15.wiki").write_text(WIKITEXT, "utf-8")
    (folder / "2023-05-16.wiki").write_text("", "utf-8")
    two = ("--from", "2023-05-15")
    assert portal(folder, tmp_path / "a", *two) == 0
    assert portal(folder, tmp_path / "b", *two, "--format", "parquet") == 0
    first, second = (list(read_events(tmp_path / name / "events")) for name in ("a", "b"))
    assert first == second
    assert len(first) == 4
    assert days_of(tmp_path / "b")["2023-05-16"].counts["empty_days"] == 1


def test_results_of_other_settings_are_not_mixed(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "2023-05-15.wiki").write_text(WIKITEXT, "utf-8")
    portal(folder, tmp_path / "a")
    assert portal(folder, tmp_path / "a", "--format", "parquet") == 2
    assert "form: 'jsonl' there, 'parquet' asked" in capsys.readouterr().err


@pytest.mark.parametrize("other", [("--format", "parquet"), ("--languages", "de")])
def test_a_refused_command_leaves_all_as_it_was(
    folder: Path, tmp_path: Path, other: tuple[str, str]
) -> None:
    """Also where pages have changed since, whose events a command that may go on makes anew."""
    (folder / "2023-05-15.wiki").write_text(WIKITEXT, "utf-8")
    out = tmp_path / "out"
    portal(folder, out)

    def everything() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in out.rglob("*") if path.is_file()}

    before = everything()
    (folder / "2023-05-15.wiki").write_text(WIKITEXT.replace("A wins", "B wins"), "utf-8")
    assert portal(folder, out, *other) == 2
    assert everything() == before


def test_a_second_command_in_the_same_folder_is_refused_and_changes_nothing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "2023-05-15.wiki").write_text(WIKITEXT, "utf-8")
    with only_here(tmp_path / "out"):
        assert portal(folder, tmp_path / "out") == 2
    assert "another process is working in" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] in ([], [".lock"])


def test_the_documented_fields_are_those_that_come_out() -> None:
    text = (Path(__file__).parents[2] / "docs" / "portal.md").read_text("utf-8")
    table = text.partition("| field | type | |")[2].partition("\n\n")[0]
    documented = [
        name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])
    ]
    assert documented == [field.name for field in fields(PortalEvent)]
