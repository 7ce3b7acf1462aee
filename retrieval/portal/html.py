"""Saved pages of the portal: a day's page, or a month's with all its days.

::

    div.vevent#2023_May_15 > .description > p > b, ul      since 2021
    div.vevent#2018_May_15 > .description > div[role=heading], ul
    table.vevent … td.description > dl > dt, ul            before 2018
"""

import re
from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import Any

from globesumm.errors import DataError
from globesumm.values import Rejected
from retrieval.portal.days import day_in, title_of
from retrieval.portal.events import Origin, build
from retrieval.portal.items import Item
from retrieval.portal.markup import DEEPEST_ELEMENT, LISTS, is_unshown, pieces_in
from retrieval.portal.values import Parsed
from retrieval.portal.wikitext import DEEPEST, LONGEST_BULLET, MOST_LINES

_HEADS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_PAGE_NAME = re.compile(r'"wgPageName":"([^"]{1,300})"')
_REVISION = re.compile(r'"wgRevisionId":(\d{1,12})')


def read_html(content: bytes, origin: Origin, day: date | None = None) -> list[Parsed]:
    """The days in a saved page, or `day` alone.

    Raises `DataError` where there is no day of the portal in it.
    """
    root = _root(content, origin)
    blocks = _days(root)
    if not blocks:
        # The rendered wikitext alone, without the frame that the template puts around a day.
        stated = _own_day(content) or day
        body = root.xpath("//*[contains(concat(' ', @class, ' '), ' mw-parser-output ')]")
        if stated is None or not (body or root.xpath("//ul/li")):
            raise DataError(f"{origin}: holds no day of the portal (no element of class vevent)")
        blocks = [(stated, body[0] if body else root)]
    own = _own_day(content)
    found = []
    for which, block in blocks:
        if day is not None and which != day:
            continue
        here = Origin(
            where=origin.where,
            page=origin.page or title_of(which),
            # A month's page has a revision of its own, which says nothing about its days.
            revision=origin.revision or (_own_revision(content) if own == which else None),
        )
        found.append(build(_first(_items(block, here), here), here, which))
    if not found:
        raise DataError(f"{origin}: does not hold {day}")
    return found


def days_in_html(content: bytes, origin: Origin) -> list[date]:
    """The days that a saved page holds."""
    days = [day for day, _ in _days(_root(content, origin))]
    own = _own_day(content)
    return days or ([own] if own else [])


def _root(content: bytes, origin: Origin) -> Any:
    from lxml import etree, html

    try:
        parser = html.HTMLParser(encoding="utf-8", huge_tree=False, no_network=True)
        return html.document_fromstring(content, parser=parser)
    except (etree.LxmlError, ValueError, AssertionError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise DataError(f"{origin}: cannot be read as HTML ({reason})") from error


def _days(root: Any) -> list[tuple[date, Any]]:
    """Each day with the element that holds its news, in the page's order."""
    found: dict[date, Any] = {}
    for event in root.xpath("//*[contains(concat(' ', normalize-space(@class), ' '), ' vevent ')]"):
        stated = event.get("id") or ""
        day = day_in(stated) or day_in(
            " ".join(event.xpath("string(.//*[contains(@class, 'bday')][1])").split())
        )
        inner = event.xpath(
            ".//*[contains(concat(' ', normalize-space(@class), ' '), ' description ')]"
        )
        if day is not None and inner:
            found.setdefault(day, inner[0])
    return list(found.items())


def _own_day(content: bytes) -> date | None:
    head = content[:200_000].decode("utf-8", errors="replace")
    named = _PAGE_NAME.search(head)
    return day_in(named[1]) if named and "Current_events/" in named[1] else None


def _own_revision(content: bytes) -> int | None:
    found = _REVISION.search(content[:200_000].decode("utf-8", errors="replace"))
    return int(found[1]) if found else None


def _first(items: Iterator[Item | Rejected], origin: Origin) -> Iterator[Item | Rejected]:
    """As many items as a day may have."""
    yield from islice(items, MOST_LINES)
    if next(items, None) is not None:
        reason = f"a day of more than {MOST_LINES} lines; what follows is not read"
        yield Rejected(where=str(origin), reason=reason)


def _items(block: Any, origin: Origin, depth: int = 0) -> Iterator[Item | Rejected]:
    if depth > DEEPEST_ELEMENT:
        yield Rejected(where=str(origin), reason=f"nested deeper than {DEEPEST_ELEMENT} elements")
        return
    for child in block:
        tag = child.tag
        if not isinstance(tag, str) or is_unshown(child):
            continue
        if tag == "dl":
            yield from _definitions(child, origin)
        elif tag in LISTS:
            yield from _list(child, 1, origin)
        elif tag in _HEADS or child.get("role") == "heading" or _is_bold_alone(child):
            yield _item("heading", child, origin)
        elif child.xpath(".//ul|.//ol|.//dl|.//h2|.//h3|.//h4|.//h5|.//h6"):
            yield from _items(child, origin, depth + 1)
        else:
            yield _item("stray", child, origin)


def _definitions(block: Any, origin: Origin) -> Iterator[Item | Rejected]:
    for child in block:
        if child.tag == "dt":
            yield _item("heading", child, origin)
        elif child.tag == "dd":
            yield _item("bullet", child, origin, 1)
            yield from _below(child, 2, origin)


def _list(block: Any, level: int, origin: Origin) -> Iterator[Item | Rejected]:
    if level > DEEPEST:
        yield Rejected(where=str(origin), reason=f"nested deeper than {DEEPEST} levels")
        return
    for child in block:
        if child.tag == "li":
            yield _item("bullet", child, origin, level)
            yield from _below(child, level + 1, origin)
        elif child.tag in {"ul", "ol"}:
            yield from _list(child, level + 1, origin)


def _below(parent: Any, level: int, origin: Origin) -> Iterator[Item | Rejected]:
    for child in parent:
        if child.tag in {"ul", "ol"}:
            yield from _list(child, level, origin)
        elif child.tag == "dl":
            for inner in child:
                if inner.tag == "dd":
                    yield _item("more", inner, origin)
                    yield from _below(inner, level, origin)


def _item(kind: Any, element: Any, origin: Origin, level: int = 0) -> Item | Rejected:
    notes: list[str] = []
    try:
        pieces = pieces_in(element, notes)
    except DataError as error:
        return Rejected(where=str(origin), reason=str(error))
    if sum(len(getattr(piece, "text", "")) for piece in pieces) > LONGEST_BULLET:
        reason = f"a bullet of more than {LONGEST_BULLET} characters"
        return Rejected(where=str(origin), reason=reason)
    return Item(kind=kind, pieces=pieces, level=level, notes=tuple(notes))


def _is_bold_alone(element: Any) -> bool:
    """A paragraph that is one bold text: how headings are written since 2021."""
    bold = element.xpath("./b|./strong")
    return (
        element.tag in {"p", "div"}
        and len(bold) == 1
        and element.text_content().strip(" \n\t:") == bold[0].text_content().strip(" \n\t:")
        and bool(bold[0].text_content().strip())
    ) or element.tag in {"b", "strong"}
