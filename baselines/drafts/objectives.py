"""Proxies that need no judge: redundancy, coverage and faithfulness of a draft, computed offline.

Each is an `Objective`: named, with its direction and range, and with everything that decides its
values in its signature.  What cannot be computed for a draft is None with the reason; where that
puts the draft is for the rule that joins proxies to say (`baselines.drafts.pareto`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from baselines.drafts.base import Draft, Task
from globesumm.text.sentences import SPLITTER, split
from globesumm.text.words import count_words
from globesumm.values import Document, Sentence
from metrics.base import Better, Candidate, Column, Measured, Metric, Signature
from metrics.entailment.base import Entailer, Pair, Verdict


def draft_sentences(task: Task, draft: Draft) -> tuple[Sentence, ...]:
    """The sentences of a draft that hold a word, with their languages where known."""
    made = draft.round.sentences if draft.round else ()
    if not made:
        texts = split(draft.text or "", task.target)
        made = tuple(Sentence(text=text, language=task.target) for text in texts)
    return tuple(one for one in made if count_words(one.text, one.language))


@dataclass(frozen=True, slots=True)
class ByMetric:
    """One column of any metric, for instance a form of Red; documents and references included."""

    metric: Metric
    column: Column

    @classmethod
    def of(cls, metric: Metric, column: str | None = None) -> "ByMetric":
        """The column called so, or the metric's first."""
        named = {one.name: one for one in metric.columns}
        return cls(metric, named[column] if column else metric.columns[0])

    @property
    def name(self) -> str:
        return self.metric.name

    @property
    def better(self) -> Better:
        return self.column.better

    @property
    def low(self) -> float | None:
        return self.column.low

    @property
    def high(self) -> float | None:
        return self.column.high

    @property
    def signature(self) -> str:
        return str(self.metric.signature)

    def score(self, task: Task, drafts: Sequence[Draft]) -> list[Measured]:
        measured = self.metric.measure([self._candidate(task, draft) for draft in drafts])
        return [one[self.column.name] for one in measured]

    @staticmethod
    def _candidate(task: Task, draft: Draft) -> Candidate:
        event = task.event
        return Candidate(
            id=f"{task.id} draft {draft.number}",
            text=draft.text or "",
            language=task.target,
            # People's summaries are for judging the result, never for choosing it.
            references=(),
            sentences=draft_sentences(task, draft) if draft.round else None,
            documents=task.documents,
            event=event.id if event else task.id,
        )


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the documents a draft states: 0 to 1, higher is better.

    The mean over documents of the share of their sentences that the draft entails (premise: the
    draft; hypothesis: a document's sentence).  It is NIC's coverage with the documents in the
    place of the reference, each document counting alike however long it is.  With `graded` the
    entailer's values are averaged instead of counted above its threshold.
    """

    entailer: Entailer
    graded: bool = False
    better: Better = field(default=Better.HIGHER, init=False)
    low: float = field(default=0.0, init=False)
    high: float = field(default=1.0, init=False)

    @property
    def name(self) -> str:
        return _named("coverage", self.entailer)

    @property
    def signature(self) -> str:
        return _signature("coverage", self.entailer, premise="draft", graded=self.graded)

    def score(self, task: Task, drafts: Sequence[Draft]) -> list[Measured]:
        units = {one.id: _sentences(one) for one in task.documents}
        pairs = {
            (draft.number, document.id, place): Pair(
                premise=draft.text or "",
                premise_language=task.target,
                hypothesis=text,
                hypothesis_language=document.language,
            )
            for draft in drafts
            for document in task.documents
            for place, text in enumerate(units[document.id])
        }
        verdicts = dict(zip(pairs, self.entailer.entails(list(pairs.values())), strict=True))
        found = []
        for draft in drafts:
            shares, reasons = [], []
            for one in task.documents:
                asked = [verdicts[draft.number, one.id, n] for n in range(len(units[one.id]))]
                share = _share(asked, self.graded)
                if share.value is None:
                    reasons.append(share.note or "")
                else:
                    shares.append(share.value)
            found.append(_mean(shares, reasons, len(task.documents), "documents"))
        return found


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """How much of a draft the documents state: 0 to 1, higher is better.

    The share of the draft's sentences that some document entails, or with `graded` the mean over
    sentences of the highest value that a document gives (AlignScore's aggregation).
    """

    entailer: Entailer
    graded: bool = False
    better: Better = field(default=Better.HIGHER, init=False)
    low: float = field(default=0.0, init=False)
    high: float = field(default=1.0, init=False)

    @property
    def name(self) -> str:
        return _named("faithfulness", self.entailer)

    @property
    def signature(self) -> str:
        return _signature("faithfulness", self.entailer, premise="document", graded=self.graded)

    def score(self, task: Task, drafts: Sequence[Draft]) -> list[Measured]:
        stated = {draft.number: draft_sentences(task, draft) for draft in drafts}
        verdicts = document_verdicts(self.entailer, task, stated)
        found = []
        for draft in drafts:
            held, reasons = [], []
            for place in range(len(stated[draft.number])):
                asked = [verdicts[draft.number, one.id, place] for one in task.documents]
                judged = [one for one in asked if one.value is not None]
                if not judged:
                    reasons.append(asked[0].reason or "not judged" if asked else "no document")
                elif self.graded:
                    held.append(max(one.value or 0.0 for one in judged))
                else:
                    held.append(float(any(one.entailed for one in judged)))
            found.append(_mean(held, reasons, len(stated[draft.number]), "sentences"))
        return found


def document_verdicts(
    entailer: Entailer, task: Task, stated: Mapping[int, Sequence[Sentence]]
) -> dict[tuple[int, str, int], Verdict]:
    """By (draft, document, place of the sentence): does the document state the draft's sentence?"""
    pairs = {
        (number, document.id, place): Pair(
            premise=document.text,
            premise_language=document.language,
            hypothesis=sentence.text,
            hypothesis_language=sentence.language,
        )
        for number, sentences in stated.items()
        for document in task.documents
        for place, sentence in enumerate(sentences)
    }
    return dict(zip(pairs, entailer.entails(list(pairs.values())), strict=True))


def _sentences(document: Document) -> list[str]:
    texts = split(document.text, document.language)
    return [text for text in texts if count_words(text, document.language)]


def _share(verdicts: Sequence[Verdict], graded: bool) -> Measured:
    """The share of sentences entailed; those that could not be judged are left out and told."""
    judged = [one for one in verdicts if one.value is not None]
    if not judged:
        return Measured(None, verdicts[0].reason if verdicts else "it has no sentence")
    held = [(one.value or 0.0) if graded else float(bool(one.entailed)) for one in judged]
    return Measured(sum(held) / len(held))


def _mean(values: Sequence[float], reasons: Sequence[str], asked: int, what: str) -> Measured:
    """The mean with what was left out; None where nothing was left to average."""
    if not asked:
        return Measured(None, f"there are no {what}")
    left_out = f"{len(reasons)} of {asked} {what} not judged: {reasons[0]}" if reasons else None
    if not values:
        return Measured(None, left_out)
    return Measured(sum(values) / len(values), left_out)


def _named(what: str, entailer: Entailer) -> str:
    return f"{what}-{entailer.stand_in}" if entailer.stand_in else what


def _signature(what: str, entailer: Entailer, *, premise: str, graded: bool) -> str:
    return str(
        Signature.of(
            f"draft-{what}",
            entailer=entailer.name,
            premise=premise,
            value="graded" if graded else "counted",
            split=SPLITTER,
            v=1,
        )
    )
