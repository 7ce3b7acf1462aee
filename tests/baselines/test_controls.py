"""The controls: lead and random."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.passages import passages
from annotation.schemas import Context
from baselines.controls import Lead, Random
from baselines.summarize import summarize
from globesumm.text.words import count_words
from globesumm.values import Document, Event

ENGLISH = "First of the English page. Second of the English page. Third of the English page."
GERMAN = "Erster Satz der deutschen Seite. Zweiter Satz der deutschen Seite."


def event(name: str = "event") -> Event:
    return Event(
        id=name,
        description="",
        documents=(
            Document(id="a", text=GERMAN, language="de"),
            Document(id="b", text=ENGLISH, language="en"),
        ),
    )


def test_lead_takes_the_first_sentence_of_every_document_before_any_second() -> None:
    summary = summarize(event(), "sts.none.lead", max_words=10)
    assert summary.text == "Erster Satz der deutschen Seite. First of the English page."
    assert summary.rounds[-1].notes[0] == "1 of 2 sentences are not in en"


def test_a_readable_lead_keeps_to_the_target_language_as_long_as_there_is_any() -> None:
    german = Context(event=event(), target="de", max_words=100)
    french = Context(event=event(), target="fr", max_words=100)
    assert Lead(readable=True)(passages(event()), german).summary == GERMAN
    assert Lead(readable=True)(passages(event()), french).summary == f"{GERMAN} {ENGLISH}"


def test_random_draws_the_same_sentences_for_the_same_seed_and_others_for_another() -> None:
    texts = {
        seed: summarize(event(), "sts.none.random", max_words=12, seed=seed).text
        for seed in range(20)
    }
    assert texts[3] == summarize(event(), "sts.none.random", max_words=12, seed=3).text
    assert len(set(texts.values())) > 3


def test_the_draw_differs_between_events() -> None:
    drawn = {summarize(event(f"event {n}"), "sts.none.random", max_words=6).text for n in range(20)}
    assert len(drawn) > 2


@pytest.mark.parametrize("merge", [Lead(), Random(1), Lead(readable=True)])
@given(most=st.integers(min_value=1, max_value=40))
def test_a_control_never_passes_the_word_limit(merge: Lead | Random, most: int) -> None:
    done = merge(passages(event()), Context(event=event(), target="en", max_words=most))
    assert sum(count_words(s.text, s.language) for s in done.sentences) <= most


def test_the_seed_is_a_part_of_the_models_name() -> None:
    assert summarize(event(), "crs.none.random", seed=7).model == "random(seed 7)"
    assert summarize(event(), "crs.none.lead").model == "lead"
