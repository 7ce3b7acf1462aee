"""Conflict handling: what a draft does about the contradictions between its documents.

The formula is CRE's (GlobeSumm, appendix C.2); the verdicts come from a rule instead of a judge,
so that nothing has to be asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Literal

from baselines.drafts.base import Draft, Task
from baselines.drafts.objectives import draft_sentences
from globesumm.errors import UnknownName
from globesumm.text.details import Clock, Day, Details, Quantity, compatible, details, differences
from globesumm.text.sentences import SPLITTER
from globesumm.values import ConflictCause, Document, Event, Issue, IssueKind, Sentence
from metrics.base import Better, Measured, Signature
from metrics.cre_formula import ADDRESSED, NOT_ADDRESSED, NOT_INVOLVED, cre
from metrics.entailment.base import Entailer, Pair

Source = Literal["detected", "merge", "marked"]

SOURCES = ("detected", "merge", "marked")
"""Where the conflicts come from: the extractive detector, the merge itself, or people's marks."""


@dataclass(frozen=True, slots=True)
class ConflictHandling:
    """CRE over the conflicts of the documents by a rule: 0 to below 1, higher is better.

    A conflict counts as addressed (1) where the draft tells two or more of the contradicting
    values, or, where the merge found its cause to be an update, the latest one; as not involved
    (0) where it tells none; else as not addressed (-1): one side was taken without a word.  Values
    are numbers, times and dates as `globesumm.text.details` reads them.  Conflicts in nothing
    countable go by `entailer` (is the statement entailed by the draft?), and without one are
    left out, which the note counts.
    """

    entailer: Entailer | None = None
    source: Source = "detected"
    better: Better = field(default=Better.HIGHER, init=False)
    low: float = field(default=0.0, init=False)
    high: float = field(default=1.0, init=False)

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise UnknownName("source of conflicts", self.source, SOURCES)

    @property
    def name(self) -> str:
        return "conflict-handling"

    @property
    def signature(self) -> str:
        return str(
            Signature.of(
                "conflict-handling",
                conflicts=self.source,
                entailer=self.entailer.name if self.entailer else "none",
                formula="cre",
                split=SPLITTER,
                v=1,
            )
        )

    def score(self, task: Task, drafts: Sequence[Draft]) -> list[Measured]:
        conflicts = self._conflicts(task)
        if not conflicts:
            reason = f"the documents have no conflict ({self.source})"
            return [Measured(None, reason)] * len(drafts)
        updates = {
            task.issues[one.issue]
            for one in task.strategies
            if one.cause is ConflictCause.UPDATE and one.issue < len(task.issues)
        }
        found = []
        for draft in drafts:
            sentences = draft_sentences(task, draft)
            told = [self._verdict(one, sentences, draft, task, one in updates) for one in conflicts]
            verdicts = [one for one in told if one is not None]
            left_out = len(told) - len(verdicts)
            note = f"{left_out} of {len(told)} conflicts are in nothing countable"
            if not verdicts:
                found.append(Measured(None, note))
            else:
                found.append(Measured(cre(verdicts).value, note if left_out else None))
        return found

    def _conflicts(self, task: Task) -> tuple[Issue, ...]:
        if self.source == "merge":
            issues = task.issues
        elif self.source == "marked":
            issues = task.event.conflicts if task.event else ()
        else:
            issues = _detected(task.id, task.originals or task.documents)
        return tuple(
            one for one in issues if one.kind is IssueKind.CONFLICT and len(one.statements) > 1
        )

    def _verdict(
        self, issue: Issue, sentences: Sequence[Sentence], draft: Draft, task: Task, update: bool
    ) -> int | None:
        told = _told(issue, sentences)
        if told is None:
            told = self._entailed(issue, draft, task)
        if told is None:
            return None
        stating = {value for value in told if value is not None}
        if not stating:
            return NOT_INVOLVED
        if len(stating) > 1 or (update and told[-1] is not None):
            return ADDRESSED
        return NOT_ADDRESSED

    def _entailed(self, issue: Issue, draft: Draft, task: Task) -> list[str | None] | None:
        """Each statement that the draft entails, under its own name; None without an entailer."""
        if self.entailer is None:
            return None
        pairs = [
            Pair(
                premise=draft.text or "",
                premise_language=task.target,
                hypothesis=one.text,
                hypothesis_language=one.language,
            )
            for one in issue.statements
        ]
        verdicts = self.entailer.entails(pairs)
        if any(one.value is None for one in verdicts):
            return None
        return [str(n) if one.entailed else None for n, one in enumerate(verdicts)]


def _told(issue: Issue, sentences: Sequence[Sentence]) -> list[str | None] | None:
    """For each statement the contradicted value that the draft tells as well, or None.

    None for the whole issue where its statements differ in nothing countable.
    """
    read = [details(one.text, one.language) for one in issue.statements]
    contested: list[dict[str, Quantity | Clock | Day]] = [{} for _ in read]
    for left, right in combinations(range(len(read)), 2):
        for one in differences(read[left], read[right]):
            for place, written, value in (
                (left, one.left, one.left_value),
                (right, one.right, one.right_value),
            ):
                span = _span(read[place], written)
                if span is not None:
                    contested[place][value] = span
    if not any(contested):
        return None
    held = [details(one.text, one.language) for one in sentences]
    return [
        next((value for value, span in some.items() if _stands_in(span, held)), None)
        for some in contested
    ]


def _span(read: Details, written: str) -> Quantity | Clock | Day | None:
    spans: tuple[Quantity | Clock | Day, ...] = (*read.quantities, *read.clocks, *read.days)
    return next((one for one in spans if one.written == written), None)


def _stands_in(span: Quantity | Clock | Day, held: Sequence[Details]) -> bool:
    """Whether any sentence of the draft gives the same value."""
    if isinstance(span, Quantity):
        return any(
            one.kind == span.kind and one.unit == span.unit and compatible(one, span)
            for each in held
            for one in each.quantities
        )
    if isinstance(span, Clock):
        return any(one.minutes == span.minutes for each in held for one in each.clocks)
    stated = (span.year, span.month, span.day, span.weekday)
    return any(
        (one.year, one.month, one.day, one.weekday) == stated for each in held for one in each.days
    )


@lru_cache(maxsize=256)
def _detected(name: str, documents: tuple[Document, ...]) -> tuple[Issue, ...]:
    """The conflicts that the extractive merge finds; found once for all drafts of a task."""
    from annotation.schemas import Context, passages
    from baselines.extractive import ExtractiveMerge

    event = Event(id=name, description=name, documents=documents)
    inputs = passages(event)
    if not any(passage.sentences for passage in inputs):
        return ()
    merge = ExtractiveMerge()
    context = Context(event=event, target="en", sources=tuple(inputs))
    return tuple(merge(inputs, context).issues)
