"""The sample events annotated on a real llama.cpp server with a real small model, over real HTTP.

SmolLM2 compares and summarizes badly: this shows that the plan holds, that a killed run goes on
where it was, and that the data set is whole; it says nothing of quality.  Each report is cut to
its first sentences, so that it takes a minute; `test_live_whole_events` takes them whole.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.published import Published, read_published
from globesumm.cli import main
from globesumm.cli.experiment_events import read_events
from globesumm.records import write_records
from globesumm.text.sentences import split
from tests.live import Server, asked, carried_out_through_kills, kept, within_forms

pytestmark = pytest.mark.slow

PAGES = {"titan-submersible": ("01", "04"), "marrakesh-earthquake": ("01", "02")}
"""Reports in Latin letters, the only ones that the model has."""


def short_events(path: Path) -> Path:
    events, _ = read_events(tuple(f"sample:{name}" for name in PAGES))
    short = [
        replace(
            event,
            documents=tuple(
                replace(one, text=" ".join(split(one.text, one.language)[:2]))
                for one in event.documents
                if one.id[:2] in PAGES[event.id]
            ),
        )
        for event in events
    ]
    write_records(path, short)
    return path


def test_the_sample_events_are_annotated_killed_and_gone_on_with(
    live_server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events, out = short_events(tmp_path / "events.jsonl"), tmp_path / "run"
    command = [
        "annotate", str(events), "--model", "smollm2", "--base-url", live_server.url,
        "--out", str(out), "--max-tokens", "700", "--max-words", "60", "--bounded", "2x40",
        "--at-once", "1",
    ]  # fmt: skip
    assert main([*command, "--dry-run"]) == 0
    planned = re.search(r"^(\d+) calls for summaries", capsys.readouterr().out, re.MULTILINE)
    assert planned
    server = (live_server.url, live_server.log)
    assert carried_out_through_kills(command, server, out, int(planned[1]), (0.3,)) == 0
    assert "2 of 2 events" in capsys.readouterr().out
    account = asked(out)
    assert account["planned"] == int(planned[1]) == account["made"] + account["spared"]
    assert account["unreached"] == account["again"] == account["unanswered"] == 0
    assert kept(out) == (account["made"], 0)
    assert within_forms(out / "calls.sqlite") == account["made"]
    for one in read_published(out / "annotation.jsonl"):
        assert isinstance(one, Published)
        assert one.broken == ()
        assert one.summary is not None
        assert len(one.summary.rounds) == len(one.event.documents) - 1
