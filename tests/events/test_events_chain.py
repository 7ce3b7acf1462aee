"""The whole chain on the local mirror: from a portal page to events, again, and after kills."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")
pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("mwparserfromhell", reason="needs the extra 'retrieval'")

from globesumm.cli.main import run
from globesumm.records import read_own_records
from globesumm.values import Event
from tests.events.world import World
from tests.lying import lying
from tests.retrieval.mirror.web_server import Mirror

MARK = r".*Each is (?P<mark>verdict-[0-9a-f]{6}),"
NO = "$mark 1: no\n$mark 2: no\n$mark 3: no"
SCRIPT = [
    {"pattern": f"February 1960{MARK}", "answer": NO},
    {"pattern": f"town of Marenburg.*Kaltenbach{MARK}", "answer": NO},
    {"pattern": f"town of Kaltenbach.*Marenburg{MARK}", "answer": NO},
    {"pattern": MARK, "answer": "$mark 1: yes\n$mark 2: no\n$mark 3: no"},
]
"""What the judging model says: a report of another earthquake or flood is of another event."""

FILES = ("queries", "candidates", "unsearched", "verdicts", "decisions", "left-out", "events")


@pytest.fixture
def world() -> Iterator[World]:
    with Mirror() as mirror:
        yield World(mirror)


def events_verb(config: Path, out: Path, *more: str) -> int:
    return run(["events", str(config), "--out", str(out), "--workers", "1", *more])


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def results(out: Path) -> dict[str, str]:
    return {name: (out / f"{name}.jsonl").read_text("utf-8") for name in FILES}


@pytest.mark.slow
def test_a_portal_page_becomes_the_sample_event_and_two_more_and_nothing_is_fetched_twice(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.serve()
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in SCRIPT))
    model = '[model]\nname = "script"\nmodel = "scripted:script.jsonl"'
    top = world.config(tmp_path / "mine.toml").read_text("utf-8")
    head, _, tail = top.partition("[portal]")
    config = tmp_path / "mine.toml"
    config.write_text(f"{head}translate = false\n\n{model}\n\n[portal]{tail}", encoding="utf-8")
    out = tmp_path / "out"
    assert events_verb(config, out) == 0
    events = {event.id: event for event in read_own_records(out / "events.jsonl", Event)}
    assert len(events) == 3
    quake = next(event for event in events.values() if "Marrakesh" in event.description)
    floods = [event for event in events.values() if event is not quake]
    assert {len(event.documents) for event in floods} == {4}
    assert {one.language for event in floods for one in event.documents} == {"de", "en", "es", "fr"}
    found = {one.url for one in quake.documents}
    assert not any(url and "archive.example" in url for url in found)
    assert len({one.language for one in quake.documents}) >= 12
    assert quake.category == "Disasters and accidents"
    assert "verified by script" in quake.notes[-1]
    refused = [row for row in rows(out / "decisions.jsonl") if row["kind"] == "not relevant"]
    assert refused
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in told[1:]] == [
        "portal", "queries", "gdelt", "pages", "index", "candidates", "verified", "events",
    ]  # fmt: skip
    before = results(out)
    world.mirror.forget()
    assert events_verb(config, out) == 0
    assert world.mirror.asked() == []
    assert results(out) == before
    assert run(["summarize", str(out / "events.jsonl"), "--out", str(tmp_path / "run")]) == 0
    assert len(list((tmp_path / "run" / "summaries").glob("*/*.json"))) == 3


@pytest.mark.slow
def test_a_chain_killed_at_every_stage_ends_as_one_that_was_not(
    world: World, tmp_path: Path
) -> None:
    world.serve(quake=False, days=("20230909", "20230909"))
    config = world.config(
        tmp_path / "mine.toml",
        {
            "candidates": "k = 2\ndays_before = 0\ndays_after = 0",
            "fetch": f'by_title = 2\ndelay_seconds = 0\nconnect_to = {{ "*.example" = '
            f'"{world.place}" }}',
        },
    )
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert events_verb(config, whole) == 0
    moments: list[Callable[[], bool]] = [
        (cut / "portal" / "days.jsonl").exists,
        lambda: len(lying(cut / "gdelt" / "gkg", "*.jsonl")) >= 20,
        (cut / "titles").exists,
        (cut / "pages" / "pages").exists,
        (cut / "index").exists,
        (cut / "candidates.jsonl").exists,
    ]
    killed = sum(kill_when(moment, config, cut) for moment in moments)
    assert killed >= 3
    assert events_verb(config, cut) == 0
    assert results(cut) == results(whole)
    assert len(rows(cut / "events.jsonl")) == 2
    asked = {seen.host for seen in world.mirror.requests}
    assert asked >= {"en.example", "de.example", "es.example", "fr.example"}
    assert "sport.example" not in asked


def kill_when(moment: Callable[[], bool], config: Path, out: Path) -> bool:
    """Run the chain in a process of its own and kill it then; whether it was still running."""
    code = "import sys; from globesumm.cli.main import run; sys.exit(run(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "events", str(config), "--out", str(out)]
    process = subprocess.Popen(
        [*command, "--workers", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    until = time.monotonic() + 120
    while process.poll() is None and not moment() and time.monotonic() < until:
        time.sleep(0.005)
    running = process.poll() is None
    if running:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)
    return running
