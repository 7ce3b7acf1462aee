"""Key facts that say the same, made one: by their words, and across languages by entailment."""

import unicodedata
from collections.abc import Sequence
from typing import Any

import regex

from globesumm.values import KeyFact
from metrics.entailment import Entailer, Pair

# Marks make other words of the same letters; signs and minus make other amounts of the same digits.
_TELLING: Any = regex.compile(r"[\p{L}\p{M}\p{N}]+|[\p{Sc}\p{Sm}%‰°]|[-‐‑–](?=\p{N})")


def merged(facts: Sequence[KeyFact], entailer: Entailer | None = None) -> list[KeyFact]:
    """The facts with those that say the same made one, in the words of the first."""
    groups: list[tuple[KeyFact, list[str]]] = []
    for fact in facts:
        same = _same([first for first, _ in groups], fact, entailer)
        if same is None:
            groups.append((fact, list(fact.documents)))
        else:
            documents = groups[same][1]
            documents.extend(one for one in fact.documents if one not in documents)
    return [
        KeyFact(text=first.text, language=first.language, documents=tuple(documents))
        for first, documents in groups
    ]


def _same(known: Sequence[KeyFact], fact: KeyFact, entailer: Entailer | None) -> int | None:
    """The place of the first of `known` that says the same as `fact`."""
    equal = [one.language == fact.language and _told(one) == _told(fact) for one in known]
    first = equal.index(True) if True in equal else len(known)
    if entailer is not None:
        earlier = list(enumerate(known[:first]))
        there = entailer.entails([_pair(fact, one) for _, one in earlier])
        for (place, one), verdict in zip(earlier, there, strict=True):
            if verdict.entailed and entailer.entails([_pair(one, fact)])[0].entailed:
                return place
    return first if first < len(known) else None


def _told(fact: KeyFact) -> list[str]:
    """Words, numbers and what a number counts, whatever stands between them."""
    found: list[str] = _TELLING.findall(unicodedata.normalize("NFC", fact.text).casefold())
    return found


def _pair(premise: KeyFact, hypothesis: KeyFact) -> Pair:
    return Pair(
        premise=premise.text,
        hypothesis=hypothesis.text,
        premise_language=premise.language,
        hypothesis_language=hypothesis.language,
    )
