"""What is killed: each long verb small and offline, what is its result, and who is asked."""

import json
import re
import shutil
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from globesumm.cli import main
from tests.facts.test_fact_kills import write_given
from tests.torture.asked_server import of_the_grid, of_the_judge
from tests.torture.place import Case, Command, Place
from tests.torture.sources import events, fetch, found, gdelt, index, portal


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


def brief(place: Place) -> Command:
    source = documents(place.folder)
    return lambda out: told_of(source, place, out)


def brief_watch(place: Place) -> Command:
    """The first look is over before; what is killed is the next, which finds four more reports."""
    made = place.folder / "made"
    source = documents(place.folder, 3)
    if not made.exists():
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            assert main(told_of(source, place, made)) == 0
    documents(place.folder)

    def command(out: Path) -> list[str]:
        if not out.exists():
            shutil.copytree(made, out)
        return [*told_of(source, place, out), "--watch", "--once"]

    return command


def told_of(source: Path, place: Place, out: Path) -> list[str]:
    return [
        "brief", str(source), *asking(place), "--out", str(out), "--format", "text,markdown,json",
        "--encoder", "hashed-ngrams", "--entailer", "lexical",
    ]  # fmt: skip


def timeless(out: Path) -> object:
    """What readers were told, without when."""
    return [
        {name: value for name, value in json.loads(line).items() if name != "at"}
        for name in VERSIONS
        for line in (out / name).read_text("utf-8").splitlines()
    ]


def entailed(body: dict[str, Any]) -> str:
    """A verdict on whatever an entailing judge is asked, under the mark that it is asked for."""
    content = body["messages"][-1]["content"]
    mark = re.findall(r"verdict-[0-9a-f]{6}", content)[-1]
    return f"{mark}: {'yes' if len(content) % 3 else 'no'}"


RUN = ("run.json", "*/run.json", ".lock", "*/.lock", "*.sqlite", "*.sqlite-*")
"""Files of a run that hold the time, and its stores."""
BULK = (".lock", "*/.lock")
VERSIONS = ("versions.jsonl", "corrections.jsonl", "turns.jsonl")
"""They hold the time at which readers were told; `timeless` looks at the rest of them."""
BRIEF = (*RUN, *VERSIONS, "brief.md", "brief.json")
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
    "brief": Case(
        prepare=brief,
        aside=BRIEF,
        results=timeless,
        records=("run.json", "brief/request.json"),
    ),
    "brief --watch": Case(
        prepare=brief_watch,
        aside=BRIEF,
        results=timeless,
        records=("run.json", "brief/request.json"),
    ),
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
