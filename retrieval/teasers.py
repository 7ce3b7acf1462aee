"""What on a page only points to other pages: teasers, lists of links, "read also"."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from retrieval.title import key

SHORTEST_LINE = 40
"""Characters of the shortest line of a teaser looked at."""

LARGEST_BOX = 800
"""Characters of the largest element that holds one teaser: a heading with a link, a few lines."""

LINKED = 0.75
"""Share of a line's characters in links from which it only points elsewhere."""

_SHORTEST_LINK = 15
_LONGEST_POINTER = 600
_LEVELS = 4
"""Elements between a line or a heading and the box of its teaser."""

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = ("p", "li", "div", "a", "span", *_HEADINGS)


def teasers(tree: Any, text: str) -> tuple[float, int]:
    """The share (0 to 1) of `text` that stands in teasers of other pages, and their number.

    A line is a teaser's if it is a link, or stands beside a heading that is one in a box of at
    most `LARGEST_BOX` characters.
    """
    wanted = {_start(line) for line in text.splitlines() if len(line) >= SHORTEST_LINE}
    whole = inside = 0
    found: set[Any] = set()
    for line, box in _lines_with_boxes(tree, wanted):
        whole += len(line)
        if box is not None:
            inside += len(line)
            found.add(box)
    return (inside / whole if whole else 0.0), len(found)


def pointing_lines(tree: Any, text: str) -> set[str]:
    """The lines of `text` that only point to other pages: in teasers, or nearly all link."""
    lines: dict[str, list[str]] = {}
    for line in text.splitlines():
        lines.setdefault(_start(line), []).append(line)
    pointing = set(_of_several(list(_lines_with_boxes(tree, set(lines)))))
    seen: set[Any] = set()
    for link in tree.iter("a"):
        target = link.get("href") or ""
        element = link.getparent()
        if not target or target[0] == "#" or element is None or len(_plain(link)) < _SHORTEST_LINK:
            continue
        while element.tag not in _BLOCKS and element.getparent() is not None:
            element = element.getparent()
        if element in seen:
            continue
        seen.add(element)
        whole = _plain(element)
        if len(whole) <= _LONGEST_POINTER and (start := _start(whole)) in lines:
            linked = sum(len(_plain(one)) for one in element.iter("a"))
            if linked >= LINKED * len(whole):
                pointing.add(start)
    return {line for start in pointing for line in lines.get(start, ())}


def _of_several(found: list[tuple[str, Any]]) -> Iterator[str]:
    """The starts of the lines whose box is one of at least two beside one another.

    A lone box may be a paragraph under a heading that links to a report's subject.
    """
    boxes = {box for _, box in found if box is not None}
    beside = Counter(over for box in boxes for over in _two_above(box))
    for line, box in found:
        if box is not None and any(beside[over] >= 2 for over in _two_above(box)):
            yield _start(line)


def _two_above(element: Any) -> list[Any]:
    return list(islice(element.iterancestors(), 2))


def _lines_with_boxes(tree: Any, wanted: set[str]) -> Iterator[tuple[str, Any]]:
    """Each line of the tree whose start is `wanted`, with the box of its teaser or None."""
    boxes = _boxes(tree)
    sizes: dict[Any, int] = {}
    for element in tree.iter("p", "div", "li", "a", "span") if boxes else ():
        if element.tag == "p":
            line = _plain(element)
        elif len(element) or not element.text or len(element.text) < SHORTEST_LINE:
            continue
        else:
            line = " ".join(element.text.split())
        if len(line) < SHORTEST_LINE or _start(line) not in wanted:
            continue
        box = _box_of(element, boxes)
        if box is not None and box not in sizes:
            sizes[box] = len(_plain(box))
        yield line, box if box is not None and sizes[box] < LARGEST_BOX else None


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


def _plain(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def _start(line: str) -> str:
    return key(line[:120])[:60]
