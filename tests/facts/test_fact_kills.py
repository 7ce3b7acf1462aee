"""The whole flow on both sample events and five conversations, killed and gone on with.

An HTTP judge that follows rules finds key facts and takes summaries apart; a tiny entailment
model, trained on the spot, matches and verifies.
"""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from baselines.account import Account
from globesumm import samples
from globesumm.cli import main
from globesumm.cli.experiment_events import read_events
from globesumm.records import read_record, write_records
from metrics.entailment import Pair
from metrics.entailment.presets import open_entailer
from metrics.facts.references import of_sources
from metrics.facts.sources import Source, of_event, read_sources
from tests.facts import tiny_judge
from tests.facts.judging_server import JudgingServer

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CONVERSATIONS = Path(__file__).parent / "conversations.jsonl"
STORE = "verdicts_nli.sqlite"
MADE = ("key_facts", "summary_facts", "matches", "support", "verdicts")


@dataclass(frozen=True)
class World:
    """Sources and a summary of each, who judges them, and what came of it undisturbed."""

    folder: Path
    server: JudgingServer
    entailer: str

    def command(self, out: Path, judged_by: str) -> list[str]:
        more = ["--entailer", self.entailer] if judged_by == "entailment" else []
        return [
            "facts", "evaluate", str(self.folder / "summaries.jsonl"), "--out", str(out),
            "--sources", str(self.folder / "sources.jsonl"), "--judge", "rules",
            "--base-url", self.server.address, "--at-once", "1", *more,
        ]  # fmt: skip

    def undisturbed(self, judged_by: str) -> tuple[Path, Counter[str]]:
        """The folder of a run that nothing stopped, and the questions that it asked."""
        out = self.folder / judged_by
        asked = self.folder / f"{judged_by}.json"
        if not asked.exists():
            self.server.asked.clear()
            assert main(self.command(out, judged_by)) == 0
            asked.write_text(json.dumps(self.server.asked))
        return out, Counter(json.loads(asked.read_text()))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    server = JudgingServer()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = tmp_path_factory.mktemp("world")
    write_given(folder)
    yield World(folder, server, f"three-way:{tiny_judge.make(folder / 'tiny')}")
    server.shutdown()
    server.server_close()


def write_given(folder: Path) -> None:
    """The sources, and of each a summary: the references, and what a last speaker said."""
    events, _ = read_events(tuple(f"sample:{name}" for name in samples.names()))
    sources = [of_event(event) for event in events]
    spoken = [one for one in read_sources(CONVERSATIONS) if isinstance(one, Source)]
    assert (len(sources), len(spoken)) == (2, 5)
    write_records(folder / "sources.jsonl", [*sources, *spoken])
    lines = [
        {"id": one.id, "system": "reference", "summary": one.summary, "language": one.language}
        for one in of_sources(sources)
    ]
    for one in spoken:
        last = [turn.partition(": ")[2] for turn in one.parts[0].text.splitlines()[-2:]]
        said = {"id": one.id, "system": "last", "language": one.parts[0].language}
        lines.append(said | {"summary": " ".join(last)})
    write_records(folder / "summaries.jsonl", lines)


def killed_when(
    command: list[str], ready: Callable[[], bool], seconds: float = 120, between: float = 0.002
) -> None:
    """Carry `command` out in a process of its own, and kill that as soon as it is `ready`.

    That is looked at after `between` seconds again and again; at the latest it is killed after so
    many `seconds`.
    """
    code = "import sys; from globesumm.cli import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *command],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + seconds
    try:
        while process.poll() is None and not ready() and time.monotonic() < until:
            time.sleep(between)
    finally:
        process.send_signal(signal.SIGKILL)
    assert process.wait(30) == -signal.SIGKILL, "it was over before it could be killed"


def rows(path: Path) -> int:
    if not path.is_file():
        return 0
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return int(base.execute("SELECT count(*) FROM verdicts").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        base.close()


def made(out: Path) -> dict[str, list[Any]]:
    return {
        name: [json.loads(line) for line in (out / f"{name}.jsonl").read_text().splitlines()]
        for name in MADE
    }


def accounts(out: Path) -> dict[str, Account]:
    return read_record(out / "asked.json", dict[str, Account])


@pytest.mark.parametrize("judged_by", ["model", "entailment"])
def test_the_whole_flow_killed_in_each_half_ends_as_an_undisturbed_one_and_repeats_nothing(
    judged_by: str, world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, questions = world.undisturbed(judged_by)
    assert set(questions.values()) == {1}
    asked, out = world.server.asked, tmp_path / "killed"
    asked.clear()
    command = world.command(out, judged_by)
    killed_when(command, lambda: asked.total() >= len(questions) // 4)
    assert not (out / "summary_facts.jsonl").exists()
    if judged_by == "entailment":
        # Merging is behind it and verifying before it.
        killed_when(command, (out / "matches.jsonl").exists)
    else:
        killed_when(command, lambda: asked.total() >= len(questions) - 3)
    capsys.readouterr()
    before = rows(out / STORE)
    assert main(command) == 0
    said = capsys.readouterr().out
    assert made(out) == made(whole)
    assert asked.keys() == questions.keys()
    # Its account is that of a run that nothing stopped, and counts what the server was asked.
    told = accounts(out)
    assert told == accounts(whole)
    sums = [one.all for one in told.values()]
    assert sum(one.calls for one in sums) == len(questions)
    assert all(one.planned == one.made + one.spared + one.unreached for one in sums)
    assert all(one.spared >= 0 for one in sums)
    # A question that was on its way when its asker was killed has no stored answer.
    assert asked.total() <= len(questions) + 2
    if judged_by == "entailment":
        judged = sum(map(int, re.findall(r"^- (\d+) pairs judged", said, re.MULTILINE)))
        kept = rows(whole / STORE)
        assert (rows(out / STORE), judged) == (kept, kept - before)
        assert 0 < before < kept
    asked.clear()
    assert main(command) == 0
    assert not asked
    scores = said.partition("completeness")[2]
    assert scores
    assert capsys.readouterr().out.partition("completeness")[2] == scores


def test_what_the_entailment_model_says_pair_by_pair_is_what_the_flow_says(world: World) -> None:
    out, _ = world.undisturbed("entailment")
    found = made(out)
    read = read_sources(world.folder / "sources.jsonl")
    sources = {one.id: one for one in read if isinstance(one, Source)}
    model = open_entailer(world.entailer)
    learnt: Counter[bool] = Counter()

    def states(premise: str, hypothesis: str) -> bool:
        [verdict] = model.entails([Pair(premise=premise, hypothesis=hypothesis)])
        assert verdict.entailed is not None
        learnt[verdict.entailed is tiny_judge.entailed(premise, hypothesis)] += 1
        return verdict.entailed

    assert len(found["matches"]) == len(found["support"]) == 7
    for one in found["matches"]:
        assert one["matches"] == [
            [n for n, text in enumerate(one["sentences"], 1) if states(text, fact)]
            for fact in one["key_facts"]
        ]
    for one in found["support"]:
        parts = {part.id: part.text for part in sources[one["id"]].parts}
        by_part = [
            {name: states(text, fact) for name, text in parts.items()} for fact in one["facts"]
        ]
        assert one["by_part"] == by_part
        assert one["supported"] == [any(said.values()) for said in by_part]
    # The model learnt its rule, so that both verdicts stand for something.
    assert learnt[True] >= 49 * learnt[False]
    assert {True, False} <= {said for one in found["support"] for said in one["supported"]}
