"""Answers as Label Studio's results and back, by kind of task.

What Label Studio has a control for is written for that control (choices, highlights, relations);
marks on two numbered lists, which it has none for, are lines of text, one a mark::

    redundancy 1 / 1,2
    omission 3 /
    conflict 4 / 3 update: The later report counts.

and a finding under review is ``1 right`` or ``2 mistaken``.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.labels.exchange import studio_highlights as highlights
from annotation.labels.values import Item
from globesumm.errors import DataError

Answer = Mapping[str, Any]
Results = list[dict[str, Any]]

NONE = "none"
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How one kind goes there and back; `shown` gives the texts that the interface shows."""

    written: Callable[[Item, Answer], Results]
    read: Callable[[Item, Sequence[Mapping[str, Any]]], dict[str, Any]]
    shown: Callable[[Item], dict[str, Any]]


def _choices(name: str, to: str, chosen: Sequence[str]) -> dict[str, Any]:
    return {
        "id": name, "from_name": name, "to_name": to, "type": "choices",
        "value": {"choices": list(chosen)},
    }  # fmt: skip


def _lines(name: str, to: str, lines: Sequence[str]) -> dict[str, Any]:
    return {
        "id": name, "from_name": name, "to_name": to, "type": "textarea",
        "value": {"text": list(lines)},
    }  # fmt: skip


def _value(results: Sequence[Mapping[str, Any]], name: str, key: str) -> list[str]:
    """What the control `name` holds; nothing where it was left alone.

    Two results of one control that differ are no answer: nothing says which of them counts.
    """
    found: list[list[str]] = []
    for one in results:
        if one.get("from_name") == name:
            value = one.get("value")
            held = value.get(key) if isinstance(value, dict) else None
            if not isinstance(held, list) or not all(isinstance(each, str) for each in held):
                raise DataError(f"the result {name!r} has no {key}")
            found.append([str(each) for each in held])
    if any(one != found[0] for one in found):
        raise DataError(f"there are two results {name!r}, and they differ")
    return found[0] if found else []


def _number(text: str) -> int:
    """The number in decimal digits; more of them than any list has sentences are refused."""
    if len(text) > _MOST_DIGITS:
        raise DataError(f"{text[:_MOST_DIGITS]}… is no number of a sentence")
    return int(text)


def _one(results: Sequence[Mapping[str, Any]], name: str, known: Sequence[str]) -> str:
    chosen = _value(results, name, "choices")
    if len(chosen) != 1 or chosen[0] not in known:
        raise DataError(f"{name}: one of {', '.join(known)} is needed, and there is {chosen!r}")
    return chosen[0]


def _numbered(sentences: Sequence[str]) -> str:
    return "\n".join(f"{number}. {one}" for number, one in enumerate(sentences, start=1))


def _parts(source: Sequence[Mapping[str, Any]]) -> str:
    return "\n\n".join(_numbered(part["sentences"]) for part in source)


def _write_relevance(_: Item, answer: Answer) -> Results:
    return [_choices("criteria", "article", answer["criteria"] or [NONE])]


def _read_relevance(_: Item, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    chosen = _value(results, "criteria", "choices")
    if not chosen or (NONE in chosen and len(chosen) > 1):
        raise DataError(f"criteria: choose some, or {NONE!r} alone")
    met = [one for one in chosen if one != NONE]
    return {"relevant": bool(met), "criteria": met}


def _yes_no(name: str, field: str) -> tuple[Any, Any]:
    """The writer and reader of one choice between two words."""
    words = (name, f"not {name}")

    def written(_: Item, answer: Answer) -> Results:
        return [_choices(field, "fact", [words[0] if answer[field] else words[1]])]

    def read(_: Item, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        return {field: _one(results, field, words) == words[0]}

    return written, read


def _write_matching(_: Item, answer: Answer) -> Results:
    numbers = [str(number) for number in answer["sentences"]]
    return [_choices("sentences", "fact", numbers or [NONE])]


def _read_matching(_: Item, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    chosen = _value(results, "sentences", "choices")
    numbers = [one for one in chosen if one != NONE]
    if not chosen or (numbers and len(numbers) < len(chosen)):
        raise DataError(f"sentences: choose some, or {NONE!r} alone")
    if bad := [one for one in numbers if not one.isdecimal()]:
        raise DataError(f"sentences: {bad[0][:40]!r} is no number of a sentence")
    return {"sentences": [_number(one) for one in numbers]}


def _write_preference(_: Item, answer: Answer) -> Results:
    return [
        _choices("preferred", "a", [answer["preferred"]]),
        _choices("shown_first", "a", [answer["first"]]),
    ]


def _read_preference(_: Item, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    # Label Studio shows a above b, where nothing else is said.
    first = _value(results, "shown_first", "choices") or ["a"]
    return {"preferred": _one(results, "preferred", ("a", "b", "tie")), "first": first[0]}


_MARK = re.compile(
    r"(?P<kind>\w+)\s+(?P<first>[\d,\s]*)/(?P<second>[\d,\s]*)"
    r"(?:(?P<cause>[a-z]+)(?::\s(?P<strategy>.*))?)?",
    re.DOTALL,
)
_FINDING = re.compile(r"\s*(\d+)\s+(right|mistaken)\s*")


def _write_issues(item: Item, answer: Answer) -> Results:
    if item.payload.get("review"):
        words = ["right" if one else "mistaken" for one in answer["reviewed"]]
        lines = [f"{number} {word}" for number, word in enumerate(words, start=1)]
        return [_lines("findings", "first", lines)]
    return [_lines("issues", "first", [_mark(one) for one in answer["issues"]])]


def _mark(one: Mapping[str, Any]) -> str:
    first, second = (",".join(map(str, one[side])) for side in ("first", "second"))
    line = f"{one['kind']} {first} / {second}".rstrip()
    if one.get("cause"):
        line += f" {one['cause']}"
    return f"{line}: {one['strategy']}" if one.get("strategy") else line


def _read_issues(item: Item, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if not item.payload.get("review"):
        return {"issues": [_unmark(line) for line in _value(results, "issues", "text")]}
    said: dict[int, bool] = {}
    for line in _value(results, "findings", "text"):
        found = _FINDING.fullmatch(line)
        if not found:
            raise DataError(f"findings: {line[:60]!r} is not like '1 right' or '1 mistaken'")
        said[_number(found[1])] = found[2] == "right"
    if sorted(said) != list(range(1, len(said) + 1)):
        raise DataError("findings: they are not numbered from 1 on")
    return {"reviewed": [said[number] for number in sorted(said)]}


def _unmark(line: str) -> dict[str, Any]:
    found = _MARK.fullmatch(line)
    if not found:
        raise DataError(f"issues: {line[:60]!r} is not like 'conflict 4 / 3 update'")
    sides = {
        side: [_number(one) for one in found[side].replace(",", " ").split()]
        for side in ("first", "second")
    }
    more = {name: found[name] for name in ("cause", "strategy") if found[name]}
    return {"kind": found["kind"], **sides, **more}


def _shown_relevance(item: Item) -> dict[str, Any]:
    translation = item.payload.get("translation")
    return {
        "query": item.payload["query"]["text"],
        "article": item.payload["article"]["text"],
        "translation": translation["text"] if translation else "",
    }


def _shown_matching(item: Item) -> dict[str, Any]:
    sentences = item.payload["summary"]["sentences"]
    numbers = [{"value": str(n)} for n in range(1, len(sentences) + 1)]
    return {
        "fact": item.payload["fact"]["text"],
        "summary": _numbered(sentences),
        "choices": [*numbers, {"value": NONE}],
    }


def _shown_fact(item: Item) -> dict[str, Any]:
    return {"fact": item.payload["fact"]["text"], "source": _parts(item.payload["source"])}


def _shown_lists(item: Item) -> dict[str, Any]:
    texts = {side: _numbered(item.payload[side]["sentences"]) for side in ("first", "second")}
    review = item.payload.get("review") or ()
    found = [
        f"{_mark({'first': [], 'second': [], **one})} {one.get('text') or ''}" for one in review
    ]
    return {**texts, "review": _numbered([one.rstrip() for one in found])}


FORMS: Mapping[str, Form] = {
    "relevance": Form(written=_write_relevance, read=_read_relevance, shown=_shown_relevance),
    "issues": Form(written=_write_issues, read=_read_issues, shown=_shown_lists),
    "key-facts": Form(
        written=_yes_no("key", "key")[0], read=_yes_no("key", "key")[1], shown=_shown_fact
    ),
    "fact-support": Form(
        written=_yes_no("supported", "supported")[0],
        read=_yes_no("supported", "supported")[1],
        shown=_shown_fact,
    ),
    "matching": Form(written=_write_matching, read=_read_matching, shown=_shown_matching),
    "key-points": Form(written=highlights.written, read=highlights.read, shown=highlights.shown),
    "preference": Form(
        written=_write_preference,
        read=_read_preference,
        shown=lambda item: {side: item.payload[side]["text"] for side in ("a", "b")},
    ),
}
"""Every kind of `annotation.labels.kinds.KINDS`."""
