"""The text of a parsed page: one paragraph a line, nothing twice, no headline.

The text is trafilatura's (`deduplicate` off: that option keeps state between calls).  What it
leaves to us: the headline must not come back as a paragraph, a paragraph must not come twice,
lines that only point to other pages are left out, and a page from which nothing comes out is
tried by other ways before it is given up.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from retrieval.teasers import pointing_lines
from retrieval.title import key

PARTIAL = "partial: the text was taken from "

_LEAST_KEPT = 0.5
"""Share of a text that is kept at least: what points elsewhere in most of its lines is a list,
and lists are the page gate's matter."""

_SHORTEST = 80
"""Characters below which an extraction counts as having found nothing but a stray line."""


def text_of(tree: Any, about: Mapping[str, Any], titles: list[str]) -> tuple[str, list[str]]:
    """The paragraphs of the lxml `tree`, one a line, and notes on how they were found.

    `about` is the page's JSON-LD article and `titles` what may be its headline.  The text is
    empty if there is none.
    """
    from trafilatura import extract

    _hold_stop_words()
    heads = {key(title) for title in titles}
    text = _paragraphs(
        extract(tree, deduplicate=False, include_comments=False, include_tables=False), heads
    )
    if len(text) >= _SHORTEST:
        return _without_pointers(tree, text), []
    for name, other in _other_ways(tree, about):
        longer = _paragraphs(other, heads)
        if len(longer) > max(len(text), _SHORTEST):
            return longer, [PARTIAL + name]
    return text, []


@cache
def _hold_stop_words() -> None:
    """Have trafilatura hold the stop words of its last resort as a frozenset.

    They are looked up by their hash for each page that is short or unclean.  A tuple's takes all
    154,000 words each time, a quarter of the time of such a page; a frozenset remembers its own.
    """
    from trafilatura import external

    held: Any = external
    if hasattr(held, "jt_stoplist_init"):  # a release that keeps them otherwise is left as it is
        held.JT_STOPLIST = frozenset(held.jt_stoplist_init())


def _without_pointers(tree: Any, text: str) -> str:
    """`text` without the lines that only point to other pages, unless it is made of them."""
    pointing = pointing_lines(tree, text)
    kept = [line for line in text.splitlines() if line not in pointing]
    rest = sum(map(len, kept))
    return "\n".join(kept) if rest >= max(_SHORTEST, _LEAST_KEPT * len(text)) else text


def _other_ways(tree: Any, about: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """Texts found without trafilatura's main extractor, in the order of trust."""
    from trafilatura import extract

    body = about.get("articleBody")
    recalled = extract(
        tree, deduplicate=False, include_comments=False, favor_recall=True, fast=True
    )
    blocks = [" ".join(element.text_content().split()) for element in tree.iter("p")]
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
