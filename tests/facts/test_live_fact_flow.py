"""``facts evaluate`` on a real llama.cpp server, killed in the middle and gone on with.

Both sample events, cut to what a model of this size can take in, and five conversations.  It
judges badly: this shows that an answer that was there is not asked for again, and that the end is
that of an undisturbed run; nothing of quality.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from globesumm import samples
from globesumm.cli import main
from globesumm.cli.experiment_events import read_events
from globesumm.llm.call_store import CallStore
from globesumm.records import write_records
from globesumm.text.sentences import split
from metrics.facts.sources import Source, of_event, read_sources
from tests.facts.test_fact_kills import CONVERSATIONS, killed_when, made
from tests.live import llama_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of the server, and its log, with a line for each request."""
    folder = tmp_path_factory.mktemp("server")
    with llama_server(folder, 4096) as url:
        yield url, folder / "log"


def short_events() -> list[Source]:
    events, _ = read_events(tuple(f"sample:{name}" for name in samples.names()))
    sources = []
    for event in events:
        [first, *_] = [one for one in event.documents if one.language == "en"]
        short = replace(first, text=" ".join(split(first.text, "en")[:2]))
        sources.append(of_event(replace(event, documents=(short,))))
    return sources


def conversations() -> list[Source]:
    return [one for one in read_sources(CONVERSATIONS) if isinstance(one, Source)]


def write_given(folder: Path, sources: list[Source]) -> None:
    write_records(folder / "sources.jsonl", sources)
    lines = []
    for one in sources:
        last = one.parts[0].text.splitlines()[-1].rpartition(": ")[2]
        lines.append({"id": one.id, "summary": last, "language": one.parts[0].language})
    write_records(folder / "summaries.jsonl", lines)


def answered(log: Path) -> int:
    return log.read_text(encoding="utf-8", errors="replace").count("POST /v1/chat/completions")


def stored(out: Path) -> int:
    store = CallStore(out / "calls.sqlite", read_only=True)
    count = len(store)
    store.close()
    return count


@pytest.mark.parametrize(
    ("sources", "count"), [(short_events, 2), (conversations, 5)], ids=["events", "conversations"]
)
def test_the_whole_flow_on_a_real_server_goes_on_behind_a_kill_and_ends_the_same(
    sources: Callable[[], list[Source]], count: int, server: tuple[str, Path], tmp_path: Path
) -> None:
    url, log = server
    given = sources()
    assert len(given) == count
    write_given(tmp_path, given)

    def command(name: str) -> list[str]:
        return [
            "facts", "evaluate", str(tmp_path / "summaries.jsonl"), "--out", str(tmp_path / name),
            "--sources", str(tmp_path / "sources.jsonl"), "--judge", "smollm2",
            "--base-url", url, "--at-once", "1", "--max-tokens", "80", "--batch", "2",
        ]  # fmt: skip

    # A weak model's unread answers are told, and are no verdicts.
    before = answered(log)
    status = main(command("whole"))
    assert status in (0, 1)
    whole = answered(log) - before
    assert whole >= 2 * count
    before = answered(log)
    out = tmp_path / "killed"
    killed_when(command("killed"), lambda: answered(log) - before >= whole // 2)
    kept, before = stored(out), answered(log)
    assert main(command("killed")) == status
    # An answer that was cut off is in no store; all others are, and none is asked for again.
    # One that was on its way to the killed process may be finished by the server behind it.
    assert answered(log) - before - (whole - kept) in (0, 1)
    assert made(out) == made(tmp_path / "whole")
    assert stored(out) == stored(tmp_path / "whole")
