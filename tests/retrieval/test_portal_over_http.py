"""The portal from a real HTTP server in the shape of MediaWiki's API, with its accidents."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("mwparserfromhell", reason="needs the extra 'retrieval'")

from globesumm.cli.main import run
from retrieval.portal.batches import batches
from retrieval.portal.client import Client, Manners, user_agent
from retrieval.portal.output import read_events
from tests.retrieval.mirror.web_server import Mirror

DATA = os.environ.get("GLOBESUMM_DATA")
DAY = """{{{{Current events|year=2023|month=05|day={day}|content=
<!-- All news items below this line -->
'''Armed conflicts and attacks'''
*[[War in Foo]]
**[[Bar City#History|Bar]] falls to the [[army of Foo]] on day {day}. [https://a.example/{day} (A)]
<!-- All news items above this line -->}}}}"""
LINKS = {
    "War in Foo": {"de": "Krieg in Foo", "ru": "Война в Фу", "als": "Chrieg"},
    "Bar City": {"de": "Barstadt (Foo)", "iw": "בר", "ru": "Бар"},
    "Foo Armed Forces": {"fr": "Forces armées de Foo", "de": "Fooer Heer"},
}


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with Mirror() as server:
        for number, day in enumerate(range(1, 32)):
            if day != 29:
                title = f"Portal:Current events/2023 May {day}"
                server.wiki.add(title, DAY.format(day=day), revision=7000 + number)
        server.wiki.languages |= LINKS
        server.wiki.redirects["Army of Foo"] = "Foo Armed Forces"
        yield server


def portal(mirror: Mirror, out: Path, *more: str, last: str = "2023-05-31") -> int:
    return run(
        [
            *("portal", "--from", "2023-05-01", "--to", last, "--api", mirror.address),
            *("--out", str(out), "--contact", "test@example.org", "--workers", "1"),
            *("--wait", "0.01", *more),
        ]
    )


def days(out: Path) -> dict[str, dict[str, object]]:
    lines = (out / "days.jsonl").read_text("utf-8").splitlines()
    return {record["date"]: record for record in map(json.loads, lines)}


def test_a_month_is_had_with_one_command_and_the_second_time_nothing_is_fetched(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert portal(mirror, tmp_path, "--languages", "de,he,fr") == 0
    events = list(read_events(tmp_path / "events"))
    assert len(events) == 30
    first = events[0]
    assert (first.date, first.revision) == (date(2023, 5, 1), 7000)
    assert first.description == "Bar falls to the army of Foo on day 1."
    assert first.names == {
        "War in Foo": {"de": "Krieg in Foo"},
        "Bar City": {"de": "Barstadt", "he": "בר"},
        "Army of Foo": {"de": "Fooer Heer", "fr": "Forces armées de Foo"},
    }
    missing = days(tmp_path)["2023-05-29"]
    assert (missing["state"], missing["revision"]) == ("known missing", None)
    assert "2023-05-29: known missing: " in capsys.readouterr().out
    before = {path: path.read_bytes() for path in sorted((tmp_path / "events").glob("*.jsonl"))}
    mirror.forget()
    assert portal(mirror, tmp_path, "--languages", "de,he,fr") == 0
    assert mirror.asked() == []
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.skipif(DATA is None, reason="GLOBESUMM_DATA is not set")
def test_five_real_days_come_through_the_api_as_they_do_from_the_saved_pages(
    mirror: Mirror, tmp_path: Path
) -> None:
    """With lag, a 429 and a 500 on the way; 38 of the 40 days are missing from the wiki."""
    pages = Path(DATA or "") / "portal" / "wikitext"
    assert len(mirror.wiki.load(pages)) == 5
    mirror.wiki.languages["Libya"] = {"fr": "Libye", "ar": "ليبيا"}
    mirror.wiki.lag(answers=1, retry_after="0")
    mirror.fault("*prop=revisions*", "429", times=1)
    mirror.fault("*prop=langlinks*", "500", times=1)
    wanted = ("--from", "2023-09-01", "--languages", "fr,ar")
    assert portal(mirror, tmp_path / "api", *wanted, last="2023-10-10") == 0
    # Of a day that nobody saved nothing is known.
    assert portal(mirror, tmp_path / "saved", "--saved", str(pages), last="2023-10-10") == 1
    through, saved = (
        [replace(event, names={}) for event in read_events(tmp_path / name / "events")]
        for name in ("api", "saved")
    )
    assert through == [event for event in saved if event.date >= date(2023, 9, 1)]
    assert len(through) == 5 + 18
    flood = next(event for event in read_events(tmp_path / "api/events") if "Libya" in event.pages)
    assert flood.names["Libya"] == {"fr": "Libye", "ar": "ليبيا"}
    states = [record["state"] for record in days(tmp_path / "api").values()]
    assert (states.count("had"), states.count("known missing")) == (2, 38)


def test_two_workers_make_what_one_makes(mirror: Mirror, tmp_path: Path) -> None:
    cache = ("--cache", str(tmp_path / "cache"), "--languages", "de")
    assert portal(mirror, tmp_path / "one", *cache) == 0
    assert portal(mirror, tmp_path / "two", *cache, "--workers", "2") == 0
    assert list(read_events(tmp_path / "one/events")) == list(read_events(tmp_path / "two/events"))


def test_thirty_days_take_one_request_for_pages_and_one_for_names(
    mirror: Mirror, tmp_path: Path
) -> None:
    portal(mirror, tmp_path, "--languages", "de")
    assert len(mirror.asked("/w/api.php")) == 2
    assert mirror.most_at_once("/w/api.php") == 1


def test_every_request_says_who_asks_that_lag_is_minded_and_that_gzip_is_welcome(
    mirror: Mirror, tmp_path: Path
) -> None:
    portal(mirror, tmp_path, "--languages", "de")
    for seen in mirror.requests:
        assert "globesumm/" in seen.user_agent
        assert "test@example.org" in seen.user_agent
        assert "maxlag=5" in seen.query
        assert seen.headers["Accept-Encoding"] == "gzip"


def test_answers_in_parts_are_put_together(mirror: Mirror, tmp_path: Path) -> None:
    mirror.wiki.pages_an_answer = 7
    mirror.wiki.links_an_answer = 1
    assert portal(mirror, tmp_path, "--languages", "de ru he fr") == 0
    events = list(read_events(tmp_path / "events"))
    assert len(events) == 30
    assert events[29].names["Bar City"] == {"de": "Barstadt", "ru": "Бар", "he": "בר"}


@pytest.mark.parametrize(
    "accident",
    [
        *("429", "429 with Retry-After", "500", "503 with Retry-After", "cut", "reset"),
        *("truncated", "empty", "page instead"),
    ],
)
def test_an_accident_that_passes_is_survived(mirror: Mirror, tmp_path: Path, accident: str) -> None:
    mirror.fault("/w/api.php*", accident, times=2)
    assert portal(mirror, tmp_path, "--languages", "de") == 0
    assert len(list(read_events(tmp_path / "events"))) == 30


def test_a_lagging_database_is_waited_for(mirror: Mirror, tmp_path: Path) -> None:
    mirror.wiki.lag(answers=2, retry_after="0")
    assert portal(mirror, tmp_path) == 0
    assert len(mirror.asked("/w/api.php")) == 3


def test_the_wait_that_the_server_asks_for_is_kept(mirror: Mirror) -> None:
    waits: list[float] = []
    mirror.wiki.lag(answers=2, retry_after="7")
    client = Client(api=mirror.wiki.api, agent=user_agent("a@b.example"), sleep=waits.append)
    mirror.fault("/w/api.php*", "503 with Retry-After", times=1)
    assert list(client.query({"titles": "War in Foo", "prop": "langlinks"}))
    assert waits == [1.0, 7.0]


def test_a_wait_longer_than_anyone_would_is_a_failure_and_not_a_hanging_command(
    mirror: Mirror, tmp_path: Path
) -> None:
    mirror.wiki.lag(answers=99, retry_after="86400")
    assert portal(mirror, tmp_path, last="2023-05-02") == 1
    assert "asks to wait 86400 s" in str(days(tmp_path)["2023-05-01"]["cause"])


@pytest.mark.parametrize("accident", ["500", "429", "reset", "page instead"])
def test_an_accident_that_stays_fails_the_days_by_name_and_the_next_run_mends_them(
    mirror: Mirror, tmp_path: Path, accident: str
) -> None:
    mirror.fault("/w/api.php*", accident)
    assert portal(mirror, tmp_path, "--tries", "2", last="2023-05-03") == 1
    assert {record["state"] for record in days(tmp_path).values()} == {"failed"}
    assert all(record["cause"] for record in days(tmp_path).values())
    mirror.mend()
    assert portal(mirror, tmp_path, last="2023-05-03") == 0
    assert {record["state"] for record in days(tmp_path).values()} == {"had"}


def test_a_day_that_lies_in_the_future_is_not_known_to_be_missing(
    mirror: Mirror, tmp_path: Path
) -> None:
    assert portal(mirror, tmp_path, "--from", "9999-01-01", last="9999-01-02") == 1
    for day in days(tmp_path).values():
        assert (day["state"], "lies in the future" in str(day["cause"])) == ("failed", True)


def test_names_that_cannot_be_had_fail_the_day_until_they_can(
    mirror: Mirror, tmp_path: Path
) -> None:
    """A day without its names must not look whole."""
    mirror.fault("*prop=langlinks*", "500")
    assert portal(mirror, tmp_path, "--languages", "de", "--tries", "2", last="2023-05-02") == 1
    assert "names of 3 articles could not be had" in str(days(tmp_path)["2023-05-01"]["cause"])
    assert list(read_events(tmp_path / "events")) == []
    mirror.mend()
    mirror.forget()
    assert portal(mirror, tmp_path, "--languages", "de", last="2023-05-02") == 0
    assert len(mirror.asked()) == 1
    assert len(list(read_events(tmp_path / "events"))) == 2


def test_another_language_needs_no_further_request(mirror: Mirror, tmp_path: Path) -> None:
    cache = ("--cache", str(tmp_path / "cache"))
    portal(mirror, tmp_path / "de", "--languages", "de", *cache)
    mirror.forget()
    assert portal(mirror, tmp_path / "fr", "--languages", "fr", *cache) == 0
    assert mirror.asked() == []
    first = next(read_events(tmp_path / "fr" / "events"))
    assert first.names == {"Army of Foo": {"fr": "Forces armées de Foo"}}


def test_a_run_without_network_needs_no_contact_when_all_is_at_hand(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GLOBESUMM_CONTACT", raising=False)
    portal(mirror, tmp_path / "a")
    arguments = ("portal", "--from", "2023-05-01", "--to", "2023-05-31", "--api", mirror.address)
    more = ("--out", str(tmp_path / "b"), "--cache", str(tmp_path / "a" / "cache"))
    assert run([*arguments, *more, "--workers", "1"]) == 0


def test_the_cache_of_pages_is_a_folder_of_saved_pages(mirror: Mirror, tmp_path: Path) -> None:
    portal(mirror, tmp_path / "a")
    mirror.forget()
    saved = ("--saved", str(tmp_path / "a" / "cache" / "pages"))
    assert portal(mirror, tmp_path / "b", *saved) == 0
    assert mirror.asked() == []
    assert [event.id for event in read_events(tmp_path / "a" / "events")] == [
        event.id for event in read_events(tmp_path / "b" / "events")
    ]


def test_a_page_stays_at_its_revision_until_it_is_refreshed(mirror: Mirror, tmp_path: Path) -> None:
    title = "Portal:Current events/2023 May 1"
    portal(mirror, tmp_path, last="2023-05-01")
    mirror.wiki.add(title, DAY.format(day=1).replace("falls", "is freed"), revision=8000)
    portal(mirror, tmp_path, last="2023-05-01")
    (event,) = read_events(tmp_path / "events")
    assert (event.revision, event.description[:9]) == (7000, "Bar falls")
    portal(mirror, tmp_path, "--refresh", last="2023-05-01")
    (event,) = read_events(tmp_path / "events")
    assert (event.revision, event.description[:12]) == (8000, "Bar is freed")


def test_pinned_revisions_of_an_earlier_run_are_had_again(mirror: Mirror, tmp_path: Path) -> None:
    title = "Portal:Current events/2023 May 1"
    portal(mirror, tmp_path / "old", last="2023-05-02")
    mirror.wiki.add(title, DAY.format(day=1).replace("falls", "is freed"), revision=8000)
    pins = ("--pins", str(tmp_path / "old" / "days.jsonl"))
    assert portal(mirror, tmp_path / "new", *pins, last="2023-05-02") == 0
    assert (tmp_path / "old/events/2023-05-01.jsonl").read_bytes() == (
        tmp_path / "new/events/2023-05-01.jsonl"
    ).read_bytes()


def test_a_pinned_revision_that_is_not_there_fails_its_day_by_name(
    mirror: Mirror, tmp_path: Path
) -> None:
    pins = tmp_path / "pins.jsonl"
    pins.write_text(
        '{"date": "2023-05-01", "revision": 4}\n{"date": "2023-05-02", "revision": 7002}\n'
    )
    assert portal(mirror, tmp_path / "out", "--pins", str(pins), last="2023-05-02") == 1
    found = days(tmp_path / "out")
    assert "there is no revision 4" in str(found["2023-05-01"]["cause"])
    assert "is of Portal:Current events/2023 May 3" in str(found["2023-05-02"]["cause"])


def test_what_is_kept_damaged_is_fetched_again(mirror: Mirror, tmp_path: Path) -> None:
    portal(mirror, tmp_path / "a", last="2023-05-02")
    (tmp_path / "a/cache/pages/2023-05-01.7000.wiki").write_text("{{Current events|", "utf-8")
    mirror.forget()
    more = ("--cache", str(tmp_path / "a" / "cache"))
    assert portal(mirror, tmp_path / "b", *more, last="2023-05-02") == 0
    assert len(mirror.asked()) == 1
    assert len(list(read_events(tmp_path / "b" / "events"))) == 2


def test_a_dry_run_asks_nobody_and_writes_nothing(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert portal(mirror, tmp_path / "out", "--dry-run") == 0
    assert mirror.asked() == []
    assert not (tmp_path / "out").exists()
    assert "31 pages in 1 request" in capsys.readouterr().out


@pytest.fixture
def no_contact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLOBESUMM_CONTACT", raising=False)


@pytest.mark.usefixtures("no_contact")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--contact", ""], "--contact, or in GLOBESUMM_CONTACT"),
        (["--contact", "me"], "no way to reach anyone"),
        (["--contact", "a@b.example\r\nX-Evil: 1"], "no way to reach anyone"),
        (["--api", "ftp://x"], "not the address of a wiki"),
        (["--api", "http://user:word@x.example/w/api.php"], "not the address of a wiki"),
        (["--from", "2023-13-01"], "is no day"),
        (["--from", "1999-01-01"], "the portal begins on 2002-01-01"),
        (["--from", "2023-06-01"], "ends (2023-05-31) before it begins"),
        (["--languages", "klingon"], "unknown language"),
        (["--format", "xlsx"], "unknown format"),
        (["--saved", "/nowhere"], "there is no such folder"),
        (["--pins", "/nowhere"], "cannot be read"),
        (["--tries", "0"], "--tries is 1 or more"),
        (["--wait", "nan"], "--wait and --maxlag 0 or more"),
        (["--wait", "inf"], "--wait and --maxlag 0 or more"),
        (["--from", "2023-W18"], "is no day"),
        (["--from", "2023-W18-2"], "is no day"),
        (["--workers", "0"], "state 1 or more"),
        (["--cluster", "localhost"], "names no cluster"),
        (["--cluster", "slurm:cpu,jobs=two"], "jobs is a whole number"),
        (["--saved", ""], "an empty path"),
        (["--cache", ""], "an empty path"),
    ],
)
def test_a_request_that_cannot_be_carried_out_is_told_so(
    mirror: Mirror,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    says: str,
) -> None:
    assert portal(mirror, tmp_path, *arguments) == 2
    assert says in capsys.readouterr().err
    assert mirror.asked() == []


def test_a_refusal_for_good_ends_the_command_with_what_wikimedia_said(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mirror.fault("/w/api.php*", "403")
    assert portal(mirror, tmp_path) == 2
    assert "refuses this client (403: Forbidden)" in capsys.readouterr().err


def test_an_address_without_an_api_is_told_so(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert portal(mirror, tmp_path, "--api", f"{mirror.address}/nothing/api.php") == 2
    assert "there is no MediaWiki API there" in capsys.readouterr().err


def test_an_answer_that_comes_too_slowly_is_given_up(mirror: Mirror) -> None:
    mirror.fault("/w/api.php*", "trickle", times=1)
    manners = Manners(timeout_seconds=0.5, first_wait_seconds=0)
    client = Client(api=mirror.wiki.api, agent=user_agent("a@b.example"), manners=manners)
    assert list(client.query({"titles": "War in Foo", "prop": "langlinks"}))
    assert client.requests == 2
    trickled, whole = mirror.requests
    assert whole.at - trickled.at < 3


def test_batches_hold_fifty_titles_and_addresses_stay_short() -> None:
    assert [len(group) for group in batches([f"Title {n}" for n in range(120)])] == [50, 50, 20]
    long = [f"{n} " + "Б" * 100 for n in range(50)]
    groups = list(batches(long))
    assert [title for group in groups for title in group] == long
    assert max(len(group) for group in groups) < 15
