"""Values survive the trip through files, and what cannot be read is named."""

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.errors import DataError
from globesumm.records import (
    append_record,
    from_json,
    read_plain_records,
    read_record,
    read_records,
    to_compact_json,
    to_json,
    write_record,
    write_records,
)
from globesumm.values import (
    Document,
    Event,
    Issue,
    IssueKind,
    Rejected,
    Round,
    Score,
    Statement,
    Summary,
)

any_text = st.text(st.characters(exclude_categories=["Cs"]))
documents = st.builds(
    Document,
    id=any_text,
    text=any_text,
    language=st.sampled_from(["en", "he", "und"]),
    title=st.none() | any_text,
    published=st.none()
    | st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=9))])),
    notes=st.lists(any_text, max_size=2).map(tuple),
)


@given(documents)
def test_any_document_comes_back_equal(document: Document) -> None:
    assert from_json(Document, to_json(document)) == document


def test_nested_values_come_back_equal(tmp_path: Path) -> None:
    statement = Statement(document="a", index=1, language="ar", text="قتل ١٢ شخصا")
    issue = Issue(kind=IssueKind.CONFLICT, statements=(statement,), differs="number: 12 / 15")
    round_ = Round(index=1, documents=("a", "b"), added=("b",), summary="s", issues=(issue,))
    summary = Summary(event="e", recipe="r", model="m", target="en", text="s", rounds=(round_,))
    write_record(tmp_path / "deep" / "summary.json", summary)
    assert read_record(tmp_path / "deep" / "summary.json", Summary) == summary
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["summary.json"]


def test_a_time_comes_back_in_utc() -> None:
    tokyo = datetime(2023, 9, 9, 7, 11, tzinfo=timezone(timedelta(hours=9)))
    document = Document(id="a", text="", language="ja", published=tokyo)
    assert document.published == datetime(2023, 9, 8, 22, 11, tzinfo=UTC)
    assert '"2023-09-08T22:11:00Z"' in to_json(document)


def test_a_time_without_a_zone_is_refused_by_the_name_of_its_field() -> None:
    line = '{"id": "a", "text": "", "language": "en", "published": "2023-09-08T22:11:00"}'
    with pytest.raises(DataError, match=r"x:1: .*has no zone"):
        from_json(Document, line, "x:1")


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_time_that_utc_cannot_hold_is_refused_by_name(time: str) -> None:
    line = f'{{"id": "a", "text": "", "language": "en", "published": "{time}"}}'
    with pytest.raises(DataError, match=r"beyond the calendar"):
        from_json(Document, line, "x:1")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"id": "a", "text": "t"}', "language: field required"),
        ('{"id": "a", "text": "t", "language": "en", "lang": "en"}', "lang: unexpected"),
        ('{"id": 1, "text": "t", "language": "en"}', "id: input should be a valid string"),
        ('{"id": "a", "text"', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "input should be a table of keys"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_goes_on(
    tmp_path: Path, line: str, complaint: str
) -> None:
    good = to_json(Document(id="good", text="t", language="en"))
    path = tmp_path / "documents.jsonl"
    path.write_text(f"{good}\n\n{line}\n{good}\n", encoding="utf-8")
    first, bad, last = read_records(path, Document)
    assert isinstance(first, Document)
    assert isinstance(last, Document)
    assert isinstance(bad, Rejected)
    assert bad.where == f"{path}:3"
    assert bad.reason.startswith(complaint)


def test_a_conflict_inside_an_event_may_not_hold_unknown_keys() -> None:
    issue = {"kind": "conflict", "statements": [], "severity": 3}
    event = {"id": "e", "description": "d", "documents": [], "conflicts": [issue]}
    with pytest.raises(DataError, match=r"conflicts\.0\.severity"):
        from_json(Event, json.dumps(event))


def test_invalid_bytes_in_one_line_cost_only_that_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\n{"a": "\xc3\x28"}\n{"a": 2}\n')
    rows = list(read_plain_records(path))
    assert rows[0] == (f"{path}:1", {"a": 1})
    assert isinstance(rows[1], Rejected)
    assert rows[2] == (f"{path}:3", {"a": 2})


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.jsonl: cannot be read"):
        list(read_records(tmp_path / "nowhere.jsonl", Document))


def test_a_lone_surrogate_in_a_value_survives_the_trip(tmp_path: Path) -> None:
    score = Score(id="a", metric="m", value=None, signature="s", note="broken \ud800 answer")
    write_records(tmp_path / "scores.jsonl", [score])
    assert list(read_records(tmp_path / "scores.jsonl", Score)) == [score]


def test_nan_is_never_written() -> None:
    with pytest.raises(DataError):
        to_json({"value": float("nan")})


def test_appending_keeps_what_is_there(tmp_path: Path) -> None:
    first = Score(id="a", metric="m", value=0.5, signature="s")
    second = Score(id="b", metric="m", value=None, signature="s", note="empty")
    append_record(tmp_path / "scores.jsonl", first)
    append_record(tmp_path / "scores.jsonl", second)
    assert list(read_records(tmp_path / "scores.jsonl", Score)) == [first, second]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    write_records(path, [Score(id="a", metric="m", value=1.0, signature="s")])
    before = path.read_bytes()
    with pytest.raises(DataError):
        write_records(path, [{"value": float("inf")}])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters()), st.text(st.characters(codec=None)))
def test_compact_json_reads_back_as_the_same_value(title: str, text: str) -> None:
    document = Document(id="a", text=text, title=title, language="en")
    compact = to_compact_json(document)
    assert from_json(Document, compact) == document
    assert len(compact) <= len(to_json(document))


def test_compact_json_refuses_numbers_that_json_lacks() -> None:
    with pytest.raises(DataError, match="cannot write"):
        to_compact_json({"a": float("nan")})


def test_bytes_that_are_not_utf_8_are_named_with_what_to_do() -> None:
    with pytest.raises(DataError, match=r"^a.jsonl:3: not UTF-8 \(byte 0xfc\): .*iconv"):
        from_json(Document, '{"id": "für"}'.encode("latin-1"), "a.jsonl:3")
