"""The first sample event says of its own pages only what they bear out."""

import html
import re
import tomllib
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import globesumm
from globesumm.values import ConflictCause, IssueKind

FOLDER = Path(globesumm.__file__).parent / "samples" / "marrakesh-earthquake"
EVENT: dict[str, Any] = tomllib.loads((FOLDER / "event.toml").read_text("utf-8"))
ISSUES: list[dict[str, Any]] = tomllib.loads((FOLDER / "issues.toml").read_text("utf-8"))["issue"]
PAGES: dict[str, dict[str, Any]] = {Path(page["file"]).stem: page for page in EVENT["page"]}

PAGE = pytest.mark.parametrize("stem", PAGES)
ISSUE = pytest.mark.parametrize("issue", ISSUES, ids=lambda issue: issue["id"])


def source_of(stem: str) -> str:
    content: bytes = (FOLDER / PAGES[stem]["file"]).read_bytes()
    charset = re.search(rb"charset=[\"']?([\w-]+)", content)
    assert charset is not None
    return content.decode(charset[1].decode("ascii"))


def unspaced(text: str) -> str:
    return " ".join(text.split())


def read(stem: str) -> str:
    """The page as it reads: scripts and tags gone, character references resolved."""
    shown = re.sub(r"(?s)<(script|style|head)\b.*?</\1>", "", source_of(stem))
    return unspaced(html.unescape(re.sub(r"<[^>]+>", "", shown)))


def body(stem: str) -> str:
    text = read(stem)
    first, last = PAGES[stem]["first_sentence"], PAGES[stem]["last_sentence"]
    assert text.count(first) == 1
    assert text.count(last) == 1
    return text[text.index(first) : text.index(last) + len(last)]


def test_every_page_on_disk_is_described_and_small() -> None:
    files = sorted(FOLDER.glob("pages/*.html"))
    assert [file.stem for file in files] == list(PAGES)
    assert max(file.stat().st_size for file in files) <= 40_000


def test_fourteen_languages_four_days_and_several_zones_are_there() -> None:
    times = [page["published"] for page in PAGES.values()]
    assert {page["language"] for page in PAGES.values()} == {
        "en",
        "es",
        "fr",
        "de",
        "ru",
        "uk",
        "tr",
        "ar",
        "bg",
        "mk",
        "he",
        "el",
        "it",
        "pt",
    }
    assert times == sorted(times)
    assert times[-1] - times[0] > timedelta(days=4)
    assert len({time.utcoffset() for time in times}) >= 5


@PAGE
def test_a_page_states_its_time_outlet_and_language_as_described(stem: str) -> None:
    page, source = PAGES[stem], html.unescape(source_of(stem))
    published: datetime = page["published"]
    stated = re.findall(r"2023-09-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)", source)
    assert published in [datetime.fromisoformat(time) for time in stated]
    assert page["source"] in source
    assert f"{page['title']}</h1>" in source
    language = re.search(r"<html[^>]*\slang=\"([\w-]+)\"", source)
    assert (language[1] if language else "none") == page["declared"]


@PAGE
def test_what_surrounds_an_article_is_on_its_page_and_outside_its_body(stem: str) -> None:
    for piece in PAGES[stem]["forbidden"]:
        assert unspaced(piece) in unspaced(html.unescape(source_of(stem))), piece
    # An aside may stand between two paragraphs; no issue may quote it.
    quotes = " ".join(
        statement["quote"]
        for issue in ISSUES
        for statement in issue["statement"]
        if statement["document"] == stem
    )
    assert not [piece for piece in PAGES[stem]["forbidden"] if piece in quotes]


@PAGE
def test_a_headline_is_not_repeated_in_the_body(stem: str) -> None:
    assert PAGES[stem]["title"] not in body(stem)


@ISSUE
def test_every_quote_stands_once_in_the_body_of_its_page(issue: dict[str, Any]) -> None:
    for statement in issue["statement"]:
        assert body(statement["document"]).count(unspaced(statement["quote"])) == 1


@ISSUE
def test_an_issue_has_the_voices_that_its_kind_needs(issue: dict[str, Any]) -> None:
    kind = IssueKind(issue["kind"])
    documents = {statement["document"] for statement in issue["statement"]}
    voices = {PAGES[document].get("wire", document) for document in documents}
    if kind is IssueKind.CONFLICT:
        assert ConflictCause(issue["cause"])
        assert issue["differs"]
        assert len(voices) >= 2
    elif kind is IssueKind.REDUNDANCY:
        assert len(documents) >= 3
        assert len(voices) >= 2
    else:
        assert len(voices) == 1


def test_every_kind_and_cause_is_planted() -> None:
    kinds = Counter(issue["kind"] for issue in ISSUES)
    causes = Counter(issue["cause"] for issue in ISSUES if issue["kind"] == "conflict")
    assert kinds["redundancy"] >= 4
    assert kinds["omission"] >= 4
    assert kinds["conflict"] >= 7
    assert set(causes) == {cause.value for cause in ConflictCause}
    assert causes["update"] >= 2


def test_issue_names_are_unique() -> None:
    assert len({issue["id"] for issue in ISSUES}) == len(ISSUES)


def test_the_reference_summary_keeps_to_the_length_and_the_latest_toll() -> None:
    reference = (FOLDER / "reference.en.txt").read_text("utf-8")
    assert len(reference.split()) <= 250
    assert "2,946" in reference
    assert "60 to 80 percent" in reference
