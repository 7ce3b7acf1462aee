"""What a page's address, metadata and build say about its kind."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from globesumm.errors import UnknownName
from globesumm.languages import parse
from retrieval.page import Page
from retrieval.url import normal

_TEASER_LINE = 40
"""Characters of the shortest paragraph looked at."""

_TEASER_BOX = 800
"""Characters of the largest element that holds one teaser: a heading with a link, a few lines."""

_LEVELS = 4
"""Elements between a paragraph or a heading and the box of its teaser."""

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
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


def teasers(tree: Any, text: str) -> tuple[float, int]:
    """The share (0 to 1) of `text` that stands in teasers of other pages, and their number.

    A paragraph is a teaser's if it is a link, or stands beside a heading that is one in a box
    of at most `_TEASER_BOX` characters.
    """
    wanted = {_start(line) for line in text.splitlines() if len(line) >= _TEASER_LINE}
    boxes = _boxes(tree)
    sizes: dict[Any, int] = {}
    whole = inside = 0
    found: set[Any] = set()
    for element in tree.iter("p", "div", "li", "a", "span"):
        if element.tag != "p" and len(element):
            continue
        line = " ".join(element.text_content().split())
        if len(line) < _TEASER_LINE or _start(line) not in wanted:
            continue
        whole += len(line)
        box = _box_of(element, boxes)
        if box is None:
            continue
        if box not in sizes:
            sizes[box] = len(" ".join(box.text_content().split()))
        if sizes[box] < _TEASER_BOX:
            inside += len(line)
            found.add(box)
    return (inside / whole if whole else 0.0), len(found)


def _boxes(tree: Any) -> set[Any]:
    """The elements up to `_LEVELS` above the headings that are or hold links."""
    boxes: set[Any] = set()
    for heading in tree.iter(*_HEADINGS):
        linked = next(heading.iter("a"), None) is not None
        element = heading
        for _ in range(_LEVELS):
            element = element.getparent()
            if element is None or element.tag in {"body", "main"}:
                break
            linked = linked or element.tag == "a"
            if linked:
                boxes.add(element)
    return boxes


def _box_of(element: Any, boxes: set[Any]) -> Any:
    for _ in range(_LEVELS):
        if element is None or element.tag in {"body", "main"}:
            return None
        if element.tag == "a" or element in boxes:
            return element
        element = element.getparent()
    return None


def _start(line: str) -> str:
    return "".join(char for char in line if char.isalnum())[:60]
