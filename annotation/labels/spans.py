"""A text cut into sentences and words that keep their places, for highlighting by keyboard.

Places count code points, so that scripts in the browser, which counts otherwise, need not count.
"""

from dataclasses import dataclass
from typing import Any

import regex

from globesumm.text import sentences as sentence_rules

# Scripts without blanks: every letter is a word of its own there.
_WORD: Any = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]"
    r"|[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*"
    r"|[^\s\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """Code points `start` to `end` of the text; `after` is what stands before the next word."""

    start: int
    end: int
    text: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One sentence as its words."""

    words: tuple[Word, ...]


def spans(text: str, language: str) -> tuple[Span, ...]:
    """The sentences of `text` with words and places; every word of it is in exactly one."""
    words = [(found.start(), found.end()) for found in _WORD.finditer(text)]
    found, place = [], 0
    for end in _ends(text, language):
        start = place
        while place < len(words) and words[place][0] < end:
            place += 1
        if place > start:
            found.append(Span(words=_words(text, words, start, place)))
    return tuple(found)


def _words(text: str, words: list[tuple[int, int]], start: int, end: int) -> tuple[Word, ...]:
    return tuple(
        Word(
            start=words[i][0],
            end=words[i][1],
            text=text[words[i][0] : words[i][1]],
            after=text[words[i][1] : words[i + 1][0] if i + 1 < len(words) else len(text)],
        )
        for i in range(start, end)
    )


def _ends(text: str, language: str) -> list[int]:
    """Where sentences end; one that the splitter has changed ends where the next is found."""
    ends, place = [], 0
    for sentence in sentence_rules.split(text, language):
        at = text.find(sentence, place)
        if at >= 0:
            place = at + len(sentence)
            ends.append(place)
    return [*ends, len(text)]
