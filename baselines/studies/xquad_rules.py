"""When an answer is right.  The paper does not say; each rule has a name that results bear."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from globesumm.text.words import words

MORE_WORDS = 10
"""Words that an answer may have beside the right ones: a model that repeats the whole text
would otherwise always be right."""

MORE_CHARACTERS = 40
"""The same in characters, for languages written without blanks."""

_UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my"})
_ENGLISH_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`right` compares the units of an answer with those of a right one, and may take some more."""

    right: Callable[[Sequence[str], Sequence[str], int], bool]
    about: str


def _contains(said: Sequence[str], gold: Sequence[str], more: int) -> bool:
    if not len(gold) <= len(said) <= len(gold) + more:
        return False
    return any(
        said[start : start + len(gold)] == gold for start in range(len(said) - len(gold) + 1)
    )


RULES: Mapping[str, Rule] = {
    "contains": Rule(
        right=_contains,
        about=(
            "the words of a right answer stand in the model's answer in a row, with at most "
            f"{MORE_WORDS} others around them ({MORE_CHARACTERS} characters without blanks)"
        ),
    ),
    "exact": Rule(
        right=lambda said, gold, _: said == gold,
        about="the words of the model's answer are those of a right answer (SQuAD's exact match)",
    ),
}
"""Words are lower-case and without punctuation; English articles are dropped, as in SQuAD;
languages written without blanks are compared by characters, since the cut of words varies."""


def is_right(rule: str, answer: str, golds: Sequence[tuple[str, str]]) -> bool:
    """Whether `answer` is right by `rule` for one of `golds`, each a text and its language."""
    return any(
        RULES[rule].right(units(answer, language), gold, _more(language))
        for text, language in golds
        if (gold := units(text, language))
    )


def _more(language: str) -> int:
    return MORE_CHARACTERS if language in _UNSPACED else MORE_WORDS


def units(text: str, language: str) -> list[str]:
    """What of `text` is compared: its words, or their characters; numbers stay whole."""
    found = words(text, language)
    if language in _UNSPACED:
        whole = (word.isascii() or word.isdecimal() for word in found)
        return [
            part
            for word, kept in zip(found, whole, strict=True)
            for part in ((word,) if kept else word)
        ]
    if language == "en":
        return [word for word in found if word not in _ENGLISH_ARTICLES] or found
    return found
