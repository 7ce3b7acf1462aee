"""Decisions: what each rule makes of votes, second rounds, and adjudicators' words."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.labels.agreement.ratings import Value
from annotation.labels.agreement.units import decided, questions
from annotation.labels.results.decide import (
    RULES,
    Votes,
    complete_disagreement,
    decide,
    decisions,
    second_round,
    undecided,
)
from annotation.labels.values import Role
from globesumm.errors import UnknownName
from tests.label_results import label_samples as samples
from tests.label_results.label_samples import NO, YES, label

ADJUDICATOR = Role.ADJUDICATOR


WORDS: dict[str, Value | None] = {"yes": True, "no": False, "-": None}


def votes(*said: str) -> dict[str, Value | None]:
    return {who: WORDS.get(one, one) for who, one in zip("abcdefg", said, strict=False)}


@pytest.mark.parametrize(
    ("rule", "said", "answer"),
    [
        ("majority", votes("yes", "yes", "no"), True),
        ("majority", votes("x", "x", "y", "z", "w"), "x"),
        ("majority", votes("yes", "no"), None),
        ("majority", votes("yes", "-", "-"), True),
        ("strict-majority", votes("yes", "yes", "no"), True),
        ("strict-majority", votes("x", "x", "y", "z"), None),
        ("strict-majority", votes("x", "x", "y", "z", "w"), None),
        ("strict-majority", votes("yes", "-", "-"), None),
        ("unanimous", votes("yes", "yes", "yes"), True),
        ("unanimous", votes("yes", "yes", "no"), None),
        ("unanimous", votes("yes", "yes", "-"), None),
        ("groups", votes("yes", "yes"), True),
        ("groups", votes("yes", "no"), False),
        ("groups", votes("no", "no"), False),
        ("groups", votes("yes", "-"), None),
    ],
)
def test_a_rule_decides_as_its_name_says(rule: str, said: Votes, answer: Value | None) -> None:
    found = decide(said, rule)
    assert found.answer == answer
    assert (found.reason is None) == (answer is not None)


@pytest.mark.parametrize("rule", RULES)
def test_without_an_answer_nothing_is_decided_and_the_reason_is_told(rule: str) -> None:
    assert decide({}, rule).reason == "nobody answered"
    assert decide(votes("-", "-"), rule).reason == "nobody can judge it"


@given(
    st.dictionaries(st.sampled_from("abcde"), st.booleans() | st.none(), max_size=5),
    st.sampled_from(sorted(RULES)),
)
def test_an_answer_is_one_that_somebody_gave(said: dict[str, bool | None], rule: str) -> None:
    found = decide(said, rule)
    assert (found.answer is None) != (found.reason is None)
    assert found.answer is None or found.answer in said.values()


@given(st.lists(st.sampled_from(["x", "y", "z"]), min_size=1, max_size=7))
def test_stricter_rules_decide_nothing_else(said: list[str]) -> None:
    held = votes(*said)
    strict, whole = decide(held, "strict-majority").answer, decide(held, "unanimous").answer
    assert whole in (None, strict)
    assert strict in (None, decide(held, "majority").answer)


def test_as_long_as_an_answer_is_missing_a_strict_rule_waits() -> None:
    said = votes("yes", "yes")
    assert decide(said, "unanimous", asked=3).answer is None
    assert decide(said, "groups", asked=4).reason == "2 of 4 answers are missing"
    assert decide(said, "strict-majority", asked=3).answer is True
    assert decide(said, "strict-majority", asked=4).answer is None


def test_a_fact_is_key_only_where_both_groups_are_of_one_mind() -> None:
    groups = {"a": "1", "b": "1", "c": "2", "d": "2"}
    assert decide(votes("yes", "yes", "yes", "yes"), "groups", groups=groups).answer is True
    assert decide(votes("yes", "yes", "yes", "no"), "groups", groups=groups).answer is False
    silent = decide(votes("yes", "yes", "yes", "-"), "groups", groups=groups)
    assert silent.reason == "1 of 4 answers are missing (group 2)"


def test_groups_decide_yes_or_no_alone() -> None:
    assert "yes or no" in str(decide(votes("[1]", "[1]"), "groups").reason)


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(UnknownName, match="unanimous"):
        decide(votes("yes"), "unanimity")


def test_a_second_round_is_for_three_who_all_differ() -> None:
    assert complete_disagreement(votes("[1]", "[2]", "[]"))
    assert not complete_disagreement(votes("[1]", "[2]"))
    assert not complete_disagreement(votes("[1]", "[1]", "[]"))
    assert not complete_disagreement(votes("[1]", "[2]", "-"))


def test_matching_goes_to_a_second_round_whose_answers_then_count() -> None:
    item, other = samples.matching("m1"), samples.matching("m2")
    first = [
        label(item, who, {"sentences": said})
        for who, said in zip("abc", ([1], [2], []), strict=True)
    ]
    agreed = [label(other, who, {"sentences": [1]}) for who in "abc"]
    found = decisions([item, other], [*first, *agreed])
    assert [(one.item, one.answer) for one in found] == [("m1", None), ("m2", "[1]")]
    assert second_round(found) == ["m1"]
    assert undecided(found) == {("matching", "sentences"): 1}
    second = [
        label(item, who, {"sentences": said}, round=2)
        for who, said in zip("abc", ([1, 2], [1, 2], []), strict=True)
    ]
    again = decisions([item, other], [*first, *agreed, *second])
    assert (again[0].answer, again[0].round) == ("[1, 2]", 2)
    assert second_round(again) == []


def test_an_adjudicators_word_replaces_what_the_rule_gave_and_both_are_kept() -> None:
    item = samples.key_fact("k")
    said = [label(item, who, {"key": key}) for who, key in zip("ab", (True, False), strict=True)]
    word = label(item, "judge", {"key": True}, role=ADJUDICATOR)
    (found,) = decisions([item], [*said, word])
    assert (found.answer, found.replaced, found.adjudicators) == (True, False, ("judge",))
    assert found.votes == {"a": True, "b": False}
    (open_one,) = decisions([item], [said[0], replace(said[1], answer=None, note="?"), word])
    assert (open_one.answer, open_one.replaced) == (True, None)


def test_adjudicators_who_differ_decide_nothing() -> None:
    item = samples.key_fact("k")
    words = [
        label(item, who, {"key": key}, role=ADJUDICATOR)
        for who, key in zip("xy", (True, False), strict=True)
    ]
    (found,) = decisions([item], [label(item, "a", {"key": True}), *words])
    assert found.answer is None
    assert found.reason == "adjudicators differ: 1 yes, 1 no"


def test_an_adjudicator_who_cannot_judge_leaves_it_to_the_rule() -> None:
    item = samples.key_fact("k")
    word = label(item, "x", None, role=ADJUDICATOR, note="no source")
    (found,) = decisions([item], [label(item, "a", {"key": True}), word])
    assert (found.answer, found.adjudicators) == (True, ())


def test_labels_taken_back_or_of_another_version_do_not_count() -> None:
    item = samples.relevance("r")
    gone = replace(label(item, "a", YES), undone=True)
    old = replace(label(item, "b", YES), version="0" * 12)
    stranger = label(samples.relevance("other"), "c", YES)
    found = decisions([item], [gone, old, stranger, label(item, "d", NO)])
    assert found[0].votes == {"d": False}
    assert found[0].answer is False


def test_key_facts_are_decided_by_groups_and_other_kinds_by_majority() -> None:
    items = [samples.key_fact("k"), samples.support("s")]
    said = [
        label(item, who, {name: yes})
        for item, name in zip(items, ("key", "supported"), strict=True)
        for who, yes in zip("abc", (True, True, False), strict=True)
    ]
    assert [one.answer for one in decisions(items, said)] == [False, True]
    named = decisions(items, said, rules={"key-facts": "majority", "fact-support": "unanimous"})
    assert [one.answer for one in named] == [True, None]


def test_every_finding_of_a_review_is_decided_by_itself() -> None:
    findings = (
        {"kind": "omission", "first": [1]},
        {"kind": "redundancy", "first": [1], "second": [2]},
    )
    item = samples.review("v", *findings)
    said = [
        label(item, who, {"reviewed": right})
        for who, right in zip("abc", ([True, False], [True, True], [False, False]), strict=True)
    ]
    assert [one.answer for one in decisions([item], said)] == [True, False]


def test_the_questions_of_an_item_are_those_that_its_answers_settle() -> None:
    relevance, pair = samples.relevance("r"), samples.issues("i")
    assert tuple(decided(relevance, YES)) == questions(relevance)
    assert questions(pair) == ()
    assert questions(samples.key_points("p")) == ()
