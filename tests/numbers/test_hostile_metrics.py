"""Every metric, judge, proxy and rule of joining gives numbers in its range, or none and why."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from baselines.drafts.base import Draft
from baselines.drafts.joint import JOINTS, Joined
from baselines.drafts.objectives import ByMetric
from baselines.drafts.pareto import SCALES, Weighted
from globesumm.llm.request import Request
from globesumm.llm.scripted import Scripted
from globesumm.values import Document, Event, Summary
from metrics import METRICS, NEEDS_MODEL, Candidate, Metric
from metrics.base import Better, Column, Description, Measured, Signature
from metrics.bias.calibration import Calibration
from metrics.bias.observations import observe
from metrics.bias.report import bias_report
from metrics.cre import Cre
from metrics.cre_conflicts import Conflict
from metrics.entailment.base import Entailer, Hypothesis, Verdict
from metrics.judged.alignment import Alignment
from metrics.judged.rating import Rating
from metrics.needs_model import NEEDS_JUDGE
from metrics.nic import Nic
from tests.numbers.hostile import NUMBERS, SETS, Set, outcome, quiet

TEXTS = [
    "",
    " ",
    "0",
    "NaN",
    "inf -inf 1e308",
    "-0 -0.0 5e-324",
    f"{2**53 + 1} died.",
    "A ferry sank.",
]
"""Texts of none, one and odd words; numbers in them are words."""


def candidates() -> list[Candidate]:
    source = Document(id="d", text="A ferry sank. NaN inf 1e308.", language="en")
    return [
        Candidate(
            id=f"{place}-{other}", text=text, language="en", references=references,
            documents=documents,
        )
        for place, text in enumerate(TEXTS)
        for other, (references, documents) in enumerate(
            [((), ()), (("",), (source,)), ((text, "A ferry sank."), (source, source))]
        )
    ]  # fmt: skip


def assert_in_range(metric: Metric, given: Sequence[Candidate]) -> None:
    columns = {column.name: column for column in metric.columns}
    with quiet():
        scores = metric.score(given)
    assert len(scores) == len(given) * len(columns)
    for score in scores:
        if score.value is None:
            assert score.note, score
            continue
        column = columns[score.metric]
        assert math.isfinite(score.value)
        assert column.low is None or score.value >= column.low - 1e-9, score
        assert column.high is None or score.value <= column.high + 1e-6, score
    outcome(lambda: [score.value for score in scores])  # a note may quote what was replied


EACH = [
    pytest.param(name, marks=[pytest.mark.slow] if "red" in name or "vectors" in name else [])
    for name in METRICS
    if name != "red-deberta"
]


@pytest.mark.parametrize("name", EACH)
def test_a_metric_of_no_texts_and_odd_texts_stays_in_its_range(name: str) -> None:
    metric = METRICS[name]()
    assert metric.score([]) == []
    assert_in_range(metric, candidates())
    for text in ("", "A ferry sank."):
        found = outcome(lambda text=text: metric.compute([text], language="en"))  # type: ignore[misc]
        assert found["n"] == 1


class Odd(Entailer):
    """Gives one number for whatever it is asked."""

    def __init__(self, value: float) -> None:
        self.value = value

    @property
    def identity(self) -> str:
        return "odd"

    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        del premise, language
        return [Verdict(value=self.value, chunks=1) for _ in hypotheses]


@pytest.mark.parametrize("what", NUMBERS)
@pytest.mark.parametrize("make", [Nic, Alignment])
def test_a_metric_by_an_entailer_that_gives_odd_numbers(
    make: Callable[[Entailer], Metric], what: str
) -> None:
    given = [one for one in candidates() if one.id.startswith(("6-", "7-"))]
    refused = outcome(lambda: make(Odd(NUMBERS[what])).score(given))
    if not isinstance(refused, Exception):
        assert_in_range(make(Odd(NUMBERS[what])), given)


@pytest.mark.parametrize("what", NUMBERS)
def test_a_report_of_language_bias_by_an_entailer_that_gives_odd_numbers(what: str) -> None:
    texts = {"de": "Ein Schiff sank.", "en": "A ferry sank.", "fr": "Un bac a coulé."}
    items = [
        (
            Event(
                id=name,
                description="A ferry sank.",
                documents=tuple(
                    Document(id=f"{name}-{code}", text=text, language=code)
                    for code, text in texts.items()
                ),
            ),
            Summary(
                event=name, recipe="r", model="m", target="en", text="A ferry sank. 3 died.",
                rounds=(),
            ),
        )
        for name in ("one", "two")
    ]  # fmt: skip
    entailer = Odd(NUMBERS[what])

    def compute() -> Any:
        held = list(observe(entailer, items, "s"))
        calibration = {code: Calibration(language=code, hit=NUMBERS[what], false=0.0, n=1,
                                         expected=1) for code in texts}  # fmt: skip
        return [
            bias_report(held, entailer, permutations=9, resamples=9, calibration=known)
            for known in ({}, calibration)
        ]

    found = outcome(compute)
    if isinstance(found, Exception):
        return
    for report in (one for some in found for one in some):
        assert report.expected == len(texts) * len(items)
        for row in report.rows:
            for measured in (row.score, row.norm):
                assert measured.value is not None or measured.note
                assert measured.value is None or 0 <= measured.value <= 1 + 1e-9


REPLIES = ["NaN", "Infinity", "-Infinity", "1e999", "1e308", "-0", "-0.0", "5e-324", str(2**53 + 1),
           "null", "[]", "0/0", "5/0", "", "٣"]  # fmt: skip


@pytest.mark.parametrize("reply", REPLIES)
def test_a_judge_that_replies_with_odd_numbers_leaves_the_text_unscored_or_in_range(
    reply: str,
) -> None:
    def answer(request: Request) -> str:
        return f'{{"rating": {reply}, "verdicts": [{reply}], "1": {reply}}}' + f"\n{reply}"

    given = [one for one in candidates() if one.id == "7-2"]
    given = [
        Candidate(
            id="x", text=one.text, language="en", references=one.references,
            documents=one.documents, event="e",
        )
        for one in given
    ]  # fmt: skip
    judged: list[Metric] = [
        Rating("coverage", Scripted(answer, "j")),
        Rating("faithfulness", Scripted(answer, "j")),
        Cre(Scripted(answer, "j"), {"e": [Conflict(text="3 people died; 4 people died")]}),
    ]
    for metric in judged:
        assert_in_range(metric, given)


def test_every_metric_that_takes_a_model_is_tried() -> None:
    tried = {"nic", "cre", "llm-coverage", "llm-faithfulness", "alignment"}
    elsewhere = {"language-bias"}  # a report, not a metric: above, and with tables and plots
    assert {row.name for row in (*NEEDS_MODEL, *NEEDS_JUDGE)} == tried | elsewhere


class Given(Metric):
    """A metric that computed what it computed."""

    def __init__(self, values: Set, name: str) -> None:
        self.values, self._name = values, name

    @property
    def name(self) -> str:
        return self._name

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column(name=self._name, better=Better.HIGHER),)

    @property
    def signature(self) -> Signature:
        return Signature.of(self._name)

    def describe(self) -> Description:
        return Description(
            measures="nothing: it gives what it is told",
            formula="the numbers given",
            range="whatever is given",
            empty="whatever is given",
            cost="nothing",
            source="this test",
            difference="none",
            weak_spots="it measures nothing",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Any]:
        del candidates
        return [{self._name: Measured(value)} for value in self.values]


@pytest.mark.parametrize("what", SETS)
def test_what_a_metric_computes_is_never_written_where_it_is_no_number(what: str) -> None:
    values = SETS[what]
    texts = [Candidate(id=str(n), text="a", language="en") for n in range(len(values))]
    metric = Given(values, "m")
    scores = metric.score(texts)
    outcome(lambda: scores)
    for value, score in zip(values, scores, strict=True):
        if value is not None and abs(value) <= 1e100:
            assert score.value == value
        else:
            assert score.value is None
            assert value is None or "no finite number" in str(score.note)
    found = outcome(lambda: metric.compute(["a"] * len(values), language="en"))
    assert found["m_n"] == sum(score.value is not None for score in scores)


def measured(values: Set) -> dict[str, list[Measured]]:
    return {"m": [Measured(v) for v in values], "o": [Measured(v) for v in values[::-1]]}


@pytest.mark.parametrize("how", JOINTS)
@pytest.mark.parametrize("weights", [{}, {"m": 0.0, "o": 0.0}, {"m": 3.0}])
def test_a_rule_that_joins_proxies_takes_a_draft_or_says_that_none_could_be(
    how: str, weights: dict[str, float]
) -> None:
    for what, values in SETS.items():
        drafts = [Draft(number=n, text=f"text {n}") for n in range(len(values))]
        objectives = [ByMetric.of(Given(values, name)) for name in ("m", "o")]
        rules: list[Any] = [Joined(how=how, weights=weights)]
        rules += [Weighted(weights={"m": 1.0, "o": 2.0}, scale=scale) for scale in SCALES]
        held = measured(values)
        for rule in rules:
            found = outcome(partial(rule.choose, drafts, objectives, held))
            assert not isinstance(found, Exception), f"{rule} of {what}: {found}"
            assert (found.chosen is None) == (not drafts), what
            assert found.chosen is not None or found.notes


def test_vectors_of_nothing_are_alike_to_nothing() -> None:
    from metrics.encoders import Encoded
    from metrics.matching import nearest

    unit = Encoded(np.array([[1.0, 0.0]], dtype=np.float32), np.ones(1, dtype=np.float32))
    weightless = Encoded(np.array([[1.0, 0.0]], dtype=np.float32), np.zeros(1, dtype=np.float32))
    for held in ([unit, unit], [unit, weightless], [weightless, weightless], [unit]):
        outcome(lambda held=held: nearest(held))  # type: ignore[misc]


def test_what_is_said_of_a_verdict_is_a_number_or_none() -> None:
    for number in NUMBERS.values():
        outcome(lambda number=number: Verdict(value=number, chunks=1))  # type: ignore[misc]
