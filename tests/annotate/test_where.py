"""[where] against people: formulas, one-to-one matching, one gold of several annotators."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement import SHIPPED
from baselines.pairs import pair_events
from baselines.studies.multiling_data import load
from globesumm.cli import main
from globesumm.errors import DataError, UnknownName
from globesumm.records import read_records
from globesumm.text.sentences import SPLITTER
from globesumm.values import Issue, IssueKind, Statement
from metrics.marks import Mark, Marked, digest_of, marks_of, read_marks, text_digest
from metrics.where import Counts, Inspected, read_inspected, score_pair, summed
from metrics.where_gold import GOLDS, MATCHES, agreement, gold, matched

R, OM, C = IssueKind.REDUNDANCY, IssueKind.OMISSION, IssueKind.CONFLICT


def mark(kind: IssueKind, first: tuple[int, ...] = (), second: tuple[int, ...] = ()) -> Mark:
    return Mark(kind=kind, first=first, second=second)


def marked(name: str, *issues: Mark, sentences: tuple[int, int] = (25, 25)) -> Marked:
    return Marked(
        pair="p",
        event="e",
        documents=("a", "b"),
        sentences=sentences,
        annotator=name,
        issues=issues,
    )


def test_the_starred_scores_follow_their_formulas() -> None:
    counts = Counts(tp=6, fp=4, fn=2, fpp=3, inspected=4)
    assert (counts.precision, counts.recall) == (0.6, 0.75)
    assert counts.f1 == pytest.approx(2 * 0.6 * 0.75 / 1.35)
    assert (counts.precision_star, counts.recall_star) == (0.9, 1.125)
    assert counts.f1_star == pytest.approx(2 * 0.9 * 1.125 / 2.025)


def test_the_papers_counts_of_conflicts_allow_the_recall_it_reports() -> None:
    """93 conflicts settled by the model, 45, 44 and 39 marked: R* of "nearly double" is near."""
    for marked_by_people in (45, 44, 39):
        for right in range(84, 94):
            tp = min(right, marked_by_people)
            counts = Counts(
                tp=tp,
                fp=93 - tp,
                fn=marked_by_people - tp,
                fpp=right - tp,
                inspected=93 - tp,
            )
            assert counts.precision_star is not None
            assert counts.recall_star is not None
            # Whatever was right: P* and R* differ by what was predicted over what is gold.
            assert counts.recall_star / counts.precision_star == pytest.approx(
                93 / marked_by_people
            )
            assert 1.8 < counts.recall_star < 2.4
            assert counts.precision_star <= 1
    assert f"{90 / 93:.1%}" == "96.8%"


def test_what_has_no_denominator_has_no_value() -> None:
    nothing = Counts()
    assert (nothing.precision, nothing.recall, nothing.f1, nothing.f1_star) == (None,) * 4
    assert Counts(fn=3).precision_star is None
    assert Counts(fn=3, fp=2).f1_star == 0.0
    with pytest.raises(ValueError, match="inspected"):
        Counts(fp=1, fpp=2, inspected=2)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20), st.data())
def test_without_anything_found_right_the_starred_scores_are_the_plain_ones(
    tp: int, fp: int, fn: int, data: st.DataObject
) -> None:
    plain = Counts(tp=tp, fp=fp, fn=fn)
    assert plain.precision == plain.precision_star
    assert plain.recall == plain.recall_star
    assert plain.f1 == plain.f1_star
    fpp = data.draw(st.integers(0, fp))
    more = Counts(tp=tp, fp=fp, fn=fn, fpp=fpp, inspected=fp)
    if more.precision_star is not None and plain.precision is not None:
        assert plain.precision <= more.precision_star <= 1


@pytest.mark.parametrize(
    ("rule", "one", "other", "same"),
    [
        ("overlap", mark(R, (1, 2), (3,)), mark(R, (2,), (3, 4)), True),
        ("overlap", mark(R, (1,), (3,)), mark(R, (2,), (3,)), False),
        ("overlap", mark(R, (1,), (3,)), mark(C, (1,), (3,)), False),
        ("overlap", mark(OM, (1, 2)), mark(OM, (2,)), True),
        ("overlap", mark(OM, (1,)), mark(OM, (), (1,)), False),
        ("exact", mark(R, (1, 2), (3,)), mark(R, (2, 1, 1), (3,)), True),
        ("exact", mark(R, (1, 2), (3,)), mark(R, (1,), (3,)), False),
    ],
)
def test_marks_are_the_same_by_rule(rule: str, one: Mark, other: Mark, same: bool) -> None:
    assert MATCHES[rule](one, other) is same
    assert MATCHES[rule](other, one) is same


def test_matching_is_one_to_one_as_many_as_can_be_and_the_closest_of_those() -> None:
    match = MATCHES["overlap"]
    # Greedily the first would take the only partner of the second.
    assert matched([mark(OM, (1, 2)), mark(OM, (1,))], [mark(OM, (1,)), mark(OM, (2,))], match) == [
        (0, 1),
        (1, 0),
    ]
    assert matched([mark(OM, (1,))], [mark(OM, (1, 2, 3)), mark(OM, (1, 2))], match) == [(0, 1)]
    assert matched([], [mark(OM, (1,))], match) == []


def test_a_pair_is_scored_by_kind_and_inspected_surplus_counts() -> None:
    predicted = [mark(R, (1,), (1,)), mark(C, (2,), (2,)), mark(C, (3,), (3,)), mark(OM, (4,))]
    standard = [mark(R, (1, 2), (1,)), mark(OM, (5,)), mark(C, (9,), (9,))]
    right = Inspected(pair="p", of="issue", kind=C, first=(2,), second=(2,), right=True)
    wrong = Inspected(pair="p", of="issue", kind=C, first=(3,), second=(3,), right=False)
    elsewhere = Inspected(pair="q", of="issue", kind=OM, first=(4,), right=True)
    result = score_pair("p", predicted, standard, "overlap", [right, wrong, elsewhere])
    assert result.counts[R] == Counts(tp=1)
    assert result.counts[OM] == Counts(fp=1, fn=1)
    assert result.counts[C] == Counts(fp=2, fn=1, fpp=1, inspected=2)
    assert summed([result, result]) == Counts(tp=2, fp=6, fn=4, fpp=2, inspected=4)
    assert summed([result], C) == result.counts[C]


def test_several_annotators_make_one_gold_as_the_setting_says() -> None:
    three = [
        marked("x", mark(R, (1, 2), (1,)), mark(C, (3,), (3,)), mark(OM, (7,))),
        marked("y", mark(R, (1,), (1,)), mark(C, (3,), (3, 4))),
        marked("z", mark(R, (1,), (1, 2)), mark(OM, (), (8,))),
    ]
    assert gold(three, "union") == [
        mark(R, (1, 2), (1, 2)), mark(C, (3,), (3, 4)), mark(OM, (7,)), mark(OM, (), (8,)),
    ]  # fmt: skip
    assert gold(three, "majority") == [mark(R, (1,), (1,)), mark(C, (3,), (3,))]
    assert gold(three, "intersection") == [mark(R, (1,), (1,))]
    assert gold(three[:1], "majority") == list(three[0].issues)
    with pytest.raises(UnknownName, match="setting of gold 'most'"):
        gold(three, "most")


@given(
    st.lists(
        st.lists(
            st.builds(
                mark,
                st.sampled_from([R, C]),
                st.lists(st.integers(1, 5), min_size=1, max_size=2).map(tuple),
                st.lists(st.integers(1, 5), min_size=1, max_size=2).map(tuple),
            ),
            max_size=4,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_a_stricter_setting_never_has_more_gold(annotators: list[list[Mark]]) -> None:
    every = [marked(str(place), *issues) for place, issues in enumerate(annotators)]
    counts = [len(gold(every, how)) for how in ("union", "majority", "intersection")]
    assert counts == sorted(counts, reverse=True)
    assert set(GOLDS) == {"union", "majority", "intersection"}


def test_kappa_and_agreement_have_their_known_values() -> None:
    """Of 50 sentences both mark 20, one alone 5, the other alone 10: Cohen's kappa is 0.4."""
    both = [mark(OM, (n,)) for n in range(1, 21)]
    one = [mark(OM, (n,)) for n in range(21, 26)]
    other = [mark(OM, (), (n,)) for n in range(1, 11)]
    found = {a.kind: a for a in agreement([marked("x", *both, *one), marked("y", *both, *other)])}
    assert found[OM].kappa == pytest.approx(0.4)
    assert found[OM].agreement == pytest.approx(2 * 20 / (25 + 30))
    assert found[OM].counts == {"x": 25, "y": 30}
    assert (found[C].kappa, found[C].agreement) == (None, None)


def test_one_annotator_agrees_with_nobody() -> None:
    for one in agreement([marked("x", mark(OM, (1,)))]):
        assert (one.agreement, one.kappa) == (None, None)


def test_issues_become_marks_by_their_documents_and_others_are_counted() -> None:
    def said(document: str, index: int) -> Statement:
        return Statement(document=document, index=index, language="en", text="x")

    issues = [
        Issue(kind=C, statements=(said("b", 2), said("a", 1))),
        Issue(kind=C, statements=(said("a", 1),)),
        Issue(kind=OM, statements=(said("b", 3),)),
        Issue(kind=OM, statements=(said("a", 3), said("b", 3))),
    ]
    found, lost = marks_of(issues, ("a", "b"))
    assert found == [(0, mark(C, (1,), (2,))), (2, mark(OM, (), (3,)))]
    assert lost == [1, 3]


LINE = {
    "pair": "p", "event": "e", "documents": ["a", "b"], "sentences": [3, 3], "annotator": "x",
    "issues": [{"kind": "redundancy", "first": [1], "second": [2]}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "holds no marks"),
        ([LINE, LINE], "entry 2 .*marked before"),
        ([LINE | {"issues": [{"kind": "conflict", "first": [4], "second": [1]}]}], "4 of 3"),
        ([LINE | {"issues": [{"kind": "conflict", "first": [1]}]}], "both sides"),
        ([LINE | {"issues": [{"kind": "omission", "first": [1], "second": [1]}]}], "one side"),
        ([LINE, LINE | {"annotator": "y", "sentences": [4, 3]}], "has other texts"),
        ([LINE | {"issues": [{"kind": "doubt", "first": [1]}]}], "kind"),
        ([LINE | {"documents": ["a"]}], "documents"),
        ([LINE | {"documents": ["a", "a"]}], "its two documents are one, 'a'"),
    ],
)
def test_a_gold_with_a_fault_is_refused_by_name(
    tmp_path: Path, lines: list[object], said: str
) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(DataError, match=said):
        read_marks(path)


SAID = {"pair": "p", "of": "issue", "kind": "conflict", "first": [2], "second": [2], "right": True}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([{}, {"right": False}], "entry 2 .*right is false here and was true before"),
        ([{"of": "isue"}], "of: .*'issue' or 'strategy'"),
        ([{"kind": "doubt"}], "kind"),
        ([{"right": "yes please"}], "right"),
    ],
)
def test_inspections_with_a_fault_are_refused_by_name(
    tmp_path: Path, changes: list[dict[str, object]], said: str
) -> None:
    path = tmp_path / "inspected.jsonl"
    path.write_text("\n".join(json.dumps(SAID | one) for one in changes))
    with pytest.raises(DataError, match=said):
        read_inspected(path)


def test_an_inspection_may_be_repeated_and_may_wait(tmp_path: Path) -> None:
    path = tmp_path / "inspected.jsonl"
    lines = [SAID | {"right": None}, SAID, SAID, SAID | {"right": None}]
    path.write_text("\n".join(map(json.dumps, lines)))
    [found] = read_inspected(path)
    assert found.right is True


def test_at_least_twenty_pairs_of_the_samples_are_marked() -> None:
    found = read_marks(SHIPPED["sample"].marks)
    assert len({one.pair for one in found}) >= 20
    by_name = [{one.pair for one in found if one.annotator == name} for name in ("one", "two")]
    assert by_name[0] == by_name[1], "both marked every pair"
    assert {mark.kind for one in found for mark in one.issues} == set(IssueKind)
    assert all(one.digest for one in found)


PAGES = {
    "a": ["The ferry Alma sank at night.", "Nine people are missing.", "Divers are on their way."],
    "b": ["The ferry Alma sank at night.", "Twelve people are missing.", "The captain is safe."],
}


@pytest.fixture
def gold_file(tmp_path: Path) -> Callable[..., Path]:
    """An event of two documents, and a gold of it by one or two annotators."""
    documents = [
        {"id": name, "text": " ".join(texts), "language": "en"} for name, texts in PAGES.items()
    ]
    event = {"id": "e", "description": "A ferry sinks", "documents": documents}
    (tmp_path / "events.jsonl").write_text(json.dumps(event) + "\n")

    def write(**changes: object) -> Path:
        line = LINE | {"digest": digest_of(PAGES["a"], PAGES["b"])}
        line["issues"] = [
            {"kind": "redundancy", "first": [1], "second": [1]},
            {"kind": "conflict", "first": [2], "second": [2]},
            {"kind": "omission", "first": [3]},
        ]
        path = tmp_path / "gold.jsonl"
        lines = [line | changes, line | {"annotator": "y"} | changes]
        path.write_text("\n".join(map(json.dumps, lines)))
        return path

    return write


def script(tmp_path: Path) -> str:
    """A model that finds the repetition, one conflict too many, and settles both conflicts."""

    def at(report: int, sentence: int) -> dict[str, int]:
        return {"report": report, "sentence": sentence}

    issues = [
        {"kind": "redundancy", "sentences": [at(1, 1), at(2, 1)], "detail": "both sank"},
        {"kind": "conflict", "sentences": [at(1, 2), at(2, 2)], "detail": "nine or twelve"},
        {"kind": "conflict", "sentences": [at(1, 3), at(2, 3)], "detail": "no conflict"},
    ]
    settled = [
        {"conflict": n, "cause": "update", "strategy": f"Take the later, {n}."} for n in (1, 2)
    ]
    answers = {
        "Compare the reports sentence by sentence": json.dumps({"issues": issues}),
        "Now settle the conflicts": json.dumps({"strategies": settled}),
        "Below are numbered sentences": "The ferry Alma sank. Nine or twelve are missing.",
    }
    path = tmp_path / "script.jsonl"
    lines = [{"pattern": pattern, "answer": said} for pattern, said in answers.items()]
    path.write_text("\n".join(map(json.dumps, lines)))
    return f"scripted:{path}"


def test_the_verb_scores_a_model_against_two_annotators(
    gold_file: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [
        "annotate", str(tmp_path / "events.jsonl"), "--against", str(gold_file()),
        "--out", str(tmp_path / "run"), "--model", script(tmp_path),
    ]  # fmt: skip
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "- pairs scored: 1 of 1" in said
    assert "majority of 2 annotators (x, y)" in said
    assert "| conflict | 1 | 1 | 0 | 0 | 0/1 | 0.500 | 1.000 | 0.667 |" in said
    assert "| omission | 0 | 0 | 1 | 0 | 0/0 | – | 0.000 | – |" in said
    assert "| redundancy | 1.000 | 1.000 |" in said
    assert "| 2 | 0 | – (0/0) |" in said
    # A person fills in what waits for inspection, and the same command counts it.
    sheet = tmp_path / "run" / "to-inspect.jsonl"
    waiting = [json.loads(line) for line in sheet.read_text().splitlines()]
    assert [one["of"] for one in waiting] == ["issue", "strategy", "strategy"]
    assert "Divers are on their way." in waiting[0]["text"]
    filled = tmp_path / "inspected.jsonl"
    answers = [True, True, False]
    lines = [one | {"right": said} for one, said in zip(waiting, answers, strict=True)]
    filled.write_text("\n".join(map(json.dumps, lines)))
    assert main([*command, "--inspected", str(filled)]) == 0
    said = capsys.readouterr().out
    assert (
        "| conflict | 1 | 1 | 0 | 1 | 1/1 | 0.500 | 1.000 | 0.667 | 1.000 | 2.000 | 1.333 |" in said
    )
    assert "(1/2) |" in said
    assert sheet.read_text() == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"event": "other"}, "there is no event 'other'"),
        ({"documents": ["a", "z"]}, "event 'e' has no document 'z'"),
        ({"digest": "000000000000"}, "its sentences are not those that were marked"),
    ],
)
def test_a_pair_that_cannot_be_scored_is_named(
    gold_file: Callable[..., Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, object],
    said: str,
) -> None:
    path = gold_file(**changes)
    command = ["annotate", str(tmp_path / "events.jsonl"), "--against", str(path)]
    assert main([*command, "--out", str(tmp_path / "run")]) == 2
    assert said in capsys.readouterr().err


def pilot(folder: Path) -> Path:
    """A folder laid out like MultiLing's, with one topic of two reports."""
    (folder / "ModelSummaries").mkdir(parents=True)
    sources = folder / "SourceTexts"
    sources.mkdir()
    for number, texts in enumerate(PAGES.values()):
        said = "\n".join(["A ferry sinks", "January 5, 2005", " ".join(texts)])
        (sources / f"M000{number}.english").write_text(said + "\n", encoding="utf-8")
    return folder


def on_the_pilot(**changes: object) -> dict[str, object]:
    texts = [text_digest(" ".join(PAGES[name])) for name in "ab"]
    return LINE | {
        "pair": "M0000.english+M0001.english", "event": "M000", "data": "MultiLing 2011 pilot",
        "documents": ["M0000.english", "M0001.english"], "splitter": SPLITTER, "texts": texts,
        "digest": digest_of(PAGES["a"], PAGES["b"]),
    } | changes  # fmt: skip


def test_pairs_of_a_data_set_that_is_named_and_not_shipped_are_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps(on_the_pilot(issues=[{"kind": "omission", "first": [3]}])))
    command = ["annotate", "--against", str(gold), "--out", str(tmp_path / "run")]
    assert main(command) == 2
    assert "folder with --data PATH" in capsys.readouterr().err
    data = pilot(tmp_path / "texts" / "multiling2011").parent
    assert main([*command, "--data", str(data)]) == 0
    assert "- pairs scored: 1 of 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"texts": ["0" * 12, "1" * 12]}, "'M0000.english' has not the text that was marked"),
        ({"splitter": "icu-1", "sentences": [4, 3]}, f"by icu-1, and here is {SPLITTER}"),
        ({"splitter": SPLITTER, "digest": "0" * 12}, "are not those that were marked"),
        ({"event": "M007"}, "there is no event 'M007'"),
    ],
)
def test_a_text_or_splitter_that_is_not_the_marked_one_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, object], said: str
) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps(on_the_pilot(**changes)))
    command = ["annotate", "--against", str(gold), "--out", str(tmp_path / "run")]
    assert main([*command, "--data", str(pilot(tmp_path / "texts"))]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--check"], ["--model", "m", "--out", "x"]])
def test_without_events_the_verb_says_what_to_name(
    capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    assert main(["annotate", *options]) == 2
    assert "name what is annotated" in capsys.readouterr().err


def test_shipped_marks_on_a_data_set_hold_references_to_it_and_no_text() -> None:
    shipped = SHIPPED["multiling"]
    found = read_marks(shipped.marks)
    assert len({one.pair for one in found}) >= 12
    assert len({one.event for one in found}) == 6
    for one in found:
        assert one.data == shipped.data
        assert one.splitter
        assert one.texts
        assert one.digest
        assert not any(mark.note for mark in one.issues)
    said = list(read_records(shipped.inspections, Inspected))
    assert all(isinstance(one, Inspected) and one.text is None for one in said)


def test_every_shipped_pair_of_the_pilot_can_be_scored_where_it_is_there() -> None:
    data = os.environ.get("GLOBESUMM_DATA")
    if data is None or not (Path(data) / "events" / "multiling2011").is_dir():
        pytest.skip("needs MultiLing 2011: set GLOBESUMM_DATA to the folder of shared data")
    marked = read_marks(SHIPPED["multiling"].marks)
    found, lost = pair_events(load(Path(data)).events(), marked)
    assert not lost
    assert {event.id for event in found} == {one.pair for one in marked}


def test_a_recipe_that_compares_other_sentences_is_refused(
    gold_file: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [
        "annotate", str(tmp_path / "events.jsonl"), "--against", str(gold_file()),
        "--out", str(tmp_path / "run"), "--recipe", "crs.kis-clp.protocol", "--model", "m",
    ]  # fmt: skip
    assert main(command) == 2
    assert "take one without a pipeline" in capsys.readouterr().err


@pytest.mark.slow
def test_the_extractive_merge_is_scored_on_every_marked_pair_of_the_samples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    samples = ["sample:titan-submersible", "sample:marrakesh-earthquake"]
    assert main(["annotate", *samples, "--against", "sample", "--out", str(tmp_path / "run")]) == 0
    said = capsys.readouterr().out
    assert "- pairs scored: 25 of 25" in said
    assert "- gold: majority of 2 annotators (one, two)" in said
    assert "There is one annotator only" not in said
