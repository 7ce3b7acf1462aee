"""The verb annotate, in process: planned, capped, gone on with, and written as a data set."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.published import Published, read_published
from globesumm import config
from globesumm.cli import main
from globesumm.llm.call_store import CallStore
from globesumm.records import write_records
from globesumm.values import Document, Event
from tests.grid.conftest import event

SCRIPT = config.shipped()["smoke"].with_suffix(".jsonl")

Verb = Callable[..., tuple[int, str, str]]


@pytest.fixture
def annotate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Verb:
    """Runs ``globesumm annotate`` with the script of the smoke grid as its model."""
    shutil.copy(SCRIPT, tmp_path / "script.jsonl")

    def run(*arguments: str | Path, model: bool = True) -> tuple[int, str, str]:
        script = ["--model", f"scripted:{tmp_path / 'script.jsonl'}"] if model else []
        status = main(["annotate", *map(str, arguments), *script])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def written(path: Path, *events: Event) -> Path:
    write_records(path, events)
    return path


def planned(said: str) -> int:
    found = re.search(r"^(\d+) calls for summaries", said, re.MULTILINE)
    assert found, said
    return int(found[1])


def stored(out: Path) -> int:
    store = CallStore(out / "calls.sqlite", read_only=True)
    count = len(store)
    store.close()
    return count


def test_the_calls_planned_are_the_calls_made_and_the_file_has_every_prefix(
    annotate: Verb, tmp_path: Path
) -> None:
    events = written(tmp_path / "e.jsonl", event(1, 4), event(2, 3), event(3, 2))
    out = tmp_path / "run"
    status, said, _ = annotate(events, "--out", out, "--dry-run")
    assert status == 0
    assert not out.exists()
    calls = planned(said)
    status, told, _ = annotate(events, "--out", out)
    assert status == 0
    assert stored(out) == calls
    assert "3 of 3 events, 6 rounds in annotation.jsonl" in told
    read = list(read_published(out / "annotation.jsonl"))
    assert [len(one.summary.rounds) for one in read if isinstance(one, Published) and one.summary]
    for one in read:
        assert isinstance(one, Published)
        assert one.broken == ()
    before = (out / "annotation.jsonl").read_bytes()
    status, _, err = annotate(events, "--out", out)
    assert (status, stored(out)) == (0, calls)
    assert "this time: 0 calls" in err
    assert (out / "annotation.jsonl").read_bytes() == before


def test_a_cap_stops_it_and_the_same_command_goes_on(annotate: Verb, tmp_path: Path) -> None:
    events = written(tmp_path / "e.jsonl", event(1, 4), event(2, 3))
    whole, out = tmp_path / "whole", tmp_path / "run"
    assert annotate(events, "--out", whole)[0] == 0
    status, said, err = annotate(events, "--out", out, "--most-calls", "20")
    assert status == 2
    assert "the cap of 20 calls" in err
    assert re.search(r"^[01] of 2 events", said, re.MULTILINE)
    status, _, err = annotate(events, "--out", out, "--bounded", "4x40")
    assert status == 2
    assert "bounded" in err
    assert "--fork" not in err  # it has none
    assert annotate(events, "--out", out)[0] == 0
    assert stored(out) == stored(whole)
    for name in ("annotation.jsonl", "issues.jsonl", "quality.jsonl", "left-out.jsonl"):
        assert (out / name).read_bytes() == (whole / name).read_bytes()


def test_what_has_no_place_in_the_layout_is_left_out_by_name(
    annotate: Verb, tmp_path: Path
) -> None:
    alone = event(2, 1)
    empty = Event(
        id="empty", description="", documents=(Document(id="d", text=" ", language="en"),)
    )
    events = written(tmp_path / "e.jsonl", event(1, 2), alone, empty)
    status, said, err = annotate(events, "--out", tmp_path / "run")
    assert status == 1
    assert "1 of 3 events, 1 round" in said
    assert "event 'event-2': " in err
    assert "event 'empty': " in err
    lines = (tmp_path / "run" / "left-out.jsonl").read_text().splitlines()
    assert len(lines) == 2
    assert "1 documents and 1 rounds, not one less" in lines[0]


def test_every_issue_is_linked_to_the_answer_that_told_of_it(
    annotate: Verb, tmp_path: Path
) -> None:
    events = written(tmp_path / "e.jsonl", event(1, 3))
    _, said, _ = annotate(events, "--out", tmp_path / "run")
    assert "4 issues, 4 linked to the text" in said
    assert "2 strategies, 2 linked to the text" in said
    [record] = map(json.loads, (tmp_path / "run" / "annotation.jsonl").read_text().splitlines())
    for line in (tmp_path / "run" / "issues.jsonl").read_text().splitlines():
        one = json.loads(line)
        told = record["GPT4"][one["round"] - 1]
        assert told["where"][slice(*one["span"])] == one["detail"]
        if one["kind"] == "conflict":
            assert told["strategy"][slice(*one["strategy_span"])] == one["strategy"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["x.jsonl", "--model", "m"], "--out RUN"),
        (["x.jsonl", "--out", "r"], "name it with --model"),
        (["none.jsonl", "--check"], "no such file to check"),
        (["sample:nowhere", "--out", "r", "--model", "m"], "sample event 'nowhere'"),
        (["x", "--out", "r", "--model", "m", "--at-once", "0"], "at_once is 0"),
        (["x", "--out", "r", "--model", "m", "--max-words", "0"], "max_words is 0"),
        (["x", "--out", "r", "--model", "m", "--target", "xq"], "language 'xq'"),
    ],
)
def test_what_cannot_be_done_is_said(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["annotate", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_check_names_what_is_broken_by_event_and_field(annotate: Verb, tmp_path: Path) -> None:
    events = written(tmp_path / "e.jsonl", event(1, 3))
    annotate(events, "--out", tmp_path / "run")
    path = tmp_path / "run" / "annotation.jsonl"
    assert annotate(path, "--check", model=False)[0] == 0
    record = json.loads(path.read_text())
    record["GPT4"][1]["news1"] = "1. Another."
    record["news"][0]["date"] = "someday"
    path.write_text(json.dumps([record, {"news": 3}]))
    status, said, _ = annotate(path, "--check", model=False)
    assert status == 1
    assert "round 2: news1 is not summary_KIS of round 1" in said
    assert "news 1: 'someday' is no date like 20230501" in said
    assert "1 event, 3 articles, 2 rounds; 1 event with something broken, 1 refused" in said
