"""Pairs of documents as events of their own, so that any recipe can be held against people."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.passages import passages
from globesumm.text.sentences import SPLITTER
from globesumm.values import Event, IssueKind, Rejected, Round, Strategy
from metrics.marks import Mark, Marked, digest_of, marks_of, text_digest
from metrics.where import Inspected, Key, PairResult, score_pair
from metrics.where_gold import gold


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How annotators make one gold (`metrics.where_gold.GOLDS`) and when marks are the same."""

    gold: str = "majority"
    match: str = "overlap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One pair with its gold, what was found, and how they compare.

    `strategies` are the conflicts that were settled, with how; `to_inspect` holds what nobody
    has judged yet, with its sentences.  `lost` found issues stand on no side they need.
    """

    gold: tuple[Mark, ...]
    found: tuple[Mark, ...]
    result: PairResult
    strategies: tuple[Inspected, ...]
    to_inspect: tuple[Inspected, ...]
    lost: int


def pair_events(
    events: Iterable[Event], marked: Sequence[Marked]
) -> tuple[list[Event], list[Rejected]]:
    """Each pair as an event of two documents called like the pair, and the pairs that are not
    there or no longer have the texts that were marked.
    """
    by_id = {event.id: event for event in events}
    found: list[Event] = []
    lost: list[Rejected] = []
    for one in {one.pair: one for one in marked}.values():
        event = by_id.get(one.event)
        documents = {document.id: document for document in event.documents} if event else {}
        missing = [name for name in one.documents if name not in documents]
        where = f"pair {one.pair!r}"
        if event is None:
            lost.append(Rejected(where=where, reason=f"there is no event {one.event!r}"))
        elif missing:
            reason = f"event {one.event!r} has no document {missing[0]!r}"
            lost.append(Rejected(where=where, reason=reason))
        else:
            pair = Event(
                id=one.pair,
                description=event.description,
                documents=tuple(documents[name] for name in one.documents),
                date=event.date,
                category=event.category,
            )
            if changed := _changed(one, pair):
                lost.append(Rejected(where=where, reason=changed))
            else:
                found.append(pair)
    return found, lost


def _changed(one: Marked, pair: Event) -> str | None:
    """Why `pair` is no longer what was marked; None where it is."""
    for document, marked in zip(pair.documents, one.texts or (), strict=False):
        if text_digest(document.text) != marked:
            return f"document {document.id!r} has not the text that was marked"
    texts = sentences_of(pair)
    sides = [texts[name] for name in one.documents]
    counts = (len(sides[0]), len(sides[1]))
    if counts == one.sentences and one.digest in (None, digest_of(sides[0], sides[1])):
        return None
    if one.splitter not in (None, SPLITTER):
        return f"its sentences were numbered by {one.splitter}, and here is {SPLITTER}"
    return "its sentences are not those that were marked (another text or splitter)"


def sentences_of(event: Event) -> dict[str, list[str]]:
    """The numbered sentences of each document, as recipes without a pipeline see them."""
    return {
        passage.documents[0]: [sentence.text for sentence in passage.sentences]
        for passage in passages(event)
    }


def judged(
    event: Event,
    marked: Sequence[Marked],
    done: Round,
    settings: Settings,
    inspected: Iterable[Inspected] = (),
) -> Judged:
    """What `done` found on the pair `event` against the marks of its annotators."""
    said = [one for one in inspected if one.pair == event.id]
    documents = marked[0].documents
    placed, lost = marks_of(done.issues, documents)
    found = [mark for _, mark in placed]
    standard = gold(marked, settings.gold, settings.match)
    result = score_pair(event.id, found, standard, settings.match, said)
    texts = sentences_of(event)
    known = {one.key: one for one in said if one.right is not None}
    marks = dict(placed)
    strategies = [
        _strategy(event.id, marks[one.issue], one, known)
        for one in done.strategies
        if one.issue in marks
    ]
    surplus = [_issue(event.id, mark, documents, texts) for mark in result.surplus]
    return Judged(
        gold=tuple(standard),
        found=tuple(found),
        result=result,
        strategies=tuple(strategies),
        to_inspect=tuple(
            one for one in (*surplus, *strategies) if one.right is None and one.key not in known
        ),
        lost=len(lost),
    )


def _issue(
    pair: str, mark: Mark, documents: tuple[str, str], texts: dict[str, list[str]]
) -> Inspected:
    shown = [
        f"{document} {number}: {texts[document][number - 1]}"
        for document, numbers in zip(documents, (mark.first, mark.second), strict=True)
        for number in numbers
        if number <= len(texts[document])
    ]
    return Inspected(
        pair=pair,
        of="issue",
        kind=mark.kind,
        first=mark.first,
        second=mark.second,
        text="\n".join(shown),
    )


def _strategy(
    pair: str, mark: Mark, strategy: Strategy, known: Mapping[Key, Inspected]
) -> Inspected:
    made = Inspected(
        pair=pair,
        of="strategy",
        kind=IssueKind.CONFLICT,
        first=mark.first,
        second=mark.second,
        text=f"{strategy.cause}: {strategy.text}",
    )
    return known.get(made.key, made)
