"""Reading lists and objects out of a model's reply: JSON first, then what people would forgive.

Forgiven are trailing commas, comments, Python literals and tuples, names without quotes,
typographic quotes, and quotes inside a text that were not escaped.  Nothing is completed: what
breaks off is no value.  An object keeps all its pairs, so that a key that stands twice shows.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LONGEST = 1_000_000
"""Characters of a reply that are looked at."""

DEEPEST = 20
MOST_STARTS = 2_000
"""Brackets from which a value is tried, so that a reply of nothing but brackets ends."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """An object as it was written: every key with its value, in order."""

    pairs: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A list or object in a text, and where it begins and ends."""

    value: Any
    start: int
    end: int


def values(text: str) -> Iterator[Found]:
    """The outermost lists and objects in `text`, in order."""
    text = text[:LONGEST]
    place, starts = 0, 0
    while (bracket := _OPENING.search(text, place)) and starts < MOST_STARTS:
        starts += 1
        found = _at(text, bracket.start())
        if found is None:
            place = bracket.end()
        else:
            yield found
            place = found.end


_OPENING = re.compile(r"[{\[]|\((?=\s*[{\[(])")
"""Where a value may begin; a bracket of prose holds words, a tuple other brackets."""


def _at(text: str, start: int) -> Found | None:
    try:
        value, end = _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        reader = _Forgiving(text, start)
        try:
            value = reader.value(0)
        except _UnreadableError:
            return None
        end = reader.place
    return Found(value, start, end)


_STRICT = json.JSONDecoder(object_pairs_hook=lambda pairs: Pairs(tuple(pairs)))


class _UnreadableError(Exception):
    """The text at this place is no value."""


_QUOTES = {'"': '"', "'": "'", "“": "”„“", "„": "“”", "‘": "’", "«": "»"}
_SKIPPED = re.compile(r"(?:\s|#[^\n]*(?:\n|\Z)|//[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?![\w.])")
_NAME = re.compile(r"[^\W\d][\w-]*(?: [^\W\d][\w-]*)*")
_AFTER_TEXT = re.compile(r"\s*(?:[,:}\]\)#]|//|/\*|\Z)")
_AFTER_TEXT_IN_LIST = re.compile(r"\s*(?:,\s*(?:[\"'“„‘«{\[\]}\w#/(-]|\Z)|[:}\]\)]|#|//|/\*|\Z)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS = {
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
    "null": None, "None": None, "NULL": None,
}  # fmt: skip


class _Forgiving:
    """A recursive reader from `place` on."""

    def __init__(self, text: str, place: int) -> None:
        self.text, self.place = text, place

    def value(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise _UnreadableError
        self._skip()
        char = self._char()
        if char == "{":
            return self._object(depth)
        if char and char in "[(":
            return self._list("]" if char == "[" else ")", depth)
        if char in _QUOTES:
            return self._string()
        if number := _NUMBER.match(self.text, self.place):
            self.place = number.end()
            said = number[0]
            return float(said) if "." in said else int(said) if len(said) < 20 else said
        return self._word()

    def _object(self, depth: int) -> Pairs:
        self.place += 1
        pairs: list[tuple[str, Any]] = []
        while not self._closes("}"):
            key = self._key()
            self._skip()
            if self._char() not in (":", "="):
                raise _UnreadableError
            self.place += 1
            pairs.append((key, self.value(depth + 1)))
            self._separate("}")
        return Pairs(tuple(pairs))

    def _key(self) -> str:
        self._skip()
        if self._char() in _QUOTES:
            return self._string()
        if number := _NUMBER.match(self.text, self.place):
            self.place = number.end()
            return number[0]
        name = _NAME.match(self.text, self.place)
        if name is None:
            raise _UnreadableError
        self.place = name.end()
        return name[0]

    def _list(self, end: str, depth: int) -> list[Any]:
        self.place += 1
        items: list[Any] = []
        while not self._closes(end):
            items.append(self.value(depth + 1))
            self._separate(end)
        return items

    def _closes(self, end: str) -> bool:
        self._skip()
        if self._char() == end:
            self.place += 1
            return True
        return False

    def _separate(self, end: str) -> None:
        """A comma or the end; between two objects the comma may be missing."""
        self._skip()
        char = self._char()
        if char in (",", ";"):
            self.place += 1
        elif char != end and not (
            char == "{" and self.text[self.place - 1 :: -1].lstrip()[:1] == "}"
        ):
            raise _UnreadableError

    def _string(self) -> str:
        closing = _QUOTES[self.text[self.place]]
        self.place += 1
        said: list[str] = []
        while self.place < len(self.text):
            char = self.text[self.place]
            self.place += 1
            if char == "\\" and self.place < len(self.text):
                escaped = self.text[self.place]
                self.place += 1
                said.append(_ESCAPES.get(escaped, escaped))
            elif char in closing and _AFTER_TEXT_IN_LIST.match(self.text, self.place):
                return "".join(said)
            else:
                said.append(char)
        raise _UnreadableError

    def _word(self) -> Any:
        name = _NAME.match(self.text, self.place)
        if name is None or not _AFTER_TEXT.match(self.text, name.end()):
            raise _UnreadableError
        self.place = name.end()
        return _WORDS.get(name[0], name[0])

    def _skip(self) -> None:
        skipped = _SKIPPED.match(self.text, self.place)
        self.place = skipped.end() if skipped else self.place

    def _char(self) -> str:
        return self.text[self.place] if self.place < len(self.text) else ""
