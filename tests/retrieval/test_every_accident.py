"""Every accident of the mirror's table befalls each source: named, never silent, mended later."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("aiohttp")
pytest.importorskip("mwparserfromhell")
pytest.importorskip("warcio")

from globesumm.cli.main import run
from tests.retrieval.mirror.newspapers import article
from tests.retrieval.mirror.replies import FAULTS
from tests.retrieval.mirror.web_server import Mirror

pytestmark = pytest.mark.slow

MOST_SECONDS = 60
HARMLESS = {"slow", "longer"}
"""What a reader of pages gets over: NULs behind the end of a page are no loss."""
DAY = """{{{{Current events|year=2023|month=05|day={day}|content=
'''Sports'''
*A match of [[Foo]] is played on day {day}. [http://a.example/{day} (A)]
}}}}"""


def gdelt(mirror: Mirror, out: Path) -> list[str]:
    return ["gdelt", "--from", "2023-05-01T00:00", "--to", "2023-05-01T00:30", "--base",
            mirror.gdelt.base, "--streams", "english", "--out", str(out), "--workers", "1",
            "--wait", "0.01", "--tries", "2", "--again"]  # fmt: skip


def portal(mirror: Mirror, out: Path) -> list[str]:
    return ["portal", "--from", "2023-05-01", "--to", "2023-05-03", "--api", mirror.address,
            "--out", str(out), "--contact", "a@example.org", "--workers", "1", "--tries", "2",
            "--wait", "0.01"]  # fmt: skip


def serve(mirror: Mirror) -> None:
    mirror.gdelt.fill("20230501000000", 3, streams=["english"], products=["gkg"], rows=2)
    for day in range(1, 4):
        text = DAY.format(day=day)
        mirror.wiki.add(f"Portal:Current events/2023 May {day}", text, revision=day)


Command = Callable[[Mirror, Path], list[str]]
SOURCES: dict[str, tuple[Command, str, str, int]] = {
    "gdelt": (gdelt, "/gdeltv2/20230501001500*", "gkg/*.jsonl", 4),
    "portal": (portal, "/w/api.php*", "events/*.jsonl", 0),
}
"""Verb → its command, what accidents befall, where the rows are, how many are had for certain."""


def rows(out: Path, pattern: str) -> list[str]:
    """What the rows are of, sorted."""
    texts = [path.read_text("utf-8") for path in out.glob(pattern)]
    lines = [json.loads(line) for text in texts for line in text.splitlines()]
    return sorted(str(line.get("url") or line.get("description")) for line in lines)


# The minute of patience that each try has with a trickle belongs to the tests of the clients.
@pytest.mark.parametrize("accident", sorted(FAULTS.keys() - {"trickle"}))
@pytest.mark.parametrize("verb", SOURCES)
def test_an_accident_that_stays_is_named_and_one_that_ends_leaves_no_trace(
    mirror: Mirror, tmp_path: Path, verb: str, accident: str
) -> None:
    serve(mirror)
    command, pattern, where, certain = SOURCES[verb]
    assert run(command(mirror, tmp_path / "clean")) == 0
    clean = rows(tmp_path / "clean", where)
    assert len(clean) >= 3
    mirror.fault(pattern, accident)
    began = time.monotonic()
    # A portal that refuses for good ends the command as one that cannot be carried out.
    whole = run(command(mirror, tmp_path / "out")) == 0
    assert time.monotonic() - began < MOST_SECONDS
    hurt = rows(tmp_path / "out", where)
    assert hurt == clean if whole else set(hurt) < set(clean)
    assert len(hurt) >= certain
    mirror.mend()
    assert run(command(mirror, tmp_path / "out")) == 0
    assert rows(tmp_path / "out", where) == clean


def test_a_page_for_each_accident_is_a_document_or_named_and_all_are_had_once_mended(
    mirror: Mirror, tmp_path: Path
) -> None:
    place, names = mirror.address.removeprefix("http://"), ["", *FAULTS]
    for number, name in enumerate(names):
        # A host of its own for each, so that no host is given up for the faults of others.
        mirror.site(f"paper{number}.example").put(f"/{number}.html", article("en", number))
        if name:
            mirror.fault(f"/{number}.html", name)
    urls = [f"http://paper{number}.example/{number}.html" for number in range(len(names))]
    listed, out = tmp_path / "list.txt", tmp_path / "out"
    listed.write_text("\n".join(urls))
    command = ["fetch", str(listed), "--out", str(out), "--connect-to", f"*.example={place}",
               "--delay", "0", "--timeout", "5", "--workers", "1"]  # fmt: skip
    assert run(command) == 1
    had = rows(out, "documents.jsonl")
    named = [json.loads(line) for line in (out / "rejected.jsonl").read_text("utf-8").splitlines()]
    assert sorted([*had, *(one["where"] for one in named)]) == sorted(urls)
    assert all(one["kind"] and one["reason"] for one in named)
    harmless = {url for url, name in zip(urls, names, strict=True) if name in {"", *HARMLESS}}
    assert harmless <= set(had)
    mirror.mend()
    # A page that was refused or gone is not asked for again until that is wished.
    assert run([*command, "--refetch"]) == 0
    assert rows(out, "documents.jsonl") == sorted(urls)
