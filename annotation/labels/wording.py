"""Answers in words, as people read them beside an item: a colleague's, a model's, an example's."""

from collections.abc import Iterable, Mapping
from typing import Any

from annotation.labels.values import Item

CRITERIA = {
    "same_event": "the same event",
    "cause_or_consequence": "causes or consequences",
    "perspective": "another perspective",
}

SHOWN = 300
"""Characters of a text that is quoted."""


def in_words(item: Item, answer: Mapping[str, Any] | None, note: str | None = None) -> list[str]:
    """Lines that say what `answer` (canonical) says; None is what cannot be judged."""
    lines = ["cannot be judged"] if answer is None else list(_LINES[item.kind](item, answer))
    return [*lines, f"note: {note[:SHOWN]}"] if note else lines


def _relevance(_: Item, answer: Mapping[str, Any]) -> Iterable[str]:
    if not answer["relevant"]:
        yield "no"
        return
    yield f"yes: {', '.join(CRITERIA[one] for one in answer['criteria'])}"


def _issues(item: Item, answer: Mapping[str, Any]) -> Iterable[str]:
    review = item.payload.get("review") or ()
    for number, right in enumerate(answer["reviewed"], start=1):
        yield f"finding {number} of {len(review)}: {'right' if right else 'mistaken'}"
    for mark in answer["issues"]:
        sides = [
            f"{name} {', '.join(map(str, mark[name]))}"
            for name in ("first", "second")
            if mark[name]
        ]
        cause = f" (cause: {mark['cause']})" if mark["cause"] else ""
        how = f", {mark['strategy'][:SHOWN]}" if mark["strategy"] else ""
        yield f"{mark['kind']}: {' and '.join(sides)}{cause}{how}"
    if not review and not answer["issues"]:
        yield "no issue"


def _key_fact(_: Item, answer: Mapping[str, Any]) -> Iterable[str]:
    yield "key" if answer["key"] else "not key"


def _fact_support(_: Item, answer: Mapping[str, Any]) -> Iterable[str]:
    yield "supported" if answer["supported"] else "not supported"


def _matching(_: Item, answer: Mapping[str, Any]) -> Iterable[str]:
    numbers = answer["sentences"]
    yield f"sentences {', '.join(map(str, numbers))}" if numbers else "no sentence"


def _key_points(_: Item, answer: Mapping[str, Any]) -> Iterable[str]:
    linked = {point for point, _ in answer["links"]}
    told = {tells for _, tells in answer["links"]}
    for place, span in enumerate(answer["points"]):
        fate = " (omitted)" if answer["told"] and place not in linked else ""
        yield f"D{place + 1}{fate}: {span['text'][:SHOWN]}"
    for place, span in enumerate(answer["told"]):
        same = [f"D{point + 1}" for point, tells in answer["links"] if tells == place]
        fate = f" = {', '.join(same)}" if place in told else " (hallucinated)"
        yield f"S{place + 1}{fate}: {span['text'][:SHOWN]}"
    if not answer["points"] and not answer["told"]:
        yield "no key point"


def _preference(_: Item, answer: Mapping[str, Any]) -> Iterable[str]:
    first, preferred = answer["first"], answer["preferred"]
    if preferred == "tie":
        yield "neither is better"
    else:
        yield f"the {'first' if preferred == first else 'second'} shown is better"


_LINES = {
    "relevance": _relevance,
    "issues": _issues,
    "key-facts": _key_fact,
    "fact-support": _fact_support,
    "matching": _matching,
    "key-points": _key_points,
    "preference": _preference,
}
