"""How proxies become one choice, and what is said where they cannot choose."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.author import Question
from annotation.window import Step
from baselines.drafts.base import Choice, Draft, Objective, Task
from baselines.drafts.joint import JOINTS, Joined, Rule, scored_by
from baselines.drafts.pareto import Weighted
from globesumm.errors import UnknownName
from globesumm.llm.request import Message
from globesumm.prompts import Library
from metrics.base import Better, Measured


@dataclass(frozen=True)
class Said:
    """A proxy that says of draft n what stands at place n - 1; a reason where that is a text."""

    name: str
    values: tuple[float | str, ...]
    better: Better = Better.HIGHER
    low: float | None = 0.0
    high: float | None = 1.0
    asked: list[tuple[int, ...]] = field(default_factory=list, compare=False)

    @property
    def signature(self) -> str:
        return self.name

    def score(self, task: Task, drafts: Sequence[Draft]) -> list[Measured]:
        assert task.id == "t"
        self.asked.append(tuple(draft.number for draft in drafts))
        held = [self.values[draft.number - 1] for draft in drafts]
        return [Measured(None, v) if isinstance(v, str) else Measured(v) for v in held]


def task() -> Task:
    question = Question(step="summary", about="a test", prompt=Library()["direct.many"])
    step = Step(question=question, messages=lambda _: (Message("user", "Write."),))
    return Task(id="t", documents=(), step=step)


def drafts(*texts: str | None) -> list[Draft]:
    return [
        Draft(number=n, text=text, reason=None if text else "cut off")
        for n, text in enumerate(texts, 1)
    ]


def chosen(rule: Rule, objectives: Sequence[Objective], held: Sequence[Draft]) -> Choice:
    return rule.choose(held, objectives, scored_by(objectives, task(), held))


A, B, C = "First text.", "Second text.", "Third text."


@pytest.mark.parametrize(
    ("how", "expected", "joint"),
    [
        ("mean", 1, 0.55),  # .55, .45, .5
        ("product", 3, 0.5),  # sqrt of 0.1, 0.1625, 0.25
        ("min", 3, 0.5),
        ("rank-mean", 1, 0.5),  # each ranks first once and last once, or is between
        ("lexicographic", 1, None),
    ],
)
def test_each_rule_joins_as_it_says(how: str, expected: int, joint: float | None) -> None:
    covers = Said("coverage", (1.0, 0.25, 0.5))
    faithful = Said("faithfulness", (0.1, 0.65, 0.5))
    choice = chosen(Joined(how=how), [covers, faithful], drafts(A, B, C))
    assert choice.chosen == expected
    held = next(one for one in choice.scored if one.number == expected)
    assert held.joint == (None if joint is None else pytest.approx(joint))
    assert held.values == {
        "coverage": covers.values[expected - 1],
        "faithfulness": faithful.values[expected - 1],
    }


def test_weights_shift_a_mean_and_are_named() -> None:
    proxies = [Said("a", (1.0, 0.0)), Said("b", (0.0, 0.9))]
    assert chosen(Joined(), proxies, drafts(A, B)).chosen == 1
    rule = Joined(weights={"a": 1.0, "b": 3.0})
    assert chosen(rule, proxies, drafts(A, B)).chosen == 2
    assert rule.name == "mean(a=1,b=3)"


def test_a_proxy_whose_low_values_are_good_is_turned_round() -> None:
    red = Said("red", (0.9, 0.2), better=Better.LOWER)
    for how in JOINTS:
        assert chosen(Joined(how=how), [red], drafts(A, B)).chosen == 2


def test_a_proxy_without_bounds_is_scaled_over_the_drafts() -> None:
    far = Said("far", (-3.0, 40.0, 20.0), low=None, high=None)
    near = Said("near", (0.9, 0.0, 0.8))
    choice = chosen(Joined(), [far, near], drafts(A, B, C))
    assert choice.chosen == 3
    assert choice.scored[2].joint == pytest.approx((23 / 43 + 0.8) / 2)


def test_ties_go_to_the_first_of_the_best_and_are_told() -> None:
    choice = chosen(Joined(), [Said("a", (0.2, 0.7, 0.7))], drafts(A, B, C))
    assert (choice.chosen, choice.tied) == (2, (2, 3))
    assert [one.rank for one in choice.scored] == [3, 1, 1]
    assert "2 drafts stand first together: the first of them was taken" in choice.notes


def test_a_judge_that_always_says_the_same_gives_no_information_and_this_is_said() -> None:
    choice = chosen(Joined(), [Said("llm-coverage", (1.0,) * 3)], drafts(A, B, C))
    assert choice.chosen == 1
    assert "llm-coverage gave every draft 1: no information" in choice.notes
    assert "nothing tells the drafts apart: the first was taken" in choice.notes


def test_a_judge_that_always_says_the_same_leaves_the_choice_to_the_other() -> None:
    same, other = Said("same", (1.0, 1.0)), Said("other", (0.1, 0.2))
    choice = chosen(Joined(), [same, other], drafts(A, B))
    assert choice.chosen == 2
    assert choice.notes == ("same gave every draft 1: no information",)


def test_equal_drafts_are_scored_once_and_named() -> None:
    proxy = Said("a", (0.4, 0.9, 0.5))
    choice = chosen(Joined(), [proxy], drafts(A, A, A))
    assert proxy.asked == [(1,)]
    assert choice.chosen == 1
    assert choice.notes[0] == "all 3 drafts are one text: there is nothing to choose"


def test_a_draft_that_failed_is_named_and_never_taken() -> None:
    proxy = Said("a", (0.0, 0.0, 0.1))
    choice = chosen(Joined(), [proxy], drafts(None, B, C))
    assert choice.chosen == 3
    assert choice.notes[0] == "draft 1 has no text: cut off"
    assert proxy.asked == [(2, 3)]


def test_without_any_text_there_is_no_choice() -> None:
    choice = chosen(Joined(), [Said("a", (1.0,))], drafts(None))
    assert choice.chosen is None
    assert "no draft has a text" in choice.notes


def test_a_draft_that_a_proxy_left_unscored_cannot_win_and_is_not_called_worst() -> None:
    proxies = [Said("a", (1.0, 0.1, 0.2)), Said("b", ("no digit", 0.1, 0.3))]
    choice = chosen(Joined(), proxies, drafts(A, B, C))
    assert choice.chosen == 3
    assert choice.scored[0].joint is None
    assert choice.scored[0].rank is None
    assert choice.scored[0].notes == {"b": "no digit"}
    assert "not every proxy scored drafts 1: they cannot be compared" in choice.notes


def test_a_proxy_that_scored_nothing_decides_nothing() -> None:
    proxies = [Said("a", (0.1, 0.4)), Said("b", ("no digit", "no digit"))]
    choice = chosen(Joined(how="product"), proxies, drafts(A, B))
    assert choice.chosen == 2
    assert "b scored no draft, so it decides nothing: no digit" in choice.notes


@pytest.mark.parametrize(
    "values", [(("x", "x"), ("x", "x")), ((0.1, "x"), ("x", 0.1))], ids=["none", "no draft by all"]
)
def test_where_nothing_can_be_compared_the_first_draft_is_taken(
    values: tuple[tuple[float | str, ...], ...],
) -> None:
    proxies = [Said(name, held) for name, held in zip("ab", values, strict=True)]
    choice = chosen(Joined(), proxies, drafts(A, B))
    assert choice.chosen == 1
    assert choice.notes[-1] == "nothing could be compared: the first draft was taken"
    assert all(one.joint is None for one in choice.scored)


def test_the_weighted_rule_is_another_rule_of_the_same_kind() -> None:
    proxies = [Said("a", (0.9, 0.2)), Said("b", (0.1, 0.3))]
    rule: Rule = Weighted(weights={"a": 1.0, "b": 0.0})
    assert chosen(rule, proxies, drafts(A, B)).chosen == 1


def test_an_unknown_rule_gets_the_nearest() -> None:
    with pytest.raises(UnknownName, match="'rank-mean'"):
        Joined(how="rankmean")


rows = st.lists(
    st.tuples(*[st.one_of(st.floats(0, 1), st.just("unscored"))] * 2), min_size=1, max_size=6
)


@given(rows, st.sampled_from(list(JOINTS)))
def test_a_choice_is_always_made_explained_and_the_same_again(
    held: list[tuple[float | str, ...]], how: str
) -> None:
    proxies = [Said(name, tuple(row[n] for row in held)) for n, name in enumerate("ab")]
    texts = drafts(*(f"Text {n}." for n in range(len(held))))
    choice = chosen(Joined(how=how), proxies, texts)
    assert choice == chosen(Joined(how=how), proxies, texts)
    assert choice.chosen in {draft.number for draft in texts}
    best = next(one for one in choice.scored if one.number == choice.chosen)
    assert best.rank in (1, None)
    assert all(one.joint is None or math.isfinite(one.joint) for one in choice.scored)
    assert not choice.tied or choice.chosen == choice.tied[0]


@given(rows)
def test_a_draft_that_is_better_on_every_proxy_is_never_passed_over(
    held: list[tuple[float | str, ...]],
) -> None:
    full = [tuple(v for v in row if not isinstance(v, str)) for row in held]
    full = [row for row in full if len(row) == 2]
    top = (1.0, 1.0)
    proxies = [Said(name, (*(row[n] for row in full), top[n])) for n, name in enumerate("ab")]
    texts = drafts(*(f"Text {n}." for n in range(len(full) + 1)))
    for how in JOINTS:
        choice = chosen(Joined(how=how), proxies, texts)
        row = (*full, top)[(choice.chosen or 0) - 1]
        assert row == pytest.approx(top)
