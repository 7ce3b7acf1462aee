"""kill -9 in the middle of ``annotate`` and ``probe``: the end is that of an undisturbed run."""

import hashlib
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from globesumm.cli import main
from tests.cli import test_killed_runs
from tests.cli.test_killed_runs import Server
from tests.facts.test_fact_kills import killed_when
from tests.grid.answering_server import ISSUES, STRATEGIES

pytestmark = pytest.mark.slow


def answered(question: str) -> str:
    """Other words for each question, and in each round one conflict, which is then settled."""
    word = hashlib.sha256(question.encode()).hexdigest()[:8]
    if "Compare the reports" in question:
        return ISSUES
    if "Now settle the conflicts" in question:
        return STRATEGIES
    if "Write one summary" in question:
        return f"The bridge {word} at Vale fell, and people watched."
    return json.dumps({"sentences": [f"The bridge {word} at Vale fell."]})


def _asked(server: Server, many: int) -> bool:
    return server.asked.total() >= many


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(test_killed_runs, "answer", answered)
    with Server() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def annotating(folder: Path) -> list[str]:
    event: dict[str, object] = {"id": "vale", "description": "A bridge falls"}
    documents = [
        {"id": f"{day}", "language": "fr", "published": f"2023-09-0{day}T10:00:00Z",
         "text": f"Le pont de Vale est tombé devant {day * 7} personnes."}
        for day in range(1, 6)
    ]  # fmt: skip
    path = folder / "events.jsonl"
    events = [event | {"id": name, "documents": documents} for name in ("vale", "dale")]
    path.write_text("".join(json.dumps(one) + "\n" for one in events))
    return ["annotate", str(path)]


def probing(folder: Path) -> list[str]:
    named = []
    for language in ("en", "fr", "de"):
        paragraphs = [
            {
                "context": f"{language}: The bridge at Vale fell before {n} people. Nobody slept.",
                "qas": [{"id": f"{n}", "question": f"Which {n}?", "answers": [{"text": "Vale"}]}],
            }
            for n in range(3)
        ]
        path = folder / f"own.{language}.json"
        path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
        named.append(str(path))
    return ["probe", "xquad", *named]


@pytest.mark.parametrize("verb", [annotating, probing])
def test_a_run_killed_at_three_places_ends_the_same_and_pays_for_no_answer_twice(
    verb: Callable[[Path], list[str]],
    server: Server,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = [*verb(tmp_path), "--model", "m", "--base-url", server.address, "--at-once", "1"]

    def command(out: str) -> list[str]:
        return [*asked, "--out", str(tmp_path / out)]

    assert main([*command("whole"), "--dry-run"]) == 0
    planned = re.search(r"^(\d+) calls", capsys.readouterr().out, re.MULTILINE)
    assert planned
    assert main(command("whole")) == 0
    printed = capsys.readouterr().out
    questions = Counter(server.asked)
    assert questions.total() == int(planned[1])
    assert set(questions.values()) == {1}
    server.asked.clear()
    for part in (0.2, 0.5, 0.8):
        many = int(part * len(questions))
        killed_when(command("killed"), partial(_asked, server, many))
    assert main(command("killed")) == 0
    again = capsys.readouterr().out
    assert again.replace("killed", "whole") == printed
    assert server.asked.keys() == questions.keys()
    # A call on its way when its process died was not stored.
    assert server.asked.total() <= questions.total() + 3
    for path in (tmp_path / "whole").glob("*.jsonl"):
        assert (tmp_path / "killed" / path.name).read_bytes() == path.read_bytes()
    assert list((tmp_path / "whole").glob("*.jsonl"))
