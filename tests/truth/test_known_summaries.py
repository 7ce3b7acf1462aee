"""Composed summaries say what their numbers claim; shipped and own articles are sound."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.errors import UnknownName, UsageError
from globesumm.text.words import count_words, words
from globesumm.values import Rejected
from metrics.truth import Article, Known, Points, compose, read_articles, read_labels, shipped
from metrics.truth.compose import Composition, Unfaithful

ARTICLES = {article.id: article for article in shipped()}
TEXTS = [(article.id, language) for article in ARTICLES.values() for language in article.points]


def test_the_shipped_set_is_as_large_as_promised() -> None:
    assert len(ARTICLES) >= 10
    assert all(len(article.excerpts) >= 5 for article in ARTICLES.values())
    own = {article.language for article in ARTICLES.values()}
    assert "en" in own
    assert len(own) >= 4
    across = {(a.language, code) for a in ARTICLES.values() for code in a.points}
    assert {code for code, to in across if to == "en"} == own


@pytest.mark.parametrize(("name", "language"), TEXTS)
def test_every_point_has_a_paraphrase_a_reversal_and_a_counterpart(
    name: str, language: str
) -> None:
    article = ARTICLES[name]
    points = article.points[language]
    assert len(points.keys) == len(points.reversals) == len(article.excerpts)
    assert len(points.other) >= 5
    said = [*points.keys, *points.reversals, *points.other]
    assert len(set(said)) == len(said)
    assert all(re.search(r"[.。]$", one) for one in said)
    for key in points.keys:
        assert key not in article.text


NEGATIONS = frozenset(
    [
        "not",
        "no",
        "never",
        "nicht",
        "kein",
        "keine",
        "nie",
        "no",
        "nunca",
        "не",
        "нет",
        "ни",
        "никогда",
        "لا",
        "لم",
        "لن",
        "ليس",
        "不",
        "没",
        "没有",
    ]
)


@pytest.mark.parametrize(("name", "language"), TEXTS)
def test_no_reversal_is_its_point_with_a_negation_put_in_or_taken_out(
    name: str, language: str
) -> None:
    points = ARTICLES[name].points[language]
    for key, reversal in zip(points.keys, points.reversals, strict=True):
        one, two = (Counter(words(text, language)) for text in (key, reversal))
        changed = set((one - two) + (two - one))
        assert changed - NEGATIONS


@pytest.mark.parametrize("language", sorted({language for _, language in TEXTS}))
def test_length_does_not_tell_points_from_what_is_none(language: str) -> None:
    """Otherwise a metric that counts words would seem to know the truth."""
    told: dict[str, list[int]] = {"keys": [], "reversals": [], "other": []}
    for article in ARTICLES.values():
        if language in article.points:
            for kind, held in told.items():
                held += [
                    count_words(one, language) for one in getattr(article.points[language], kind)
                ]
    means = {kind: sum(held) / len(held) for kind, held in told.items()}
    assert max(means.values()) / min(means.values()) < 1.15


def test_summaries_hold_the_sentences_that_their_numbers_claim() -> None:
    known, notes = compose(list(ARTICLES.values()))
    assert notes == []
    assert len({one.id for one in known}) == len(known)
    for one in known:
        points = ARTICLES[one.article].points[one.language]
        keys = sum(key in one.text for key in points.keys)
        reversals = sum(reversal in one.text for reversal in points.reversals)
        other = sum(point in one.text for point in points.other)
        assert (keys, reversals, other) == (one.good, one.reversed, (one.bad or 0) - reversals)
        assert one.coverage == keys / len(points.keys)
        assert one.faithfulness == keys / (keys + reversals + other)


def test_no_summary_states_a_point_and_its_reversal() -> None:
    for one in compose(list(ARTICLES.values()), Composition(unfaithful="reversals"))[0]:
        points = ARTICLES[one.article].points[one.language]
        for key, reversal in zip(points.keys, points.reversals, strict=True):
            assert not (key in one.text and reversal in one.text)


@pytest.mark.parametrize("unfaithful", ["reversals", "other"])
def test_unfaithful_sentences_come_from_where_they_are_asked_to(unfaithful: Unfaithful) -> None:
    known, _ = compose(list(ARTICLES.values()), Composition(unfaithful=unfaithful))
    wanted = {one.reversed == one.bad for one in known if one.bad}
    assert wanted == {unfaithful == "reversals"}


def test_an_article_is_composed_alike_whatever_else_there_is_and_otherwise_with_another_seed() -> (
    None
):
    article = ARTICLES["reactor"]
    alone, _ = compose([article])
    among = [one for one in compose(list(ARTICLES.values()))[0] if one.article == "reactor"]
    assert alone == among
    assert alone != compose([article], Composition(seed=1))[0]


sentences = st.lists(st.text("abcde", min_size=1, max_size=6), min_size=1, max_size=24, unique=True)


@given(sentences, st.integers(0, 4), st.integers(1, 12), st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_article_gives_summaries_with_true_numbers(
    said: list[str], most_bad: int, each: int, reversed_too: bool
) -> None:
    third = max(1, len(said) // 3)
    points = Points(
        keys=tuple(f"K{one}." for one in said[:third]),
        reversals=tuple(f"R{one}." for one in said[:third]) if reversed_too else (),
        other=tuple(f"O{one}." for one in said[third:]),
    )
    article = Article(id="x", language="en", text="t", excerpts=("t",), points={"en": points})
    known, notes = compose([article], Composition(most_bad=most_bad, each=each))
    assert 1 <= len(known) <= each
    for one in known:
        assert one.text.count("K") == one.good
        assert one.text.count("R") + one.text.count("O") == one.bad
        assert one.good is not None
        assert one.bad is not None
        assert one.good + one.bad >= 1
    nothing_wrong = not most_bad or not (points.reversals or points.other)
    assert bool(notes) == nothing_wrong
    assert not notes or all(one.bad == 0 for one in known)


@pytest.mark.parametrize("wrong", [{"most_bad": -1}, {"each": 0}])
def test_numbers_out_of_range_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        Composition(**wrong)  # type: ignore[arg-type]
    with pytest.raises(UnknownName):
        Composition(unfaithful="none")  # type: ignore[arg-type]


GOOD = {
    "id": "a",
    "language": "eng",
    "excerpts": ["The sea is  cold.", "Ships sink."],
    "text": "Opening. The sea is\ncold. Ships sink. The end.",
    "points": {"de": {"keys": ["Kalt.", "Schiffe sinken."], "other": ["Warm."]}},
}

BAD_ARTICLES: dict[str, tuple[dict[str, object], str]] = {
    "an excerpt that is not in the text": ({"excerpts": ["Never."]}, "number 1 does not stand"),
    "an empty excerpt": ({"excerpts": ["The sea is cold.", " "]}, "number 2 does not stand"),
    "no excerpts": ({"excerpts": []}, "none given"),
    "no points": ({"points": {}}, "none given in any language"),
    "keys of another number": ({"points": {"de": {"keys": ["Kalt."]}}}, "1 keys for 2 excerpts"),
    "reversals of another number": (
        {"points": {"de": {"keys": ["A.", "B."], "reversals": ["C."]}}},
        "1 reversals for 2 keys",
    ),
    "a sentence twice": ({"points": {"de": {"keys": ["A.", "A."]}}}, "stands twice"),
    "an empty sentence": ({"points": {"de": {"keys": ["A.", ""]}}}, "is empty"),
    "one language twice": (
        {"points": {"de": {"keys": ["A.", "B."]}, "deu": {"keys": ["C.", "D."]}}},
        "de is given twice",
    ),
    "an unknown language": ({"language": "klingon"}, "unknown language"),
    "a surplus key": ({"colour": "red"}, "colour"),
}


@pytest.mark.parametrize("what", BAD_ARTICLES)
def test_a_bad_article_is_refused_with_the_reason_and_the_next_is_read(
    what: str, tmp_path: Path
) -> None:
    changes, reason = BAD_ARTICLES[what]
    path = tmp_path / "articles.jsonl"
    lines = [GOOD | changes, GOOD, GOOD]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    bad, good, again = read_articles(path)
    assert isinstance(bad, Rejected)
    assert reason in bad.reason
    assert isinstance(good, Article)
    assert (good.language, list(good.points)) == ("en", ["de"])
    assert isinstance(again, Rejected)
    assert "was on a line before" in again.reason


LABEL = {"article": "a", "source": "s", "summary": "t", "language": "en", "coverage": 3}

BAD_LABELS: dict[str, tuple[dict[str, object], str]] = {
    "no label": ({"coverage": None}, "nothing is known"),
    "no finite label": ({"coverage": float("inf")}, "no finite number"),
    "an empty summary": ({"summary": " "}, "must say something"),
    "an unknown language": ({"language": "xx1"}, "unknown language"),
    "a word for a number": ({"faithfulness": "high"}, "faithfulness"),
}


@pytest.mark.parametrize("what", BAD_LABELS)
def test_a_bad_label_is_refused_with_the_reason_and_the_next_is_read(
    what: str, tmp_path: Path
) -> None:
    changes, reason = BAD_LABELS[what]
    path = tmp_path / "labels.jsonl"
    lines = [LABEL | changes, LABEL, LABEL | {"source": "other"}, LABEL | {"id": "2"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    bad, good, other, same = read_labels(path)
    assert isinstance(bad, Rejected)
    assert reason in bad.reason
    assert isinstance(good, Known)
    assert (good.coverage, good.faithfulness, good.good) == (3, None, None)
    assert isinstance(other, Rejected)
    assert "another source" in other.reason
    assert isinstance(same, Rejected)
