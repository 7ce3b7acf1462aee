"""An answer as the small questions in it, on which people can agree one by one.

`decided` are those that a vote settles, `flattened` those over which agreement is measured: a
map of facts or issues on sentences becomes one yes or no a cell (OmniCSEval, D.3 and F).
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from annotation.labels.agreement.ratings import Value
from annotation.labels.answers import CRITERIA
from annotation.labels.values import Item
from globesumm.records import to_json
from globesumm.values import IssueKind

Answer = Mapping[str, Any]

PREFERRED = {"a": 1, "tie": 0, "b": -1}
"""A preference as a number, for the ordinal and interval levels."""


def decided(item: Item, answer: Answer) -> dict[str, Value]:
    """Question to answer, for what votes can settle; none for highlights and free marks."""
    if item.kind == "relevance":
        met = answer["criteria"]
        return {"relevant": bool(answer["relevant"]), **{one: one in met for one in CRITERIA}}
    if item.kind == "issues":
        return {f"finding {n}": bool(one) for n, one in enumerate(answer["reviewed"], start=1)}
    if item.kind == "key-facts":
        return {"key": bool(answer["key"])}
    if item.kind == "fact-support":
        return {"supported": bool(answer["supported"])}
    if item.kind == "matching":
        return {"sentences": to_json(answer["sentences"])}
    if item.kind == "preference":
        return {"preferred": str(answer["preferred"])}
    return {}


def questions(item: Item) -> tuple[str, ...]:
    """The questions of `decided` that `item` asks, whether or not anybody answered."""
    fixed: Mapping[str, tuple[str, ...]] = {
        "relevance": ("relevant", *CRITERIA),
        "key-facts": ("key",),
        "fact-support": ("supported",),
        "matching": ("sentences",),
        "preference": ("preferred",),
    }
    if item.kind == "issues":
        return tuple(f"finding {n + 1}" for n in range(len(item.payload.get("review") or ())))
    return fixed.get(item.kind, ())


def flattened(item: Item, answer: Answer) -> Iterator[tuple[str, str, Value]]:
    """(question, unit within the item, what was said), for every cell of the item's map.

    Causes are said only of conflicts that the person marked.  Nothing for key points, whose
    agreement is the overlap R.
    """
    if item.kind in FLAT:
        yield from FLAT[item.kind](item, answer)
        return
    for question, said in decided(item, answer).items():
        yield question, "", PREFERRED[str(said)] if question == "preferred" else said


def _matching(item: Item, answer: Answer) -> Iterator[tuple[str, str, Value]]:
    for number in range(1, len(item.payload["summary"]["sentences"]) + 1):
        yield "states the fact", str(number), number in answer["sentences"]


def _issues(item: Item, answer: Answer) -> Iterator[tuple[str, str, Value]]:
    if item.payload.get("review"):
        for place, right in enumerate(answer["reviewed"], start=1):
            yield "finding is right", str(place), bool(right)
        return
    first, second = (
        range(1, len(item.payload[side]["sentences"]) + 1) for side in ("first", "second")
    )
    causes: dict[tuple[int, int], str] = {}
    marked: dict[str, set[tuple[int, int]]] = {kind: set() for kind in IssueKind}
    for mark in answer["issues"]:
        cells = _cells(mark)
        marked[mark["kind"]] |= cells
        if mark["kind"] == IssueKind.CONFLICT:
            causes |= dict.fromkeys(cells, mark["cause"])
    for kind in (IssueKind.REDUNDANCY, IssueKind.CONFLICT):
        for cell in product(first, second):
            yield kind.value, f"{cell[0]}/{cell[1]}", cell in marked[kind]
    for cell in (*((n, 0) for n in first), *((0, n) for n in second)):
        yield IssueKind.OMISSION.value, f"{cell[0]}/{cell[1]}", cell in marked[IssueKind.OMISSION]
    # Where two people see the same conflict, whether they see the same cause.
    for cell, cause in sorted(causes.items()):
        yield "cause of a conflict", f"{cell[0]}/{cell[1]}", cause


def _cells(mark: Mapping[str, Any]) -> set[tuple[int, int]]:
    """The places of the map that a mark covers; 0 stands for no sentence of that side."""
    first, second = mark.get("first") or (), mark.get("second") or ()
    if mark["kind"] == IssueKind.OMISSION:
        return {(n, 0) for n in first} | {(0, n) for n in second}
    return set(product(first, second))


def _nothing(_: Item, __: Answer) -> Iterator[tuple[str, str, Value]]:
    return iter(())


FLAT: Mapping[str, Callable[[Item, Answer], Iterator[tuple[str, str, Value]]]] = {
    "matching": _matching,
    "issues": _issues,
    "key-points": _nothing,
}
"""Kinds whose answers are maps; the others are flat as they are."""
