"""The text of HTML elements in pieces, as `retrieval.portal.inline` gives them of wikitext."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

from globesumm.errors import DataError, UnknownName
from globesumm.languages import parse as parse_language
from retrieval.portal.inline import cited
from retrieval.portal.pieces import Link, Piece, Text
from retrieval.portal.titles import name_from, page_of

DEEPEST_ELEMENT = 150
"""Elements inside one another that are followed; pages of the portal have about 20."""

LISTS = frozenset({"ul", "ol", "dl"})
_HOME = "https://en.wikipedia.org/wiki/"
_UNSHOWN = frozenset(
    {"style", "script", "s", "del", "strike", "link", "meta", "img", "figure", "math"}
)
_UNSHOWN_CLASSES = frozenset(
    {"reference", "mw-editsection", "mw-cite-backlink", "thumb", "navbox", "metadata"}
)
_WIKI_HOST = re.compile(r"([a-z-]{2,20})\.(?:m\.)?wikipedia\.org")


def pieces_in(element: Any, notes: list[str]) -> list[Piece]:
    """The pieces of an element's text, lists inside it left out.

    Raises `DataError` where elements lie deeper inside one another than is followed.
    """
    return _with_names(list(_pieces(element, notes, 0)))


def is_unshown(element: Any) -> bool:
    """Whether an element shows nothing that belongs to the text: footnote marks, styles."""
    classes = set((element.get("class") or "").split())
    return element.tag in _UNSHOWN or bool(classes & _UNSHOWN_CLASSES)


def _pieces(element: Any, notes: list[str], depth: int) -> Iterator[Piece]:
    """The pieces of an element's text, lists inside it left out."""
    if depth > DEEPEST_ELEMENT:
        raise DataError(f"nested deeper than {DEEPEST_ELEMENT} elements")
    if element.text:
        yield Text(element.text)
    for child in element:
        if isinstance(child.tag, str) and child.tag not in LISTS and not is_unshown(child):
            if child.tag == "a" and child.get("href"):
                yield from _anchor(child, notes)
            elif child.tag in {"br", "hr", "p", "div"}:
                yield Text(" ")
                yield from _pieces(child, notes, depth + 1)
            else:
                yield from _pieces(child, notes, depth + 1)
        if child.tail:
            yield Text(child.tail)


def _anchor(anchor: Any, notes: list[str]) -> Iterator[Piece]:
    href, shown = anchor.get("href").strip(), anchor.text_content()
    classes = set((anchor.get("class") or "").split())
    relation = set((anchor.get("rel") or "").split())
    if href.startswith("#"):
        yield Text(shown)
    elif "extiw" in classes:
        yield _Elsewhere(shown, None, _there(href))
    elif "external" in classes or relation & {"nofollow", "mw:ExtLink"}:
        yield from cited(href, shown.strip(), notes)
    else:
        yield from _internal(href, shown, notes)


def _internal(href: str, shown: str, notes: list[str]) -> Iterator[Piece]:
    try:
        parts = urlsplit(urljoin(_HOME, href))
    except ValueError:
        yield Text(shown)
        return
    if not (parts.hostname or "").endswith("wikipedia.org"):
        yield from cited(href, shown.strip(), notes)
        return
    if parts.path.endswith("/index.php"):
        title = parse_qs(parts.query).get("title", [""])[0]
    else:
        title = unquote(parts.path.partition("/wiki/")[2])
    page, kind = page_of(title)
    if kind != "hidden":
        yield Link(shown, page)


class _Elsewhere(Link):
    """A link to another Wikipedia, which says what the link before it is called there."""

    __slots__ = ()


def _there(href: str) -> dict[str, str]:
    parts = urlsplit(urljoin(_HOME, href))
    host = _WIKI_HOST.fullmatch(parts.hostname or "")
    title = unquote(parts.path.partition("/wiki/")[2]).replace("_", " ")
    if host is None or not title:
        return {}
    try:
        return {parse_language(host[1]): name_from(title)}
    except UnknownName:
        return {}


def _with_names(pieces: list[Piece]) -> list[Piece]:
    """Names from links to other Wikipedias moved to the link they stand behind.

    "Foo [de]": the brackets around the language go too.
    """
    kept: list[Piece] = []
    for position, piece in enumerate(pieces):
        if not isinstance(piece, _Elsewhere):
            kept.append(piece)
            continue
        for back in range(len(kept) - 1, max(-1, len(kept) - 5), -1):
            before = kept[back]
            if isinstance(before, Link) and before.page:
                kept[back] = Link(before.text, before.page, {**piece.names, **before.names})
                break
        if kept and isinstance(kept[-1], Text):
            kept[-1] = Text(re.sub(r"\s*\[$|(?<=\])\s*$|^;\s*$", "", kept[-1].text))
        following = pieces[position + 1] if position + 1 < len(pieces) else None
        if isinstance(following, Text):
            pieces[position + 1] = Text(re.sub(r"^\s*[\];]", "", following.text))
    return kept
