"""The sample events annotated on a real llama.cpp server with a real small model, over real HTTP.

SmolLM2 compares and summarizes badly: this shows that the plan holds, that a killed run goes on
where it was, and that the data set is whole; it says nothing of quality.  Each report is cut to
its first sentences, which such a model can take in.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.published import Published, read_published
from globesumm.cli import main
from globesumm.cli.experiment_events import read_events
from globesumm.llm.call_store import CallStore
from globesumm.records import write_records
from globesumm.text.sentences import split
from tests.live import llama_server

pytestmark = pytest.mark.slow

PAGES = {"titan-submersible": ("01", "04"), "marrakesh-earthquake": ("01", "02")}
"""Reports in Latin letters, the only ones that the model has."""

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("server"), 8192) as url:
        yield url


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


def stored(out: Path) -> int:
    path = out / "calls.sqlite"
    if not path.is_file():
        return 0
    store = CallStore(path, read_only=True)
    count = len(store)
    store.close()
    return count


def killed_after(command: list[str], out: Path, calls: int) -> None:
    """Carry `command` out in a process of its own, and kill that after so many answers."""
    code = "import sys; from globesumm.cli import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *command],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 300
    while process.poll() is None and stored(out) < calls and time.monotonic() < until:
        time.sleep(0.2)
    process.send_signal(signal.SIGKILL)
    process.wait(30)


def test_the_sample_events_are_annotated_killed_and_gone_on_with(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events, out = short_events(tmp_path / "events.jsonl"), tmp_path / "run"
    command = [
        "annotate", str(events), "--model", "smollm2", "--base-url", server, "--out", str(out),
        "--max-tokens", "900", "--max-words", "60", "--at-once", "1",
    ]  # fmt: skip
    assert main([*command, "--dry-run"]) == 0
    planned = re.search(r"^(\d+) calls for summaries", capsys.readouterr().out, re.MULTILINE)
    assert planned
    killed_after(command, out, 3)
    before = stored(out)
    assert before >= 3
    status = main(command)
    said = capsys.readouterr()
    spent = re.search(r"this time: (\d+) calls", said.err)
    assert spent
    whole = re.search(r"^(\d) of 2 events", said.out, re.MULTILINE)
    assert whole
    if whole[1] == "2":
        assert status == 0
        # Every planned call was made; nonsense was asked for once more.
        assert stored(out) >= int(planned[1])
    # The killed process's answers were not asked for again; what failed is in no store.
    vain = re.search(r"this time: .*?, (\d+) failed", said.err)
    assert int(spent[1]) == stored(out) - before + (int(vain[1]) if vain else 0)
    for one in read_published(out / "annotation.jsonl"):
        assert isinstance(one, Published)
        assert one.broken == ()
        assert one.summary is not None
        assert len(one.summary.rounds) == len(one.event.documents) - 1
    assert main(command) == status
    assert "this time: 0 calls" in capsys.readouterr().err
