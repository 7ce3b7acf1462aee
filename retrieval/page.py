"""An HTML page → one news report: what it says about itself, and its text."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from globesumm.errors import DataError
from globesumm.text.clean import decode_markup
from retrieval.authors import authors_of
from retrieval.binary import refuse_broken, refuse_signature
from retrieval.draft import Draft, PageRefused, RawPage
from retrieval.extract_text import PARTIAL, text_of
from retrieval.kinds import EMPTY, NO_TEXT, NOT_A_PAGE, TOO_COMPLEX, TOO_DEEP
from retrieval.published import dates_of
from retrieval.structured import articles, linked_data, metas, name_of, plain, types_of
from retrieval.title import first_heading, headline, site_names, without_site
from retrieval.url import without_credentials

__all__ = ["DEEPEST", "MOST_ELEMENTS", "PARTIAL", "Page", "draft_from", "draft_of", "page_of"]

MOST_ELEMENTS = 60_000
"""Elements of the largest page tried.  A long report has a few thousand; extraction takes a
minute and more at half a million, and such pages are made for that."""

TEASER = 1500
"""Characters below which a text that is not free may be only the start of a report."""

DEEPEST = 250
"""Elements inside one another beyond which text may be missing: the HTML parser drops what lies
deeper than about 256, and news pages have 20 to 40."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A parsed page and what it says about itself.

    `markup` is its decoded source and `tree` that as an lxml tree (without comments); `meta`
    are its meta elements, `about` its JSON-LD article (empty if it has none) and `types` the
    types of all its JSON-LD objects in lower case; `url` is its canonical address, else where
    it came from; `titles` are what may be its headline, the most trustworthy first, and
    `notes` what its bytes needed.
    """

    raw: RawPage
    markup: str
    tree: Any
    meta: Mapping[str, str]
    about: Mapping[str, Any]
    types: frozenset[str]
    url: str | None
    titles: tuple[str, ...]
    notes: tuple[str, ...] = ()


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
    page = page_of(RawPage(content=content, where=where, url=url, charset=charset))
    return draft_from(page, now or datetime.now(UTC))


def page_of(raw: RawPage) -> Page:
    """`raw` parsed; a `PageRefused` if there is no HTML in it, or more than any report has.

    An address of it that cannot be taken apart is none.
    """
    raw = replace(raw, url=_readable(raw.url), requested=_readable(raw.requested))
    try:
        refuse_signature(raw.content, raw.where)
        decoded = decode_markup(raw.content, raw.charset)
        refuse_broken(raw.content, decoded, raw.where)
    except DataError as error:
        raise PageRefused(NOT_A_PAGE, str(error)) from error
    tree = _parsed(decoded.text, raw.where)
    _drop_hidden(tree)
    meta, objects = metas(tree), linked_data(tree)
    about = next(iter(articles(objects)), {})
    return Page(
        raw=raw,
        markup=decoded.text,
        tree=tree,
        meta=meta,
        about=about,
        types=frozenset().union(*map(types_of, objects)),
        url=_address(tree, meta, raw.url),
        titles=tuple(_titles(tree, meta, about)),
        notes=decoded.notes,
    )


def draft_from(page: Page, now: datetime) -> Draft:
    """The report on a parsed page; a `PageRefused` if it holds no text."""
    publisher = name_of(page.about.get("publisher"))
    names = site_names(page.meta, publisher, page.url)
    plain_titles = [without_site(title, names) for title in page.titles]
    text, notes = text_of(page.tree, page.about, [*plain_titles, *page.titles])
    too_deep = _is_deeper(page.tree, DEEPEST)
    if not text and too_deep:
        raise PageRefused(
            TOO_DEEP,
            f"{page.raw.where}: too deeply nested: no text in the outer {DEEPEST} elements, "
            "and what lies deeper is not read",
        )
    if not text:
        raise PageRefused(NO_TEXT, f"{page.raw.where}: no text")
    if too_deep:
        deep = f"partial: what is nested more than {DEEPEST} elements deep may be missing"
        notes = [*notes, deep]
    if str(page.about.get("isAccessibleForFree")).lower() == "false" and len(text) < TEASER:
        notes = [*notes, "partial: the page says that it is not free to read, and has little text"]
    # What was seen had been published; `dates_of` grants a day for clocks and zones.
    latest = min(now, page.raw.seen) if page.raw.seen else now
    dates = dates_of(page.tree, page.markup, page.meta, page.about, url=page.url, now=latest)
    host = urlsplit(page.url).hostname if page.url else None
    return Draft(
        where=page.raw.where,
        id=page.raw.id,
        text=text,
        title=headline(page.titles, names),
        published=dates.published,
        modified=dates.modified,
        authors=authors_of(page.tree, page.meta, page.about, names),
        source=page.meta.get("og:site_name") or publisher or (host and host.removeprefix("www.")),
        url=page.url,
        language=_language(page),
        prior=page.raw.language,
        notes=(*page.notes, *notes, *dates.notes),
    )


def _parsed(text: str, where: str) -> Any:
    from lxml import etree, html
    from trafilatura import load_html

    if not text.strip():
        raise PageRefused(EMPTY, f"{where}: empty")
    try:
        tree = load_html(text)
        # trafilatura takes a page of one element for no page.
        tree = html.document_fromstring(text) if tree is None else tree
    except (etree.ParserError, ValueError) as error:
        raise PageRefused(NOT_A_PAGE, f"{where}: no HTML in it") from error
    if tree.xpath("count(//*)") > MOST_ELEMENTS:
        raise PageRefused(TOO_COMPLEX, f"{where}: more than {MOST_ELEMENTS} elements")
    return tree


def _drop_hidden(tree: Any) -> None:
    """Take out what no reader sees and trafilatura does not know as hidden.

    Where that holds most of the text, the page shows it by script, and it stays.
    """
    hidden = tree.xpath('//body//*[@hidden][not(@hidden="until-found")] | //body//template')
    if not hidden:
        return
    whole = _letters_in_paragraphs(tree)
    for element in hidden:
        if element.getparent() is not None and 2 * _letters_in_paragraphs(element) < whole:
            element.drop_tree()


def _letters_in_paragraphs(element: Any) -> int:
    return sum(len(paragraph.text_content()) for paragraph in element.iter("p"))


def _titles(tree: Any, meta: Mapping[str, str], about: Mapping[str, Any]) -> list[str]:
    """Candidate headlines, the most trustworthy first."""
    element = tree.find(".//title")
    candidates = (
        plain(about.get("headline")),
        meta.get("og:title"),
        first_heading(tree),
        meta.get("twitter:title"),
        plain(element.text_content()) if element is not None else None,
    )
    return [title for title in candidates if title]


def _readable(url: str | None) -> str | None:
    try:
        urlsplit(url or "")
    except ValueError:
        return None
    return url


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


def _is_deeper(tree: Any, levels: int) -> bool:
    """Whether more than `levels` elements stand inside one another somewhere."""
    return bool(tree.xpath(f"boolean(/*{'/*' * levels})"))
