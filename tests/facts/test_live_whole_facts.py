"""``facts evaluate`` on both whole sample events and five conversations, on a llama.cpp server.

23 reports in 16 languages, two references and five talks, which SmolLM2 judges badly: this shows
that every source, summary and fact ends with a verdict or with the reason why there is none,
through three kills, and that no answer is asked for twice.  It says nothing of quality.
"""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from globesumm.cli import main
from tests.facts.test_fact_kills import killed_when, made, write_given
from tests.live import answered, kept, llama_server

pytestmark = pytest.mark.slow

KILLED_AFTER = (20, 30, 30)
"""Questions that each process is killed after."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of the server, and its log, with a line for each request."""
    folder = tmp_path_factory.mktemp("server")
    with llama_server(folder, 8192) as url:
        yield url, folder / "log"


def _has_answered(log: Path, many: int) -> bool:
    return answered(log) >= many


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_whole_events_and_conversations_are_judged_through_three_kills_and_nothing_is_lost(
    server: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, log = server
    write_given(tmp_path)
    out = tmp_path / "out"
    command = [
        "facts", "evaluate", str(tmp_path / "summaries.jsonl"), "--out", str(out),
        "--sources", str(tmp_path / "sources.jsonl"), "--judge", "smollm2",
        "--base-url", url, "--at-once", "1", "--max-tokens", "900", "--bounded", "3x60",
        "--batch", "8",
    ]  # fmt: skip
    for many in KILLED_AFTER:
        killed_when(command, partial(_has_answered, log, answered(log) + many), 3600, 1)
    status = main(command)
    told = capsys.readouterr()
    print(told.out, told.err)
    assert status in (0, 1)
    # An answer on its way when its process died is lost; no other was asked for again.
    assert 0 <= answered(log) - sum(kept(out)) <= len(KILLED_AFTER)
    found = made(out)
    sources = {one["id"] for one in rows(tmp_path / "sources.jsonl")}
    assert {one["source"] for one in found["key_facts"]} == sources
    assert len(sources) == 7
    assert all(one["facts"] is not None or one["reason"] for one in found["key_facts"])
    summaries = {(one["id"], one["system"]) for one in rows(tmp_path / "summaries.jsonl")}
    for name, what in (
        ("summary_facts", "facts"),
        ("matches", "matches"),
        ("support", "supported"),
    ):
        assert {(one["id"], one["system"]) for one in found[name]} == summaries
        assert all(one[what] is not None or one["reason"] for one in found[name])
    # Most replies are of the form asked for, so that the flow goes through all of its steps.
    assert sum(one["facts"] is not None for one in found["key_facts"]) >= 5
    assert sum(one["supported"] is not None for one in found["support"]) >= 5
    assert re.search(r"\((\d)/7\)|\d \[", told.out)
    before = answered(log)
    assert main(command) == status
    assert answered(log) == before
