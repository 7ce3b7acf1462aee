"""Whether a page is the one that was pointed at, by its title."""

from collections.abc import Iterable

from retrieval.title import key

FEWEST_LETTERS = 12
"""Letters of the shortest title that can be told from another."""

DIFFERENT = 0.2
"""Likeness (0 to 1) below which two titles are of different pages; edits and suffixes leave
more, and two headlines of one language share less by chance."""

FEW_OF_ITS_WORDS = 0.34
"""Share of a title's words found in the text from which the page is held for the right one."""


def likeness(one: str, other: str) -> float:
    """The share of the shorter title's letter triples that the other has too, from 0 to 1."""
    left, right = _triples(one), _triples(other)
    smaller = min(len(left), len(right))
    return len(left & right) / smaller if smaller else 0.0


def is_other_page(expected: str, titles: Iterable[str], text: str) -> float | None:
    """How alike (0 to 1) `expected` and the likest of `titles` are, if too little; else None.

    A page whose headline was rewritten still has the words of the old one in its `text`.
    """
    if len(key(expected)) < FEWEST_LETTERS:
        return None
    compared = [title for title in titles if len(key(title)) >= 3]
    best = max((likeness(expected, title) for title in compared), default=0.0)
    if best >= DIFFERENT or not compared:
        return None
    words = {word for word in map(key, expected.split()) if len(word) >= 4} or {key(expected)}
    body = key(text)
    share = sum(word in body for word in words) / len(words)
    return best if share < FEW_OF_ITS_WORDS else None


def _triples(title: str) -> set[str]:
    form = key(title)
    return {form[start : start + 3] for start in range(max(1, len(form) - 2))}
