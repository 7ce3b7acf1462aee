"""Agreement over a project: by kind and language, on maps, highlights, checks and over time."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from annotation.labels.agreement.drift import alike, drift
from annotation.labels.agreement.report import ALL, Agreement, report
from annotation.labels.agreement.units import flattened
from annotation.labels.kinds import KINDS
from annotation.labels.results.held import Held
from annotation.labels.values import Item, Label
from baselines.labels.issues import marks
from baselines.labels.tables import agreement_page, bounded, evenly, number
from baselines.labels.written import FORMS, html, written
from globesumm.records import to_json
from tests.label_results import label_samples as samples
from tests.label_results.label_samples import NO, YES, label, span


def held(items: Iterable[Item], labels: Iterable[Label], checks: Iterable[Item] = ()) -> Held:
    return Held(
        items={one.id: one for one in items},
        checks={one.id: one for one in checks},
        labels=tuple(labels),
    )


def row(found: Iterable[Agreement], question: str, language: str = ALL) -> dict[str, float | None]:
    (one,) = [a for a in found if (a.question, a.language) == (question, language)]
    return {held.name: held.value for held in one.coefficients}


def in_language(item: Item, code: str) -> Item:
    return replace(item, languages=(code,))


def test_agreement_is_by_question_and_language() -> None:
    items = [in_language(samples.relevance(f"r{n}"), "de" if n < 20 else "el") for n in range(50)]
    # Wikipedia's table of Cohen's kappa: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no.
    said = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    labels = [
        label(item, who, YES if one == "y" else NO)
        for item, both in zip(items, said, strict=True)
        for who, one in zip("ab", both, strict=True)
    ]
    found = report(held(items, labels), resamples=50).agreement
    assert row(found, "relevant")["Cohen's kappa"] == pytest.approx(0.4)
    assert row(found, "relevant")["percent"] == pytest.approx(0.7)
    assert row(found, "same_event")["Cohen's kappa"] == pytest.approx(0.4)
    german = row(found, "relevant", "de")
    assert german["percent"] == 1.0
    assert german["Cohen's kappa"] is None
    (one,) = [a for a in found if (a.question, a.language) == ("relevant", ALL)]
    assert one.shares == {"False": 45, "True": 55}
    assert {a.language for a in found} == {ALL, "de", "el"}


def test_maps_of_sentences_are_flattened_before_fleiss_kappa() -> None:
    item = samples.matching("m", 4)
    said = ([1, 2], [1, 2], [1])
    labels = [label(item, who, {"sentences": one}) for who, one in zip("abc", said, strict=True)]
    found = report(held([item], labels), resamples=0).agreement
    # Cells (yes, no): 3/0, 2/1, 0/3, 0/3; P = (1 + 1/3 + 1 + 1) / 4, Pe = (5/12)² + (7/12)².
    observed, chance = (3 + 1 / 3) / 4, (5 / 12) ** 2 + (7 / 12) ** 2
    expected = (observed - chance) / (1 - chance)
    assert row(found, "states the fact")["Fleiss's kappa"] == pytest.approx(expected)
    (one,) = found
    assert one.items == 1
    assert one.coefficients[0].expected == 4


def test_preferences_have_an_order_and_levels_that_use_it() -> None:
    items = [samples.preference(f"p{n}") for n in range(3)]
    labels = [
        label(item, who, {"preferred": said, "first": first})
        for item, said in zip(items, ("a", "tie", "b"), strict=True)
        for who, first in zip("xy", "ab", strict=True)
    ]
    found = row(report(held(items, labels), resamples=0).agreement, "preferred")
    assert found["alpha, ordinal"] == pytest.approx(1.0)
    assert found["alpha, interval"] == pytest.approx(1.0)


def test_causes_are_compared_where_both_saw_the_conflict() -> None:
    item = samples.issues("i")
    conflict = {"kind": "conflict", "first": [1], "second": [1]}
    labels = [
        label(item, "a", {"issues": [{**conflict, "cause": "update"}]}),
        label(item, "b", {"issues": [{**conflict, "cause": "error"}]}),
    ]
    found = report(held([item], labels), resamples=0).agreement
    assert row(found, "conflict")["percent"] == 1.0
    assert row(found, "cause of a conflict")["percent"] == 0.0


def test_every_answer_of_a_map_has_the_same_cells() -> None:
    item = samples.issues("i", 2, 3)
    empty = list(flattened(item, {"issues": []}))
    marked = list(
        flattened(item, {"issues": [{"kind": "omission", "first": [1, 2], "second": []}]})
    )
    assert [one[:2] for one in empty] == [one[:2] for one in marked]
    # 2 x 3 pairs for redundancy and conflict, 5 sentences for omission.
    assert len(empty) == 17
    assert [one[1] for one in marked if one[2]] == ["1/0", "2/0"]


def pointed(name: str) -> tuple[Item, Label, Label]:
    item = samples.key_points(name)
    ferry = span(samples.DOCUMENT, "The ferry sank at dawn.", 1)
    forty = span(samples.DOCUMENT, "Rescuers saved forty people.", 1)
    told = span(samples.SUMMARY, "A ferry sank")
    return (
        item,
        label(item, "a", {"points": [ferry, forty], "told": [told], "links": [[0, 0]]}),
        label(item, "b", {"points": [ferry], "told": [told], "links": [[0, 0]]}),
    )


def test_highlights_are_compared_by_the_overlap_and_by_chance() -> None:
    item, one, other = pointed("p")
    documents, summaries = report(held([item], [one, other])).highlighted
    assert (documents.where, documents.overlap.mean) == ("documents", 0.75)
    assert (summaries.where, summaries.overlap.mean) == ("summaries", 1.0)
    assert documents.overlap.n == 1
    assert documents.chance.mean is not None


def test_the_last_round_of_each_person_counts() -> None:
    item = samples.matching("m")
    labels = [
        label(item, "a", {"sentences": [1]}),
        label(item, "b", {"sentences": [2]}),
        label(item, "b", {"sentences": [1]}, round=2),
    ]
    found = report(held([item], labels), resamples=0).agreement
    assert row(found, "states the fact")["percent"] == 1.0


def test_checks_are_counted_by_person_and_stay_out_of_agreement() -> None:
    check = samples.relevance("c", gold=YES)
    labels = [
        label(check, "a", YES),
        label(check, "b", NO),
        label(check, "c", None, note="?"),
    ]
    found = report(held([], labels, [check]))
    assert [(one.annotator, one.right, one.total) for one in found.checked] == [
        ("a", 1, 1),
        ("b", 0, 1),
        ("c", 0, 1),
    ]
    assert found.agreement == ()


def test_a_person_who_drifts_away_shows_it() -> None:
    items = [samples.relevance(f"r{n}") for n in range(100)]
    checks = [samples.relevance(f"c{n}", gold=YES) for n in range(20)]
    labels = []
    for minute, item in enumerate(items):
        good = minute < 60
        labels += [label(item, "steady", YES, minute=minute), label(item, "b", YES, minute=minute)]
        labels.append(label(item, "drifting", YES if good else NO, minute=minute))
    for n, check in enumerate(checks):
        minute = n * 5
        labels.append(label(check, "drifting", YES if minute < 60 else NO, minute=minute))
    found = {
        one.annotator: one
        for one in drift({one.id: one for one in [*items, *checks]}, labels, window=40)
    }
    steady, drifting = found["steady"], found["drifting"]
    assert drifting.change is not None
    assert steady.change is not None
    assert drifting.change == pytest.approx(-1.0)
    # b stays with them, the drifting one does not: half of the others.
    assert steady.change == pytest.approx(-0.5)
    assert drifting.windows[0].checks == 1.0
    assert drifting.windows[-1].checks == 0.0
    assert drifting.windows[-1].last == drifting.labels == 120
    assert [one.first for one in drifting.windows] == [1, 21, 41, 61, 81]


def test_a_window_without_anybody_else_has_no_value() -> None:
    item = samples.relevance("r")
    ((one,),) = (found.windows for found in drift({"r": item}, [label(item, "a", YES)]))
    assert (one.others, one.n_others, one.checks, one.n_checks) == (None, 0, None, 0)


def answers() -> dict[str, tuple[Item, dict[str, Any], dict[str, Any], float]]:
    marked = {"kind": "redundancy", "first": [1], "second": [1, 2]}
    ferry = span(samples.DOCUMENT, "The ferry sank", 1)
    return {
        "relevance": (samples.relevance("r"), YES, {**YES, "criteria": ["perspective"]}, 1.0),
        "issues": (
            samples.issues("i"),
            {"issues": [marked]},
            {"issues": [{**marked, "second": [1]}]},
            2 / 3,
        ),
        "key-facts": (samples.key_fact("k"), {"key": True}, {"key": False}, 0.0),
        "fact-support": (samples.support("s"), {"supported": True}, {"supported": True}, 1.0),
        "matching": (samples.matching("m"), {"sentences": [1]}, {"sentences": [1, 2]}, 0.0),
        "key-points": (
            samples.key_points("p"),
            {"points": [ferry], "told": [], "links": []},
            {"points": [{**ferry, "text": "ferry"}], "told": [], "links": []},
            1.0,
        ),
        "preference": (
            samples.preference("b"),
            {"preferred": "a", "first": "a"},
            {"preferred": "a", "first": "b"},
            1.0,
        ),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_likeness_is_known_for_every_kind(kind: str) -> None:
    item, one, other, expected = answers()[kind]
    assert alike(item, one, other) == pytest.approx(expected)
    assert alike(item, one, one) == 1.0


def page_of(title: str) -> Any:
    item = samples.issues("i")
    labels = [
        label(item, who, {"issues": [{"kind": "omission", "first": [1]}]})
        for who in ("<b>ann</b>", "b|b")
    ]
    project = held([item], labels)
    return agreement_page(report(project, resamples=0), marks(project), "overlap", title)


@pytest.mark.parametrize("form", FORMS)
def test_a_report_in_every_form_has_the_layout_of_table_four(form: str) -> None:
    text = written(page_of("Study"), form)
    assert "Issues by annotator" in text
    assert "Kappa" in text
    assert "Omission" in text


def test_names_from_data_are_never_markup() -> None:
    text = html(page_of("<script>alert(1)</script>\u202e"))
    assert "<script>" not in text
    assert "<b>ann" not in text
    assert "&lt;b&gt;ann&lt;/b&gt;" in text
    assert "\u202e" not in text


def test_a_report_is_plain_json() -> None:
    item, one, other = pointed("p")
    plain = json.loads(to_json(report(held([item], [one, other]))))
    assert plain["highlighted"][0]["overlap"]["mean"] == 0.75


def test_of_many_windows_some_are_shown_and_the_report_says_so() -> None:
    items = [samples.relevance(f"r{n}") for n in range(60)]
    labels = [label(item, who, YES, minute=n) for n, item in enumerate(items) for who in "ab"]
    project = held(items, labels)
    found = report(project, resamples=0, window=4)
    page = agreement_page(found, marks(project), "overlap", "Study")
    drifted = next(one for one in page.sections if one.title == "Drift")
    mine = [row for row in drifted.table.rows if row[0] == "a"]
    assert len(mine) == 8
    assert (mine[0][1], mine[-1][1]) == ("1 to 4", "57 to 60")
    assert drifted.table.notes[0] == "a: 8 of 29 windows; --format json has all"


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 9, 100])
def test_evenly_spaced_ones_hold_both_ends(count: int) -> None:
    found = evenly(range(count), 8)
    assert len(found) == min(count, 8)
    assert found == sorted(set(found))
    if count:
        assert (found[0], found[-1]) == (0, count - 1)


def test_no_number_is_printed_as_minus_nothing() -> None:
    assert number(-0.0001, 3) == "0.000"
    assert bounded(-0.0, -0.0004, 0.0) == "0.000 [0.000, 0.000]"
    assert number(None, 3) == "–"
