"""Addresses, portal lines, feeds and GDELT, on the local mirror of the sources."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("warcio", reason="needs the extra 'retrieval'")

from globesumm.cli import main
from globesumm.runs import Run
from globesumm.values import Document
from tests.events.world import World
from tests.retrieval.mirror.newspapers import article
from tests.retrieval.mirror.web_server import Mirror

QUICK = ("--recipe", "crs.none.lead", "--entailer", "lexical", "--encoder", "hashed-ngrams")


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with Mirror() as running:
        for number, language in enumerate(("en", "fr")):
            published = f"2023-05-0{number + 1}T06:30:00+00:00"
            running.site(f"{language}.example").put("/story", article(language, 7, published))
        yield running


def brief(mirror: Mirror, out: Path, *asked: str) -> int:
    place = mirror.address.removeprefix("http://")
    net = ("--connect-to", f"*.example={place}", "--delay", "0", "--page-timeout", "3")
    return main(["brief", *asked, "--out", str(out), *QUICK, *net])


def documents(out: Path) -> tuple[Document, ...]:
    return Run.open(out).events()[0].documents


def test_addresses_are_fetched_and_what_could_not_be_had_is_named(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    addresses = ("http://en.example/story", "http://fr.example/story")
    asked = (*addresses, "http://en.example/gone", "http://127.0.0.1:1/inside")
    assert brief(mirror, tmp_path / "run", *asked) == 1
    assert [one.url for one in documents(tmp_path / "run")] == list(addresses)
    shown = capsys.readouterr().out
    assert "gone: http://en.example/gone" in shown
    assert "not-public: http://127.0.0.1:1/inside" in shown


def test_a_page_that_gives_other_figures_later_is_a_further_report(
    mirror: Mirror, tmp_path: Path
) -> None:
    asked = ("http://en.example/story", "http://fr.example/story")
    assert brief(mirror, tmp_path / "run", *asked) == 0
    assert brief(mirror, tmp_path / "run", *asked, "--watch", "--once") == 0
    assert len(documents(tmp_path / "run")) == 2
    mirror.site("en.example").put("/story", article("en", 9, "2023-05-01T06:30:00+00:00"))
    assert brief(mirror, tmp_path / "run", *asked, "--watch", "--once") == 0
    found = documents(tmp_path / "run")
    assert len(found) == 3
    assert found[-1].id.startswith(f"{found[0].id}.")
    assert "a later text of" in found[-1].notes[-1]
    assert brief(mirror, tmp_path / "run", *asked, "--watch", "--once") == 0
    assert documents(tmp_path / "run") == found


@pytest.mark.parametrize(
    "line",
    [
        "*A [[river]] floods a town. [http://en.example/story (Post)], [http://fr.example/story F]",
        "A river floods a town. http://en.example/story http://fr.example/story",
    ],
)
def test_a_line_of_the_portal_is_its_description_and_its_sources(
    mirror: Mirror, tmp_path: Path, line: str
) -> None:
    assert brief(mirror, tmp_path / "run", line) == 0
    (event,) = Run.open(tmp_path / "run").events()
    assert event.description == "A river floods a town."
    assert [one.language for one in event.documents] == ["en", "fr"]


def test_a_feed_is_looked_through_for_reports_of_the_event(mirror: Mirror, tmp_path: Path) -> None:
    items = "".join(
        f"<item><title>t</title><link>http://{host}.example/story</link></item>"
        for host in ("fr", "sport")
    )
    sport = b"<html lang='en'><head><title>Final</title></head><body><article><h1>Final</h1>" + (
        b"<p>Rovers won the cup on penalties before a large crowd in the rain on Sunday.</p>" * 9
    )
    mirror.site("sport.example").put("/story", sport)
    feed = f"<rss version='2.0'><channel><title>f</title>{items}</channel></rss>".encode()
    mirror.site("feed.example").put("/rss", feed, "application/rss+xml")
    asked = ("http://en.example/story", "--also", "http://feed.example/rss")
    assert brief(mirror, tmp_path / "run", *asked) in {0, 1}
    assert not any("sport" in (one.url or "") for one in documents(tmp_path / "run"))


@pytest.mark.slow
def test_words_are_looked_for_in_gdelts_titles_and_the_pages_behind_them(tmp_path: Path) -> None:
    pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")
    with Mirror() as mirror:
        world = World(mirror)
        world.serve(days=("20230909", "20230909"))
        live = ("--gdelt", "2023-09-09..2023-09-09", "--gdelt-base", mirror.gdelt.base)
        asked = (
            "quake in Moroccan mountains",
            *live,
            "--words",
            "fr=séisme Maroc",
            "--languages",
            "en,fr",
        )
        assert brief(mirror, tmp_path / "run", *asked) in {0, 1}
        assert {one.language for one in documents(tmp_path / "run")} >= {"en"}
        mirror.forget()
        assert brief(mirror, tmp_path / "run", *asked, "--watch", "--once") in {0, 1}
        assert [one for one in mirror.asked("/") if "gkg" in one] == []
