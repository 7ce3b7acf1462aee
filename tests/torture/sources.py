"""The verbs that ask sources: GDELT, the portal and newspapers, all of the local mirror."""

import subprocess
import sys
from pathlib import Path

from globesumm.records import write_records
from globesumm.values import Document
from tests.events.world import World
from tests.retrieval.mirror.newspapers import article
from tests.torture.place import Command, Place

ROOT = Path(__file__).resolve().parents[2]


def fetch(place: Place) -> Command:
    pages = 24
    for number in range(pages):
        place.mirror.put(f"/news/{number}", article("en", number))
    where = place.mirror.address.removeprefix("http://")
    listed = place.folder / "list.txt"
    listed.write_text("".join(f"http://paper.example/news/{n}\n" for n in range(pages)), "utf-8")
    return lambda out: [
        "fetch", str(listed), "--out", str(out), "--connect-to", f"*.example={where}",
        "--delay", "0", "--timeout", "9", "--workers", "1", "--per-host", "4",
    ]  # fmt: skip


def gdelt(place: Place) -> Command:
    place.mirror.gdelt.fill("20230601000000", slots=8, products=["gkg"])
    return lambda out: [
        "gdelt", "--from", "2023-06-01T00:00", "--to", "2023-06-01T01:45", "--base",
        place.mirror.gdelt.base, "--out", str(out), "--wait", "0", "--workers", "2",
    ]  # fmt: skip


PORTAL_DAY = """{{{{Current events|year=2023|month=05|day={day}|content=
'''Sports'''
*A match of [[Foo]] is played on day {day}. [http://a.example/{day} (A)]
}}}}"""


def portal(place: Place) -> Command:
    for day in range(1, 21):
        title = f"Portal:Current events/2023 May {day}"
        place.mirror.wiki.add(title, PORTAL_DAY.format(day=day), revision=day)
    place.mirror.wiki.pages_an_answer = 2
    place.mirror.wiki.languages["Foo"] = {"de": "Fu", "fr": "Fou"}
    return lambda out: [
        "portal", "--from", "2023-05-01", "--to", "2023-05-20", "--api", place.mirror.address,
        "--out", str(out), "--contact", "a@example.org", "--workers", "1", "--wait", "0.01",
    ]  # fmt: skip


def index(place: Place) -> Command:
    source = place.folder / "documents.jsonl"
    words = [
        "earthquake",
        "bridge",
        "ferry",
        "minister",
        "rescue",
        "river",
        "night",
        "village",
        "engineers",
        "hospital",
    ]
    write_records(
        source,
        [
            Document(
                id=f"{language}-{n}",
                text=f"{words[n % 10]} {words[n // 10 % 10]} number {n}. " * 5,
                language=language,
            )
            for language in ("en", "it")
            for n in range(1500)
        ],
    )
    return lambda out: ["index", str(source), "--out", str(out)]


def found(out: Path) -> object:
    """What searches of the finished index find."""
    said = []
    for words in ("bridge ferry", "rescue river number 17"):
        for language in ("en", "it"):
            asked = ["search", words, "--index", str(out), "--language", language, "-k", "30"]
            ended = subprocess.run(
                [sys.executable, "-m", "globesumm", *asked, "--form", "trec"],
                cwd=ROOT, capture_output=True, text=True, check=True,
            )  # fmt: skip
            said.append(ended.stdout)
    return said


def events(place: Place) -> Command:
    world = World(place.mirror)
    world.serve(quake=False, days=("20230909", "20230909"))
    config = world.config(
        place.folder / "mine.toml",
        {
            "candidates": "k = 2\ndays_before = 0\ndays_after = 0",
            "fetch": f'by_title = 2\ndelay_seconds = 0\nconnect_to = {{ "*.example" = '
            f'"{world.place}" }}',
        },
    )
    return lambda out: ["events", str(config), "--out", str(out), "--workers", "1"]
