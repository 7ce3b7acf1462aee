"""Items about facts: key or not, supported or not, stated by which sentences.

`Item.source` names the source (``id``), the ``system`` where a summary is meant, and the number
of the ``fact``, from 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.labels.highlighting import Encode, quarter, similarities, top
from annotation.labels.payloads import FactSupport, KeyFact, Listed, Matching, Text
from annotation.labels.values import Item
from globesumm.records import to_plain
from globesumm.text import sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A source of facts: the texts that it consists of, each as numbered sentences."""

    id: str
    parts: tuple[Listed, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part.language for part in self.parts))


def part(text: str, language: str, title: str | None = None) -> Listed:
    """A text as its sentences."""
    return Listed(sentences=tuple(sentences.split(text, language)), language=language, title=title)


def key_fact(
    fact: Text, source: SourceText, encode: Encode, *, critique: str | None, number: int, item: str
) -> Item:
    """Is a fact that the self-review rejected key after all?  `item` is its name in the task."""
    payload = KeyFact(
        fact=fact, source=source.parts, critique=critique, similar=_similar(fact, source, encode)
    )
    return Item(
        id=f"{source.id}/fact {number}",
        kind="key-facts",
        payload=to_plain(payload),
        languages=_languages(fact, source),
        event=source.id,
        source={"id": source.id, "fact": number, "item": item},
    )


def fact_support(
    fact: Text,
    source: SourceText,
    encode: Encode,
    *,
    system: str,
    number: int,
    models: Mapping[str, bool] | None = None,
) -> Item:
    """Does the source support a fact of a summary?"""
    payload = FactSupport(fact=fact, source=source.parts, similar=_similar(fact, source, encode))
    return Item(
        id=f"{source.id}/{system}/fact {number}",
        kind="fact-support",
        payload=to_plain(payload),
        languages=_languages(fact, source),
        event=source.id,
        models={name: {"supported": yes} for name, yes in (models or {}).items()},
        source={"id": source.id, "system": system, "fact": number},
    )


def matching(
    fact: Text,
    summary: Listed,
    encode: Encode,
    *,
    source: str,
    system: str,
    number: int,
    models: Mapping[str, Sequence[int]] | None = None,
) -> Item:
    """Which sentences of a summary state a key fact?"""
    values = similarities(fact.text, summary.sentences, encode)
    payload = Matching(
        fact=fact,
        summary=summary,
        similarities=values,
        similar=tuple(place + 1 for place in top(values)),
    )
    answers: dict[str, dict[str, Any]] = {
        name: {"sentences": list(numbers)} for name, numbers in (models or {}).items()
    }
    return Item(
        id=f"{source}/{system}/key fact {number}",
        kind="matching",
        payload=to_plain(payload),
        languages=tuple(dict.fromkeys((fact.language, summary.language))),
        event=source,
        models=answers,
        source={"id": source, "system": system, "fact": number},
    )


def _similar(fact: Text, source: SourceText, encode: Encode) -> tuple[tuple[int, int], ...]:
    """(part, sentence), from 1, of the quarter of the whole source that is most like the fact."""
    places = [
        (number, place)
        for number, one in enumerate(source.parts, start=1)
        for place in range(1, len(one.sentences) + 1)
    ]
    texts = [text for one in source.parts for text in one.sentences]
    values = similarities(fact.text, texts, encode)
    return tuple(places[place] for place in quarter(values, texts))


def _languages(fact: Text, source: SourceText) -> tuple[str, ...]:
    return tuple(dict.fromkeys((fact.language, *source.languages)))
