"""The controls: lead, random and the oracle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.passages import passages
from annotation.schemas import Context
from baselines.controls import Lead, Random
from baselines.oracle import Oracle
from baselines.summarize import summarize
from globesumm.errors import DataError
from globesumm.text.words import count_words
from globesumm.values import Document, Event
from metrics.rouge import Rouge

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


REFERENCE = "Nine people drowned when the ferry sank off the coast at night."


def told(*texts: str, references: tuple[str, ...] = (REFERENCE,), language: str = "en") -> Event:
    return Event(
        id="ferry",
        description="",
        documents=tuple(
            Document(id=f"d{place}", text=text, language="en") for place, text in enumerate(texts)
        ),
        references=references,
        reference_language=language,
    )


def test_the_oracle_takes_what_the_reference_says_and_leaves_what_it_does_not() -> None:
    happening = told(
        "The weather was mild. The ferry sank off the coast at night.",
        "A ferry sank. Nine people drowned. The owner was not reached.",
    )
    summary = summarize(happening, "sts.none.oracle")
    assert summary.text == "The ferry sank off the coast at night. Nine people drowned."
    assert summary.model == "oracle(rouge1+rouge2)"


TWO = (
    "The ferry sank at night. Nine people were on board. It was cold off the coast.",
    "Off the coast the ferry sank. Nine people drowned when it was dark. Boats went out.",
)


def reached(text: str) -> float:
    values = Rouge().compare(text, REFERENCE, "en")
    return values["rouge1"].f + values["rouge2"].f


@pytest.mark.parametrize("most", [5, 6, 7])
def test_the_oracle_begins_with_the_sentence_that_rouge_likes_best(most: int) -> None:
    happening = told(*TWO)
    made = Oracle()(passages(happening), Context(event=happening, target="en", max_words=most))
    fitting = [
        sentence.text
        for passage in passages(happening)
        for sentence in passage.sentences
        if count_words(sentence.text, "en") <= most
    ]
    assert made.summary == max(fitting, key=reached)


def test_the_oracle_bounds_the_other_extractive_recipes_by_its_measure() -> None:
    made = {
        way: summarize(told(*TWO), f"sts.none.{way}", max_words=14).text
        for way in ("oracle", "lead", "random")
    }
    assert reached(made["oracle"]) > max(reached(made["lead"]), reached(made["random"]))


@given(most=st.integers(min_value=1, max_value=30))
def test_the_oracle_never_passes_the_word_limit(most: int) -> None:
    happening = told("The ferry sank at night off the coast.", "Nine people drowned. A ferry sank.")
    done = Oracle()(passages(happening), Context(event=happening, target="en", max_words=most))
    assert sum(count_words(s.text, s.language) for s in done.sentences) <= most


def test_where_nothing_is_shared_the_oracle_is_empty_and_says_why() -> None:
    (only,) = summarize(told("Boats went out."), "sts.none.oracle").rounds
    assert only.summary == ""
    assert "no sentence that fits shares a word with the reference" in only.notes


def test_of_several_references_the_oracle_meets_the_one_it_can() -> None:
    happening = told("The ferry sank at night.", references=("Nothing of it.", "The ferry sank."))
    assert summarize(happening, "crs.none.oracle").text == "The ferry sank at night."


@pytest.mark.parametrize(
    ("references", "language", "reason"),
    [((), "en", "'ferry' has no reference"), ((REFERENCE,), "de", "are in 'de'.*one in 'en'")],
)
def test_without_a_reference_in_the_target_language_the_oracle_says_so(
    references: tuple[str, ...], language: str, reason: str
) -> None:
    happening = told("The ferry sank.", references=references, language=language)
    with pytest.raises(DataError, match=reason):
        summarize(happening, "sts.none.oracle")


def test_a_control_takes_the_same_from_all_documents_whatever_the_schema() -> None:
    happening = told("The ferry sank at night. It was cold.", "Nine drowned.", "Boats went out.")
    for way in ("lead", "random", "oracle"):
        one, other = (summarize(happening, f"{schema}.none.{way}") for schema in ("sts", "crs"))
        assert one.text == other.text
        assert len(other.rounds) == 2
