"""One recipe's account of an event: every round's summary, its sources, what it found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from baselines.citations import Basis, Citation, Standing, Support
from globesumm.finite import counted
from globesumm.report.changes import Change, changes
from globesumm.report.ledgers import Ledger
from globesumm.report.texts import Said, Text, as_text, said
from globesumm.text.sentences import split
from globesumm.values import (
    Document,
    Event,
    Issue,
    IssueKind,
    Round,
    Sentence,
    Statement,
    Summary,
)

SHOWN = 6
"""Sources shown in full for one sentence; further ones are counted."""

PLURAL = {
    IssueKind.REDUNDANCY: "redundancies",
    IssueKind.OMISSION: "omissions",
    IssueKind.CONFLICT: "conflicts",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One sentence of a summary.

    `numbers` are those of the documents behind it, `sources` what they say, `more` how many
    sources are not shown.  `change` is empty in a first round.  `warning` says that no source was
    found or looked for; `notes` is what else a reader must know.
    """

    said: Text
    change: str
    before: Text | None
    foreign: bool
    numbers: tuple[str, ...]
    sources: tuple[Said, ...]
    more: int
    warning: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """One round: the summary of everything up to a document.

    `added` are the numbers of the documents it adds, `dropped` the sentences it gives up.
    """

    index: int
    added: str
    covered: int
    lines: tuple[Line, ...]
    dropped: tuple[Text, ...]
    changed: str
    counts: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One issue as readers see it."""

    differs: str
    cause: str
    note: str
    plans: tuple[str, ...]
    statements: tuple[Said, ...]
    document_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One recipe's account of an event.

    `cited` is how its sources were found, empty where only those that the merge names are known.
    """

    part: str
    recipe: str
    model: str
    target: str
    prefixes: tuple[Prefix, ...]
    issues: dict[str, tuple[Found, ...]]
    notes: tuple[str, ...]
    cited: str
    ledger: Ledger | None = None

    @property
    def last(self) -> Prefix:
        return self.prefixes[-1]

    @property
    def foreign(self) -> bool:
        """Whether the last summary holds a sentence that is not in the target language."""
        return any(line.foreign for line in self.last.lines)

    @property
    def sourced(self) -> int:
        """How many sentences of the last summary have a source."""
        return sum(bool(line.numbers) for line in self.last.lines)


def told(
    event: Event,
    summary: Summary,
    part: str,
    citations: Sequence[Citation] = (),
    ledger: Ledger | None = None,
) -> Told:
    """The view of one summary; `citations` and `ledger` are its own."""
    whole = Round(index=0, documents=(), added=(), summary=summary.text)
    rounds = summary.rounds or (whole,)
    cited = {(one.round, one.sentence): one for one in citations}
    teller = _Teller(event, summary.target, cited)
    prefixes, before = [], None
    for round_ in rounds:
        now = sentences_of(round_, summary.target)
        prefixes.append(teller.prefix(round_, before, now))
        before = now
    last = rounds[-1]
    return Told(
        part=part,
        recipe=summary.recipe,
        model=summary.model,
        target=summary.target,
        prefixes=tuple(prefixes),
        issues={
            PLURAL[kind]: tuple(
                _found(issue, teller.documents, last, place)
                for place, issue in enumerate(last.issues)
                if issue.kind is kind
            )
            for kind in (IssueKind.CONFLICT, IssueKind.REDUNDANCY, IssueKind.OMISSION)
        },
        notes=summary.notes,
        cited=" / ".join(dict.fromkeys(one.method for one in citations)),
        ledger=ledger,
    )


def sentences_of(round_: Round, target: str) -> list[Sentence]:
    """The sentences of a round's summary; split where the merge did not tell them apart."""
    if round_.sentences:
        return list(round_.sentences)
    return [Sentence(text=one, language=target) for one in split(round_.summary, target)]


class _Teller:
    """Makes the lines of one account."""

    def __init__(
        self, event: Event, target: str, cited: Mapping[tuple[int, int], Citation]
    ) -> None:
        self.documents = {document.id: document for document in event.documents}
        self._numbers = {one.id: number for number, one in enumerate(event.documents, 1)}
        self._target, self._cited = target, cited

    def prefix(
        self, round_: Round, before: Sequence[Sentence] | None, now: Sequence[Sentence]
    ) -> Prefix:
        told = changes(before, now) if before is not None else None
        lines = tuple(
            self._line(
                sentence,
                self._cited.get((round_.index, place + 1)),
                told.marks[place] if told else None,
                told.before[place] if told else None,
            )
            for place, sentence in enumerate(now)
        )
        return Prefix(
            index=round_.index,
            added=", ".join(f"{self._numbers.get(name, '?')}" for name in round_.added),
            covered=len(round_.documents),
            lines=lines,
            dropped=tuple(as_text(o.text, o.language) for o in told.dropped) if told else (),
            changed=_counted(lines, len(told.dropped)) if told else "",
            counts=", ".join(
                f"{sum(issue.kind is kind for issue in round_.issues)} {PLURAL[kind]}"
                for kind in IssueKind
            ),
            notes=round_.notes if told is None or told.looked else (*round_.notes, _UNLOOKED),
        )

    def _line(
        self,
        sentence: Sentence,
        citation: Citation | None,
        change: Change | None,
        before: Sentence | None,
    ) -> Line:
        # A citation that was made for another text is no citation of this one.
        if citation is not None and citation.text != sentence.text:
            citation = None
        if citation is not None:
            named = {one.document for one in citation.supports}
            sources = [
                said(_statement(one), self.documents, how=_how(one.basis, one.score))
                for one in citation.supports
            ]
        else:
            named = {one.document for one in sentence.statements}
            sources = [said(one, self.documents) for one in sentence.statements]
        warning, notes = _warned(citation)
        if citation is not None and citation.nearest is not None:
            near = citation.nearest
            sources.append(said(_statement(near), self.documents, how=_how(near.basis, near.score)))
        return Line(
            said=as_text(sentence.text, sentence.language),
            change=str(change or ""),
            before=as_text(before.text, before.language) if before else None,
            foreign=sentence.language != self._target,
            numbers=self._ordered(named),
            sources=tuple(sources[:SHOWN]),
            more=max(0, len(sources) - SHOWN),
            warning=warning,
            notes=notes,
        )

    def _ordered(self, named: set[str]) -> tuple[str, ...]:
        """The documents' numbers in order, then the ids of those that the event does not hold."""
        known = sorted(self._numbers[name] for name in named if name in self._numbers)
        return (*map(str, known), *sorted(named - self._numbers.keys()))


_UNLOOKED = "too many sentences changed to tell which are others reworded"


def _counted(lines: Sequence[Line], dropped: int) -> str:
    counts = {change: sum(line.change == change for line in lines) for change in Change}
    parts = [f"{count} {change}" for change, count in counts.items() if count]
    return ", ".join([*parts, *([f"{dropped} dropped"] if dropped else [])])


def _statement(one: Support) -> Statement:
    return Statement(document=one.document, index=one.index, language=one.language, text=one.text)


_BASIS = {
    Basis.OWN: "word for word",
    Basis.MERGE: "named by the merge",
    Basis.ENTAILED: "entailed",
    Basis.JOINTLY: "entailed together with the others",
    Basis.NEAREST: "nearest, no source",
}


def _how(basis: Basis, score: float | None) -> str:
    return _BASIS[basis] if score is None else f"{_BASIS[basis]}, {score:.2f}"


def _warned(citation: Citation | None) -> tuple[str, tuple[str, ...]]:
    if citation is None:
        return "", ()
    warning = {
        Standing.SUPPORTED: "",
        Standing.UNSUPPORTED: "no source found",
        Standing.UNJUDGED: "source not looked for",
    }[citation.standing]
    notes = []
    if citation.figures and citation.supports:
        notes.append(f"not in the cited sentences: {', '.join(citation.figures)}")
    if citation.note:
        notes.append(citation.note)
    if 0 < citation.judged < citation.pairs:
        notes.append(f"{citation.judged} of {counted(citation.pairs, 'sentence')} could be judged")
    return warning, tuple(notes)


def _found(issue: Issue, documents: Mapping[str, Document], round_: Round, place: int) -> Found:
    return Found(
        differs=issue.differs or "",
        cause=str(issue.cause or ""),
        note=issue.note or "",
        plans=tuple(f"{one.cause}: {one.text}" for one in round_.strategies if one.issue == place),
        statements=tuple(said(statement, documents) for statement in issue.statements),
        document_count=len({statement.document for statement in issue.statements}),
    )
