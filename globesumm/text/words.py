r"""Words: lower-case runs of Unicode letters, marks and digits.

Python's ``\w`` leaves out combining marks and so breaks Hindi, Thai and pointed Hebrew words;
rouge-score's tokenizer keeps ``[a-z0-9]`` only.  Scripts written without blanks are cut as is
usual in the field: Chinese and Japanese into characters (as summarization scores for them are
mostly given), Thai, Lao, Khmer and Burmese into words by ICU's dictionaries.
"""

from collections.abc import Iterator
from typing import Any

import regex

from globesumm.text.clean import composed

WORDS = "icu-words-1"
"""Version of the rule, for signatures; it changes when the tokens of any text change."""

_CHARACTERS = r"\p{Han}\p{Hiragana}\p{Katakana}"
_DICTIONARY = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_TOKEN: Any = regex.compile(
    rf"(?P<character>[{_CHARACTERS}ー]\p{{M}}*)"
    rf"|(?P<dictionary>[[{_DICTIONARY}]&&[\p{{L}}\p{{M}}\p{{N}}]][[{_DICTIONARY}]\p{{M}}]*)"
    rf"|[[\p{{L}}\p{{M}}\p{{N}}]--[{_CHARACTERS}{_DICTIONARY}ー]]+",
    regex.VERSION1,
)
_WORD_CHARACTER: Any = regex.compile(r"[\p{L}\p{M}\p{N}]")
_TURKIC = frozenset({"tr", "az"})
_TURKIC_CAPITALS = str.maketrans({"İ": "i", "I": "ı"})


def words(text: str, language: str) -> list[str]:
    """The words of `text` in order: NFC, lower-case, without punctuation and symbols.

    The result is the same for composed and decomposed input.  `language` decides how letters
    are put in lower case (Turkish and Azerbaijani ``I`` gives ``ı``) and which dictionary cuts
    scripts without blanks; any code is accepted.
    """
    return list(_words(text, language))


def count_words(text: str, language: str) -> int:
    """Number of `words` in `text`; in Chinese and Japanese, of characters."""
    return sum(1 for _ in _words(text, language))


def _words(text: str, language: str) -> Iterator[str]:
    text = composed(text)
    if language in _TURKIC:
        text = text.translate(_TURKIC_CAPITALS)
    for found in _TOKEN.finditer(composed(text.lower())):
        if found.lastgroup == "dictionary":
            yield from _dictionary_words(found[0], language)
        else:
            yield found[0]


def _dictionary_words(run: str, language: str) -> Iterator[str]:
    from icu4py.breakers import WordBreaker

    return (word for word in WordBreaker(run, language) if _WORD_CHARACTER.search(word))
