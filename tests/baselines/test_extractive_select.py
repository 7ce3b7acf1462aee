"""Which claims the extractive merge tells, in whose words, and what it leaves out."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.passages import passages
from baselines.extractive import ExtractiveMerge, Settings
from baselines.extractive.claims import collect
from baselines.extractive.clusters import Cluster
from baselines.extractive.encoders import HashedNgrams
from baselines.extractive.nearness import Closest
from baselines.extractive.select import Weights, candidates, representative, tell, worth
from baselines.summarize import summarize
from globesumm.values import Document, Event, Sentence

START = datetime(2023, 9, 9, 6, tzinfo=UTC)
ONE = "Fishermen found the wreck of the ferry near the lighthouse at dawn on Tuesday."
TWO = "Divers will try to reach the engine room once the storm has passed the coast."
THREE = "Relatives of the passengers are being housed in a school beside the harbour."


def event(*texts: tuple[str, str]) -> Event:
    documents = tuple(
        Document(
            id=f"d{place}",
            text=text,
            language=language,
            published=START + timedelta(hours=place),
        )
        for place, (language, text) in enumerate(texts)
    )
    return Event(id="ferry", description="", documents=documents)


def told(happening: Event, *, max_words: int = 250, **weights: float) -> list[Sentence]:
    merge = ExtractiveMerge(HashedNgrams(), Settings(weights=Weights(**weights)))  # type: ignore[arg-type]
    made = summarize(
        happening, "sts.none.extractive", max_words=max_words, merge=(merge, merge.name)
    )
    return list(made.rounds[-1].sentences)


def languages(sentences: Sequence[Sentence]) -> list[str]:
    return [sentence.language for sentence in sentences]


def test_a_claim_of_three_voices_is_told_in_another_language_and_one_of_two_is_not() -> None:
    english = ("en", f"{ONE} {THREE}")
    two = event(english, ("de", TWO), ("fr", TWO))
    three = event(english, ("de", TWO), ("fr", TWO), ("es", TWO))
    assert languages(told(two, max_words=45)) == ["en", "en"]
    assert languages(told(three, max_words=45)) == ["en", "en", "de"]


def test_other_languages_fill_a_summary_to_half_where_little_is_readable() -> None:
    german = (
        "Taucher warten im Hafen auf besseres Wetter.",
        "Angehörige schlafen in einer Turnhalle.",
        "Der Kapitän schweigt bisher zu allen Vorwürfen.",
        "Fischer brachten Decken und heißen Tee.",
        "Minister reisten noch am selben Abend an.",
        "Gutachter prüfen nun die Schweißnähte.",
        "Zeugen hörten zweimal einen dumpfen Knall.",
        "Heute ruht dort jede weitere Suche.",
    )
    happening = event(("en", ONE), *[("de", sentence) for sentence in german])
    filled = told(happening, max_words=70)
    foreign = sum(len(one.text.split()) for one in filled if one.language == "de")
    assert languages(filled).count("en") == 1
    assert 35 <= foreign + len(ONE.split()) < 35 + 8


def test_a_summary_is_filled_whole_where_nothing_is_in_the_target_language() -> None:
    happening = event(("de", f"{ONE} {TWO}"), ("fr", THREE))
    assert len(told(happening, max_words=50)) == 3


@pytest.mark.parametrize("quoted", [f'"{ONE}"', f"“{ONE}”", f"«{ONE}»", f"„{ONE}“"])
def test_a_quotation_is_worth_less_than_the_same_said_plainly(quoted: str) -> None:
    claims = collect(passages(event(("en", quoted), ("en", ONE))), HashedNgrams())
    ranks, support = [1.0] * len(claims), np.zeros(len(claims))
    values = worth(claims, ranks, support, Weights(quoting=0.5))
    assert values[0] == pytest.approx(values[1] / 2)


# Worths are rounded on purpose, so ranks that differ by less than that count as equal.
@given(st.lists(st.integers(1, 10_000).map(lambda rank: rank / 100), min_size=2, max_size=20))
def test_a_sentence_is_worth_more_the_nearer_to_the_top_of_its_document(ranks: list[float]) -> None:
    text = " ".join(f"Sentence {'abcdefghijklmnopqrstu'[place]} is here." for place in range(20))
    claims = collect(passages(event(("en", text))), HashedNgrams())
    even = worth(claims, [1.0] * len(claims), np.zeros(len(claims)), Weights())
    assert all(first > second > 0 for first, second in pairwise(even))
    drawn = (ranks * 20)[: len(claims)]
    values = worth(claims, drawn, np.zeros(len(claims)), Weights(lead=0))
    assert np.array_equal(np.argsort(values, kind="stable"), np.argsort(drawn, kind="stable"))


def test_of_two_readable_tellings_the_worthier_speaks_unless_it_is_outdone() -> None:
    claims = collect(passages(event(("en", ONE), ("en", ONE), ("de", ONE))), HashedNgrams())
    cluster = Cluster(members=(0, 1, 2))
    assert representative(cluster, claims, [1.0, 2.0, 3.0], "en") == 1
    assert representative(cluster, claims, [1.0, 2.0, 3.0], "de") == 2
    assert representative(cluster, claims, [1.0, 2.0, 3.0], "en", [frozenset({1})]) == 0
    assert representative(cluster, claims, [1.0, 2.0, 3.0], "en", [frozenset({0, 1})]) == 2


def test_copies_of_one_report_count_as_one_voice() -> None:
    claims = collect(passages(event(("en", ONE), ("de", ONE), ("fr", ONE))), HashedNgrams())
    cluster = Cluster(members=(0, 1, 2))
    [apart], [copied] = (
        candidates(claims, [cluster], voice, [1.0] * 3, contested=(), target="en")
        for voice in ([0, 1, 2], [0, 0, 0])
    )
    assert (apart.voices, copied.voices) == (3, 1)
    assert apart.weight == 3 * copied.weight


def test_a_sentence_that_does_not_fit_makes_room_for_a_shorter_one() -> None:
    claims = collect(passages(event(("en", f"{ONE} Nobody was hurt."))), HashedNgrams())
    clusters = [Cluster(members=(place,)) for place in range(2)]
    found = candidates(claims, clusters, [0], [2.0, 1.0], contested=(), target="en")
    for most, expected in ((20, 2), (14, 1), (3, 1), (1, 1)):
        summary = tell(claims, found, (), Weights(), target="en", max_words=most, alike=0.95)
        assert len(summary) == expected
    assert summary[0].text == "Nobody was hurt."


@given(st.lists(st.lists(st.integers(0, 8), min_size=1, max_size=3), min_size=2, max_size=5))
def test_support_is_the_standardized_mean_nearness_to_other_voices(cells: list[list[int]]) -> None:
    count = len(cells)
    spans = []
    start = 0
    for rows in cells:
        spans.append(slice(start, start + len(rows)))
        start += len(rows)
    values = np.array([value / 8 for rows in cells for value in rows])
    cosines = np.minimum(values[:, None], values[None, :])
    closest = Closest()
    for place, rows_of in enumerate(spans):
        closest.add(cosines[rows_of, : rows_of.stop], tuple(spans[: place + 1]))
    document = [place for place, rows in enumerate(cells) for _ in rows]
    nearest = np.array(
        [[cosines[i, spans[other]].max() for other in range(count)] for i in range(start)]
    )
    for i in range(start):
        nearest[i, document[i]] = np.nan
    above = nearest - np.nanmean(nearest, axis=0)
    deviation = np.sqrt(np.nanmean(above**2))
    expected = np.nanmean(above, axis=1) / deviation if deviation > 1e-9 else np.zeros(start)
    support = closest.support(list(range(count)), np.zeros(start, dtype=np.int64))
    assert support == pytest.approx(expected, abs=1e-9)


def test_without_another_voice_nothing_is_supported() -> None:
    closest = Closest()
    closest.add(np.ones((2, 2)), (slice(0, 2),))
    assert closest.support([0], np.zeros(2, dtype=np.int64)).tolist() == [0, 0]
