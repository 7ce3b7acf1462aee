"""NIC, CRE and language bias as closed forms: printed and hand-computed values, and edge cases."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.bias.formula import Entailed, language_scores, normalized
from metrics.cre_formula import VERDICTS, cre
from metrics.nic_formula import Coverage, nic


@pytest.mark.parametrize(
    ("verdicts", "value"),
    [
        ([1], 1 / 1.2),
        ([1, 0], 1 / (1 + 0.2 * math.log(1 + math.e))),
        ([1] * 5, 5 / 5.2),
        ([1] + [0] * 100, 1 / (1 + 0.2 * math.log(100 + math.e))),
        ([-1], 0.0),
        ([0], 0.0),
        ([1, -1], 1 / 2.2),
    ],
)
def test_cre_follows_its_formula(verdicts: list[int], value: float) -> None:
    assert cre(verdicts).value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("verdicts", "rounded"),
    [([1], 0.8333), ([1, 0], 0.7920), ([1] * 5, 0.9615), ([1] + [0] * 100, 0.519)],
)
def test_cre_gives_the_known_values(verdicts: list[int], rounded: float) -> None:
    digits = 3 if rounded == 0.519 else 4
    assert round(cre(verdicts).value or 0, digits) == rounded


@given(st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=200))
def test_cre_lies_between_0_and_1_and_never_reaches_1(verdicts: list[int]) -> None:
    value = cre(verdicts).value
    assert value is not None
    assert 0 <= value < 1


@given(st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=50))
def test_a_conflict_more_that_is_addressed_raises_cre(verdicts: list[int]) -> None:
    less, more = cre(verdicts).value, cre([*verdicts, 1]).value
    assert less is not None
    assert more is not None
    assert more > less


def test_cre_without_conflicts_is_unscored_and_says_so() -> None:
    assert cre([]).value is None
    assert "no standard conflict" in str(cre([]).note)


@pytest.mark.parametrize("wrong", [2, -2, 7])
def test_cre_refuses_other_verdicts(wrong: int) -> None:
    with pytest.raises(ValueError, match="not a verdict"):
        cre([1, wrong])


def test_nic_follows_its_formula_in_every_base() -> None:
    held = Coverage(entailed=3, sentences=10, words=200)
    assert nic(held).value == pytest.approx(1 - 3 / math.log(200), abs=1e-12)
    assert nic(held, "2").value == pytest.approx(1 - 3 / math.log2(200), abs=1e-12)
    assert nic(held, "10").value == pytest.approx(1 - 3 / math.log10(200), abs=1e-12)


def test_nic_with_nothing_covered_is_1_whatever_the_length() -> None:
    assert nic(Coverage(0, 4, 2)).value == 1
    assert nic(Coverage(0, 4, 10_000)).value == 1


def test_nic_may_be_negative() -> None:
    assert nic(Coverage(1, 1, 2)).value == pytest.approx(1 - 10 / math.log(2), abs=1e-12)


@pytest.mark.parametrize("words", [0, 1])
def test_nic_of_a_candidate_without_length_is_unscored(words: int) -> None:
    found = nic(Coverage(0, 3, words))
    assert found.value is None
    assert "log of its length" in str(found.note)


def test_nic_without_a_reference_sentence_is_unscored() -> None:
    assert nic(Coverage(0, 0, 50)).value is None


def test_more_entailed_than_sentences_is_refused() -> None:
    with pytest.raises(ValueError, match="5 of 4"):
        Coverage(5, 4, 10)
    with pytest.raises(ValueError, match="2 of 1"):
        Entailed(summary="e", document="d", language="en", entailed=2, sentences=1)


def counted(summary: str, document: str, language: str, entailed: int, sentences: int) -> Entailed:
    return Entailed(
        summary=summary,
        document=document,
        language=language,
        entailed=entailed,
        sentences=sentences,
    )


BY_HAND = [
    counted("one", "a", "en", 3, 4),
    counted("one", "b", "en", 1, 4),
    counted("one", "c", "he", 0, 4),
    counted("two", "d", "en", 4, 5),
    counted("two", "e", "fr", 1, 5),
    counted("two", "f", "he", 2, 5),
]


def test_scores_are_means_over_summaries_of_means_over_documents() -> None:
    scores = language_scores(BY_HAND)
    assert scores == pytest.approx({"en": (0.5 + 0.8) / 2, "fr": 0.2, "he": 0.2}, abs=1e-12)
    norms = {name: one.value for name, one in normalized(scores).items()}
    assert norms == pytest.approx({"en": 0.65 / 1.05, "fr": 0.2 / 1.05, "he": 0.2 / 1.05}, abs=1e-9)


def test_scores_do_not_depend_on_the_order_of_the_counts() -> None:
    assert language_scores(BY_HAND) == language_scores(BY_HAND[::-1])


def test_a_language_without_documents_has_no_score() -> None:
    assert "bg" not in language_scores(BY_HAND)


def test_normalized_scores_of_nothing_but_zeros_are_unscored() -> None:
    found = normalized({"en": 0.0, "he": 0.0})
    assert [one.value for one in found.values()] == [None, None]
    assert all(one.note for one in found.values())
    assert normalized({}) == {}


@given(
    st.dictionaries(
        st.sampled_from(["en", "he", "fr", "bg"]), st.floats(0.001, 1), min_size=1, max_size=4
    )
)
def test_normalized_scores_sum_to_1(scores: dict[str, float]) -> None:
    values = [one.value or 0 for one in normalized(scores).values()]
    assert math.fsum(values) == pytest.approx(1, abs=1e-9)
