"""What a page's address, metadata and build say about its kind."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from urllib.parse import parse_qsl, urlsplit

from globesumm.errors import UnknownName
from globesumm.languages import parse
from retrieval.page import Page
from retrieval.url import normal

_ARTICLE_MICRODATA = (
    '//*[contains(@itemtype, "schema.org/") and contains(@itemtype, "Article")]'
    ' | //*[@itemprop="articleBody"]'
)


@cache
def marks() -> Mapping[str, tuple[str, ...]]:
    """The lists of ``page_gate/marks.toml`` by name."""
    source = files("globesumm").joinpath("data", "page_gate", "marks.toml")
    rows: dict[str, list[str]] = tomllib.loads(source.read_text(encoding="utf-8"))
    return {name: tuple(values) for name, values in rows.items()}


@cache
def _other_addresses() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in marks()["other_addresses"]), re.IGNORECASE)


def is_root(url: str | None) -> bool:
    """Whether `url` is a site's front page, in any language: no path, no query that names one."""
    if not url:
        return False
    try:
        parts = urlsplit(normal(url))
    except ValueError:
        return False
    names = [name for name in parts.path.lower().split("/") if name]
    if parse_qsl(parts.query, keep_blank_values=True) or len(names) > 2:
        return False
    if names and names[-1] in marks()["home_files"]:
        names.pop()
    return not names or (len(names) == 1 and _is_language(names[0]))


def _is_language(name: str) -> bool:
    if not re.fullmatch(r"[a-z]{2}(?:[-_][a-z]{2})?", name):
        return False
    try:
        parse(name)
    except UnknownName:
        return False
    return True


def is_section(url: str | None) -> bool:
    """Whether the first parts of the path of `url` are such as sites list reports under."""
    if not url:
        return False
    names = [name for name in urlsplit(url).path.lower().split("/") if name]
    return any(name in marks()["section_paths"] for name in names[:2]) and len(names) <= 4


def asks_consent(url: str | None) -> bool:
    """Whether `url` leads to a page that asks for consent, by its host or path."""
    if not url:
        return False
    parts = urlsplit(url)
    first = (parts.hostname or "").split(".")[0]
    names = [name for name in parts.path.lower().split("/") if name]
    return first in marks()["consent_hosts"] or any(
        name in marks()["consent_paths"] for name in names
    )


def is_other_address(url: str | None) -> bool:
    """Whether `url` has the form of a picture's, a film's, a thread's or a version's address."""
    return bool(url and _other_addresses().search(url))


def roots(page: Page) -> bool:
    """Whether the page states a canonical address and every one it states is a front page."""
    stated = [link.get("href") for link in page.tree.iter("link") if link.get("rel") == "canonical"]
    stated = [url for url in (*stated, page.meta.get("og:url")) if url and "//" in url]
    return bool(stated) and all(map(is_root, stated))


def says_article(page: Page) -> bool:
    """Whether the page calls itself an article, in any of the four ways to do so."""
    return bool(
        page.about
        or (page.meta.get("og:type") or "").lower() in {"article", "newsarticle", "og:article"}
        or page.meta.get("article:published_time")
        or page.tree.xpath(_ARTICLE_MICRODATA)
    )


def says_other(page: Page) -> str | None:
    """The type of thing other than a report that the page says it is, or None."""
    kind = (page.meta.get("og:type") or "").lower()
    others = marks()["other_types"]
    return kind if kind in others else next((t for t in sorted(page.types) if t in others), None)


def says_list(page: Page) -> bool:
    """Whether the page calls itself a collection of things."""
    return bool(page.types.intersection(marks()["list_types"]))
