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
MOST_TIMES = 20
"""How often a reply may be read to its end from brackets that lead to no value."""


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
    place, starts, most = 0, 0, MOST_TIMES * (len(text) + 100)
    unclosed: dict[str, int] = {}
    while (bracket := _OPENING.search(text, place)) and starts < MOST_STARTS and most > 0:
        starts += 1
        start = bracket.start()
        try:
            value, end = _STRICT.raw_decode(text, start)
        except (ValueError, RecursionError):
            reader = _Forgiving(text, start, unclosed)
            try:
                value = reader.value(0)
            except _UnreadableError:
                place = bracket.end()
                most -= reader.place - start
                continue
            end = reader.place
        yield Found(value, start, end)
        place = end


_OPENING = re.compile(r"[{\[]|\((?=\s*[{\[(])")
"""Where a value may begin; a bracket of prose holds words, a tuple other brackets."""

_STRICT = json.JSONDecoder(object_pairs_hook=lambda pairs: Pairs(tuple(pairs)))


class _UnreadableError(Exception):
    """The text at this place is no value."""


_QUOTES = {'"': '"', "'": "'", "“": "”„“", "„": "“”", "‘": "’", "«": "»"}
_PLAIN = {closing: re.compile(rf"[^\\{closing}]+") for closing in _QUOTES.values()}
_SPACES = re.compile(r"\s*")
_COMMENTING = ("#", "/")
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
    """A recursive reader from `place` on.

    `unclosed` has, by closing marks, the first place from which a text was found to have no end.
    Nor has one that begins later: so a reply of opened quotes is read to its end once, and not
    from each of them.
    """

    def __init__(self, text: str, place: int, unclosed: dict[str, int]) -> None:
        self.text, self.place, self._unclosed = text, place, unclosed

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
        ended = self.place
        self._skip()
        char = self._char()
        if char in (",", ";"):
            self.place += 1
        elif char != end and not (
            char == "{"
            and self.text[ended - 1] == "}"
            and not self.text[ended : self.place].strip()
        ):
            raise _UnreadableError

    def _string(self) -> str:
        begun, closing = self.place + 1, _QUOTES[self.text[self.place]]
        self.place = begun
        said: list[str] = []
        while self.place < min(len(self.text), self._unclosed.get(closing, len(self.text))):
            if plain := _PLAIN[closing].match(self.text, self.place):
                said.append(plain[0])
                self.place = plain.end()
                continue
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
        self._unclosed[closing] = min(begun, self._unclosed.get(closing, begun))
        raise _UnreadableError

    def _word(self) -> Any:
        name = _NAME.match(self.text, self.place)
        if name is None or not _AFTER_TEXT.match(self.text, name.end()):
            raise _UnreadableError
        self.place = name.end()
        return _WORDS.get(name[0], name[0])

    def _skip(self) -> None:
        """Past spaces and whole comments; one that is not closed is none."""
        while True:
            spaces = _SPACES.match(self.text, self.place)
            self.place = spaces.end() if spaces else self.place
            if self.text[self.place : self.place + 1] not in _COMMENTING:
                return
            if self.text.startswith(("#", "//"), self.place):
                line = self.text.find("\n", self.place)
                self.place = line + 1 if line >= 0 else len(self.text)
                continue
            block = self.text.startswith("/*", self.place)
            closed = self.text.find("*/", self.place + 2) if block else -1
            if closed < 0:
                return
            self.place = closed + 2

    def _char(self) -> str:
        return self.text[self.place] if self.place < len(self.text) else ""
