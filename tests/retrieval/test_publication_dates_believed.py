"""A date on which nothing can have appeared is not taken, wherever it stands, and is noted."""

import json
from pathlib import Path

import pytest

from globesumm.values import Document, Rejected
from retrieval.read import read

TEXT = "The bridge over the river closed on Monday after engineers found cracks in two pillars."
OWN: dict[str, object] = {"id": "a", "text": TEXT, "language": "en", "language_declared": None,
       "language_detected": "en", "notes": []}  # fmt: skip
IMPOSSIBLE = ("0001-01-01T00:00:00Z", "1601-01-01T00:00:00Z", "9999-12-31T00:00:00Z")


def files(when: str) -> dict[str, str]:
    day = when[:10]
    return {
        "fields.jsonl": json.dumps({"text": TEXT, "date": when}),
        "own.jsonl": json.dumps({**OWN, "published": when}),
        "record.json": json.dumps({"text": TEXT, "published": day}),
        "table.csv": f'text,date\n"{TEXT}",{day}\n',
        "page.html": (
            f"<html><head><meta property='article:published_time' content='{when}'></head>"
            f"<body><article><h1>Bridge</h1><p>{TEXT}</p><p>{TEXT[::-1]}</p></article></body></html>"
        ),
        "feed.rss": (
            "<rss version='2.0'><channel><title>News</title><item><title>Bridge</title>"
            f"<description>{TEXT}</description><pubDate>{when}</pubDate></item></channel></rss>"
        ),
    }


@pytest.mark.parametrize("when", IMPOSSIBLE)
@pytest.mark.parametrize("name", files(""))
def test_an_impossible_date_leaves_the_document_undated_and_noted(
    tmp_path: Path, name: str, when: str
) -> None:
    (tmp_path / name).write_text(files(when)[name])
    (document,) = read(tmp_path / name)
    assert isinstance(document, Document)
    assert document.published is None
    assert any(note.startswith("published:") for note in document.notes)


@pytest.mark.parametrize("name", files(""))
def test_a_possible_date_is_taken(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(files("2019-03-04T05:06:07Z")[name])
    (document,) = read(tmp_path / name)
    assert isinstance(document, Document)
    assert document.published is not None
    assert document.published.date().isoformat() == "2019-03-04"


def test_a_date_in_a_file_name_that_lies_ahead_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "2098-01-02 report.txt").write_text(TEXT)
    (document,) = read(tmp_path)
    assert isinstance(document, Document)
    assert document.published is None
    assert any("lies in the future" in note for note in document.notes)


@pytest.mark.parametrize("when", ["0001-01-01T00:00:00+09:00", "9999-12-31T23:00:00-09:00"])
def test_a_time_outside_the_calendar_of_utc_stops_nothing(tmp_path: Path, when: str) -> None:
    rows = ({**OWN, "published": when}, {**OWN, "id": "b"})
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, second = read(tmp_path / "d.jsonl")
    assert isinstance(first, Rejected) or first.published is None
    assert isinstance(second, Document)
