"""Whatever the bytes are, a page becomes a document or a rejection with a known name."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.values import Document, Rejected
from retrieval import extract_page
from retrieval.draft import RawPage
from retrieval.extract_page import Extraction, result_of
from retrieval.kinds import KINDS

SETTINGS = Extraction(now=datetime(2024, 1, 1, tzinfo=UTC), fewest_letters=1)

PIECES = st.sampled_from(
    [
        *("<p>", "</p>", "<div>", "</div>", "<article>", "<a href='x'>", "</a>", "<li>", "<h1>"),
        *("<title>", "</title>", "<script type='application/ld+json'>", "</script>", "<!--", "-->"),
        *('{"@type": "NewsArticle", "author": [', "]}", '"datePublished": ', "null", "[[", "\x00"),
        *(
            "<meta property='og:title' content=",
            "'>",
            "<link rel=canonical href=//[",
            "<base href=:",
        ),
        *(
            "<time datetime='99999-13-45'>",
            "<html lang='&#xD800;'>",
            "&#1114112;",
            "\ud800",
            "\ufffe",
        ),
        *(
            "The bridge closed on Monday. ",
            "Мост закрыли. ",
            "橋は閉鎖された。",
            "جسر ",
            "  \u202e",
        ),
        *(
            "<table><td colspan=9007199254740991>",
            "<svg>",
            "<svg:p>",
            "<?xml version=1?>",
            "<![CDATA[",
        ),
    ]
)


def checked(content: bytes, **known: str | None) -> None:
    page = RawPage(content=content, where="page", **known)  # type: ignore[arg-type]
    one = result_of(page, SETTINGS)
    assert isinstance(one, Document | Rejected)
    if isinstance(one, Rejected):
        assert one.kind in KINDS
        assert one.kind != "crash", one.reason
    else:
        one.text.encode()


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400), st.text(max_size=20) | st.none())
def test_any_bytes_are_a_document_or_a_named_rejection(content: bytes, charset: str | None) -> None:
    checked(content, charset=charset)
    checked(b"<html><body><p>" + content, charset=charset)


@settings(max_examples=120, deadline=None)
@given(st.lists(PIECES | st.text(max_size=8), max_size=25), st.text(max_size=40) | st.none())
def test_any_markup_is_a_document_or_a_named_rejection(
    pieces: list[str], anything: str | None
) -> None:
    content = "".join(pieces).encode(errors="surrogatepass")
    checked(content, url=anything, requested=anything, title=anything, language=anything)


@pytest.mark.parametrize("url", ["http://[::1", "//[", "http://h:999999/a", "http://", "\x00", ":"])
def test_an_address_that_is_none_stops_no_page(url: str) -> None:
    body = b"<html><body><p>The bridge over the river closed on Monday, the city said.</p>"
    checked(body, url=url, requested=url)
    checked(b'<base href="' + url.encode() + b'">' + body, url="https://d.example/a/1")


def test_a_fault_in_a_library_is_a_named_rejection(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(*_: object) -> None:
        raise AttributeError("'NoneType' object has no attribute\n'tag'")

    monkeypatch.setattr(extract_page, "draft_from", faulty)
    one = result_of(RawPage(content=b"<html><body><p>x</p></body></html>", where="p"), SETTINGS)
    assert isinstance(one, Rejected)
    assert (one.kind, one.where) == ("crash", "p")
    assert "AttributeError: 'NoneType' object has no attribute 'tag'" in one.reason
