"""The closed forms, the file of verdicts, and what each score does and does not see."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from globesumm.cli import main
from globesumm.values import Rejected
from metrics.facts.formula import NO_FACT, NO_KEY_FACT, NO_SENTENCE
from metrics.facts.verdicts import Verdicts, read_verdicts, scores

SOURCE = [f"fact {number} holds" for number in range(12)]
Summary = list[list[str]]
"""Sentences, each of its clauses."""


def judged(summary: Summary, key: list[str]) -> Verdicts:
    """By rule: a sentence states the key facts among its clauses; the source says which are so."""
    return Verdicts(
        id="s",
        key_facts=tuple(
            tuple(n for n, sentence in enumerate(summary, 1) if fact in sentence) for fact in key
        ),
        sentences=len(summary),
        supported=tuple(clause in SOURCE for sentence in summary for clause in sentence),
    )


def three(summary: Summary, key: list[str]) -> tuple[float, float, float]:
    measured = judged(summary, key).measured()
    values = [measured[name].value for name in ("completeness", "conciseness", "faithfulness")]
    assert all(value is not None for value in values)
    first, second, third = (float(value or 0) for value in values)
    return first, second, third


clauses = st.sampled_from([*SOURCE, *(f"invention {number} holds" for number in range(4))])
summaries = st.lists(st.lists(clauses, min_size=1, max_size=3), min_size=1, max_size=6)
keys = st.lists(st.sampled_from(SOURCE), min_size=1, max_size=6, unique=True)


@given(summaries, keys, st.data())
def test_a_hallucinated_clause_in_a_matched_sentence_lowers_faithfulness_only(
    summary: Summary, key: list[str], data: st.DataObject
) -> None:
    matched = [n for n, sentence in enumerate(summary) if set(sentence) & set(key)]
    before = three(summary, key)
    assume(matched and before[2] > 0)
    place = data.draw(st.sampled_from(matched))
    altered = [[*s, "a new invention holds"] if n == place else s for n, s in enumerate(summary)]
    after = three(altered, key)
    assert after[:2] == before[:2]
    assert after[2] < before[2]


@given(summaries, keys, st.integers(0, 6))
def test_a_sentence_without_facts_lowers_conciseness_only(
    summary: Summary, key: list[str], place: int
) -> None:
    before = three(summary, key)
    assume(before[1] > 0)
    after = three([*summary[:place], [], *summary[place:]], key)
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1] < before[1]


@given(st.lists(st.sampled_from(SOURCE), min_size=2, max_size=6, unique=True), st.integers(0, 3))
def test_a_key_fact_cut_from_a_sentence_that_stays_matched_lowers_completeness_only(
    key: list[str], others: int
) -> None:
    summary = [list(key), *([fact] for fact in key[:1] * others)]
    before = three(summary, key)
    after = three([key[:-1], *summary[1:]], key)
    assert after[1:] == before[1:]
    assert after[0] < before[0]


@given(summaries, keys)
def test_the_scores_are_the_shares_that_the_paper_defines(summary: Summary, key: list[str]) -> None:
    stated = {clause for sentence in summary for clause in sentence}
    said = [clause for sentence in summary for clause in sentence]
    expected = (
        Fraction(len(set(key) & stated), len(key)),
        Fraction(sum(bool(set(s) & set(key)) for s in summary), len(summary)),
        Fraction(sum(clause in SOURCE for clause in said), len(said)),
    )
    assert three(summary, key) == tuple(map(float, expected))


def test_a_perfect_summary_has_all_three_scores_at_one() -> None:
    assert three([[fact] for fact in SOURCE[:3]], SOURCE[:3]) == (1, 1, 1)


def test_one_sentence_that_holds_the_whole_source_games_conciseness_and_this_is_known() -> None:
    assert three([SOURCE], SOURCE[:3]) == (1, 1, 1)


@pytest.mark.parametrize(
    ("key_facts", "sentences", "supported", "expected"),
    [
        ((), 2, (True,), (NO_KEY_FACT, NO_KEY_FACT, 1.0)),
        (((),), 0, (), (0.0, NO_SENTENCE, NO_FACT)),
        ((), 0, (), (NO_KEY_FACT, NO_SENTENCE, NO_FACT)),
        (((), ()), 1, (False,), (0.0, 0.0, 0.0)),
        (((1,),), 1, (True, None), (1.0, 1.0, "1 of 2 facts without a verdict")),
        (None, 1, None, ("the key facts were not matched",) * 2 + ("the facts were not verified",)),
    ],
)
def test_every_empty_case_has_its_value_or_its_reason(
    key_facts: tuple[tuple[int, ...], ...] | None,
    sentences: int,
    supported: tuple[bool | None, ...] | None,
    expected: tuple[float | str, ...],
) -> None:
    found = Verdicts(id="s", key_facts=key_facts, sentences=sentences, supported=supported)
    assert tuple(s.note if s.value is None else s.value for s in scores([found])) == expected


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(1, 5), max_size=3), min_size=1, max_size=5),
    st.integers(1, 5),
)
def test_counting_sentences_from_zero_or_one_gives_the_same_scores(
    matches: list[list[int]], count: int
) -> None:
    ones = tuple(tuple(1 + n % count for n in held) for held in matches)
    zeros = tuple(tuple(n - 1 for n in held) for held in ones)
    one, zero = (
        Verdicts(id="s", key_facts=held, sentences=count, supported=None).measured()
        for held in (ones, zeros)
    )
    assert one == zero


BAD_LINES = {
    '{"key_facts": [], "sentences": 1, "supported": []}': "id",
    '{"id": "x", "key_facts": [[0, 3]], "sentences": 3, "supported": []}': "count from 0 or from 1",
    '{"id": "x", "key_facts": [[4]], "sentences": 3, "supported": []}': "sentence 4 of 3",
    '{"id": "x", "key_facts": [[-1]], "sentences": 3, "supported": []}': "sentence -1 of 3",
    '{"id": "x", "key_facts": [[true]], "sentences": 3, "supported": []}': "whole numbers",
    '{"id": "x", "key_facts": "all", "sentences": 3, "supported": []}': "a list is needed",
    '{"id": "x", "key_facts": [], "sentences": -3, "supported": []}': "sentences",
    '{"id": "x", "key_facts": [], "sentences": 3, "supported": ["yes"]}': "true, false or null",
    '{"id": "x", "key_facts": [], "sentences": 3, "suported": []}': "unknown key",
    "[1, 2]": "",
    "not json": "",
}


@pytest.mark.parametrize(("line", "reason"), BAD_LINES.items())
def test_a_line_of_another_form_is_rejected_with_its_reason(
    line: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text(line + "\n")
    (found,) = read_verdicts(path)
    assert isinstance(found, Rejected)
    assert reason in found.reason


def test_a_second_line_about_one_summary_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    line = '{"id": "x", "key_facts": [null, 1], "sentences": 3, "supported": [true]}\n'
    path.write_text(line * 2)
    first, second = read_verdicts(path)
    assert isinstance(first, Verdicts)
    assert first.key_facts == ((), (1,))
    assert isinstance(second, Rejected)


def test_the_verb_prints_three_scores_a_line_and_counts_what_it_could_not_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text(
        '{"id": "a", "key_facts": [[0], [1, 2], []], "sentences": 4, "supported": [true, false]}\n'
        '{"id": "b", "key_facts": [], "sentences": 0, "supported": []}\n'
        '{"id": "c"}\n'
    )
    assert main(["facts", "score", str(path), "--format", "jsonl"]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == {
        "id": "a",
        "completeness": 2 / 3,
        "conciseness": 0.75,
        "faithfulness": 0.5,
    }
    assert [lines[1][name] for name in ("completeness", "conciseness", "faithfulness")] == [
        None
    ] * 3
    assert {(one["n"], one["expected"]) for one in lines[-1]["aggregate"]} == {(1, 3)}


def test_a_file_without_any_verdict_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "v.jsonl"
    path.write_bytes(b"\x00\xff\n")
    assert main(["facts", "score", str(path)]) == 2
    assert "no verdicts that can be read" in capsys.readouterr().err
