"""Both sample events, whole, annotated on a real llama.cpp server, killed and gone on with.

23 reports in 16 languages, which SmolLM2 compares and summarizes badly: this shows that the calls
made are those planned, that no answer is asked for twice, and that every prefix has its round;
it says nothing of quality.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.published import Published, read_published
from baselines.grid.folder import GridFolder
from baselines.grid.uses import read_uses
from globesumm import samples
from globesumm.cli import main
from globesumm.cli.experiment_events import read_events
from tests.live import carried_out_through_kills, kept, llama_server, within_forms

pytestmark = pytest.mark.slow

KILLED_AT = (0.15, 0.5, 0.85)
"""Shares of the planned calls: while documents are prepared, and in the rounds."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of the server, and its log, with a line for each request."""
    folder = tmp_path_factory.mktemp("server")
    with llama_server(folder, 8192) as url:
        yield url, folder / "log"


def test_whole_events_ask_what_was_planned_and_nothing_twice_through_three_kills(
    server: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, _ = server
    out = tmp_path / "run"
    named = [f"sample:{name}" for name in samples.names()]
    command = [
        "annotate", *named, "--model", "smollm2", "--base-url", url, "--out", str(out),
        "--max-tokens", "2400", "--max-words", "60", "--bounded", "6x60", "--at-once", "1",
    ]  # fmt: skip
    assert main([*command, "--dry-run"]) == 0
    said = re.search(r"^(\d+) calls for summaries", capsys.readouterr().out, re.MULTILINE)
    assert said
    planned = int(said[1])
    events, _ = read_events(tuple(named))
    assert len(events) == 2
    rounds = sum(len(event.documents) - 1 for event in events)
    documents = [one for event in events for one in event.documents]
    foreign = sum(one.language != "en" for one in documents)
    assert planned == len(documents) + foreign + 4 * rounds
    assert carried_out_through_kills(command, server, out, planned, KILLED_AT) == 0
    print(capsys.readouterr().err)
    account = {one["step"]: one for one in json.loads((out / "asked.json").read_text())["steps"]}
    for step, count in {
        "kis": len(documents), "clp": foreign, "where": rounds, "strategies": rounds,
        "summary": rounds, "kis of the summary": rounds,
    }.items():  # fmt: skip
        one = account.pop(step)
        assert one["planned"] == count == one["made"] + one["spared"]
        assert one["unreached"] == one["again"] == one["shortened"] == one["unanswered"] == 0
    assert not account
    assert kept(out) == (sum(_made(out).values()), 0)
    assert within_forms(out / "calls.sqlite") == sum(_made(out).values())
    published = list(read_published(out / "annotation.jsonl"))
    assert len(published) == 2
    for found in published:
        assert isinstance(found, Published)
        assert found.broken == ()
        assert found.summary is not None
        assert len(found.summary.rounds) == len(found.event.documents) - 1


def _made(out: Path) -> Counter[str]:
    """Distinct requests that the summaries rest on, by step."""
    folder = GridFolder.open(out)
    [run] = folder.parts().values()
    keys = {
        use.key: use.step
        for event in folder.events()
        for use in read_uses(run, "crs.kis-clp.protocol", event) or ()
    }
    return Counter(keys.values())
