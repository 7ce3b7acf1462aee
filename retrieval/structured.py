"""What a page says about itself to machines: JSON-LD, meta elements, links, microdata."""

import html
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

ARTICLE_TYPES = frozenset(
    {
        "article",
        "newsarticle",
        "reportagenewsarticle",
        "analysisnewsarticle",
        "backgroundnewsarticle",
        "opinionnewsarticle",
        "reviewnewsarticle",
        "liveblogposting",
        "blogposting",
        "report",
        "socialmediaposting",
    }
)
"""schema.org types that are the story itself, in lower case."""

_DECODER = json.JSONDecoder(strict=False)
_LARGEST_SCRIPT = 2_000_000
_MOST_NODES = 5_000


def linked_data(tree: Any) -> list[Mapping[str, Any]]:
    """The JSON-LD objects of an lxml `tree`, in page order, an outer one before its inner ones.

    Scripts that are not JSON are passed over; walks are bounded, since pages are hostile data.
    """
    found: list[Mapping[str, Any]] = []
    for script in tree.iter("script"):
        if "ld+json" not in (script.get("type") or "").lower():
            continue
        source = (script.text or "").strip()[:_LARGEST_SCRIPT]
        source = source.removeprefix("<!--").removesuffix("-->").strip().removesuffix(";")
        try:
            # Some pages close one bracket too many; what stands before that is whole.
            parsed, _ = _DECODER.raw_decode(source)
        except (ValueError, RecursionError):
            continue
        found += _objects(parsed)
    return found


def articles(objects: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those of the JSON-LD `objects` that describe an article."""
    return [node for node in objects if types_of(node) & ARTICLE_TYPES]


def types_of(node: Mapping[str, Any]) -> frozenset[str]:
    """The types of a JSON-LD object in lower case, without the address of their vocabulary."""
    kinds = node.get("@type")
    names = kinds if isinstance(kinds, list) else [kinds]
    return frozenset(name.rpartition("/")[2].lower() for name in names if isinstance(name, str))


def _objects(parsed: object) -> Iterator[Mapping[str, Any]]:
    """Every object within `parsed`, breadth first, at most `_MOST_NODES` of them."""
    queue: list[object] = [parsed]
    for count, node in enumerate(queue):
        if count > _MOST_NODES:
            return
        if isinstance(node, dict):
            yield node
            queue.extend(value for value in node.values() if isinstance(value, dict | list))
        elif isinstance(node, list):
            queue.extend(value for value in node if isinstance(value, dict | list))


def metas(tree: Any) -> dict[str, str]:
    """``property``, ``name``, ``itemprop`` or ``http-equiv`` of meta elements → content.

    Names are in lower case; where a name stands twice the first one counts.
    """
    found: dict[str, str] = {}
    for element in tree.iter("meta"):
        content = plain(element.get("content"))
        for attribute in ("property", "name", "itemprop", "http-equiv"):
            name = (element.get(attribute) or "").strip().lower()
            if name and content:
                found.setdefault(name, content)
    return found


def plain(value: object) -> str | None:
    """A string on one line, entities resolved (some sites escape twice), or None if empty."""
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, str)), None)
    if not isinstance(value, str):
        return None
    return " ".join(html.unescape(html.unescape(value)).split()) or None


def name_of(value: object) -> str | None:
    """The ``name`` of a JSON-LD person or organization, given as text, object or list."""
    if isinstance(value, list):
        return next((name for name in map(name_of, value) if name), None)
    if isinstance(value, dict):
        return plain(value.get("name"))
    return plain(value)
