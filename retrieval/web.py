"""Reports from the web: one address, a list of addresses, RSS and Atom feeds."""

from calendar import timegm
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, MissingPackage
from globesumm.text.clean import decode
from globesumm.values import Document, Rejected
from retrieval.answers import Fetched
from retrieval.dates import doubt, doubt_note
from retrieval.draft import Draft, Piece, RawPage, Settings
from retrieval.extract_page import Extraction, result_of
from retrieval.fetch_many import fetch_all
from retrieval.fetching import FetchError
from retrieval.files import read_bytes
from retrieval.page import draft_from, page_of
from retrieval.single import rejected
from retrieval.url import has_credentials, is_web, normal, url_id, without_credentials
from retrieval.warc import pages_in

SUMMARY_ONLY = "partial: only the feed's summary"
CREDENTIALS = "a user name or password in a web address is never sent or stored"
_FEED_MARKS = (b"<rss", b"<feed", b"<rdf:rdf")
_WHOLE_TEXT = 600
"""Characters from which a feed's own text counts as the report, not as its summary."""


def address(source: str, _name: str, settings: Settings) -> Iterator[Piece]:
    """The page or feed at one web address."""
    for url, page in fetch_all([source], settings.fetching, settings.max_bytes):
        if isinstance(page, FetchError):
            yield _not_fetched(url, page)
        elif is_feed(page.content):
            yield from _entries(page.content, url, settings)
        else:
            yield replace(_raw(url, page), picked=True)


def url_list(source: str, _name: str, settings: Settings) -> Iterator[Piece]:
    """The pages at the addresses in a text file, one a line; ``#`` begins a comment line."""
    try:
        lines = decode(read_bytes(Path(source), settings.max_bytes)).text.splitlines()
    except DataError as error:
        yield rejected(source, error)
        return
    urls: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        url, where = line.strip(), f"{source}:{number}"
        if not url or url.startswith("#"):
            continue
        if not is_web(url):
            shown = without_credentials(url)[:200]
            yield Rejected(where=where, reason="not an http or https address", excerpt=shown)
        elif has_credentials(url):
            yield Rejected(where=where, reason=CREDENTIALS, excerpt=without_credentials(url)[:200])
        elif normal(url) in urls:
            yield Rejected(where=where, reason=f"same page as {urls[normal(url)]}", excerpt=url)
        else:
            urls[normal(url)] = url
    yield from pages(urls.values(), settings)


def pages(urls: Iterable[str], settings: Settings) -> Iterator[RawPage | Rejected]:
    """The pages at web addresses, in the order given."""
    for url, page in fetch_all(urls, settings.fetching, settings.max_bytes):
        if isinstance(page, FetchError):
            yield _not_fetched(url, page)
        else:
            yield _raw(url, page)


def _not_fetched(url: str, error: FetchError) -> Rejected:
    where = without_credentials(url)
    return replace(rejected(where, error), kind=error.kind, url=where)


def _raw(url: str, page: Fetched) -> RawPage:
    return RawPage(
        content=page.content,
        where=url,
        id=url_id(url),
        url=page.url,
        requested=url,
        charset=page.charset,
    )


def warc(source: str, _name: str, settings: Settings) -> Iterator[Piece]:
    """The pages in a WARC file (Common Crawl News, or what was fetched before), in its order."""
    try:
        yield from pages_in(Path(source), settings.max_bytes)
    except DataError as error:
        yield rejected(source, error)


def feed(source: str, _name: str, settings: Settings) -> Iterator[Piece]:
    """The entries of an RSS or Atom feed in a file or at a web address.

    With ``settings.follow`` the pages behind the links are fetched; where that fails, the
    feed's own text stands in, noted as partial.
    """
    if is_web(source):
        yield from address(source, _name, settings)
        return
    try:
        content = read_bytes(Path(source), settings.max_bytes)
    except DataError as error:
        yield rejected(source, error)
        return
    yield from _entries(content, source, settings)


def is_feed(content: bytes) -> bool:
    """Whether `content` begins like RSS, Atom or RDF."""
    head = content[:2048].lower()
    return any(mark in head for mark in _FEED_MARKS) and b"<html" not in head


def is_url_list(content: bytes) -> bool:
    """Whether every line of the text `content` that says something is a web address."""
    lines = [line.strip() for line in content.decode("utf-8", errors="replace").splitlines()]
    said = [line for line in lines if line and not line.startswith("#")]
    return bool(said) and all(is_web(line) for line in said)


def _entries(content: bytes, where: str, settings: Settings) -> Iterator[Draft | Rejected]:
    try:
        import feedparser
    except ImportError as error:
        raise MissingPackage("feedparser", "reading feeds", "retrieval") from error
    parsed = feedparser.parse(content)
    if not parsed.entries:
        broken = parsed.get("bozo_exception")
        reason = f"no entries ({' '.join(str(broken).split())[:120]})" if broken else "no entries"
        yield Rejected(where=where, reason=f"not a feed that can be read: {reason}")
        return
    drafts = [
        _draft(entry, parsed.feed, f"{where}: entry {number}", settings)
        for number, entry in enumerate(parsed.entries, start=1)
    ]
    if not settings.follow:
        yield from drafts
        return
    links = [draft.url for draft in drafts if draft.url]
    fetched = iter(pages(links, settings))
    for draft in drafts:
        yield _followed(draft, next(fetched), settings) if draft.url else draft


def _followed(draft: Draft, raw: RawPage | Rejected, settings: Settings) -> Draft:
    """The page behind an entry, with what the feed said about it; or the entry, and why.

    A page that is no report (a wall, a home page) is none here either.
    """
    if isinstance(raw, RawPage):
        judged = result_of(raw, Extraction(now=settings.now))
        if isinstance(judged, Document):
            page = draft_from(page_of(raw), settings.now)
            return replace(
                page,
                title=page.title or draft.title,
                published=page.published or draft.published,
                source=page.source or draft.source,
                language=page.language or draft.language,
            )
        raw = judged
    return replace(draft, notes=(*draft.notes, f"page: {raw.reason}"))


def _draft(entry: Any, feed_: Any, where: str, settings: Settings) -> Draft:
    bodies = [item.get("value", "") for item in entry.get("content", [])]
    body = max([*bodies, entry.get("summary") or ""], key=len)
    text = paragraphs(body)
    link = entry.get("link")
    url = without_credentials(link) if isinstance(link, str) and is_web(link) else None
    stamp = entry.get("published_parsed")
    published = _feed_time(stamp) if stamp else None
    written = entry.get("published")
    why = doubt(published, settings.now) if published else "cannot be read in one way"
    doubts = (doubt_note(written, why),) if written and why else ()
    published = None if why else published
    outlet = (entry.get("source") or {}).get("title") or feed_.get("title")
    return Draft(
        where=where,
        text=text,
        id=url_id(url) if url else None,
        title=paragraphs(entry.get("title") or "").replace("\n", " ") or None,
        published=published,
        source=outlet,
        url=url,
        language=entry.get("language") or feed_.get("language"),
        notes=(*doubts, *(() if len(text) >= _WHOLE_TEXT else (SUMMARY_ONLY,))),
    )


def _feed_time(stamp: Any) -> datetime | None:
    try:
        return datetime.fromtimestamp(timegm(stamp), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def paragraphs(markup: str) -> str:
    """The text of an HTML fragment, one block a line."""
    from lxml import etree, html

    if not markup.strip():
        return ""
    try:
        root = html.fragment_fromstring(markup.replace("\x00", ""), create_parent="div")
    except (etree.ParserError, ValueError):
        return " ".join(markup.split())
    for element in root.iter("br", "p", "div", "li", "blockquote", "h1", "h2", "h3", "h4", "tr"):
        element.tail = "\n" + (element.tail or "")
        element.text = "\n" + (element.text or "")
    lines = (" ".join(line.split()) for line in root.text_content().splitlines())
    return "\n".join(line for line in lines if line)
