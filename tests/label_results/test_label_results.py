"""Labels become judgements, marks, verdicts and scores that the other parts read back."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from annotation.labels.results.held import Held
from annotation.labels.results.key_points import judged, points_of, scores
from annotation.labels.results.preferences import comparisons, method_scores, wins
from annotation.labels.values import Item, Label, Role
from baselines.labels import facts, issues, relevance
from baselines.labels.models import against_people
from baselines.labels.result_tables import before_section, models_section
from globesumm.records import from_json, to_json, write_records, write_text
from globesumm.values import IssueKind
from metrics.facts.adjudication import decided as adjudicated
from metrics.facts.adjudication import of_people
from metrics.facts.records import RejectedFact, SourceFacts
from metrics.facts.verdicts import read_verdicts
from metrics.marks import read_marks
from metrics.where import Inspected, score_pair
from metrics.where_gold import agreement
from tests.label_results import label_samples as samples
from tests.label_results.label_samples import NO, YES, label, span


def held(items: Iterable[Item], labels: Iterable[Label], **more: Any) -> Held:
    return Held(items={one.id: one for one in items}, checks={}, labels=tuple(labels), **more)


def candidates() -> Held:
    """Two languages; in German ranks 1 and 2 of two events, in Greek one candidate."""
    rows = [
        ("ferry", "d1", "de", 1, True),
        ("ferry", "d2", "de", 2, True),
        ("flood", "d3", "de", 1, False),
        ("flood", "d4", "de", 2, True),
        ("ferry", "d5", "el", 1, True),
    ]
    items, labels = [], []
    for event, document, language, rank, yes in rows:
        payload = {"query": {"text": "?"}, "article": {"text": document, "language": language}}
        item = samples.relevance(
            f"{event}/{document}", event=event, source={"document": document, "rank": rank}
        )
        item = Item(
            id=item.id, kind=item.kind, payload=payload, languages=(language,), event=event,
            source=item.source,
        )  # fmt: skip
        items.append(item)
        labels += [label(item, who, YES if yes else NO) for who in "abc"]
    return held(items, labels)


def test_verdicts_become_qrels_that_the_event_chain_reads(tmp_path: Path) -> None:
    from retrieval.events.verdicts import people_in

    found, left = relevance.verdicts(candidates())
    assert left == []
    write_text(tmp_path / "qrels", "\n".join(relevance.qrels(found)) + "\n")
    read = people_in([tmp_path / "qrels"])
    assert read.rejected == []
    assert {key: one.relevant for key, one in read.verdicts.items()} == {
        ("ferry", "d1"): True,
        ("ferry", "d2"): True,
        ("flood", "d3"): False,
        ("flood", "d4"): True,
        ("ferry", "d5"): True,
    }


def test_verdicts_become_judgements_with_their_criteria(tmp_path: Path) -> None:
    from retrieval.events.verdicts import people_in

    write_records(tmp_path / "judgements.jsonl", relevance.verdicts(candidates())[0])
    read = people_in([tmp_path / "judgements.jsonl"])
    assert read.rejected == []
    one = read.verdicts["ferry", "d1"]
    assert (one.relevant, one.same_event, one.perspective) == (True, True, False)
    assert one.judge == "people (majority of 3)"


def test_criteria_that_do_not_fit_the_verdict_are_left_open() -> None:
    item = samples.relevance("r", source={"document": "d"})
    labels = [
        label(item, who, {"relevant": True, "criteria": [met]})
        for who, met in zip(
            "abc", ("same_event", "perspective", "cause_or_consequence"), strict=True
        )
    ]
    ((one,), left) = relevance.verdicts(held([item], labels))
    assert left == []
    assert (one.relevant, one.same_event, one.perspective) == (True, None, None)


def test_undecided_candidates_and_those_without_a_document_are_named() -> None:
    split, nowhere = samples.relevance("split", source={"document": "d"}), samples.relevance("none")
    labels = [label(split, "a", YES), label(split, "b", NO), label(nowhere, "a", YES)]
    found, left = relevance.verdicts(held([split, nowhere], labels))
    assert found == []
    assert [one.reason for one in left] == [
        "divided: 1 yes, 1 no",
        "its source does not name 'event' and 'document'",
    ]


def test_precision_and_recall_before_verification_are_by_language_with_wilsons_interval() -> None:
    rows = {
        one.language: one
        for one in relevance.before_verification(relevance.candidates(candidates()), 1)
    }
    german, greek, every = rows["de"], rows["el"], rows["all"]
    # Of the first-ranked German candidates one of two is right; two of three relevant lie deeper.
    assert (german.taken, german.right, german.precision) == (2, 1, 0.5)
    assert german.recall == pytest.approx(1 / 3)
    # Wilson (1927) for 1 of 2 and 1 of 3, computed elsewhere (statsmodels).
    from statsmodels.stats.proportion import proportion_confint

    (row,) = before_section([german], 1).table.rows
    for cell, (hits, total) in zip(row[-2:], ((1, 2), (1, 3)), strict=True):
        low, high = proportion_confint(hits, total, method="wilson")
        assert cell == f"{hits / total:.2f} [{low:.2f}, {high:.2f}] ({hits}/{total})"
    assert (greek.precision, greek.recall) == (1.0, None)
    assert greek.note is not None
    assert "beyond the depth" in greek.note
    assert (every.taken, every.right, every.relevant) == (3, 2, 4)


def test_without_a_depth_recall_is_not_known_and_says_why() -> None:
    for row in relevance.before_verification(relevance.candidates(candidates())):
        assert row.precision is not None
        assert row.recall is None
        assert row.note


REDUNDANT = {"kind": "redundancy", "first": [1], "second": [1]}
LEFT_OUT = {"kind": "omission", "first": [2], "second": []}
AGAINST = {"kind": "conflict", "first": [1], "second": [2], "cause": "update"}


def marked() -> Held:
    pair = samples.issues(
        "p1",
        event="ferry",
        source={"pair": "ferry/1+2", "documents": ["d1", "d2"]},
        models={"m": {"issues": [REDUNDANT, LEFT_OUT, {**LEFT_OUT, "first": [1]}]}},
    )
    said = ([REDUNDANT, LEFT_OUT], [REDUNDANT, LEFT_OUT, AGAINST], [REDUNDANT])
    labels = [label(pair, who, {"issues": found}) for who, found in zip("abc", said, strict=True)]
    return held([pair], labels)


def test_marks_are_read_back_as_a_file_of_marks(tmp_path: Path) -> None:
    found = issues.marks(marked())
    write_records(tmp_path / "marks.jsonl", found.people)
    assert read_marks(tmp_path / "marks.jsonl") == list(found.people)
    (one,) = found.standard
    assert (one.pair, one.event, one.documents) == ("ferry/1+2", "ferry", ("d1", "d2"))
    assert [mark.kind for mark in one.issues] == ["redundancy", "omission"]


def test_counts_are_by_kind_of_people_gold_and_models() -> None:
    counts = issues.marks(marked()).counts()
    assert counts[IssueKind.OMISSION] == {"a": 1, "b": 1, "c": 0, "gold (majority)": 1, "m": 2}
    assert counts[IssueKind.CONFLICT] == {"a": 0, "b": 1, "c": 0, "gold (majority)": 0, "m": 0}


def test_an_adjudicators_marks_are_the_gold() -> None:
    before = marked()
    (pair,) = before.items.values()
    word = label(pair, "judge", {"issues": [AGAINST]}, role=Role.ADJUDICATOR)
    (one,) = issues.marks(held([pair], [*before.labels, word])).standard
    assert one.annotator == "adjudicated by judge"
    assert [mark.kind for mark in one.issues] == ["conflict"]


def test_table_four_is_computed_from_the_marks() -> None:
    rows = {one.kind: one for one in agreement(issues.marks(marked()).people)}
    assert rows[IssueKind.REDUNDANCY].agreement == 1.0
    assert rows[IssueKind.REDUNDANCY].kappa == 1.0
    # a and b agree wholly; each of them with c on none of 1 + 0: the mean of 1, 0 and 0.
    assert rows[IssueKind.OMISSION].agreement == pytest.approx(1 / 3)


def test_reviewed_findings_count_as_fpp_and_strategies_by_themselves(tmp_path: Path) -> None:
    review = samples.review(
        "v1",
        {**LEFT_OUT, "first": [1]},
        {"kind": "conflict", "first": [1], "second": [2], "of": "strategy", "text": "The later."},
        source={"pair": "ferry/1+2"},
    )
    labels = [
        label(review, who, {"reviewed": said})
        for who, said in zip("abc", ([True, True], [True, False], [False, False]), strict=True)
    ]
    found, left = issues.inspected(held([review], labels))
    assert left == []
    assert [(one.of, one.right) for one in found] == [("issue", True), ("strategy", False)]
    rows = issues.reviewed(found)
    assert [(one.of, one.judged, one.right) for one in rows] == [
        ("issue", 1, 1),
        ("strategy", 1, 0),
    ]
    # The same lines are what scoring takes as inspected.
    read = [from_json(Inspected, to_json(one), "line") for one in found]
    pair = issues.marks(marked())
    predicted = next(one for one in pair.models if one.annotator == "m")
    scored = score_pair("ferry/1+2", predicted.issues, pair.standard[0].issues, inspected=read)
    counts = scored.counts[IssueKind.OMISSION]
    assert (counts.tp, counts.fp, counts.fpp, counts.inspected) == (1, 1, 1, 1)


def test_an_undecided_finding_has_no_verdict_and_is_named() -> None:
    review = samples.review("v1", LEFT_OUT)
    labels = [label(review, who, {"reviewed": [who == "a"]}) for who in "ab"]
    ((one,), left) = issues.inspected(held([review], labels))
    assert one.right is None
    assert [row.where for row in left] == ["item 'v1', finding 1"]


def test_key_facts_are_read_as_people_s_word_on_what_was_rejected() -> None:
    kept = samples.key_fact("k1", source={"item": "s\t37 died."})
    left_out = samples.key_fact("k2", source={"item": "s\tIt rained."})
    open_one = samples.key_fact("k3", source={"item": "s\tNoon."})
    said = {"k1": (True, True), "k2": (True, False), "k3": (True, None)}
    labels = [
        label(item, who, None if key is None else {"key": key}, note="?" if key is None else None)
        for item in (kept, left_out, open_one)
        for who, key in zip("ab", said[item.id], strict=True)
    ]
    groups = {"a": "1", "b": "2"}
    found, left = facts.key_facts(held([kept, left_out, open_one], labels, groups=groups))
    assert [one.answer for one in found] == ["key", "not key"]
    assert [one.reason for one in left] == ["1 of 2 answers are missing (group 2)"]
    rejected = tuple(
        from_json(
            RejectedFact, to_json({"fact": {"text": text, "language": "en"}, "reason": "?"}), "x"
        )
        for text in ("37 died.", "It rained.", "Noon.")
    )
    one = SourceFacts(source="s", facts=(), rejected=rejected)
    read = adjudicated([one], of_people(found))
    assert [fact.text for fact in read.facts[0].facts or ()] == ["37 died."]
    assert (read.asked, read.agreed, read.open) == (3, 1, 1)


def test_matching_and_support_are_read_as_people_s_verdicts(tmp_path: Path) -> None:
    of = {"id": "e", "system": "s"}
    match = [samples.matching(f"m{n}", source={**of, "fact": n}) for n in (1, 2)]
    support = [samples.support(f"s{n}", source={**of, "fact": n}) for n in (1, 2)]
    labels = [
        *(label(match[0], who, {"sentences": [1, 2]}) for who in "abc"),
        *(label(match[1], who, {"sentences": []}) for who in "abc"),
        *(label(support[0], who, {"supported": True}) for who in "abc"),
        *(label(support[1], who, {"supported": who == "a"}) for who in "ab"),
    ]
    found, left = facts.verdicts(held([*match, *support], labels))
    assert [one.reason for one in left] == ["divided: 1 yes, 1 no"]
    write_records(tmp_path / "people.jsonl", found)
    (one,) = read_verdicts(tmp_path / "people.jsonl")
    assert one == found[0]
    assert (found[0].key_facts, found[0].sentences) == (((1, 2), ()), 3)
    assert found[0].supported == (True, None)
    assert found[0].measured()["completeness"].value == 0.5


def test_a_summary_with_an_undecided_match_has_no_matching_and_says_so() -> None:
    item = samples.matching("m", source={"id": "e", "system": "s", "fact": 2})
    labels = [label(item, who, {"sentences": [n]}) for n, who in enumerate("abc", start=1)]
    ((one,), left) = facts.verdicts(held([item], labels))
    assert one.key_facts is None
    assert one.notes == {
        "key_facts": "2 of 2 key facts are undecided",
        "supported": "the facts were not verified by people",
    }
    assert len(left) == 1


def test_a_fact_that_two_items_ask_about_is_named() -> None:
    of = {"id": "e", "system": "s", "fact": 1}
    items = [samples.support(name, source=of) for name in ("x", "y")]
    labels = [label(one, "a", {"supported": True}) for one in items]
    _, left = facts.verdicts(held(items, labels))
    assert [one.where for one in left] == ["item 'y'"]


def pointed(name: str = "kp", **more: Any) -> tuple[Item, dict[str, Any]]:
    item = samples.key_points(name, **more)
    answer = {
        "points": [
            span(samples.DOCUMENT, "The ferry sank at dawn.", 1),
            span(samples.DOCUMENT, "Rescuers saved forty people.", 1),
            span(samples.DOCUMENT, "Rain fell.", 1),
        ],
        "told": [
            span(samples.SUMMARY, "A ferry sank and forty were saved."),
            span(samples.SUMMARY, "The captain fled."),
        ],
        "links": [[0, 0], [1, 0]],
    }
    return item, answer


def test_coverage_and_faithfulness_are_shares_of_linked_points() -> None:
    _, answer = pointed()
    found = points_of(answer)
    assert (found.included, found.omitted, found.told, found.hallucinated) == (2, 1, 1, 1)
    assert found.coverage == pytest.approx(2 / 3)
    assert found.faithfulness == 0.5


def test_a_share_of_no_key_point_is_not_defined() -> None:
    found = points_of({"points": [], "told": [], "links": []})
    assert (found.coverage, found.faithfulness) == (None, None)
    item = samples.key_points("kp", source={"system": "s"})
    empty = label(item, "a", {"points": [], "told": [], "links": []})
    rows = scores(judged(held([item], [empty])))
    assert [one.note for one in rows] == [
        "no key point in the documents",
        "no key point in the summary",
    ]


def test_an_adjudicators_key_points_count_in_place_of_the_others() -> None:
    item, answer = pointed(source={"system": "s"})
    labels = [
        label(item, "a", {**answer, "links": []}),
        label(item, "judge", answer, role=Role.ADJUDICATOR),
    ]
    (one,) = judged(held([item], labels))
    assert (one.annotator, one.system, one.points.included) == ("judge", "s", 2)


def test_highlights_without_a_summary_are_in_no_score() -> None:
    item = samples.key_points("kp", summary=None)
    said = label(
        item, "a", {"points": [span(samples.DOCUMENT, "Rain fell.", 1)], "told": [], "links": []}
    )
    assert judged(held([item], [said])) == []


def test_preferences_are_wins_that_rank_reads(tmp_path: Path) -> None:
    from metrics.ranking.scores import Scored, read_scores

    items = [
        samples.preference(name, source={"a": a, "b": b, "document": "d1"})
        for name, a, b in (("p1", "x", "y"), ("p2", "y", "z"), ("p3", "z", "x"), ("p4", "x", "y"))
    ]
    said = ("a", "a", "a", "tie")
    labels = [
        label(item, who, {"preferred": better, "first": "b"})
        for item, better in zip(items, said, strict=True)
        for who in "ab"
    ]
    found, left = comparisons(held(items, labels))
    assert left == []
    write_records(tmp_path / "scores.jsonl", method_scores(found))
    read = list(read_scores(tmp_path / "scores.jsonl"))
    assert all(isinstance(one, Scored) for one in read)
    assert len(read) == 8
    assert {row.method: (row.wins, row.comparisons) for row in wins(found)} == {
        "x": (1.5, 3),
        "y": (1.5, 3),
        "z": (1.0, 2),
    }


def test_comparisons_without_methods_or_a_decision_are_named() -> None:
    nameless = samples.preference("p1")
    split = samples.preference("p2", source={"a": "x", "b": "y"})
    labels = [label(split, w, {"preferred": w, "first": "a"}) for w in "ab"]
    found, left = comparisons(held([nameless, split], labels))
    assert found == []
    assert [one.where for one in left] == ["item 'p1'", "item 'p2'"]


def test_models_are_held_against_what_people_decided() -> None:
    items = [samples.relevance(f"r{n}", models={"m": YES if n < 6 else NO}) for n in range(10)]
    said = [True] * 5 + [False] * 4
    labels = [
        label(item, who, YES if yes else NO)
        for item, yes in zip(items, said, strict=False)
        for who in "ab"
    ]
    rows = {one.question: one for one in against_people(held(items, labels), resamples=20)}
    one = rows["relevant"]
    # Of nine decided ones five are yes to both and three no to both.
    assert (one.model, one.n, one.expected) == ("m", 9, 10)
    percent, kappa = one.coefficients
    assert percent.value == pytest.approx(8 / 9)
    chance = (6 * 5 + 3 * 4) / 81
    assert kappa.value == pytest.approx((8 / 9 - chance) / (1 - chance))
    assert "0.889" in models_section(list(rows.values())).table.text()


def test_models_findings_are_one_question() -> None:
    review = samples.review("v", LEFT_OUT, REDUNDANT, models={"m": {"reviewed": [True, True]}})
    labels = [label(review, who, {"reviewed": [True, False]}) for who in "ab"]
    (one,) = against_people(held([review], labels), resamples=0)
    assert (one.question, one.n) == ("finding", 2)
    assert one.coefficients[0].value == 0.5
