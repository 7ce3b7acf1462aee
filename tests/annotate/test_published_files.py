"""Files in the published layout: streamed, read with a report, linked to their free text."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.published import (
    Published,
    from_published,
    read_published,
    republished,
    write_published,
)
from annotation.published.elements import elements
from annotation.published.links import extracted, spans_of
from globesumm.errors import DataError
from globesumm.values import IssueKind, Rejected


def news(place: int, language: str = "fr", article: str | None = None) -> dict[str, Any]:
    facts = [f"Fact {place} of the ferry.", f"{place} people are missing."]
    listed = "\n".join(f"{n}. {fact}" for n, fact in enumerate(facts, start=1))
    return {
        "lang_abbr": language,
        "lang_full": {"fr": "French", "en": "English", "he": "Hebrew"}[language],
        "date": f"202305{place:02d}",
        "title": f"Title {place}",
        "article": article or f"The ferry sank, report {place} says. Nine are missing.",
        "KIS": listed,
        "KIS+CLP": listed,
    }


def record(articles: int = 3, **changes: Any) -> dict[str, Any]:
    """An event in the shape of the published data."""
    items = [news(place, ("fr", "en", "he")[place % 3]) for place in range(1, articles + 1)]
    rounds: list[dict[str, str]] = []
    for place in range(1, articles):
        rounds.append(
            {
                "news1": rounds[-1]["summary_KIS"] if rounds else items[0]["KIS+CLP"],
                "news2": items[place]["KIS+CLP"],
                "where": (
                    "**Redundancy**\n1. Sentence 1 of report 1 repeats sentence 1 of report 2.\n\n"
                    "**Omission**\nNone.\n\n**Conflict**\n"
                    f"1. Sentence 2 of report 1 contradicts sentence 2 of report 2: {place}."
                ),
                "strategy": f"1. The conflict comes from an update: take the later, {place}.",
                "summary": f"The ferry sank. Summary {place}.",
                "summary_KIS": f"1. The ferry sank ({place}).\n2. People are missing.",
            }
        )
    plain = {
        "date": 20230501,
        "description": "A ferry sinks off the coast. (Reuters)",
        "category": "Disasters and accidents",
        "news": items,
        "GPT4": rounds,
    }
    return plain | changes


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_an_array_is_read_element_by_element(
    tmp_path: Path, indent: int | None, mark: bytes
) -> None:
    path = tmp_path / "a.json"
    values = [{"a": 1}, {"b": "é\u2028] , ["}, 7, "x", [], {"c": {"d": [1, 2]}}]
    path.write_bytes(mark + json.dumps(values, indent=indent, ensure_ascii=False).encode())
    found = list(elements(path))
    assert [one[1] for one in found if not isinstance(one, Rejected)] == [
        values[0], values[1], values[5],
    ]  # fmt: skip
    assert [one.reason for one in found if isinstance(one, Rejected)] == [
        "no object but int", "no object but str", "no object but list",
    ]  # fmt: skip


@given(
    st.lists(
        st.dictionaries(st.text(max_size=5), st.text(max_size=30) | st.integers(), max_size=3),
        max_size=6,
    ),
    st.integers(1, 40),
    st.booleans(),
)
def test_how_a_file_falls_into_chunks_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    values: list[dict[str, Any]],
    chunk: int,
    ascii_only: bool,
) -> None:
    path = tmp_path_factory.mktemp("chunks") / "a.json"
    text = json.dumps(values, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    path.write_bytes(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("annotation.published.elements._CHUNK", chunk)
        found = list(elements(path))
    whole = [one for one in found if not isinstance(one, Rejected)]
    surrogates = any("\ud800" <= c <= "\udfff" for c in text.decode("utf-8", "surrogatepass"))
    if not surrogates:
        assert [one[1] for one in whole] == values
    assert len(found) == len(values)


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        (b',{"a": 1', "not JSON"),
        (b"", "the array has no end"),
        (b",", "the array has no end"),
        (b",nonsense]", "not JSON"),
        (b"] and more", "more stands behind the end"),
        (b"," + b"[" * 100_000, "nested too deeply"),
        (b',{"a": "\xff"}]', "not UTF-8"),
    ],
)
def test_what_stands_before_a_fault_in_an_array_is_read(
    tmp_path: Path, tail: bytes, said: str
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'[{"one": 1}, {"two": 2}' + tail)
    found = list(elements(path))
    assert [one[1] for one in found[:2] if not isinstance(one, Rejected)] == [
        {"one": 1}, {"two": 2},
    ]  # fmt: skip
    assert isinstance(found[2], Rejected)
    assert said in found[2].reason
    assert len(found) == 3


def test_bad_bytes_in_one_event_leave_the_next_ones(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'[{"a": "\xff\xfe"}, {"two": 2}]')
    bad, good = elements(path)
    assert isinstance(bad, Rejected)
    assert bad.reason == "not UTF-8"
    assert not isinstance(good, Rejected)
    assert good[1] == {"two": 2}


def test_issues_and_strategies_point_into_the_prose_they_were_read_from() -> None:
    plain = record()
    read = from_published(plain)
    assert read.summary is not None
    found = list(extracted(read.summary))
    assert len(found) == 4
    for one in found:
        told = plain["GPT4"][one.round - 1]
        assert one.span is not None
        said = told["where"][slice(*one.span)]
        assert said.startswith("Sentence")
        assert " ".join(said.split()) == one.detail
        if one.kind is IssueKind.CONFLICT:
            assert one.strategy_span is not None
            assert told["strategy"][slice(*one.strategy_span)] == one.strategy
            assert str(one.cause) == "update"
        else:
            assert (one.strategy, one.strategy_span, one.cause) == (None, None, None)


def test_issues_point_into_a_json_answer_whatever_its_escapes() -> None:
    detail = 'toll "9" \\ é\nor ten'
    text = json.dumps({"issues": [{"kind": "conflict", "detail": detail}]})
    [span] = spans_of(text, [" ".join(detail.split())])
    assert span is not None
    assert json.loads(f'"{text[slice(*span)]}"') == detail


def test_equal_words_point_at_one_place_after_the_other() -> None:
    assert spans_of("- a b\n- a  b\n", ["a b", "a b", "c", None]) == [(2, 5), (8, 12), None, None]


_MEMORY = """
import resource, sys
from pathlib import Path
from annotation.published import read_published
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
reading = read_published(Path(sys.argv[1]))
for _ in range(20):
    next(reading)
early = peak()
count = 20 + sum(1 for _ in reading)
print(count, early, peak())
"""


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["lines", "array"])
def test_370_events_of_20_articles_are_read_in_bounded_memory(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "events.json"
    with path.open("w") as file:
        file.write("[" if layout == "array" else "")
        for number in range(370):
            plain = record(20, description=f"Event {number}")
            for place, item in enumerate(plain["news"]):
                item["article"] = f"Report {number}.{place}. " + "The ferry sank off Alma. " * 200
            between = "," if layout == "array" and number else ""
            file.write(f"{between}{json.dumps(plain)}\n")
        file.write("]" if layout == "array" else "")
    size = path.stat().st_size >> 20
    assert size > 30
    ran = subprocess.run(
        [sys.executable, "-c", _MEMORY, str(path)], capture_output=True, text=True, check=True
    )
    count, early, late = map(int, ran.stdout.split())
    assert count == 370
    # MiB: what is kept of an article is its digest.
    assert late - early < 16


def quirky() -> list[dict[str, Any]]:
    """Every quirk of the published files that leaves an event whole."""
    shared = record()["news"][0]["article"]
    control = record(description="B\x07ell.\x00")
    control["news"][1]["article"] = "A \u0085 line \x0b end and a \ud83d half."
    same_day = record(5, description="Five reports of one day.")
    for item in same_day["news"]:
        item["date"] = "20230501"
    listed = record(description="Lists as JSON arrays.")
    for item in listed["news"]:
        item["KIS"] = item["KIS+CLP"] = [f"Of {item['title']}.", "Two."]
    listed["GPT4"][0] |= {"news1": ["Of Title 1.", "Two."], "news2": ["Of Title 2.", "Two."]}
    listed["GPT4"][1]["news2"] = ["Of Title 3.", "Two."]
    labels = record(description="Labels of relevance and no rounds.")
    del labels["GPT4"]
    for place, item in enumerate(labels["news"]):
        item["label_relevant"] = place % 2
        del item["KIS"], item["KIS+CLP"]
    unsure = record(description="Prose that names no sentence.")
    unsure["GPT4"][0] |= {"where": "I see nothing of the kind here.", "strategy": "n/a"}
    long = record(21, description="As many as there are.")
    return [
        record(),
        record(date="20230501", description="A date as text. (AFP)"),
        record(description=f"An article of two events: {shared[:4]}"),
        control, same_day, listed, labels, unsure, long,
    ]  # fmt: skip


@pytest.mark.parametrize("layout", ["lines", "array"])
def test_a_file_with_every_known_quirk_round_trips(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "events.json"
    plain = quirky()
    path.write_text("\n".join(map(json.dumps, plain)) if layout == "lines" else json.dumps(plain))
    read = [one for one in read_published(path) if isinstance(one, Published)]
    assert len(read) == len(plain)
    written = [republished(one) for one in read]
    write_published(tmp_path / "again.jsonl", written)
    again = list(read_published(tmp_path / "again.jsonl"))
    # Ids come from content: the same content, whatever the form of a date or list.
    assert again == read
    canonical = [json.loads(json.dumps(plain[place])) for place in (0, 2, 3, 4, 6, 7, 8)]
    assert [written[place] for place in (0, 2, 3, 4, 6, 7, 8)] == canonical


def test_what_is_broken_is_told_by_field_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(map(json.dumps, quirky())))
    told = [one.broken for one in read_published(path) if isinstance(one, Published)]
    assert told[0] == ()
    assert any("also an article of event" in one for one in told[2])
    assert "event: control characters in description" in told[3]
    assert "news 2: control characters in article" in told[3]
    assert "news 2: halves of characters (lone surrogates) in article" in told[3]


def test_articles_out_of_order_are_read_and_not_written() -> None:
    plain = record()
    plain["news"][0]["date"] = "20240101"
    read = from_published(plain)
    assert "news: dates out of order" in read.broken
    with pytest.raises(DataError, match="covers other documents"):
        republished(read)
