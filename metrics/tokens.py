"""What counts as a word for ROUGE: a literal table of named rules."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import regex

from globesumm.errors import MissingPackage
from globesumm.text.words import WORDS, words

Split = Callable[[str, str], list[str]]
"""(text, language) to tokens, in order."""


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A tokenizing rule; `reads` is the pattern of the letters it can see (None: all)."""

    name: str
    split: Split
    reads: str | None = None

    def blind_to(self, text: str) -> tuple[int, int]:
        """(letters of `text` that this rule drops, letters in all); (0, 0) if it drops none."""
        if self.reads is None or text.isascii():
            return 0, 0
        letters = len(regex.findall(r"\p{L}", text))
        return letters - len(regex.findall(self.reads, text)), letters


_ASCII_WORD = re.compile("[a-z0-9]+")


def _words(text: str, language: str) -> list[str]:
    # The same tokens, four times faster, where every rule about scripts is moot.
    if text.isascii() and language not in ("tr", "az"):
        return _ASCII_WORD.findall(text.lower())
    return words(text, language)


def _characters(text: str, _language: str) -> list[str]:
    folded = unicodedata.normalize("NFC", text).lower()
    return [str(found) for found in regex.findall(r"[\p{L}\p{N}]\p{M}*", folded)]


@cache
def _rouge_score(stem: bool) -> Any:
    try:
        from rouge_score.tokenizers import DefaultTokenizer
    except ImportError as error:
        raise MissingPackage("rouge-score", "the tokenizer 'rouge-score'", "all") from error
    return DefaultTokenizer(stem)


def _plain(text: str, _language: str) -> list[str]:
    return list(_rouge_score(stem=False).tokenize(text))


def _stemmed(text: str, _language: str) -> list[str]:
    return list(_rouge_score(stem=True).tokenize(text))


TOKENIZERS: Mapping[str, Tokenizer] = {
    "words": Tokenizer(WORDS, _words),
    "characters": Tokenizer("characters-1", _characters),
    "rouge-score": Tokenizer("rouge-score", _plain, "[a-zA-Z]"),
    "rouge-score-stemmed": Tokenizer("rouge-score", _stemmed, "[a-zA-Z]"),
}
"""``words``: `globesumm.text.words`, for any script.
``characters``: each letter or digit with its marks, for any script.
``rouge-score`` (``-stemmed``): that package's own tokenizer (and Porter stemmer), English only.
"""
