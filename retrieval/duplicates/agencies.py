"""Which news agency a report names as its source.

A sentence that quotes one ("told Reuters") is no byline, so a name counts only where bylines
stand: among the authors, as the outlet, or at the beginning or end of the text in brackets,
between slashes or dashes, after a copyright sign, or on a line of its own.
"""

import re
from collections.abc import Mapping
from functools import cache

from globesumm.values import Document
from retrieval.outlets import agency_table

_REACH = 300
"""Characters at the beginning and at the end of a text in which a byline is looked for."""

_LONG = 4
_BEFORE = (
    r"(?:^|[(\[（【［「/|©–—―=-]|[【［][^】］\n]{0,24}\s"
    r"|\b(?:by|via|par|von|por|da|di|od|przez)\s)\s*"
)
_AFTER = r"(?=\s*(?:$|[)\]）】］」/|,.:–—―-])|[^。\n]{0,24}[电電])"
"""A Chinese byline goes on with place and day: 新华社北京5月15日电."""


def agency_of(document: Document) -> str | None:
    """The agency that wrote `document`, by its own account, or None; of several the first named."""
    for field in (*document.authors, document.source or ""):
        if found := _named(field.strip(), whole=True):
            return found
    if document.outlet is not None and document.outlet.agency:
        return document.outlet.agency
    text = document.text
    head, tail = text[:_REACH], text[-_REACH:] if len(text) > _REACH else ""
    return _named(head, whole=False) or _named(tail, whole=False)


def _named(text: str, *, whole: bool) -> str | None:
    if whole:
        pieces = re.split(r"\s*[/,;|]\s*", text)
        return next((names()[piece] for piece in pieces if piece in names()), None)
    found = _pattern().search(text)
    return names()[found["name"]] if found else None


@cache
def names() -> Mapping[str, str]:
    """Every way in which an agency is named, to the name of the agency."""
    table: dict[str, str] = {}
    for agency, row in agency_table().items():
        for name in (agency, *row["names"]):
            table.setdefault(name, agency)
            if len(name) >= _LONG:
                table.setdefault(name.upper(), agency)
    return table


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(names(), key=lambda name: (-len(name), name))
    choice = "|".join(map(re.escape, longest_first))
    return re.compile(f"{_BEFORE}(?P<name>{choice}){_AFTER}", re.MULTILINE)
