"""JSON as models write it: alone, in a code fence, after a remark, in Python's notation."""

import ast
import json
from functools import cache
from typing import Any

LONGEST_ANSWER = 1_000_000
"""Characters of the longest text that is looked at."""


def json_in(text: str) -> Any:
    """The first JSON list or object in `text`, also if it is Python's notation; None if none."""
    text = text[:LONGEST_ANSWER].strip()
    for candidate in (text, unfenced(text)):
        try:
            value = json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list | dict):
            return value
    decoder = json.JSONDecoder(strict=False)
    tries = 0
    for place, character in enumerate(text):
        if character in "[{":
            tries += 1
            try:
                value, end = decoder.raw_decode(text, place)
            except (ValueError, RecursionError):
                value, end = None, place
            # A footnote mark or a quoted list within a sentence is JSON as well, and no answer.
            holds_list = isinstance(value, dict) and any(
                isinstance(part, list) for part in value.values()
            )
            if holds_list or (value and 2 * (end - place) >= len(text)):
                return value
            if tries >= _MOST_TRIES:
                break
    return _python_literal(unfenced(text))


_MOST_TRIES = 20
"""Opening brackets tried; bounds the work on a text made of them."""


def _python_literal(text: str) -> Any:
    if len(text) > 100_000 or not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, list) and strings_in(value) else None


def strings_in(value: Any) -> list[str] | None:
    """The strings of a JSON list, or of an object that holds one; None if it holds none."""
    if isinstance(value, dict):
        lists = [part for part in value.values() if isinstance(part, list)]
        if len(lists) == 1:
            return strings_in(lists[0])
        if not lists and value and all(str(key).strip().isdecimal() for key in value):
            return strings_in([value[key] for key in sorted(value, key=lambda k: int(str(k)))])
        return None
    if not isinstance(value, list):
        return None
    items: list[str] = []
    for part in value:
        if isinstance(part, str):
            items.append(part)
        elif isinstance(part, dict):
            texts = [inner for inner in part.values() if isinstance(inner, str)]
            items += [max(texts, key=len)] if texts else []
        elif isinstance(part, list):
            items += strings_in(part) or []
    cleaned = [joined for item in items if (joined := " ".join(item.split()))]
    return cleaned if cleaned or not value else None


def unfenced(text: str) -> str:
    """What stands in the first code fence of `text`, or `text`."""
    found = _code().search(text)
    return found["inside"].strip() if found and found["inside"].strip() else text


@cache
def _code() -> Any:
    import regex

    return regex.compile(r"(?ms)^[ \t]*```[\w-]*[ \t]*\n(?P<inside>.*?)(?:\n\s*```|\Z)")
