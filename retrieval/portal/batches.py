"""Many titles in few requests, and what MediaWiki's answers call them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

MOST_TITLES = 50
"""Titles or revisions that may be asked for at once."""

LONGEST_ADDRESS = 6000
"""Bytes of titles in a request's address; many servers refuse more than 8,190 in all."""


def batches(titles: Sequence[str]) -> Iterator[list[str]]:
    """Titles in groups that fit into one request: by number, and by bytes of its address."""
    group: list[str] = []
    size = 0
    for title in titles:
        here = len(urlencode({"": title})) + 3
        if group and (len(group) == MOST_TITLES or size + here > LONGEST_ADDRESS):
            yield group
            group, size = [], 0
        group.append(title)
        size += here
    if group:
        yield group


def renamed(answer: Mapping[str, Any]) -> dict[str, str]:
    """What the titles of a request became: spelt as the wiki spells them, redirects followed."""
    query = answer.get("query")
    found: dict[str, str] = {}
    for kind in ("normalized", "redirects"):
        for pair in (query.get(kind) or []) if isinstance(query, dict) else []:
            if isinstance(pair, dict) and "from" in pair and "to" in pair:
                found[str(pair["from"])] = str(pair["to"])
    return found


def final(title: str, moves: Mapping[str, str]) -> str:
    """Where a title ends up; a circle ends where it began to repeat."""
    for _ in range(10):
        if title not in moves:
            break
        title = moves[title]
    return title


def pages_in(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pages of one part of an answer."""
    query = answer.get("query")
    pages = query.get("pages") if isinstance(query, dict) else None
    return [page for page in pages or [] if isinstance(page, dict) and "title" in page]
