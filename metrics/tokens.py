"""What counts as a word for ROUGE: a literal table of named rules."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import regex

from globesumm.errors import MissingPackage
from globesumm.text.clean import composed
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
_SPACED_WORD: Any = regex.compile(r"[\p{L}\p{M}\p{N}]+")
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u2e80-\uabff\ud7a4-\U0010ffff]"
)
"""Every character of the scripts that `words` cuts by dictionary or character, and more."""


def _words(text: str, language: str) -> list[str]:
    # The same tokens, several times faster, where the rules about scripts are moot.
    if language in ("tr", "az"):
        return words(text, language)
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    folded = composed(composed(text).lower())
    if UNSPACED.search(folded):
        return words(text, language)
    found: list[str] = _SPACED_WORD.findall(folded)
    return found


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
