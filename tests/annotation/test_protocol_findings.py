"""The protocol as data, and issues, causes and strategies read out of answers."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.answer_forms import MOST_ITEMS, issues_form, list_form, strategies_form
from annotation.author import Unusable
from annotation.findings import (
    read_issues,
    read_strategies,
    with_causes,
)
from annotation.prose import references
from annotation.protocol import Protocol, protocol
from globesumm.errors import DataError, UsageError
from globesumm.values import ConflictCause, Issue, IssueKind, Passage, Sentence, Statement, Strategy

R, O, C = IssueKind.REDUNDANCY, IssueKind.OMISSION, IssueKind.CONFLICT  # noqa: E741


def report(count: int, *documents: str) -> Passage:
    def rests_on(index: int) -> tuple[Statement, ...]:
        if len(documents) > 1:
            return ()
        text = f"s{index}"
        return (Statement(document=documents[0], index=index, language="fr", text=text),)

    return Passage(
        documents=documents,
        language="en",
        sentences=tuple(
            Sentence(text=f"S{index}", language="en", statements=rests_on(index))
            for index in range(1, count + 1)
        ),
    )


REPORTS = (report(3, "a", "b"), report(4, "c"))


def found(text: str) -> list[tuple[IssueKind, list[tuple[str, int]]]]:
    return [
        (issue.kind, [(s.document, s.index) for s in issue.statements])
        for issue in read_issues(text, REPORTS).issues
    ]


def conflicts(count: int) -> tuple[Issue, ...]:
    """`count` conflicts with an omission before each."""
    return tuple(Issue(kind=kind, statements=()) for _ in range(count) for kind in (O, C))


def test_every_kind_and_cause_has_definition_example_and_strategy() -> None:
    rules = protocol()
    assert set(rules.issues) == set(IssueKind)
    assert set(rules.causes) == set(ConflictCause)
    for entry in (*rules.issues.values(), *rules.causes.values()):
        assert min(map(len, (entry.definition, entry.example, entry.strategy))) > 20
    for shown in (rules.definitions(), rules.cause_rules(), rules.rules()):
        assert "$" not in shown
    assert all(entry.strategy in rules.rules() for entry in rules.causes.values())
    assert all(entry.example in rules.cause_rules() for entry in rules.causes.values())
    assert all(entry.example in rules.definitions() for entry in rules.issues.values())


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("update", ConflictCause.UPDATE),
        ("Cause: updates of the event over time", ConflictCause.UPDATE),
        ("These are differing Viewpoints", ConflictCause.PERSPECTIVE),
        ("a mistranslation, so linguistic", ConflictCause.LANGUAGE),
        ("cultural discrepancy", ConflictCause.LANGUAGE),
        ("an inaccuracy in the second report", ConflictCause.ERROR),
        ("unknown reasons", ConflictCause.OTHER),
        ("bananas", None),
    ],
)
def test_words_of_an_answer_mean_a_cause(text: str, cause: ConflictCause | None) -> None:
    assert protocol().cause_of(text) is cause


def test_a_protocol_of_ones_own_must_be_whole(tmp_path: Path) -> None:
    path = tmp_path / "protocol.toml"
    with pytest.raises(UsageError, match="cannot be read"):
        Protocol.read(path)
    path.write_text("[issues")
    with pytest.raises(DataError, match="not TOML"):
        Protocol.read(path)
    entry = 'definition = "d"\nexample = "e"\nstrategy = "s"\nnames = []\n'
    path.write_text(f"[issues.conflict]\n{entry}[causes.update]\n{entry}")
    with pytest.raises(DataError, match="no entry for redundancy, omission, perspective"):
        Protocol.read(path)
    path.write_text(f"[issues.quarrel]\n{entry}[causes]\n")
    with pytest.raises(DataError, match=r"issues.quarrel"):
        Protocol.read(path)


PLACES = st.lists(
    st.tuples(st.sampled_from([1, 2]), st.integers(min_value=1, max_value=3)),
    min_size=1,
    max_size=4,
    unique=True,
)


@given(st.lists(st.tuples(st.sampled_from(list(IssueKind)), PLACES), max_size=6))
def test_an_answer_in_the_form_asked_for_reads_back(
    named: list[tuple[IssueKind, list[tuple[int, int]]]],
) -> None:
    entries = [
        {
            "kind": str(kind),
            "sentences": [{"report": report, "sentence": sentence} for report, sentence in places],
            "detail": "something",
        }
        for kind, places in named
    ]
    text = f"```json\n{json.dumps({'issues': entries}, indent=1)}\n```"
    names = {1: "a + b", 2: "c"}
    assert found(text) == [
        (kind, [(names[report], sentence) for report, sentence in places]) for kind, places in named
    ]


FORMS = {
    "issues": issues_form(REPORTS),
    "issues of long reports": issues_form([report(400, "a")] * 12),
    "issues of nothing": issues_form([]),
    "strategies": strategies_form(2),
    "no strategies": strategies_form(0),
    "list": list_form(5),
    "long list": list_form(900),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forms_are_strict_and_bounded_so_that_servers_take_them_and_models_end(form: str) -> None:
    def check(schema: object) -> None:
        if not isinstance(schema, dict):
            return
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert sorted(schema["required"]) == sorted(schema["properties"])
        if schema.get("type") == "array":
            assert 1 <= schema["maxItems"] <= MOST_ITEMS
        assert schema.get("enum") != []
        assert len(schema.get("enum", [])) <= 250
        for part in (*schema.get("properties", {}).values(), schema.get("items")):
            check(part)

    check(json.loads(form))


def test_a_form_names_only_reports_and_sentences_that_exist() -> None:
    issues = json.loads(issues_form(REPORTS))["properties"]["issues"]
    assert issues["maxItems"] == 7
    place = issues["items"]["properties"]["sentences"]["items"]["properties"]
    assert (place["report"]["enum"], place["sentence"]["enum"]) == ([1, 2], [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("text", "issues"),
    [
        ('{"issues": []}', []),
        ("[]", []),
        ("There are no redundancies, omissions or conflicts.", []),
        ("Redundancy: none.\nOmission: none.\nConflict: none.", []),
        (
            ("1. Redundancy:\n- Sentence 1 of report 1 and sentences 2 and 3 from report 2 agree.\n"
            "2. Omissions:\n- News report 2 (sentence 4) tells of aid.\n"
            "3. **Conflicts:**\n- There are no conflicts."),
            [(R, [("a + b", 1), ("c", 2), ("c", 3)]), (O, [("c", 4)])],
        ),
        (
            "Conflict: Report 1, sentence 3 says 5, but report 2, sentence 1 says 7.",
            [(C, [("a + b", 3), ("c", 1)])],
        ),
        ("- Conflict between R1-S1 and R2-S4.", [(C, [("a + b", 1), ("c", 4)])]),
        (
            "Omission: the second report, sentence 1, is missing in the first report.",
            [(O, [("c", 1)])],
        ),
        (
            '{"redundancies": [], "conflicts": ["sentence 1 of report 1, sentence 2 of report 2"]}',
            [(C, [("a + b", 1), ("c", 2)])],
        ),
        (
            '[{"kind": "Conflicting toll", "sentences": [[1, 2], "report 2, sentence 3"]}]',
            [(C, [("a + b", 2), ("c", 3)])],
        ),
    ],
)  # fmt: skip
def test_issues_are_read_from_json_and_from_prose(
    text: str, issues: list[tuple[IssueKind, list[tuple[str, int]]]]
) -> None:
    assert found(text) == issues


@pytest.mark.parametrize("text", ["Bananas.", "", '{"fruit": "banana"}', "[1, 2, 3]", "{" * 5000])
def test_an_answer_about_something_else_is_unusable(text: str) -> None:
    with pytest.raises(Unusable):
        read_issues(text, REPORTS)
    with pytest.raises(Unusable):
        read_strategies(text, conflicts(1))


@given(st.text(max_size=200))
def test_any_answer_is_read_or_unusable(text: str) -> None:
    with suppress(Unusable):
        read_issues(f"conflict {text}", REPORTS)
    with suppress(Unusable):
        read_strategies(f"conflict {text}", conflicts(2))


def test_a_statement_is_what_a_document_said_or_what_a_summary_says_for_several() -> None:
    text = '{"issues": [{"kind": "conflict", "detail": "toll", "sentences": [[1, 1], [2, 2]]}]}'
    [issue] = read_issues(text, REPORTS).issues
    assert issue.statements == (
        Statement(document="a + b", index=1, language="en", text="S1"),
        Statement(document="c", index=2, language="fr", text="s2"),
    )
    assert (issue.differs, issue.note) == ("toll", None)


@pytest.mark.parametrize(
    ("phrase", "places"),
    [
        ("sentences 1, 2 and 4 of report 2", [(2, 1), (2, 2), (2, 4)]),
        ("Report 1: sentence 3", [(1, 3)]),
        ("sentence 2 in the first news report", [(1, 2)]),
        ("(1.3) and (2.1)", [(1, 3), (2, 1)]),
        ("in 2023, 19 people", []),
        ("report 1 states 9 dead", []),
    ],
)
def test_phrases_that_point_at_sentences(phrase: str, places: list[tuple[int, int]]) -> None:
    assert list(references(phrase)) == places


@pytest.mark.parametrize(
    ("text", "causes", "noted"),
    [
        (
            (
                '{"strategies": [{"conflict": 2, "cause": "error", "strategy": "Say 5."}, '
                '{"conflict": 1, "cause": "update", "strategy": "Say 7."}]}'
            ),
            {1: ConflictCause.UPDATE, 3: ConflictCause.ERROR},
            (),
        ),
        (
            "1. It was updated: later report wins.\n2. Two perspectives: keep both.",
            {1: ConflictCause.UPDATE, 3: ConflictCause.PERSPECTIVE},
            (),
        ),
        (
            "- Conflict 2: an error in report 1.",
            {3: ConflictCause.ERROR},
            ("strategies: none for conflict 1",),
        ),
        (
            (
                '{"strategies": [{"conflict": 1, "cause": "ghosts", "strategy": "Say less."}, '
                '{"conflict": 9, "cause": "update", "strategy": "x"}]}'
            ),
            {1: ConflictCause.OTHER},
            (
                "strategies: no cause named for conflict 1, taken as other",
                "strategies: conflict 9 of 2 does not exist",
                "strategies: none for conflict 2",
            ),
        ),
    ],
)
def test_strategies_find_their_conflicts(
    text: str, causes: dict[int, ConflictCause], noted: tuple[str, ...]
) -> None:
    settled = read_strategies(text, conflicts(2))
    assert {one.issue: one.cause for one in settled.strategies} == causes
    assert settled.notes == noted


def test_without_conflicts_any_answer_settles_them() -> None:
    assert read_strategies("There is nothing to settle.", conflicts(0)).strategies == ()
    assert read_strategies('{"strategies": []}', conflicts(0)).notes == ()


def test_causes_come_back_to_their_issues() -> None:
    strategy = Strategy(issue=1, cause=ConflictCause.ERROR, text="x")
    assert [issue.cause for issue in with_causes(conflicts(2), [strategy])] == [
        None, ConflictCause.ERROR, None, None,
    ]  # fmt: skip
