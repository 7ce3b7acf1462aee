"""The flow on a real llama.cpp server, over real HTTP.

A model of this size judges badly: this shows that questions and answers get through, that what is
no verdict is unscored with its reason, and that no answer is
asked for twice; nothing of quality.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from globesumm import samples
from globesumm.cli.experiment_events import read_events
from globesumm.llm.backends import open_model
from globesumm.llm.request import Decoding
from globesumm.text.sentences import split
from metrics.facts.asking import Asker
from metrics.facts.judge import FactJudge
from metrics.facts.memory import Memory
from metrics.facts.pipeline import (
    by_judge,
    decomposed,
    extracted,
    matched,
    matching_by_judge,
    verdicts,
    verified,
)
from metrics.facts.records import Candidate
from metrics.facts.sources import Source, of_event, read_sources
from metrics.facts.verdicts import Verdicts
from tests.live import llama_server

pytestmark = pytest.mark.slow

CONVERSATIONS = Path(__file__).parent / "conversations.jsonl"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("server"), 4096) as url:
        yield url


def conversations() -> list[Source]:
    return [one for one in read_sources(CONVERSATIONS) if isinstance(one, Source)]


def sample_events() -> list[Source]:
    """Two reports in Latin letters of each sample event, cut to what such a model can take in."""
    events, _ = read_events(tuple(f"sample:{name}" for name in samples.names()))
    return [
        of_event(
            replace(
                event,
                documents=tuple(
                    replace(one, text=" ".join(split(one.text, one.language)[:2]))
                    for one in event.documents
                    if one.language in ("en", "es", "fr")
                )[:2],
            )
        )
        for event in events
    ]


def carried_out(
    server: str, folder: Path, sources: list[Source]
) -> tuple[list[Verdicts], int, int]:
    """The verdicts on a summary of each source, the calls that reached the server, and how
    many of the judge's questions got no whole answer."""
    found = []
    with open_model("smollm2", server, store=folder / "calls.sqlite", most_at_once=1) as model:
        memory = Memory(folder / "verdicts.sqlite")
        decoding = Decoding(temperature=0.0, seed=0, max_tokens=32)
        judge = FactJudge(
            asker=Asker(model, memory=memory, most_at_once=1, decoding=decoding, batch=2)
        )
        for source in sources:
            text = source.parts[0].text.splitlines()[-1].rpartition(": ")[2]
            candidate = Candidate(id=source.id, summary=text, language=source.parts[0].language)
            facts = decomposed(judge, candidate)
            support = verified(by_judge(judge), candidate, facts, source)
            forward = matched(matching_by_judge(judge), candidate, extracted(judge, source))
            found += verdicts([forward], [support], [source])
        memory.close()
        return found, model.totals.calls, judge.asker.count.failed


@pytest.mark.parametrize(
    ("sources", "count"), [(conversations, 5), (sample_events, 2)], ids=["conversations", "events"]
)
def test_sources_are_judged_over_http_and_what_was_answered_is_not_asked_again(
    sources: Callable[[], list[Source]], count: int, server: str, tmp_path: Path
) -> None:
    first, calls, failed = carried_out(server, tmp_path, sources())
    assert calls >= 2 * count
    assert len(first) == count
    for one in first:
        for measured in one.measured().values():
            assert (measured.value is None) == (measured.note is not None)
    again, repeated, _ = carried_out(server, tmp_path, sources())
    assert again == first
    # An answer that was cut off is none, and may be asked for again.
    assert repeated <= failed
