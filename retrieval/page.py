"""An HTML page → one news report.

The text is trafilatura's (`deduplicate` off: that option keeps state between calls).  What it
leaves to us: the headline must not come back as a paragraph, a paragraph must not come twice,
times keep their zone, and a page from which nothing comes out is tried by other ways before it
is given up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from globesumm.errors import DataError
from globesumm.text.clean import decode
from retrieval.binary import refuse_broken, refuse_signature
from retrieval.draft import Draft
from retrieval.published import dates_of
from retrieval.structured import articles, metas, name_of, plain
from retrieval.title import first_heading, headline, key, site_names, without_site
from retrieval.url import without_credentials

PARTIAL = "partial: the text was taken from "
MOST_ELEMENTS = 60_000
"""Elements of the largest page tried.  A long report has a few thousand; extraction takes a
minute and more at half a million, and such pages are made for that."""

DEEPEST = 250
"""Elements inside one another beyond which text may be missing: the HTML parser drops what lies
deeper than about 256, and news pages have 20 to 40."""

_SHORTEST = 80
"""Characters below which an extraction counts as having found nothing but a stray line."""


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page and what it says about itself."""

    tree: Any
    meta: Mapping[str, str]
    about: Mapping[str, Any]
    url: str | None


def draft_of(
    content: bytes,
    where: str,
    *,
    url: str | None = None,
    charset: str | None = None,
    now: datetime | None = None,
) -> Draft:
    """The report on the page `content`; a `DataError` if it is no HTML or holds no text.

    `url` is the address it was fetched from and `charset` what the server said.  Dates more
    than a day after `now` (default: the clock) are not believed.
    """
    refuse_signature(content, where)
    decoded = decode(content, charset)
    refuse_broken(content, decoded, where)
    tree = _parsed(decoded.text, where)
    meta, about = metas(tree), next(iter(articles(tree)), {})
    page = Page(tree, meta, about, _address(tree, meta, url))
    publisher = name_of(about.get("publisher"))
    names = site_names(meta, publisher, page.url)
    titles = _titles(page)
    depth = _depth(tree)
    text, notes = _text(
        page, [without_site(title, names) for title in titles] + titles, where, depth
    )
    published, date_notes = dates_of(tree, meta, about, page.url, now or datetime.now(UTC))
    if depth > DEEPEST:
        notes = [
            *notes,
            f"partial: what is nested more than {DEEPEST} elements deep may be missing",
        ]
    host = urlsplit(page.url).hostname if page.url else None
    return Draft(
        where=where,
        text=text,
        title=headline(titles, names),
        published=published,
        source=meta.get("og:site_name") or publisher or (host and host.removeprefix("www.")),
        url=page.url,
        language=_language(page),
        notes=(*decoded.notes, *notes, *date_notes),
    )


def _parsed(text: str, where: str) -> Any:
    from lxml import etree, html  # type: ignore[import-untyped]
    from trafilatura import load_html

    if not text.strip():
        raise DataError(f"{where}: empty")
    try:
        tree = load_html(text)
        # trafilatura takes a page of one element for no page.
        tree = html.document_fromstring(text) if tree is None else tree
    except (etree.ParserError, ValueError) as error:
        raise DataError(f"{where}: no HTML in it") from error
    if sum(1 for _ in tree.iter()) > MOST_ELEMENTS:
        raise DataError(f"{where}: more than {MOST_ELEMENTS} elements")
    return tree


def _titles(page: Page) -> list[str]:
    """Candidate headlines, the most trustworthy first."""
    element = page.tree.find(".//title")
    candidates = (
        plain(page.about.get("headline")),
        page.meta.get("og:title"),
        first_heading(page.tree),
        page.meta.get("twitter:title"),
        plain(element.text_content()) if element is not None else None,
    )
    return [title for title in candidates if title]


def _address(tree: Any, meta: Mapping[str, str], url: str | None) -> str | None:
    """The page's canonical address if it states one, else where it came from."""
    stated = [link.get("href") for link in tree.iter("link") if link.get("rel") == "canonical"]
    for candidate in (*stated, meta.get("og:url")):
        try:
            absolute: str = urljoin(url or "", (candidate or "").strip())
            parts = urlsplit(absolute)
        except ValueError:
            continue
        if parts.scheme in {"http", "https"} and parts.hostname and parts.path.strip("/"):
            return without_credentials(absolute)
    return url


def _language(page: Page) -> str | None:
    """The declared language: the html element, else JSON-LD, else meta elements."""
    tag: str | None = page.tree.get("lang") or page.tree.get(
        "{http://www.w3.org/XML/1998/namespace}lang"
    )
    return (
        plain(tag)
        or plain(page.about.get("inLanguage"))
        or page.meta.get("content-language")
        or page.meta.get("og:locale")
    )


def _depth(tree: Any) -> int:
    """How many elements stand inside one another at the deepest place."""
    from lxml import etree

    depth = deepest = 0
    for event, _ in etree.iterwalk(tree, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest


def _text(page: Page, titles: list[str], where: str, depth: int) -> tuple[str, list[str]]:
    """The report's paragraphs, one a line, and notes on how they were found."""
    from trafilatura import extract

    heads = {key(title) for title in titles}
    text = _paragraphs(
        extract(page.tree, deduplicate=False, include_comments=False, include_tables=False), heads
    )
    if len(text) >= _SHORTEST:
        return text, []
    for name, other in _other_ways(page):
        longer = _paragraphs(other, heads)
        if len(longer) > max(len(text), _SHORTEST):
            return longer, [PARTIAL + name]
    if not text and depth > DEEPEST:
        raise DataError(
            f"{where}: too deeply nested: no text in the outer {DEEPEST} elements, "
            "and what lies deeper is not read"
        )
    if not text:
        raise DataError(f"{where}: no text")
    return text, []


def _other_ways(page: Page) -> list[tuple[str, str | None]]:
    """Texts found without trafilatura's main extractor, in the order of trust."""
    from trafilatura import extract

    body = page.about.get("articleBody")
    recalled = extract(
        page.tree, deduplicate=False, include_comments=False, favor_recall=True, fast=True
    )
    blocks = [" ".join(element.text_content().split()) for element in page.tree.iter("p")]
    return [
        ("the page's JSON-LD", body if isinstance(body, str) else None),
        ("a wider search of the page", recalled),
        ("the page's p elements", "\n".join(block for block in blocks if len(block) >= 40)),
    ]


def _paragraphs(text: str | None, headings: set[str]) -> str:
    """`text` without blank lines, headlines, and lines that already stood above."""
    seen = set(headings)
    kept: list[str] = []
    for line in (text or "").splitlines():
        paragraph = " ".join(line.split())
        name = key(paragraph)
        if not name or name in seen:
            continue
        seen.add(name)
        kept.append(paragraph)
    return "\n".join(kept)
