"""The sample events are read as their authors meant them."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from globesumm import samples
from globesumm.errors import UnknownName
from globesumm.languages import LANGUAGES
from globesumm.values import ConflictCause, Document, IssueKind
from retrieval.read import read

PAGES = [(name, row) for name in samples.names() for row in samples.load(name).rows]
PAGE_NAMES = [Path(row["file"]).stem for _, row in PAGES]


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    found = [page for name in samples.names() for page in read(samples.load(name).pages)]
    return {document.id: document for document in found if isinstance(document, Document)}


def instant(time: str | datetime) -> datetime:
    return (datetime.fromisoformat(time) if isinstance(time, str) else time).astimezone(UTC)


def folded(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(("event", "row"), PAGES, ids=PAGE_NAMES)
def test_a_page_becomes_the_document_its_author_describes(
    documents: dict[str, Document], event: str, row: dict[str, Any]
) -> None:
    document = documents[Path(row["file"]).stem]
    assert document.language == row["language"]
    assert document.source == row["source"]
    assert document.title == row["title"]
    assert document.published == instant(row["published"])
    text = folded(document.text)
    assert text.startswith(folded(row["first_sentence"]))
    assert text.endswith(folded(row["last_sentence"]))
    assert not [furniture for furniture in row["forbidden"] if folded(furniture) in text]


@pytest.mark.parametrize("name", samples.names())
def test_every_marked_statement_stands_in_its_document(
    documents: dict[str, Document], name: str
) -> None:
    for issue in samples.load(name).issues:
        for statement in issue.statements:
            assert folded(statement.text) in folded(documents[statement.document].text)


@pytest.mark.parametrize("name", samples.names())
def test_every_cause_of_conflict_is_planted(name: str) -> None:
    sample = samples.load(name)
    assert {issue.cause for issue in sample.conflicts} == set(ConflictCause)
    kinds = [issue.kind for issue in sample.issues]
    assert kinds.count(IssueKind.REDUNDANCY) >= 3
    assert kinds.count(IssueKind.OMISSION) >= 3
    assert kinds.count(IssueKind.CONFLICT) >= 5


def test_the_first_event_is_told_in_many_languages_over_days() -> None:
    sample = samples.load(samples.FIRST)
    languages = {row["language"] for row in sample.rows}
    assert len(sample.rows) >= 12
    assert languages >= {"en", "es", "fr", "de", "ru", "uk", "tr", "ar", "bg", "mk", "he", "el"}
    assert languages <= LANGUAGES.keys()
    times = sorted(instant(row["published"]) for row in sample.rows)
    assert (times[-1] - times[0]).days >= 3


def test_an_unknown_sample_gets_the_nearest_name() -> None:
    with pytest.raises(UnknownName, match="did you mean 'titan-submersible'"):
        samples.load("titan-submarine")
