"""Sentences as folded tokens that still know where they stood.

Folding makes spellings of one thing equal (digits of any script, full-width forms, alef
variants, apostrophes, case) character by character, so that offsets survive.
"""

import sys
import unicodedata
from dataclasses import dataclass
from functools import cache

import regex

LONGEST = 20_000
"""Characters of a sentence that are read; the rest is left out and the details say so."""

_NO_BREAK = "\u00a0"
_PAIRS = {
    **dict.fromkeys("\u202f\u2007\u2009", _NO_BREAK),
    **dict.fromkeys("\u2019\u2018\u02bc\u00b4`\uff07\u05f3\u2032", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2212\u05be\uff0d", "-"),
    "\uff0e": ".", "\uff0c": ",", "\uff1a": ":", "\uff05": "%", "\u066a": "%", "\uff04": "$",
    "\u060c": ",", "\u200b": "", "\u00ad": "", "\u0640": "", "\ufeff": "",
    "أ": "ا", "إ": "ا", "آ": "ا", "ی": "ي", "ى": "ي", "ک": "ك", "ہ": "ه",
    "ё": "е", "Ё": "е", "ş": "ș", "ţ": "ț", "Ş": "ș", "Ţ": "ț", "İ": "i",
    "\u200c": " ",
}  # fmt: skip
_DROPPED = regex.compile(
    r"[\u200d-\u200f\u202a-\u202e\u2060-\u2069\u061c\u064b-\u0652\u0670\u0591-\u05bd\u05bf-\u05c7]"
)


@cache
def _digits() -> dict[int, str]:
    """Every decimal digit of Unicode as its ASCII form."""
    return {
        code: str(unicodedata.digit(chr(code)))
        for code in range(128, sys.maxunicode + 1)
        if unicodedata.category(chr(code)) == "Nd"
    }


@cache
def _table(language: str) -> dict[int, str]:
    table = {ord(key): value for key, value in _PAIRS.items()} | _digits()
    for code in range(0xFF21, 0xFF5B):
        table.setdefault(code, unicodedata.normalize("NFKC", chr(code)).lower())
    if language in {"tr", "az"}:
        table[ord("I")] = "ı"
        # In Turkish the cedilla forms are the standard ones.
        table.update({ord("ș"): "ş", ord("ş"): "ş", ord("Ş"): "ş", ord("Ș"): "ş"})
    return table


def fold(text: str, language: str) -> tuple[str, list[int] | None]:
    """`text` folded, with the offset in `text` of each folded character (None: unchanged)."""
    table = _table(language)
    folded = _DROPPED.sub("", text)
    if len(folded) == len(text) and unicodedata.is_normalized("NFC", text):
        folded = text.translate(table).lower()
        if len(folded) == len(text):
            return folded, None
    characters: list[str] = []
    offsets: list[int] = []
    for cluster in regex.finditer(r"\P{M}\p{M}*|\p{M}+", text):
        composed = unicodedata.normalize("NFC", _DROPPED.sub("", cluster.group()))
        for character in composed.translate(table).lower():
            characters.append(character)
            offsets.append(cluster.start())
    offsets.append(len(text))
    return "".join(characters), offsets


@dataclass(slots=True)
class Token:
    """A folded token: `kind` is ``w`` word, ``n`` number, ``t`` clock, ``d`` date, ``s`` sign."""

    kind: str
    text: str
    start: int
    end: int
    capital: bool = False


# Scripts written without spaces become one token a character; phrases of the lexicons too.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}"
_HIDDEN = r"(?:https?://|www\.)\S+|[^\s@]{1,64}@[^\s@]{1,255}\.\w+|\+\d[\d ()-]{6,}\d"
_TOKEN = (
    rf"(?P<x>{_HIDDEN})"
    r"|(?P<t>(?<![\d.,])\d{1,2}:[0-5]\d(?::[0-5]\d)?(?![\d:]))"
    r"|(?P<d>(?<![\d.,])(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d\d)|\d{4}[./-]\d{1,2}[./-]\d{1,2})(?![\d]))"
    r"|(?P<f>(?<![\d.,/])\d{1,2}/\d{1,2}(?![\d/]))"
    r"|(?P<n>\d{1,3}(?:[SPACE]\d{3})+(?![\d])(?:[.,]\d+)?|\d+(?:[.,'\u066b\u066c]\d+)*)"
    rf"|(?P<u>[{_UNSPACED}])"
    rf"|(?P<w>(?:(?![{_UNSPACED}])[\p{{L}}\p{{M}}])+)"
    r"|(?P<s>\S)"
)


@cache
def _pattern(spaces: str) -> regex.Pattern[str]:
    return regex.compile(_TOKEN.replace("SPACE", spaces))


def tokenize(
    text: str, folded: str, offsets: list[int] | None, *, plain_space: bool = False
) -> list[Token]:
    """Tokens of `folded`; offsets are those of `text`.

    `plain_space` allows an ordinary space between groups of thousands.
    """
    tokens = []
    for match in _pattern("\u00a0 " if plain_space else "\u00a0").finditer(folded):
        kind = match.lastgroup or "s"
        start, end = match.span()
        if offsets is not None:
            start, end = offsets[start], offsets[end]
        capital = kind == "w" and text[start].isupper()
        tokens.append(Token("w" if kind == "u" else kind, match.group(), start, end, capital))
    return tokens
