"""The flow on a real llama.cpp server, over real HTTP.

A model of this size judges badly: this shows that questions and answers get through, that what has
no value says why, and that no answer is asked for twice; nothing of quality.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from globesumm.cli.experiment_events import read_events
from globesumm.llm.answer_bounds import Bounds
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
from tests.live import Server, answered, within_forms

pytestmark = pytest.mark.slow

CONVERSATIONS = Path(__file__).parent / "conversations.jsonl"


def conversations() -> list[Source]:
    """One in English and the one in Spanish."""
    found = [one for one in read_sources(CONVERSATIONS) if isinstance(one, Source)]
    return [one for one in found if one.id in ("bakery", "entrevista")]


def sample_event() -> list[Source]:
    """Two reports in Latin letters of a sample event, cut to what such a model can take in."""
    [event], _ = read_events(("sample:titan-submersible",))
    latin = [one for one in event.documents if one.language in ("en", "es", "fr")][:2]
    cut = (replace(one, text=" ".join(split(one.text, one.language)[:2])) for one in latin)
    return [of_event(replace(event, documents=tuple(cut)))]


def carried_out(server: Server, folder: Path, sources: list[Source]) -> tuple[list[Verdicts], int]:
    """The verdicts on a summary of each source, and the calls that reached the server."""
    found = []
    with open_model("smollm2", server.url, store=folder / "calls.sqlite", most_at_once=1) as model:
        memory = Memory(folder / "verdicts.sqlite")
        decoding = Decoding(temperature=0.0, seed=0, max_tokens=400)
        asker = Asker(
            model,
            memory=memory,
            most_at_once=1,
            decoding=decoding,
            batch=2,
            bounds=Bounds(2, 30),
        )
        judge = FactJudge(asker=asker)
        for source in sources:
            text = source.parts[0].text.splitlines()[-1].rpartition(": ")[2]
            candidate = Candidate(id=source.id, summary=text, language=source.parts[0].language)
            facts = decomposed(judge, candidate)
            support = verified(by_judge(judge), candidate, facts, source)
            forward = matched(matching_by_judge(judge), candidate, extracted(judge, source))
            found += verdicts([forward], [support], [source])
        memory.close()
        assert model.totals.failed == asker.count.failed == 0
        return found, model.totals.calls


@pytest.mark.parametrize(
    ("sources", "count"), [(conversations, 2), (sample_event, 1)], ids=["conversations", "event"]
)
def test_sources_are_judged_over_http_and_nothing_is_asked_twice(
    sources: Callable[[], list[Source]], count: int, live_server: Server, tmp_path: Path
) -> None:
    before = answered(live_server.log)
    first, calls = carried_out(live_server, tmp_path, sources())
    assert calls >= 2 * count
    assert within_forms(tmp_path / "calls.sqlite") == calls == answered(live_server.log) - before
    assert len(first) == count
    for one in first:
        for measured in one.measured().values():
            assert (measured.value is None) == (measured.note is not None)
    assert carried_out(live_server, tmp_path, sources()) == (first, 0)
