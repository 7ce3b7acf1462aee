"""``facts evaluate`` on a real llama.cpp server, killed in the middle and gone on with.

Both sample events, cut to what a model of this size can take in, and five conversations.  It
judges badly: this shows that an answer that was there is not asked for again, and that what was
killed goes on to its end; nothing of quality.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from globesumm import samples
from globesumm.cli import main
from globesumm.cli.experiment_events import read_events
from globesumm.records import write_records
from globesumm.text.sentences import split
from metrics.facts.sources import Source, of_event, read_sources
from tests.facts.test_fact_kills import CONVERSATIONS, killed_when, made
from tests.live import answered, kept, llama_server, within_forms

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


@pytest.mark.parametrize(
    ("sources", "count"), [(short_events, 2), (conversations, 5)], ids=["events", "conversations"]
)
def test_the_whole_flow_on_a_real_server_goes_on_behind_a_kill_and_asks_nothing_twice(
    sources: Callable[[], list[Source]], count: int, server: tuple[str, Path], tmp_path: Path
) -> None:
    url, log = server
    given = sources()
    assert len(given) == count
    write_given(tmp_path, given)
    out = tmp_path / "killed"
    command = [
        "facts", "evaluate", str(tmp_path / "summaries.jsonl"), "--out", str(out),
        "--sources", str(tmp_path / "sources.jsonl"), "--judge", "smollm2", "--base-url", url,
        "--at-once", "1", "--max-tokens", "400", "--bounded", "2x30", "--batch", "2",
    ]  # fmt: skip
    before = answered(log)
    killed_when(command, lambda: answered(log) - before >= 2 * count, 3600)
    had, failed = kept(out)
    assert had >= 2 * count - 1
    assert failed == 0
    status = main(command)
    assert status in (0, 1)
    # One that was on its way to the killed process may be finished by the server behind it.
    assert answered(log) - before - sum(kept(out)) in (0, 1)
    assert kept(out)[0] > had
    assert within_forms(out / "calls.sqlite") == kept(out)[0]
    ended = made(out)
    assert {one["source"] for one in ended["key_facts"]} == {one.id for one in given}
    before = answered(log)
    assert main(command) == status
    assert answered(log) == before
    assert made(out) == ended
