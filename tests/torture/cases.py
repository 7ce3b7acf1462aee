"""What is killed: each long verb small and offline, what is its result, and who is asked."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from globesumm.cli import main
from globesumm.records import write_records
from globesumm.values import Document
from tests.events.world import World
from tests.facts.test_fact_kills import write_given
from tests.retrieval.mirror.newspapers import article
from tests.retrieval.mirror.web_server import Mirror
from tests.torture.asked_server import (
    Answer,
    AskedServer,
    of_the_grid,
    of_the_judge,
    of_the_method,
)

ROOT = Path(__file__).resolve().parents[2]

Command = Callable[[Path], list[str]]
"""From the folder of the run to the arguments of ``globesumm``."""


@dataclass
class Place:
    """Where a case is prepared: a folder for its inputs, and the servers that it asks."""

    folder: Path
    models: AskedServer
    mirror: Mirror

    def asked(self) -> list[str]:
        """Everything that was asked of either server, in order for each."""
        seen = [one.target for one in self.mirror.requests if one.path != "/robots.txt"]
        return [*self.models.asked, *(f"{one}" for one in seen)]

    def forget(self) -> None:
        self.models.asked.clear()
        self.mirror.forget()


@dataclass(frozen=True, kw_only=True)
class Case:
    """`prepare` writes the inputs and gives the command; `says` is how the models answer.

    Every file of the run's folder must be as in an undisturbed run, but for `aside` (shell
    patterns): files that hold the time, and stores, whose calls are compared one by one.
    `results` looks at what cannot be compared as bytes.  `at_once` requests may be under way, and
    so asked again, when it is killed.  A `batched` request names what is missing, and so is another
    after a kill; only how many there are is compared.

    `stores` (patterns) are files to whose end records are written, and `records` those that say
    how the folder was made, which another version writes in another way.
    """

    prepare: Callable[[Place], Command]
    says: Answer = of_the_method
    aside: tuple[str, ...] = ()
    results: Callable[[Path], object] = field(default=lambda _: None)
    at_once: int = 1
    needs: tuple[str, ...] = ()
    batched: bool = False
    stores: tuple[str, ...] = ("**/calls.sqlite-wal",)
    records: tuple[str, ...] = ("**/run.json",)


def documents(folder: Path, days: int = 7) -> Path:
    path = folder / "event.jsonl"
    lines = [
        {"id": str(day), "language": "fr", "published": f"2023-09-{day:02}T10:00:00Z",
         "text": f"Le pont de Vale est tombé devant {day * 7} personnes."}
        for day in range(1, days + 1)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    return path


def asking(place: Place, at_once: int = 1) -> list[str]:
    return ["--model", "m", "--base-url", place.models.address, "--at-once", str(at_once)]


def summarize(place: Place) -> Command:
    source = documents(place.folder)
    return lambda out: ["summarize", str(source), *asking(place), "--out", str(out)]


def annotate(place: Place) -> Command:
    [*given] = map(json.loads, documents(place.folder, 4).read_text("utf-8").splitlines())
    source = place.folder / "events.jsonl"
    events = [
        {"id": name, "description": "A bridge falls", "documents": given}
        for name in ("vale", "dale")
    ]
    source.write_text("".join(json.dumps(one) + "\n" for one in events), "utf-8")
    return lambda out: ["annotate", str(source), *asking(place), "--out", str(out)]


GRID = """
inputs = ["sample:titan-submersible"]
recipes = ["crs.kis-clp.protocol", "sts.kis.direct", "crs.none.direct", "crs.none.lead"]
metrics = ["rouge"]
[slice]
documents = 4
[limits]
at_once = 4
[[models]]
name = "m"
base_url = "{url}"
"""


def grid(place: Place) -> Command:
    config = place.folder / "small.toml"
    config.write_text(GRID.format(url=place.models.address), "utf-8")
    return lambda out: ["grid", str(config), "--out", str(out)]


def facts(place: Place) -> Command:
    write_given(place.folder)
    return lambda out: [
        "facts", "evaluate", str(place.folder / "summaries.jsonl"), "--out", str(out),
        "--sources", str(place.folder / "sources.jsonl"), "--judge", "rules",
        "--base-url", place.models.address, "--at-once", "2",
    ]  # fmt: skip


def perspective(place: Place) -> Command:
    return lambda out: [
        "perspective", "run", "sample:orlau-weir", "--methods",
        "zero-shot,rerank-rouge-4,self-refine-1,debate-2x2", "--out", str(out),
        "--entailer", "lexical", *asking(place, 4),
    ]  # fmt: skip


def score(place: Place) -> Command:
    """The run is made before; what is killed is its scoring by a judge, in a copy of it."""
    made = place.folder / "made"
    asked = ["summarize", "sample:titan-submersible", "--recipe", "crs.none.lead"]
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        assert main([*asked, "--out", str(made)]) == 0

    def command(out: Path) -> list[str]:
        if not out.exists():
            shutil.copytree(made, out)
        judge = ["--judge", "m", "--base-url", place.models.address, "--at-once", "1"]
        metrics = ["--metrics", "rouge,nic,red", "--entailer", "judge"]
        return ["score", str(out), *metrics, *judge]

    return command


def entailed(body: dict[str, Any]) -> str:
    """A verdict on whatever an entailing judge is asked, under the mark that it is asked for."""
    content = body["messages"][-1]["content"]
    mark = re.findall(r"verdict-[0-9a-f]{6}", content)[-1]
    return f"{mark}: {'yes' if len(content) % 3 else 'no'}"


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


RUN = ("run.json", "*/run.json", ".lock", "*/.lock", "*.sqlite", "*.sqlite-*")
"""Files of a run that hold the time, and its stores."""
BULK = (".lock", "*/.lock")
PAGES = ("pages/*.warc.gz", "pages/*.index.jsonl")
LISTS = ("lists/*.origin.json",)
INDEX = ("*/lucene/*", "*/documents.sqlite*")
WEB = ("aiohttp", "warcio", "mwparserfromhell")

KEPT = ("**/*.warc.gz", "**/*.index.jsonl")

CASES: Mapping[str, Case] = {
    "summarize": Case(prepare=summarize, aside=RUN),
    "annotate": Case(prepare=annotate, aside=RUN),
    "grid": Case(prepare=grid, says=of_the_grid, aside=(*RUN, "tables/cost.*"), at_once=4),
    "score": Case(prepare=score, says=entailed, aside=RUN),
    "facts": Case(
        prepare=facts, says=of_the_judge, aside=RUN, at_once=2, records=("judge_*.json",)
    ),
    "perspective": Case(prepare=perspective, says=of_the_grid, aside=RUN, at_once=4),
    # Its counts tell pages that were asked for from those that were kept before a kill.
    "fetch": Case(
        prepare=fetch,
        aside=(*BULK, *PAGES, "results/_counts/*"),
        at_once=8,
        needs=WEB,
        stores=KEPT,
        records=("results/_counts/*.json",),
    ),
    "gdelt": Case(
        prepare=gdelt,
        aside=(*BULK, *LISTS),
        at_once=4,
        needs=WEB,
        stores=(),
        records=("lists/*.origin.json", "**/_counts/*.json", "**/_stage/settings.json"),
    ),
    # The answers to one batch of titles are kept together.
    "portal": Case(
        prepare=portal,
        aside=BULK,
        at_once=10,
        needs=WEB,
        batched=True,
        stores=(),
        records=("**/*.json",),
    ),
    "index": Case(
        prepare=index,
        aside=(".lock", *INDEX),
        results=found,
        needs=("pyserini",),
        stores=("**/documents.sqlite-wal",),
        records=("*/analysis.json",),
    ),
    "events": Case(
        prepare=events,
        aside=(*RUN, *(f"*{one}" for one in (*PAGES, *LISTS, *INDEX)), "*results/_counts/*"),
        at_once=8,
        needs=("pyserini", *WEB),
        batched=True,
        stores=KEPT,
        records=("run.json", "stages/*.json"),
    ),
}
