"""Conflicts over rounds: chained, with their sides, and what summaries do about them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from baselines.ledger import Entry, Handling, Nearness, Treatment, ledger
from baselines.ledger.figures import courses, draw
from baselines.ledger.written import markdown, read_ledger, text, write_ledger
from globesumm.runs import Run
from globesumm.values import (
    ConflictCause,
    Document,
    Event,
    Issue,
    IssueKind,
    Outlet,
    Round,
    Sentence,
    Statement,
    Strategy,
    Summary,
)
from metrics.entailment import LexicalStandIn

BEGUN = datetime(2024, 5, 1, 8, tzinfo=UTC)
TEXTS = {
    "a": "Nine people were killed when the ferry sank, 12 people were injured.",
    "b": "14 people were killed when the ferry sank, 12 people were injured.",
    "c": "21 people were killed when the ferry sank, 30 people were injured.",
}
EVENT = Event(
    id="ferry",
    description="A ferry sinks.",
    documents=tuple(
        Document(
            id=name,
            language="en",
            text=text_,
            source=f"The {name.upper()} Post",
            published=BEGUN + timedelta(days=day),
            outlet=Outlet(domain=f"{name}.example", country="NO") if name == "a" else None,
        )
        for day, (name, text_) in enumerate(TEXTS.items())
    ),
)


def said(name: str) -> Statement:
    return Statement(document=name, index=1, language="en", text=TEXTS[name])


def conflict(differs: str, *names: str) -> Issue:
    return Issue(kind=IssueKind.CONFLICT, statements=tuple(map(said, names)), differs=differs)


def round_(number: int, told: str, *issues: Issue, cause: ConflictCause | None = None) -> Round:
    names = tuple(TEXTS)[: number + 1]
    return Round(
        index=number,
        documents=names,
        added=names[-1:],
        summary=told,
        sentences=(Sentence(text=told, language="en"),) if told else (),
        issues=issues,
        strategies=tuple(
            Strategy(issue=place, cause=cause, text="Say the latest.")
            for place in range(len(issues))
            if cause
        ),
    )


def summary(*rounds: Round) -> Summary:
    return Summary(
        event="ferry",
        recipe="crs.none.direct",
        model="m",
        target="en",
        text=rounds[-1].summary,
        rounds=rounds,
    )


def entries(*rounds: Round) -> list[Entry]:
    return ledger(summary(*rounds), EVENT, Nearness(LexicalStandIn(0.5)))


TOLL_ONE = conflict("number: 9 / 14", "a", "b")
TOLL_TWO = conflict("number: 9 / 14 / 21", "a", "b", "c")
HURT = conflict("number: 12 / 30", "a", "b", "c")
LATE = "21 people were killed when the ferry sank."
EARLY = "Nine people were killed when the ferry sank."


def test_a_conflict_named_in_two_rounds_is_one_entry_with_who_says_what_when() -> None:
    (entry,) = entries(round_(1, EARLY, TOLL_ONE), round_(2, LATE, TOLL_TWO))
    assert (entry.arose, entry.named) == (1, (1, 2))
    assert [(one.document, one.value, one.round) for one in entry.voices] == [
        ("a", "9", 1),
        ("b", "14", 1),
        ("c", "21", 2),
    ]
    assert [one.outlet for one in entry.voices] == ["The A Post", "The B Post", "The C Post"]
    assert [one.country for one in entry.voices] == ["NO", None, None]
    assert entry.voices[0].published == BEGUN


def test_two_figures_of_the_same_sentences_are_two_conflicts() -> None:
    found = entries(round_(1, EARLY, TOLL_ONE), round_(2, LATE, TOLL_TWO, HURT))
    assert [one.differs for one in found] == ["number: 9 / 14 / 21", "number: 12 / 30"]
    assert [one.arose for one in found] == [1, 2]


def test_an_update_is_settled_in_the_round_from_which_on_the_latest_figure_is_told() -> None:
    (entry,) = entries(
        round_(1, EARLY, TOLL_ONE, cause=ConflictCause.UPDATE),
        round_(2, LATE, TOLL_TWO, cause=ConflictCause.UPDATE),
    )
    assert [one.treatment for one in entry.history] == [
        Treatment.UNADDRESSED,
        Treatment.ADDRESSED,
    ]
    assert (entry.settled, entry.cause) == (2, ConflictCause.UPDATE)
    assert entry.final.words == (LATE,)
    assert [plan.text for plan in entry.plans] == ["Say the latest."] * 2


def test_a_conflict_that_the_last_summary_takes_up_again_is_not_settled() -> None:
    found = entries(
        round_(1, "14 people were killed when the ferry sank.", TOLL_ONE),
        round_(2, EARLY, TOLL_TWO),
    )
    assert found[0].settled is None


@pytest.mark.parametrize(
    ("cause", "told", "treatment"),
    [
        (ConflictCause.UPDATE, LATE, Treatment.ADDRESSED),
        (ConflictCause.UPDATE, EARLY, Treatment.UNADDRESSED),
        (ConflictCause.PERSPECTIVE, LATE, Treatment.UNADDRESSED),
        (
            ConflictCause.PERSPECTIVE,
            "Nine or 21 people were killed when the ferry sank.",
            Treatment.ADDRESSED,
        ),
        (ConflictCause.OTHER, "A storm had been forecast for the coast.", Treatment.ABSENT),
        (ConflictCause.ERROR, "40 people were killed when the ferry sank.", Treatment.UNADDRESSED),
    ],
)
def test_what_settles_a_conflict_depends_on_its_cause(
    cause: ConflictCause, told: str, treatment: Treatment
) -> None:
    (entry,) = entries(round_(2, told, TOLL_TWO, cause=cause))
    assert entry.final.treatment is treatment
    assert entry.final.note


def test_a_round_number_that_leaves_room_for_the_figure_told_does_not_unsettle_it() -> None:
    texts = {"a": "2,012 people were killed.", "b": "More than 2,000 people were killed."}
    event = replace(
        EVENT,
        documents=tuple(
            replace(one, text=texts[one.id]) for one in EVENT.documents if one.id in texts
        ),
    )
    issue = Issue(
        kind=IssueKind.CONFLICT,
        statements=tuple(
            Statement(document=name, index=1, language="en", text=told)
            for name, told in texts.items()
        ),
        differs="number: 2012 / ≥2000",
        cause=ConflictCause.UPDATE,
    )
    told = summary(round_(1, "2,012 people were killed.", issue))
    (entry,) = ledger(told, event, Nearness(LexicalStandIn(0.5)))
    assert entry.final.treatment is Treatment.ADDRESSED


def test_without_a_judged_cause_figures_that_rise_with_time_are_taken_for_an_update() -> None:
    (entry,) = entries(round_(2, LATE, TOLL_TWO))
    assert (entry.cause, entry.proposed) == (None, ConflictCause.UPDATE)
    (entry,) = entries(round_(2, LATE, conflict("number: 9 / 21", "a", "c")))
    assert (entry.cause, entry.proposed) == (None, None)
    assert entry.final.note == "tells one side alone, and nobody judged the cause"


def test_sides_in_words_come_from_negation_where_no_note_names_them() -> None:
    texts = {
        "a": "The captain did not ignore the storm warning.",
        "b": "The captain ignored the storm warning.",
    }
    event = replace(
        EVENT, documents=tuple(replace(d, text=texts.get(d.id, d.text)) for d in EVENT.documents)
    )
    issue = Issue(
        kind=IssueKind.CONFLICT,
        statements=tuple(
            Statement(document=name, index=1, language="en", text=told)
            for name, told in texts.items()
        ),
        differs="what the captain did",
        cause=ConflictCause.PERSPECTIVE,
    )
    told = summary(round_(1, "The captain ignored the storm warning.", issue))
    (entry,) = ledger(told, event, Nearness(LexicalStandIn(0.5)))
    assert entry.sides == ("negated", "affirmed")
    assert entry.final.values == ("affirmed",)
    assert entry.final.treatment is Treatment.UNADDRESSED


def test_a_conflict_in_a_models_words_is_read_by_the_figures_of_its_statements() -> None:
    first = conflict("how many people were killed", "a", "b")
    carried = Statement(
        document="a + b", index=1, language="en", text="14 people were killed at sea."
    )
    later = Issue(
        kind=IssueKind.CONFLICT,
        statements=(carried, said("c")),
        differs="the number of the killed",
        cause=ConflictCause.UPDATE,
    )
    (entry,) = entries(round_(1, EARLY, first), round_(2, LATE, later))
    assert (entry.kind, entry.named) == ("number", (1, 2))
    assert [one.value for one in entry.voices] == ["9", "14", "21", "14"]
    assert entry.final.treatment is Treatment.ADDRESSED
    assert "the summary so far" in text([entry], [], "ferry")


def test_a_judge_is_asked_once_a_round_and_its_silence_is_not_a_verdict() -> None:
    class Silent:
        name = "silent"
        asked = 0

        def __call__(
            self, summary: str, language: str, disputed: Sequence[Issue]
        ) -> list[Handling]:
            assert summary
            assert language == "en"
            self.asked += 1
            return [Handling(round=0, treatment=None, note="no reply")] * len(disputed)

    judge = Silent()
    told = summary(round_(1, EARLY, TOLL_ONE), round_(2, LATE, TOLL_TWO))
    (entry,) = ledger(told, EVENT, Nearness(LexicalStandIn(0.5)), judge)
    assert judge.asked == 2
    assert entry.final.treatment is None
    assert (entry.settled, entry.judge, entry.final.note) == (None, "silent", "no reply")
    assert entry.final.words == (LATE,)


def test_redundancies_and_omissions_stand_in_no_ledger() -> None:
    other = Issue(kind=IssueKind.REDUNDANCY, statements=(said("a"), said("b")))
    assert entries(round_(1, EARLY, other)) == []
    assert "No round names a conflict" in text([], [], "ferry")


def test_figures_over_time_are_the_reports_and_what_the_summary_said_then(tmp_path: Path) -> None:
    told = summary(round_(1, EARLY, TOLL_ONE), round_(2, LATE, TOLL_TWO))
    found = ledger(told, EVENT, Nearness(LexicalStandIn(0.5)))
    (course,) = courses(found, told, EVENT)
    assert course.about == "killed"
    assert [int(point.figure) for point in course.points] == [9, 14, 21]
    assert [int(value) for _, value in course.told] == [9, 21]
    pytest.importorskip("matplotlib")
    for name in ("one.svg", "two.svg"):
        draw(course, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_the_ledger_in_the_run_folder_reads_back_and_replaces_its_own_only(tmp_path: Path) -> None:
    run = Run(tmp_path)
    first = entries(round_(2, LATE, TOLL_TWO, HURT))
    other = [replace(one, recipe="sts.none.direct") for one in first]
    write_ledger(run, [("ferry", "crs.none.direct"), ("ferry", "sts.none.direct")], first + other)
    assert read_ledger(run) == first + other
    again = entries(round_(2, LATE, TOLL_TWO))
    write_ledger(run, [("ferry", "crs.none.direct")], again)
    assert read_ledger(run) == other + again


HOSTILE = "<img src=x onerror=alert(1)> 9 killed \x1b[31m \u202e [x](http://evil.example) | ` *"


def test_outside_text_becomes_neither_markup_nor_a_link_nor_steers_a_terminal() -> None:
    event = replace(EVENT, documents=tuple(replace(one, source=HOSTILE) for one in EVENT.documents))
    issue = replace(TOLL_TWO, note=HOSTILE, differs=f"number: {HOSTILE} / 21")
    told = summary(round_(2, f"{HOSTILE} 21 people were killed.", issue))
    found = ledger(told, event, Nearness(LexicalStandIn(0.5)))
    marked = markdown(found, courses(found, told, event), HOSTILE)
    plain = text(found, courses(found, told, event), HOSTILE)
    for written in (marked, plain):
        assert "\x1b" not in written
        assert "\u202e" not in written
    assert "<img" not in marked.replace("\\<", "")
    assert "http://" not in marked


def of_texts(texts: dict[str, str], told: str, differs: str) -> Entry:
    event = replace(
        EVENT, documents=tuple(replace(d, text=texts.get(d.id, d.text)) for d in EVENT.documents)
    )
    issue = Issue(
        kind=IssueKind.CONFLICT,
        statements=tuple(
            Statement(document=name, index=1, language="en", text=said)
            for name, said in texts.items()
        ),
        differs=differs,
    )
    sentences = tuple(Sentence(text=f"{one}.", language="en") for one in told.split(". "))
    one = replace(round_(1, told, issue), sentences=sentences)
    (entry,) = ledger(summary(one), event, Nearness(LexicalStandIn(0.6)))
    return entry


@pytest.mark.parametrize(
    ("first", "told", "words"),
    [
        # A figure of people says nothing of a conflict about the injured.
        ("12 were injured", "45 were hurt. About 9,000 children were fed", ("45 were hurt.",)),
        ("12 were injured at sea", "About 9,000 children were fed", ()),
        # Where the statements count people and no more, it must be near one of them.
        ("12 people live on the island", "About 9,000 children were fed", ()),
        ("12 people live on land", "45 people live on land", ("45 people live on land.",)),
        # A short figure in common is chance, a long one is not.
        ("30 were injured at sea", "30 children were fed", ()),
        ("2,946 were injured at sea", "2,946 people were listed", ("2,946 people were listed.",)),
    ],
)  # fmt: skip
def test_words_that_count_people_treat_a_conflict_only_where_they_are_of_its_figures(
    first: str, told: str, words: tuple[str, ...]
) -> None:
    figure = first.split(maxsplit=1)[0].replace(",", "")
    texts = {"a": f"{first}.", "b": "70 people live on the island."}
    assert of_texts(texts, told, f"number: {figure} / 70").final.words == words
