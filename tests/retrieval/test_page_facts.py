"""What a page says about itself: headline, time, outlet, address, language."""

import json
from datetime import UTC, datetime

import pytest

from globesumm.errors import DataError
from retrieval.page import MOST_ELEMENTS, PARTIAL, draft_of

NOW = datetime(2024, 1, 1, tzinfo=UTC)
BODY = (
    "The bridge over the river closed on Monday after engineers found cracks in two pillars.",
    "The mayor said that repairs would take six weeks and cost about four million euros.",
)


def made(head: str = "", body: str = "", url: str | None = None) -> bytes:
    paragraphs = "".join(f"<p>{paragraph}</p>" for paragraph in BODY)
    inside = f"{body}<article>{paragraphs}</article>"
    return f"<html><head>{head}</head><body>{inside}</body></html>".encode()


def linked_data(**fields: object) -> str:
    data = json.dumps({"@context": "https://schema.org", "@type": "NewsArticle", **fields})
    return f'<script type="application/ld+json">{data}</script>'


def meta(name: str, content: str) -> str:
    return f'<meta property="{name}" content="{content}">'


@pytest.mark.parametrize(
    ("head", "title"),
    [
        (
            "<title>Bridge closed | The Daily</title>" + meta("og:site_name", "The Daily"),
            "Bridge closed",
        ),
        (
            "<title>The Daily - Bridge closed</title>" + meta("og:site_name", "The Daily"),
            "Bridge closed",
        ),
        ("<title>Bridge closed - Tests - daily.example</title>", "Bridge closed - Tests"),
        (
            "<title>Bridge closed - again</title>" + meta("og:site_name", "The Daily"),
            "Bridge closed - again",
        ),
        ("<title>x</title>" + meta("og:title", "Mayor&amp;#x2019;s bridge"), "Mayor’s bridge"),
        (
            meta("og:title", "Bridge clo…") + "<title>Bridge closed for weeks</title>",
            "Bridge closed for weeks",
        ),
        (linked_data(headline="Bridge shut") + meta("og:title", "Bridge closed"), "Bridge shut"),
        ("", None),
    ],
)
def test_the_headline_is_the_best_title_without_the_site(head: str, title: str | None) -> None:
    assert draft_of(made(head), "page", url="https://www.daily.example/a/1", now=NOW).title == title


def test_the_headline_is_never_a_paragraph_too() -> None:
    content = made(body="<h1>Bridge  closed</h1><article><p>Bridge closed</p></article>")
    draft = draft_of(content, "page", now=NOW)
    assert draft.title == "Bridge closed"
    assert draft.text == "\n".join(BODY)


def test_a_paragraph_that_comes_twice_is_kept_once_on_every_call() -> None:
    content = made(body="".join(f"<p>{paragraph}</p>" for paragraph in BODY))
    texts = [draft_of(content, "page", now=NOW).text for _ in range(4)]
    assert set(texts) == {"\n".join(BODY)}


@pytest.mark.parametrize(
    ("head", "iso"),
    [
        (linked_data(datePublished="2023-05-15T13:18:00+09:00"), "2023-05-15T04:18:00+00:00"),
        (meta("article:published_time", "2023-05-15T23:30:00-0500"), "2023-05-16T04:30:00+00:00"),
        (
            '<meta itemprop="datePublished" content="2023-05-15T10:00Z">',
            "2023-05-15T10:00:00+00:00",
        ),
        (
            linked_data(datePublished="2023-05-15")
            + meta("article:published_time", "2023-05-15T10:00:00Z"),
            "2023-05-15T10:00:00+00:00",
        ),
        (
            linked_data(datePublished="2023-05-15T10:00:00Z")
            + meta("article:published_time", "2023-05-20T10:00:00Z"),
            "2023-05-15T10:00:00+00:00",
        ),
        (
            linked_data(datePublished="2030-01-01T00:00:00Z")
            + meta("article:published_time", "2023-05-20T10:00:00Z"),
            "2023-05-20T10:00:00+00:00",
        ),
    ],
)
def test_the_time_of_publication_keeps_its_zone(head: str, iso: str) -> None:
    published = draft_of(made(head), "page", now=NOW).published
    assert published is not None
    assert published.isoformat() == iso


def test_a_time_element_in_the_article_dates_the_page() -> None:
    body = '<article><time datetime="2023-05-15T08:00:00+02:00">today</time></article>'
    published = draft_of(made(body=body), "page", now=NOW).published
    assert published == datetime(2023, 5, 15, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    "body",
    [
        "<section><h1>Head</h1><p>By A. <time datetime='{}'>today</time></p><p>Text.</p></section>",
        "<div><header><h1>Head</h1></header><div><time datetime='{}'></time></div></div>",
    ],
)
def test_a_time_element_by_the_only_headline_dates_the_page(body: str) -> None:
    teaser = "<aside><time datetime='2023-05-01T08:00:00Z'></time></aside>"
    page = teaser + body.format("2023-05-15T08:00:00+02:00") + teaser
    published = draft_of(made(body=page), "page", now=NOW).published
    assert published == datetime(2023, 5, 15, 6, tzinfo=UTC)


def test_a_date_alone_is_midnight_and_said_to_be() -> None:
    draft = draft_of(made(linked_data(datePublished="2023-05-15")), "page", now=NOW)
    assert draft.published == datetime(2023, 5, 15, tzinfo=UTC)
    assert "published: date only, midnight UTC" in draft.notes


def test_a_later_change_is_a_note_and_not_the_date() -> None:
    head = linked_data(datePublished="2023-05-15T10:00:00Z", dateModified="2023-07-01T10:00:00Z")
    draft = draft_of(made(head), "page", now=NOW)
    assert draft.published == datetime(2023, 5, 15, 10, tzinfo=UTC)
    assert any(
        note.startswith("modified: 2023-07-01") and "30 days" in note for note in draft.notes
    )


def test_outlet_and_address_come_from_the_page_then_from_where_it_was() -> None:
    head = linked_data(publisher={"@type": "Organization", "name": "The Daily"})
    head += '<link rel="canonical" href="/a/bridge">'
    draft = draft_of(made(head), "page", url="https://www.daily.example/a?id=1", now=NOW)
    assert (draft.source, draft.url) == ("The Daily", "https://www.daily.example/a/bridge")
    bare = draft_of(made(), "page", url="https://www.daily.example/a?id=1", now=NOW)
    assert (bare.source, bare.url) == ("daily.example", "https://www.daily.example/a?id=1")


def test_a_canonical_link_to_the_home_page_is_not_believed() -> None:
    head = '<link rel="canonical" href="https://www.daily.example/">'
    draft = draft_of(made(head), "page", url="https://www.daily.example/a/1", now=NOW)
    assert draft.url == "https://www.daily.example/a/1"


def test_a_page_whose_text_is_only_in_its_linked_data_is_read() -> None:
    script = linked_data(articleBody=" ".join(BODY))
    draft = draft_of(f"<html><head>{script}</head><body></body></html>".encode(), "page", now=NOW)
    assert draft.text == " ".join(BODY)


def test_text_found_by_a_fallback_is_noted_as_partial() -> None:
    paragraphs = "".join(f"<p>{paragraph}</p>" for paragraph in BODY)
    content = f"<html><body><aside>{paragraphs}</aside></body></html>".encode()
    draft = draft_of(content, "page", now=NOW)
    assert draft.text == "\n".join(BODY)
    assert any(note.startswith(PARTIAL) for note in draft.notes)


def test_a_page_of_more_elements_than_any_report_is_refused_by_name() -> None:
    with pytest.raises(DataError, match="elements"):
        draft_of(b"<html><body>" + b"<i>x</i>" * (MOST_ELEMENTS + 1), "page", now=NOW)


@pytest.mark.parametrize(
    "script",
    [
        "{broken",
        "[" * 100_000,
        '{"@type": "NewsArticle", "headline": {"a": 1}, "datePublished": 7, "publisher": [[]]}',
        '{"@type": ["NewsArticle", 4], "headline": null, "publisher": {"name": ["A", "B"]}}',
        '"just text"',
        "",
    ],
)
def test_broken_linked_data_never_stops_a_page(script: str) -> None:
    head = f'<script type="application/ld+json">{script}</script><title>Bridge closed</title>'
    draft = draft_of(made(head), "page", now=NOW)
    assert draft.title == "Bridge closed"
    assert draft.text == "\n".join(BODY)


@pytest.mark.parametrize(
    "body",
    [
        "<table><tr><td colspan=9007199254740991>cell</td></tr></table>",
        "<p>" + "&#0;&#xD800;&#x110000;" + "</p>",
        "<p style='display:none'>hidden</p>",
    ],
)
def test_hostile_markup_never_stops_a_page(body: str) -> None:
    draft = draft_of(made(body=body), "page", now=NOW)
    assert BODY[0] in draft.text
    draft.text.encode()


def test_a_comment_that_never_ends_leaves_no_text() -> None:
    with pytest.raises(DataError, match="no text"):
        draft_of(made(body="<!--" + "-" * 10_000), "page", now=NOW)


def test_the_charset_of_the_page_is_used() -> None:
    text = "<meta charset='iso-8859-1'><p>" + "Die Möwen kreisten über dem schönen Hafen. " * 4
    draft = draft_of(text.encode("latin-1"), "page", now=NOW)
    assert "Möwen kreisten über" in draft.text


def test_linked_data_with_a_bracket_too_many_is_read_to_there() -> None:
    script = linked_data(headline="Bridge shut").replace("</script>", "}]</script>")
    draft = draft_of(made(script + "<title>x</title>"), "page", now=NOW)
    assert draft.title == "Bridge shut"


def test_a_short_text_that_is_not_free_is_noted_as_partial() -> None:
    for free, partial in (("False", True), (False, True), (True, False), (None, False)):
        head = linked_data(headline="Bridge shut", isAccessibleForFree=free)
        notes = draft_of(made(head), "page", now=NOW).notes
        assert any("not free to read" in note for note in notes) == partial
