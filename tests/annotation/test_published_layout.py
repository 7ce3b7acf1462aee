"""The published GlobeSumm layout: written whole, read tolerantly, its broken parts named."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.published import Published, from_published, read_published, to_published
from annotation.published.writing import write_published
from annotation.schemas import without_repeated_carries
from globesumm.errors import DataError
from globesumm.values import Event, IssueKind, Rejected, Summary
from tests.annotation.conftest import Cast, author, carry_out, document, event

THREE = replace(
    event(document("a", 0, "fr"), document("b", 24, "en"), document("c", 48, "de")),
    category="Disasters and accidents",
)


def summarized(happening: Event = THREE, cast: Cast | None = None) -> Summary:
    rounds = carry_out(happening, "crs.kis-clp.protocol", author(cast or Cast({})))
    return Summary(
        event=happening.id,
        recipe="crs.kis-clp.protocol",
        model="scripted",
        target="en",
        text=rounds[-1].summary,
        rounds=without_repeated_carries(rounds),
    )


def written() -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(to_published(THREE, summarized())))
    return plain | {"date": "20230908"}


def test_an_event_is_written_with_the_published_keys() -> None:
    record = to_published(THREE, summarized())
    assert list(record) == ["date", "description", "category", "news", "GPT4"]
    assert list(record["news"][0]) == [
        "lang_abbr", "lang_full", "date", "title", "article", "KIS", "KIS+CLP",
    ]  # fmt: skip
    assert list(record["GPT4"][0]) == [
        "news1", "news2", "where", "strategy", "summary", "summary_KIS",
    ]  # fmt: skip
    assert [item["date"] for item in record["news"]] == ["20230908", "20230909", "20230910"]
    assert record["news"][0]["lang_full"] == "French"
    assert record["news"][0]["KIS"] == "1. Fact 1 is one.\n2. Fact 1 is two."
    assert record["news"][0]["KIS+CLP"] == "1. Put over 1, 1.\n2. Put over 1, 2."
    assert record["news"][1]["KIS"] == record["news"][1]["KIS+CLP"]
    assert record["GPT4"][1]["news1"] == record["GPT4"][0]["summary_KIS"]
    assert record["GPT4"][0]["news2"] == record["news"][1]["KIS+CLP"]


def test_what_was_written_reads_back_without_a_broken_invariant() -> None:
    summary = summarized()
    read = from_published(written())
    assert read.broken == ()
    assert read.summary is not None
    assert [d.language for d in read.event.documents] == ["fr", "en", "de"]
    assert [d.text for d in read.event.documents] == [d.text for d in THREE.documents]
    assert read.summary.text == summary.text
    for ours, theirs in zip(summary.rounds, read.summary.rounds, strict=True):
        assert theirs.summary == ours.summary
        for step in ("where", "strategies", "summary"):
            assert theirs.answers[step] == ours.answers[step]
        assert [p.text for p in theirs.inputs] == [p.text for p in ours.inputs]
        assert [(i.kind, i.cause, i.differs) for i in theirs.issues] == [
            (i.kind, i.cause, i.differs) for i in ours.issues
        ]
        assert [s.text for s in theirs.strategies] == [s.text for s in ours.strategies]
    again = to_published(read.event, read.summary)
    assert again["GPT4"] == written()["GPT4"]
    assert again["news"] == written()["news"]


def test_issues_are_read_from_published_prose_with_the_documents_own_sentences() -> None:
    record = written()
    record["GPT4"][0]["where"] = (
        "Redundancy:\n- Sentence 1 of report 1 repeats sentence 2 of report 2.\n"
        "Conflict:\n- Sentence 2 of report 1 contradicts sentence 1 of report 2."
    )
    record["GPT4"][0]["strategy"] = "1. The conflict comes from an update: take the later report."
    read = from_published(record)
    assert read.summary is not None
    first, second = read.summary.rounds[0].issues
    assert (first.kind, second.kind) == (IssueKind.REDUNDANCY, IssueKind.CONFLICT)
    assert [(s.document[:2], s.index, s.language) for s in second.statements] == [
        ("01", 2, "fr"), ("02", 1, "en"),
    ]  # fmt: skip
    assert str(second.cause) == "update"


def edit(change: Callable[[dict[str, Any]], object]) -> Published:
    record = written()
    change(record)
    return from_published(record)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: r["GPT4"].pop(), "GPT4: 1 rounds for 3 articles, not one less"),
        (
            lambda r: r["GPT4"][1].update(news1="1. Another."),
            "round 2: news1 is not summary_KIS of round 1",
        ),
        (
            lambda r: r["GPT4"][0].update(news2="1. Another."),
            "round 1: news2 is not KIS+CLP of news 02",
        ),
        (lambda r: r["news"][0].update(date="20240101"), "news: dates out of order"),
        (lambda r: r["news"][0].update(date="2024"), "news 1: '2024' is no date like 20230501"),
        (lambda r: r["news"][0].update(article="a\x00b"), "news 1: control characters in article"),
        (lambda r: r["news"][0].update(article=" "), "news 1: no article"),
        (lambda r: r["news"][0].update(article=7), "news 1: article is no text but int"),
        (
            lambda r: r["news"][0].update(lang_abbr="qq", lang_full="Q"),
            "news 1: unknown language 'qq'",
        ),
        (lambda r: r["news"][0].pop("title"), "news 1: no 'title'"),
        (lambda r: r.update(weather="fine"), "event: unknown key 'weather'"),
        (lambda r: r["news"].append(5), "news 4: no object but int"),
        (lambda r: r["GPT4"].append("x"), "round 3: no object but str"),
        (lambda r: r.update(GPT4={}), "GPT4: no list but dict"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_invariant_is_reported_and_the_event_is_read(
    change: Callable[[dict[str, Any]], object], said: str
) -> None:
    read = edit(change)
    assert said in read.broken
    assert len(read.event.documents) == 3


@pytest.mark.parametrize("date", [20230908, "20230908"])
def test_a_date_may_be_a_number_or_a_text(date: int | str) -> None:
    read = from_published(written() | {"date": date})
    assert read.event.date is not None
    assert f"{read.event.date:%Y-%m-%d}" == "2023-09-08"
    assert read.broken == ()


def test_a_relevance_file_has_labels_and_no_rounds() -> None:
    record = written()
    del record["GPT4"]
    for item, label in zip(record["news"], (1, 0, 1), strict=True):
        del item["KIS"], item["KIS+CLP"]
        item["label_relevant"] = label
    read = from_published(record)
    assert read.summary is None
    assert list(read.relevant.values()) == [True, False, True]
    assert read.broken == ()


def test_reports_of_one_day_keep_their_order() -> None:
    record = written()
    for item in record["news"]:
        item["date"] = "20230908"
    read = from_published(record)
    ids = [document.id for document in read.event.documents]
    assert ids == sorted(ids)


@pytest.mark.parametrize("layout", ["lines", "array"])
def test_files_are_json_lines_or_an_array_and_bad_records_are_named(
    tmp_path: Path, layout: str
) -> None:
    path = tmp_path / "events.json"
    records = [written(), {"no": "news"}, 5, written() | {"description": "Another"}]
    text = (
        "\n".join(map(json.dumps, records)) if layout == "lines" else json.dumps(records, indent=1)
    )
    path.write_text(text)
    read = list(read_published(path))
    assert [type(one) for one in read] == [Published, Rejected, Rejected, Published]
    last = read[-1]
    assert isinstance(last, Published)
    assert any("also an article of event" in told for told in last.broken)


def test_a_file_that_is_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        list(read_published(tmp_path))


def test_a_written_file_reads_back(tmp_path: Path) -> None:
    assert write_published(tmp_path / "out.jsonl", [to_published(THREE, summarized())]) == 1
    [read] = read_published(tmp_path / "out.jsonl")
    assert isinstance(read, Published)
    assert read.event.description == THREE.description


def test_what_is_not_whole_is_not_written() -> None:
    summary = summarized()
    for bad, said in (
        (replace(summary, recipe="crs.none.direct"), "the layout is of crs.kis-clp.protocol"),
        (replace(summary, event="other"), "the summary is of event 'other'"),
        (replace(summary, rounds=summary.rounds[:1]), "3 documents and 1 rounds, not one less"),
        (
            replace(summary, rounds=tuple(replace(r, answers={}) for r in summary.rounds)),
            "round 1 has no answer for where",
        ),
        (replace(summary, rounds=summary.rounds[::-1]), "round 1 covers other documents"),
    ):
        with pytest.raises(DataError, match=said):
            to_published(THREE, bad)


def test_a_list_that_changed_its_length_needs_the_source_list_given() -> None:
    cast = Cast({"clp.default": "1. One only."})
    summary = summarized(cast=cast)
    with pytest.raises(DataError, match="'a': its key information in fr is not known"):
        to_published(THREE, summary)
    lists = from_published(written()).kis.values()
    given = dict(zip("abc", lists, strict=True))
    assert to_published(THREE, summary, given)["news"][0]["KIS"].startswith("1. Fact")
