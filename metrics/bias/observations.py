"""What the report rests on: how much of a summary each document entails, event by event."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from globesumm.finite import counted
from globesumm.values import Document, Event, Sentence, Summary
from metrics.base import joined
from metrics.bias.formula import Entailed
from metrics.entailment.base import Entailer, Pair, Verdict

KIS_CLP = frozenset({"kis", "clp"})
"""The steps whose output the paper takes as premise (appendix C.3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One document held against one summary.

    `counts` is what was entailed, None where it was not judged, and then `reason` says why.
    What may explain a share besides the language: `position` in the chronology (0 first, 1
    last, None undated), `length` in words, and `facts`, the number of sentences of the premise.
    `premise` says what the premise was (``"kis-clp"`` or ``"document"``).
    """

    system: str
    event: str
    document: str
    language: str
    counts: Entailed | None
    position: float | None
    length: int
    facts: int | None
    premise: str | None = None
    reason: str | None = None

    @property
    def share(self) -> float | None:
        """Share of the summary's sentences that the document entails, 0 to 1."""
        return self.counts.share if self.counts else None


def observe(
    entailer: Entailer, items: Iterable[tuple[Event, Summary]], system: str
) -> Iterator[Observation]:
    """An observation for each document of each event, as the events come.

    Only one event's pairs are held at a time.  A summary without a sentence gives observations
    with the reason.
    """
    for event, summary in items:
        yield from _observed(entailer, event, summary, system)


@dataclass(frozen=True, slots=True)
class _Premise:
    """A text that speaks for a document, or why there is none."""

    text: str
    language: str
    kind: str | None
    reason: str | None = None


def _observed(
    entailer: Entailer, event: Event, summary: Summary, system: str
) -> Iterator[Observation]:
    from globesumm.text.sentences import split
    from globesumm.text.words import count_words

    hypotheses = summary_sentences(summary)
    premises = _premises(event, summary, entailer)
    pairs = {
        document.id: [
            Pair(
                premise=premises[document.id].text,
                hypothesis=one.text,
                premise_language=premises[document.id].language,
                hypothesis_language=one.language,
            )
            for one in hypotheses
        ]
        for document in event.documents
        if premises[document.id].reason is None
    }
    verdicts = iter(entailer.entails([pair for some in pairs.values() for pair in some]))
    places = positions(event.documents)
    for document in event.documents:
        premise = premises[document.id]
        mine = [next(verdicts) for _ in pairs.get(document.id, ())]
        counts, reason = _counted(mine, summary.event, document, premise.reason)
        if not hypotheses:
            counts, reason = None, "the summary has no sentence"
        yield Observation(
            system=system,
            event=event.id,
            document=document.id,
            language=document.language,
            counts=counts,
            position=places[document.id],
            length=count_words(document.text, document.language),
            facts=len(split(premise.text, premise.language)) if premise.kind else None,
            premise=premise.kind,
            reason=reason,
        )


def _counted(
    verdicts: Sequence[Verdict], summary: str, document: Document, refused: str | None
) -> tuple[Entailed | None, str | None]:
    """All sentences or none: a share of those that could be judged would not compare."""
    failed = [verdict for verdict in verdicts if verdict.value is None]
    if refused or failed or not verdicts:
        told = (
            f"{len(failed)} of {counted(len(verdicts), 'sentence')}: {failed[0].reason}"
            if failed
            else None
        )
        return None, joined(refused, told)
    counts = Entailed(
        summary=summary,
        document=document.id,
        language=document.language,
        entailed=sum(bool(verdict.entailed) for verdict in verdicts),
        sentences=len(verdicts),
    )
    return counts, None


def summary_sentences(summary: Summary) -> list[Sentence]:
    """The sentences of the final summary that hold a word, with their languages."""
    from globesumm.text.sentences import split
    from globesumm.text.words import count_words

    given = summary.rounds[-1].sentences if summary.rounds else ()
    if not given:
        texts = split(summary.text, summary.target)
        given = tuple(Sentence(text=text, language=summary.target) for text in texts)
    return [one for one in given if count_words(one.text, one.language)]


def _premises(event: Event, summary: Summary, entailer: Entailer) -> dict[str, _Premise]:
    """The KIS+CLP text of each document where a round has it, else the document if it is read."""
    prepared = {
        passage.documents[0]: passage
        for one in summary.rounds
        for passage in one.inputs
        if len(passage.documents) == 1 and set(passage.steps) >= KIS_CLP
    }
    found = {}
    for document in event.documents:
        passage = prepared.get(document.id)
        if passage is not None:
            found[document.id] = _Premise(passage.text, passage.language, "kis-clp")
            continue
        unread = entailer.cannot_read(document.language)
        reason = f"it has no KIS+CLP text and is {unread}" if unread else None
        found[document.id] = _Premise(document.text, document.language, "document", reason)
    return found


def positions(documents: Sequence[Document]) -> dict[str, float | None]:
    """Each document's place in time from 0 (first) to 1 (last), equal times in the middle.

    None for undated documents; a single dated one stands at 0.
    """
    times = sorted(document.published for document in documents if document.published)
    places: dict[str, float | None] = {}
    for document in documents:
        if document.published is None:
            places[document.id] = None
            continue
        before = sum(time < document.published for time in times)
        equal = sum(time == document.published for time in times)
        places[document.id] = (before + (equal - 1) / 2) / max(1, len(times) - 1)
    return places


def reasons(observations: Iterable[Observation]) -> list[tuple[str, int]]:
    """Why documents were not judged, the most frequent first."""
    counts = Counter(one.reason for one in observations if one.counts is None and one.reason)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What observing would take: documents, (premise, hypothesis) pairs, and premises' words."""

    events: int
    documents: int
    pairs: int
    words: int


def plan(items: Iterable[tuple[Event, Summary]]) -> Plan:
    """The size of the work, without doing it and without holding it."""
    from globesumm.text.words import count_words

    events = documents = pairs = words = 0
    for event, summary in items:
        sentences = len(summary_sentences(summary))
        events += 1
        documents += len(event.documents)
        pairs += sentences * len(event.documents)
        words += sum(count_words(one.text, one.language) for one in event.documents)
    return Plan(events=events, documents=documents, pairs=pairs, words=words)
