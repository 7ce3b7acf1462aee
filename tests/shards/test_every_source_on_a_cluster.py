"""From the sources to documents, by the commands alone: here, on a cluster, killed, and twice."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

pytest.importorskip("aiohttp")
pytest.importorskip("distributed")
pytest.importorskip("mwparserfromhell")
pytest.importorskip("warcio")

from globesumm.cli.main import run
from globesumm.records import read_own_records
from globesumm.values import Document
from tests.retrieval.mirror.newspapers import STORIES, article
from tests.retrieval.mirror.web_server import Mirror
from tests.shards.dask_cluster import cluster, worker_pids

pytestmark = pytest.mark.slow

SLOTS, DAYS = 6, 4
DAY = """{{{{Current events|year=2023|month=05|day={day}|content=
'''Disasters and accidents'''
*[[Flood of Marenburg]]
**The river floods [[Marenburg]] on day {day}. [{url} (Paper)]
}}}}"""


@pytest.fixture
def sources() -> Iterator[Mirror]:
    """Quarter-hours and portal days whose reports lie on made-up newspapers of four hosts."""
    with Mirror() as mirror:
        languages = list(STORIES)
        urls = []
        for number in range(48):
            path = f"/story-{number}.html"
            host = f"paper{number % 4}.example"
            mirror.site(host).put(path, article(languages[number % 4], number + 10))
            urls.append(f"http://{host}{path}")
        mirror.gdelt.fill("20230501000000", SLOTS, products=["gkg"], rows=3, urls=urls[: SLOTS * 6])
        for day in range(1, DAYS + 1):
            text = DAY.format(day=day, url=urls[SLOTS * 6 + day])
            mirror.wiki.add(f"Portal:Current events/2023 May {day}", text, revision=70 + day)
        mirror.wiki.languages["Marenburg"] = {"de": "Marenburg", "ru": "Маренбург"}
        yield mirror


def commands(mirror: Mirror, out: Path, place: tuple[str, str]) -> list[list[str]]:
    last = f"2023-05-01T{(SLOTS - 1) // 4:02d}:{(SLOTS - 1) % 4 * 15:02d}"
    host = mirror.address.removeprefix("http://")
    fetch = ["--connect-to", f"*.example={host}", "--delay", "0", "--timeout", "9", *place]
    return [
        ["gdelt", "--from", "2023-05-01T00:00", "--to", last, "--base", mirror.gdelt.base,
         "--wait", "0", "--out", str(out / "gdelt"), *place],
        ["portal", "--from", "2023-05-01", "--to", f"2023-05-0{DAYS}", "--api", mirror.address,
         "--wait", "0", "--contact", "a@example.org", "--languages", "de,ru",
         "--out", str(out / "portal"), *place],
        ["fetch", str(out / "gdelt" / "gkg"), "--out", str(out / "pages"), *fetch],
        ["fetch", str(out / "portal" / "events"), "--out", str(out / "told"), *fetch],
    ]  # fmt: skip


def results(out: Path) -> dict[str, bytes]:
    """Every result, count, account and document; not what is kept of lists and raw answers."""
    kept = ("gdelt/gkg", "portal/events", "pages/documents", "pages/drops", "told/documents")
    return {
        name: path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and (name := str(path.relative_to(out))).startswith(kept)
        if path.name != ".lock"
    }


def when(happened: Callable[[], bool], then: Callable[[], None]) -> Thread:
    def wait() -> None:
        deadline = time.monotonic() + 90
        while not happened() and time.monotonic() < deadline:
            time.sleep(0.02)
        then()

    thread = Thread(target=wait)
    thread.start()
    return thread


def test_from_sources_to_documents_with_a_command_each_twice_and_on_a_cluster_with_deaths(
    sources: Mirror, tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for command in commands(sources, here, ("--workers", "1")):
        assert run(command) == 0
    documents = list(read_own_records(here / "pages" / "documents.jsonl", Document))
    assert len(documents) == SLOTS * 2 * 3
    assert {document.language for document in documents} == set(STORIES)
    assert len(list(read_own_records(here / "told" / "documents.jsonl", Document))) == DAYS

    with cluster(tmp_path / "cluster", 2) as address:
        place = ("--cluster", address)
        gdelt, portal, pages, told = commands(sources, there, place)
        sources.forget()
        sources.fault("*.gkg.csv.zip", "slow", times=6)
        victim = worker_pids(address)[0]
        killer = when(
            lambda: len(sources.asked("/gdeltv2/2")) >= 4, lambda: os.kill(victim, signal.SIGKILL)
        )
        assert run(gdelt) == 0
        killer.join()
        assert run(portal) == 0
        sources.fault("/story-*", "slow", times=6)
        other = worker_pids(address)[0]
        killer = when(
            lambda: len(sources.asked("/story-")) >= 10, lambda: os.kill(other, signal.SIGKILL)
        )
        assert run(pages) == 0
        killer.join()
        assert run(told) == 0
        assert not {victim, other} & set(worker_pids(address))
        assert results(there) == results(here)

        sources.forget()
        for command in commands(sources, there, place):
            assert run(command) == 0
        assert sources.asked() == []
        assert results(there) == results(here)
