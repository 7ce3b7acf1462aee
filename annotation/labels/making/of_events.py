"""Items from events and their summaries: relevance, issues, key points, preferences.

`Item.source` names what an item is about: ``event``, ``document``, ``documents``, ``pair``,
``system`` and so on, for the results.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from annotation.labels.payloads import (
    Issues,
    KeyPoints,
    Listed,
    Preference,
    Relevance,
    Text,
)
from annotation.labels.values import Item
from annotation.passages import in_order
from globesumm.records import to_plain
from globesumm.text import sentences
from globesumm.values import Document, Event, Issue, IssueKind, Passage, Strategy, Summary


def document_text(document: Document) -> Text:
    """A report as it is shown: text, headline, outlet and day."""
    day = f"{document.published:%Y-%m-%d}" if document.published else None
    note = ", ".join(part for part in (document.source, day) if part)
    return Text(
        text=document.text, language=document.language, title=document.title, note=note or None
    )


def query_text(event: Event) -> Text:
    """What the event is, as it is shown beside its reports."""
    day = f"{event.date:%Y-%m-%d}" if event.date else None
    return Text(text=event.description, language=event.reference_language, note=day)


def relevance(
    event: Event,
    documents: Iterable[Document],
    translations: Mapping[str, Text] | None = None,
    models: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
) -> Iterator[Item]:
    """An item for each document: is it about the event?

    `translations` are by document id; with one it is shown beside the report, and its language
    is read instead of the report's.  `models` hold answers by document id and model.
    """
    for document in documents:
        translation = (translations or {}).get(document.id)
        payload = Relevance(
            query=query_text(event), article=document_text(document), translation=translation
        )
        language = document.language if translation is None else translation.language
        yield Item(
            id=f"{event.id}/{document.id}",
            kind="relevance",
            payload=to_plain(payload),
            languages=(language,),
            event=event.id,
            models=(models or {}).get(document.id, {}),
            source={
                "event": event.id,
                "document": document.id,
                "language": document.language,
            },
        )


def document_pairs(events: Sequence[Event], most: int | None, seed: int) -> Iterator[Item]:
    """Pairs of documents of an event, `most` of them drawn (GlobeSumm, 3.1: 50), to be marked.

    Sentences are split as `metrics.marks` counts them.
    """
    pairs = [
        (event, first, second)
        for event in events
        for first, second in combinations(in_order(event.documents), 2)
    ]
    for event, first, second in _drawn(pairs, most, seed):
        lists = [_listed(document) for document in (first, second)]
        yield Item(
            id=f"{event.id}/{first.id}+{second.id}",
            kind="issues",
            payload=to_plain(Issues(first=lists[0], second=lists[1])),
            languages=_languages(first.language, second.language),
            event=event.id,
            source={
                "pair": f"{event.id}/{first.id}+{second.id}",
                "event": event.id,
                "documents": [first.id, second.id],
            },
        )


def rounds(summary: Summary) -> Iterator[Item]:
    """Each round's two lists of a protocol summary, with the model's issues as its answer."""
    for done in summary.rounds:
        if len(done.inputs) != 2 or not all(one.sentences for one in done.inputs):
            continue
        first, second = done.inputs
        yield Item(
            id=f"{summary.event}/{summary.recipe}/{summary.model}/{done.index}",
            kind="issues",
            payload=to_plain(Issues(first=_of_passage(first), second=_of_passage(second))),
            languages=_languages(first.language, second.language),
            event=summary.event,
            models=_found(summary.model, done.inputs, done.issues, done.strategies),
            source={
                "pair": f"{summary.event}/{summary.recipe}/{done.index}",
                "event": summary.event,
                "documents": ["+".join(first.documents), "+".join(second.documents)],
                "round": done.index,
                "recipe": summary.recipe,
                "model": summary.model,
            },
        )


def key_points(event: Event, summaries: Sequence[Summary]) -> Iterator[Item]:
    """The event's documents, alone or with each summary, to be highlighted and linked."""
    documents = tuple(document_text(one) for one in in_order(event.documents))
    read = [one.language for one in documents]
    for summary in summaries or (None,):
        text = Text(text=summary.text, language=summary.target) if summary else None
        name = f"/{summary.recipe}/{summary.model}" if summary else ""
        yield Item(
            id=f"{event.id}{name}",
            kind="key-points",
            payload=to_plain(
                KeyPoints(documents=documents, summary=text, question=event.description)
            ),
            languages=_languages(*read, *([summary.target] if summary else [])),
            event=event.id,
            source={
                "event": event.id,
                "documents": [one.id for one in in_order(event.documents)],
                **({"system": system_of(summary)} if summary else {}),
            },
        )


def preferences(
    events: Mapping[str, Event], summaries: Sequence[Summary], most: int | None, seed: int
) -> Iterator[Item]:
    """Pairs of summaries of one event into one language by two systems, `most` of them drawn."""
    by_event: dict[tuple[str, str], list[Summary]] = {}
    for one in summaries:
        by_event.setdefault((one.event, one.target), []).append(one)
    pairs = [pair for held in by_event.values() for pair in combinations(held, 2)]
    for a, b in _drawn(pairs, most, seed):
        event = events.get(a.event)
        documents = in_order(event.documents) if event else []
        payload = Preference(
            a=Text(text=a.text, language=a.target),
            b=Text(text=b.text, language=b.target),
            source=tuple(document_text(one) for one in documents),
            question=event.description if event else None,
        )
        yield Item(
            id=f"{a.event}/{a.target}/{system_of(a)} or {system_of(b)}",
            kind="preference",
            payload=to_plain(payload),
            languages=(a.target,),
            event=a.event,
            source={"event": a.event, "a": system_of(a), "b": system_of(b), "target": a.target},
        )


def system_of(summary: Summary) -> str:
    """What a summary was made by."""
    return f"{summary.recipe} {summary.model}"


def _listed(document: Document) -> Listed:
    text = document_text(document)
    return Listed(
        sentences=tuple(sentences.split(document.text, document.language)),
        language=text.language,
        title=text.title,
        note=text.note,
    )


def _of_passage(passage: Passage) -> Listed:
    many = len(passage.documents) > 1
    return Listed(
        sentences=tuple(one.text for one in passage.sentences),
        language=passage.language,
        note=f"a summary of {len(passage.documents)} reports" if many else None,
    )


def _found(
    model: str,
    inputs: Sequence[Passage],
    issues: Sequence[Issue],
    strategies: Sequence[Strategy],
) -> dict[str, dict[str, Any]]:
    """The model's issues as an answer: those that stand on the sides that their kind needs."""
    places = [
        {sentence.statements: number for number, sentence in enumerate(one.sentences, start=1)}
        for one in inputs
    ]
    by_text = [
        {sentence.text: number for number, sentence in enumerate(one.sentences, start=1)}
        for one in inputs
    ]
    how = {one.issue: one for one in strategies}
    marks = []
    for place, issue in enumerate(issues):
        sides = [
            sorted(
                {
                    places[side].get((one,)) or by_text[side].get(one.text)
                    for one in issue.statements
                }
                - {None},
                key=int,  # type: ignore[arg-type]  # None is not among them
            )
            for side in (0, 1)
        ]
        wanted = 1 if issue.kind is IssueKind.OMISSION else 2
        if sum(map(bool, sides)) != wanted:
            continue
        strategy = how.get(place)
        conflict = issue.kind is IssueKind.CONFLICT
        cause = issue.cause or (strategy.cause if strategy else None)
        if conflict and cause is None:
            continue
        marks.append(
            {
                "kind": issue.kind.value,
                "first": sides[0],
                "second": sides[1],
                "cause": cause.value if conflict and cause else None,
                "strategy": strategy.text if conflict and strategy else None,
            }
        )
    return {model: {"issues": marks, "reviewed": []}} if issues else {}


def _languages(*codes: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(codes))


def _drawn(pairs: Sequence[Any], most: int | None, seed: int) -> list[Any]:
    """All, or `most` of them drawn without replacement, in their order."""
    if most is None or most >= len(pairs):
        return list(pairs)
    dice = random.Random(seed)  # noqa: S311  # a sample, no secret
    return [pairs[place] for place in sorted(dice.sample(range(len(pairs)), most))]
