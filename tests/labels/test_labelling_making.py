"""From what other verbs write to items: each kind on the shipped sample or files of our own."""

import json
import shutil
import socket
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from annotation.labels.highlighting import quarter, similarities, top
from annotation.labels.kinds import KINDS, payload_of
from annotation.labels.payloads import Issues, KeyFact, Matching
from annotation.labels.project import Project
from annotation.labels.values import Item
from annotation.plan import estimated_tokens
from globesumm.cli.main import run
from globesumm.records import to_json, write_records
from globesumm.runs import Run
from globesumm.values import (
    ConflictCause,
    Document,
    Event,
    Issue,
    IssueKind,
    Passage,
    Round,
    Sentence,
    Statement,
    Strategy,
    Summary,
)
from tests.labels.sample_items import items as sample_items
from tests.labels.sample_items import small

SAMPLE = "sample:titan-submersible"
ADA = ("--annotator", "ada", "--overlap", "1")


def new(folder: Path, kind: str, *arguments: str) -> list[Item]:
    """The items of ``label new FOLDER --kind KIND ARGUMENTS``."""
    assert run(["label", "new", str(folder), "--kind", kind, *ADA, *arguments]) == 0
    return list(Project.open(folder).store.items())


def rows(path: Path, *values: Mapping[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(one)}\n" for one in values))
    return path


def test_relevance_from_events_with_translations_beside(tmp_path: Path) -> None:
    beside = rows(
        tmp_path / "t.jsonl",
        {"document": "02-fr-courrierduponant", "text": "In English.", "language": "English"},
    )
    found = new(tmp_path / "p", "relevance", "--from", SAMPLE, "--translations", str(beside))
    assert len(found) == 8
    by_document = {one.source["document"]: one for one in found}
    french = by_document["02-fr-courrierduponant"]
    assert french.languages == ("en",), "with a translation, its language is what must be read"
    assert french.payload["translation"]["text"] == "In English."
    assert french.source["language"] == "fr"
    arabic = [one for one in found if one.languages == ("ar",)]
    assert all(one.payload["translation"] is None for one in arabic)


def test_relevance_from_the_folder_of_events(tmp_path: Path) -> None:
    out = tmp_path / "out"
    document = {"id": "d1", "text": "Ein Text.", "language": "de"}
    rows(out / "pages" / "documents.jsonl", document)
    rows(out / "candidates.jsonl", {"event": "e", "document": "d1"})
    judged = {"event": "e", "document": "d1", "description": "What happened", "relevant": None}
    rows(out / "judgements.jsonl", judged | {"model": "gpt: yes, same event, another perspective"})
    [one] = new(tmp_path / "p", "relevance", "--from", str(out))
    assert one.payload["query"]["text"] == "What happened"
    assert one.models == {"gpt": {"relevant": True, "criteria": ["same_event", "perspective"]}}
    assert (one.source["event"], one.source["document"]) == ("e", "d1")


@pytest.mark.parametrize(
    ("told", "answer"),
    [
        ("a: b: no", {"relevant": False, "criteria": []}),
        (
            "gpt: yes, cause or consequence",
            {"relevant": True, "criteria": ["cause_or_consequence"]},
        ),
        ("gpt: no answer", None),
        ("gpt: yes", None),
        (None, None),
        (7, None),
        ("", None),
    ],
)
def test_the_model_s_verdict_is_read_as_events_write_it(
    tmp_path: Path, told: object, answer: object
) -> None:
    out = tmp_path / "out"
    rows(out / "pages" / "documents.jsonl", {"id": "d1", "text": "Ein Text.", "language": "de"})
    rows(out / "candidates.jsonl", {})
    # What people said themselves is no model's answer.
    people = {"relevant": True, "same_event": True, "judge": "people"}
    rows(
        out / "judgements.jsonl",
        {"event": "e", "document": "d1", "description": "x", "model": told, **people},
    )
    [one] = new(tmp_path / "p", "relevance", "--from", str(out))
    assert list(one.models.values()) == ([] if answer is None else [answer])


def test_a_candidate_without_its_text_is_named_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    rows(out / "pages" / "documents.jsonl", {"id": "d1", "text": "Ein Text.", "language": "de"})
    rows(out / "candidates.jsonl", {})
    judged = [{"event": "e", "document": name, "description": "x"} for name in ("d1", "d2")]
    rows(out / "judgements.jsonl", *judged)
    project = tmp_path / "p"
    assert run(["label", "new", str(project), "--kind", "relevance", *ADA, "--from", str(out)]) == 1
    assert "d2" in capsys.readouterr().err
    assert Project.open(project).store.count() == 1


def test_pairs_of_documents_are_drawn_by_the_seed(tmp_path: Path) -> None:
    drawn = [
        [
            one.id
            for one in new(
                tmp_path / f"p{n}", "issues", "--from", SAMPLE, "--sample", "5", "--seed", seed
            )
        ]
        for n, seed in enumerate("112")
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) == 5
    everything = new(tmp_path / "all", "issues", "--from", SAMPLE)
    assert len(everything) == 8 * 7 // 2
    for one in everything:
        lists = payload_of(one)
        assert isinstance(lists, Issues)
        assert lists.first.sentences
        assert one.source["documents"] != one.source["documents"][::-1]


def passage(name: str, *texts: str) -> Passage:
    statements = [
        Statement(document=name, index=n, language="en", text=text)
        for n, text in enumerate(texts, start=1)
    ]
    return Passage(
        documents=(name,), language="en", steps=("kis",),
        sentences=tuple(
            Sentence(text=one.text, language="en", statements=(one,)) for one in statements
        ),
    )  # fmt: skip


@pytest.fixture
def made_run(tmp_path: Path) -> Path:
    """A run of two systems on an event of two documents, as ``annotate`` writes it."""
    first = passage("d1", "The ferry sank.", "Nine are missing.")
    second = passage("d2", "The ferry sank.", "Ten are missing.", "It was night.")

    def said(kind: IssueKind, *places: tuple[Passage, int]) -> Issue:
        return Issue(
            kind=kind,
            statements=tuple(one.sentences[n - 1].statements[0] for one, n in places),
            cause=ConflictCause.UPDATE if kind is IssueKind.CONFLICT else None,
        )

    issues = (
        said(IssueKind.REDUNDANCY, (first, 1), (second, 1)),
        said(IssueKind.CONFLICT, (first, 2), (second, 2)),
        said(IssueKind.OMISSION, (second, 3)),
        said(IssueKind.REDUNDANCY, (first, 1)),  # on one side: no mark
    )
    done = Round(
        index=1, documents=("d1", "d2"), added=("d1", "d2"), summary="It sank.", issues=issues,
        strategies=(Strategy(issue=1, cause=ConflictCause.UPDATE, text="the later one"),),
        inputs=(first, second),
    )  # fmt: skip
    documents = tuple(
        Document(id=name, text=one.text, language="en")
        for name, one in (("d1", first), ("d2", second))
    )
    run_ = Run.start(tmp_path / "run", {"target": "en"})
    run_.write_events([Event(id="e", description="A ferry sinks", documents=documents)])
    for recipe, text in (("crs.kis-clp.protocol", "It sank."), ("sts.none.direct", "A ferry did.")):
        summary = Summary(
            event="e", recipe=recipe, model="m", target="en", text=text,
            rounds=(done,) if recipe.startswith("crs") else (),
        )  # fmt: skip
        run_.write_summary(summary)
    return tmp_path / "run"


def test_rounds_become_items_with_the_model_s_issues(made_run: Path, tmp_path: Path) -> None:
    [one] = new(tmp_path / "i", "issues", "--from", str(made_run))
    lists = payload_of(one)
    assert isinstance(lists, Issues)
    assert lists.second.sentences == ("The ferry sank.", "Ten are missing.", "It was night.")
    marks = one.models["m"]["issues"]
    assert [(mark["kind"], mark["first"], mark["second"], mark["strategy"]) for mark in marks] == [
        ("redundancy", [1], [1], None),
        ("omission", [], [3], None),
        ("conflict", [2], [2], "the later one"),
    ]


def test_key_points_and_blind_preferences_from_a_run(made_run: Path, tmp_path: Path) -> None:
    points = new(tmp_path / "k", "key-points", "--from", str(made_run))
    assert [one.source["system"] for one in points] == [
        "crs.kis-clp.protocol m",
        "sts.none.direct m",
    ]
    assert all(len(one.payload["documents"]) == 2 for one in points)
    [pair] = new(tmp_path / "p", "preference", "--from", str(made_run))
    assert {pair.source["a"], pair.source["b"]} == {one.source["system"] for one in points}
    shown = to_json(pair.payload)
    assert "protocol" not in shown, "who wrote it is not in what is shown"
    assert "direct" not in shown


def facts_folder(tmp_path: Path) -> tuple[Path, Path]:
    folder = tmp_path / "facts"
    sources = rows(
        tmp_path / "sources.jsonl",
        {
            "id": "s1", "language": "en",
            "turns": [["A", "The ferry sank on Monday."], ["B", "Nine people are missing."]],
        },
    )  # fmt: skip
    rows(
        folder / "to_label.jsonl",
        {
            "task": "key-fact", "item": "s1\tNine are missing.", "judge": "m", "answer": "rejected",
            "note": "A detail.",
        },
        {"task": "key-fact", "item": "s2\tUnknown.", "judge": "m", "answer": "rejected"},
    )  # fmt: skip
    rows(
        folder / "summaries.jsonl",
        {"id": "s1", "summary": "It sank.", "system": "x", "language": "en"},
    )
    rows(
        folder / "summary_facts.jsonl",
        {"id": "s1", "system": "x", "facts": ["It sank.", "It burned."]},
    )
    rows(
        folder / "support.jsonl",
        {"id": "s1", "system": "x", "facts": ["It sank.", "It burned."], "supported": [True, None]},
    )
    rows(
        folder / "matches.jsonl",
        {
            "id": "s1", "system": "x",
            "sentences": ["It sank.", "On Monday.", "All is well.", "Ah."],
            "key_facts": ["The ferry sank.", "Divers came."], "matches": [[1], []],
        },
    )  # fmt: skip
    return folder, sources


def test_facts_become_items_with_what_is_most_like_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, sources = facts_folder(tmp_path)
    how = ["--from", str(folder), "--sources", str(sources), "--encoder", "hashed-ngrams"]
    status = run(["label", "new", str(tmp_path / "k"), "--kind", "key-facts", *ADA, *how])
    assert status == 1, "one fact has no source"
    assert "s2" in capsys.readouterr().err
    [fact] = Project.open(tmp_path / "k").store.items()
    shown = payload_of(fact)
    assert isinstance(shown, KeyFact)
    assert (shown.critique, shown.similar) == ("A detail.", ((1, 2),))
    assert fact.source["item"] == "s1\tNine are missing."
    supported = new(tmp_path / "s", "fact-support", *how)
    assert [one.models for one in supported] == [{"judge": {"supported": True}}, {}]
    matched = new(tmp_path / "m", "matching", *how)
    assert [one.models["judge"] for one in matched] == [{"sentences": [1]}, {"sentences": []}]
    first = payload_of(matched[0])
    assert isinstance(first, Matching)
    assert len(first.similarities) == 4
    assert len(first.similar) == 3
    assert 1 in first.similar


def test_a_step_that_was_not_taken_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    for kind, told in (("matching", "facts match"), ("key-facts", "--sources")):
        arguments = ["--kind", kind, *ADA, "--from", str(tmp_path / "empty")]
        assert run(["label", "new", str(tmp_path / kind), *arguments]) == 2
        assert told in capsys.readouterr().err
        assert not (tmp_path / kind).exists(), "nothing half made is left"


def test_what_is_to_be_inspected_becomes_a_review(tmp_path: Path) -> None:
    out = tmp_path / "out"
    documents = [
        {"id": "b", "text": "Nine died. It was night.", "language": "en"},
        {"id": "a", "text": "Ten died.", "language": "en"},
    ]
    rows(out / "events.jsonl", {"id": "e/b+a", "description": "x", "documents": documents})
    finding = {"pair": "e/b+a", "of": "issue", "kind": "conflict", "first": [1], "second": [1]}
    rows(out / "to-inspect.jsonl", finding | {"right": None, "text": "nine / ten", "by": None})
    [one] = new(tmp_path / "p", "issues", "--from", str(out))
    lists = payload_of(one)
    assert isinstance(lists, Issues)
    assert lists.first.sentences[0] == "Nine died.", "the first is the pair's first, not the oldest"
    assert lists.review[0].text == "nine / ten"


def test_items_of_any_kind_from_a_file_of_items(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    for kind in KINDS:
        mine = [one for one in sample_items() if one.kind == kind]
        write_records(path, mine)
        assert new(tmp_path / kind, kind, "--from", str(path)) == mine


def test_items_added_again_are_the_same_and_changed_ones_are_asked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "items.jsonl"
    write_records(path, [small(1), small(2)])
    new(tmp_path / "p", "fact-support", "--from", str(path))
    add = ["label", "add", str(tmp_path / "p"), "--kind", "fact-support", "--from", str(path)]
    assert run(add) == 0
    assert "0 items new, 0 changed, 2 as before" in capsys.readouterr().out
    assert run(["label", "new", str(tmp_path / "p"), *add[3:]]) == 2
    assert "label add" in capsys.readouterr().err


def test_known_answers_are_taken_and_a_strange_one_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "items.jsonl"
    write_records(path, [small(1), small(2)])
    gold = rows(tmp_path / "g.jsonl", {"item": "item 1", "answer": {"supported": True}})
    found = new(tmp_path / "p", "fact-support", "--from", str(path), "--gold", str(gold))
    assert [one.gold for one in found] == [{"supported": True}, None]
    for bad in ({"item": "item 9", "answer": {}}, {"item": "item 1", "answer": {"key": True}}):
        rows(gold, bad)
        arguments = ["--kind", "fact-support", *ADA, "--from", str(path), "--gold", str(gold)]
        assert run(["label", "new", str(tmp_path / "q"), *arguments]) == 2
        assert "item" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--kind", "relevanz"], "did you mean 'relevance'"),
        (["--kind", "relevance", "--pay", "ten"], "0.10/label"),
        (["--kind", "relevance", "--pay=-1/hour"], "pay_per_hour"),
        (["--kind", "relevance", "--overlap", "0"], "overlap is 0"),
        (["--kind", "relevance", "--annotator", "ada:klingonish"], "klingonish"),
        (["--kind", "issues", "--sample", "0"], "--sample is 0"),
        (["--kind", "preference"], "is no run"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: Sequence[str], told: str
) -> None:
    assert run(["label", "new", str(tmp_path / "p"), "--from", SAMPLE, *arguments]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "p").exists()


def test_links_are_personal_stay_and_can_be_renewed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--from", SAMPLE, "--annotator", "ben:fr@2", "--adjudicator", "eve"]
    new(tmp_path / "p", "relevance", *arguments)

    def links(*more: str) -> dict[str, str]:
        capsys.readouterr()
        assert run(["label", "links", str(tmp_path / "p"), *more]) == 0
        return dict(line.split("\t")[::2] for line in capsys.readouterr().out.splitlines())

    first = links()
    assert list(first) == ["ada", "ben", "eve"]
    assert len(set(first.values())) == 3
    assert links() == first
    renewed = links("--renew", "ben")
    assert {name for name in first if renewed[name] != first[name]} == {"ben"}
    assert run(["label", "links", str(tmp_path / "p"), "--renew", "bena"]) == 2
    assert "did you mean 'ben'" in capsys.readouterr().err


def test_status_says_how_far_everybody_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new(tmp_path / "p", "relevance", "--from", SAMPLE, "--pay", "0.1/label")
    capsys.readouterr()
    assert run(["label", "status", str(tmp_path / "p")]) == 0
    assert "0/8" in capsys.readouterr().out
    assert run(["label", "status", str(tmp_path / "p"), "--format", "jsonl"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (lines[0]["name"], lines[0]["total"]) == ("ada", 8)
    assert lines[-1]["items"] == 8


def test_a_server_that_cannot_be_as_asked_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new(tmp_path / "p", "relevance", "--from", SAMPLE)
    assert run(["label", "serve", str(tmp_path / "p"), "--host", "0.0.0.0"]) == 2
    assert "--name" in capsys.readouterr().err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert run(["label", "serve", str(tmp_path / "p"), "--port", port]) == 2
    assert f"--port {port}" in capsys.readouterr().err
    shutil.rmtree(tmp_path / "p")
    assert run(["label", "serve", str(tmp_path / "p")]) == 2
    assert "label new" in capsys.readouterr().err


def bag(texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of counted words, of length 1."""
    names = sorted({word for text in texts for word in text.split()})
    counts = [[Counter(text.split())[name] for name in names] for text in texts]
    rows_: NDArray[np.float32] = np.array(counts, dtype=np.float32)
    rows_ /= np.linalg.norm(rows_, axis=1, keepdims=True)
    return rows_


def test_a_quarter_is_highlighted_the_most_similar_ones() -> None:
    texts = ["a b", "c d", "a c", "x y", "a a b", "z", "q", "w"]
    values = similarities("a b", texts, bag)
    assert values[0] == 1
    assert values[3] == 0
    assert quarter(values, texts) == (0, 4), "two of eight"
    assert quarter(values[:7], texts[:7]) == (0,), "one of seven, rounded down"
    assert quarter((0.5,), ["a"]) == (0,), "at least one"
    assert quarter((), []) == ()


def test_what_is_highlighted_never_passes_2048_tokens() -> None:
    texts = ["word " * 500 for _ in range(40)]
    places = quarter(tuple(range(40)), texts)
    assert places == (37, 38, 39)
    assert sum(estimated_tokens(texts[place]) for place in places) <= 2048
    assert quarter((1.0,), ["word " * 5000]) == (), "one that alone is longer is not shown as near"


def test_three_sentences_are_highlighted_and_one_of_three_or_fewer() -> None:
    assert top((0.1, 0.9, 0.5, 0.7)) == (1, 2, 3)
    assert top((0.1, 0.9, 0.5)) == (1,)
    assert top((0.3, 0.3)) == (0,)
    assert top(()) == ()
