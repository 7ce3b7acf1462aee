"""From a summary's rounds to the ledger of their conflicts."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

from annotation.passages import in_order, sentences_of
from baselines.ledger.chains import Chain, chains, is_summary
from baselines.ledger.nearness import Nearness, Said
from baselines.ledger.sides import amount, bare, figures_of, noted, readable, told_values
from baselines.ledger.telling import Telling
from baselines.ledger.treating import Disputed, treated, wanted
from baselines.ledger.values import Entry, Handling, Plan, Treatment, Voice
from globesumm.text.details import Kind, details
from globesumm.values import (
    ConflictCause,
    Document,
    Event,
    Issue,
    Round,
    Statement,
    Summary,
)

STEADY = 0.8
"""The share of reports, in the order of time, from which on figures count as rising or falling."""


class Judge(Protocol):
    """Says what one round's summary does about conflicts, in order; `name` goes into records."""

    @property
    def name(self) -> str: ...

    def __call__(self, summary: str, language: str, disputed: Sequence[Issue]) -> list[Handling]:
        """A handling each, of round 0 (the caller knows the round)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conflict:
    """A chain as voices with their sides."""

    chain: Chain
    kind: Kind | None
    voices: tuple[Voice, ...]
    cause: ConflictCause | None
    proposed: ConflictCause | None

    def until(self, round_: Round) -> Disputed:
        covered = set(round_.documents)
        heard = tuple(
            one
            for one in self.voices
            if one.round <= round_.index and (one.document in covered or is_summary(one.document))
        )
        values = dict.fromkeys(one.value for one in heard if one.value is not None)
        return Disputed(
            kind=self.kind,
            values=tuple(values),
            voices=heard,
            cause=self.cause or self.proposed,
        )


def ledger(
    summary: Summary, event: Event, near: Nearness, judge: Judge | None = None
) -> list[Entry]:
    """Every conflict that the rounds of `summary` name, in the order in which they arose.

    `near` finds the words that treat a conflict; what they do about it is decided by rules, or
    by `judge` where there is one, who is asked once a round.
    """
    documents = {document.id: document for document in event.documents}
    order = {document.id: place for place, document in enumerate(in_order(event.documents))}
    conflicts = [_conflict(chain, documents, order) for chain in chains(summary.rounds)]
    told = [Telling(sentences_of(one, summary.target)) for one in summary.rounds]
    open_at = [
        {
            place: conflict.until(round_)
            for place, conflict in enumerate(conflicts)
            if conflict.chain.named[0][0] <= round_.index
        }
        for round_ in summary.rounds
    ]
    near.prepare(_wanted(told, open_at))
    history: list[list[Handling]] = [[] for _ in conflicts]
    for round_, telling, open_ in zip(summary.rounds, told, open_at, strict=True):
        found = [treated(round_.index, telling, one, near) for one in open_.values()]
        if judge and open_:
            issues = [_issue(conflicts[place], one) for place, one in open_.items()]
            verdicts = judge(round_.summary, summary.target, issues)
            found = [
                replace(one, treatment=verdict.treatment, note=verdict.note)
                for one, verdict in zip(found, verdicts, strict=True)
            ]
        for place, handling in zip(open_, found, strict=True):
            history[place].append(handling)
    return [
        _entry(summary, number, conflict, tuple(some), judge.name if judge else near.name)
        for number, (conflict, some) in enumerate(zip(conflicts, history, strict=True), 1)
    ]


def _wanted(
    told: Sequence[Telling], open_at: Sequence[Mapping[int, Disputed]]
) -> dict[Said, list[Collection[Said]]]:
    found: dict[Said, list[Collection[Said]]] = defaultdict(list)
    for telling, open_ in zip(told, open_at, strict=True):
        for disputed in open_.values():
            for voice, parts in wanted(telling, disputed):
                found[voice].append(parts)
    return found


def _entry(
    summary: Summary,
    number: int,
    conflict: _Conflict,
    history: tuple[Handling, ...],
    judge: str,
) -> Entry:
    named = conflict.chain.named
    last = named[-1][1]
    plans = tuple(
        Plan(round=round_, cause=strategy.cause, text=strategy.text)
        for round_, _, strategy in named
        if strategy is not None
    )
    note = last.note
    if named[-1][0] < summary.rounds[-1].index:
        more = f"last named in round {named[-1][0]}"
        note = f"{note}; {more}" if note else more
    return Entry(
        event=summary.event,
        recipe=summary.recipe,
        number=number,
        differs=last.differs,
        kind=conflict.kind,
        cause=conflict.cause,
        proposed=conflict.proposed,
        plans=plans,
        voices=conflict.voices,
        arose=named[0][0],
        named=tuple(dict.fromkeys(round_ for round_, _, _ in named)),
        settled=_settled(history),
        history=history,
        judge=judge,
        note=note,
    )


def _settled(history: Sequence[Handling]) -> int | None:
    found: int | None = None
    for one in reversed(history):
        if one.treatment is not Treatment.ADDRESSED:
            break
        found = one.round
    return found


def _conflict(
    chain: Chain, documents: Mapping[str, Document], order: Mapping[str, int]
) -> _Conflict:
    issues = [issue for _, issue, _ in chain.named]
    first: dict[Statement, int] = {}
    for round_, issue, _ in chain.named:
        for statement in issue.statements:
            first.setdefault(statement, round_)
    kind, sides = _sides(issues, list(first), documents)
    voices = [
        _voice(statement, round_, documents.get(statement.document), sides.get(statement))
        for statement, round_ in first.items()
    ]
    voices.sort(key=lambda one: (order.get(one.document, len(order)), one.index))
    causes = [issue.cause for issue in issues if issue.cause is not None]
    causes += [strategy.cause for _, _, strategy in chain.named if strategy is not None]
    cause = causes[-1] if causes else None
    return _Conflict(
        chain=chain,
        kind=kind,
        voices=tuple(voices),
        cause=cause,
        proposed=None if cause else _proposed(kind, voices),
    )


def _sides(
    issues: Sequence[Issue], said: Sequence[Statement], documents: Mapping[str, Document]
) -> tuple[Kind | None, dict[Statement, str]]:
    """The kind by which sides can be read in other sentences, and each statement's side."""
    kind, raw = None, []
    found: dict[Statement, str] = {}
    for issue in issues:
        kind_here, values = figures_of(issue)
        kind = kind or kind_here
        raw += [bare(value) for value in values]
        found |= {one: bare(value) for one, value in noted(issue).items()}
    wanted = list(dict.fromkeys(raw))
    if kind and readable(kind, wanted):
        for one in said:
            document = documents.get(one.document)
            published = document.published if document else None
            given = told_values(one.text, one.language, published, kind, wanted)
            if given and found.get(one) not in given:
                found[one] = given[0]
        return kind, found
    if found:
        return None, found
    negated = {one: details(one.text, one.language).negated for one in said}
    if {True, False} <= set(negated.values()):
        return Kind.NEGATION, {
            one: "negated" if held else "affirmed"
            for one, held in negated.items()
            if held is not None
        }
    return None, {one: one.document for one in said}


def _voice(one: Statement, round_: int, document: Document | None, value: str | None) -> Voice:
    outlet = document.outlet if document else None
    return Voice(
        document=one.document,
        index=one.index,
        language=one.language,
        text=one.text,
        outlet=document.source if document else None,
        country=outlet.country if outlet else None,
        published=document.published if document else None,
        value=value,
        round=round_,
    )


def _proposed(kind: Kind | None, voices: Sequence[Voice]) -> ConflictCause | None:
    """Update, where three figures or more rise or fall with the time of the reports."""
    dated = sorted(
        ((one.published, amount(kind, one.value or "")) for one in voices if one.published),
        key=lambda one: one[0],
    )
    figures = [figure for _, figure in dated if figure is not None]
    if kind is not Kind.NUMBER or len(set(figures)) < 3:
        return None
    steps = list(pairwise(figures))
    rising = sum(one <= other for one, other in steps) / len(steps)
    falling = sum(one >= other for one, other in steps) / len(steps)
    return ConflictCause.UPDATE if max(rising, falling) >= STEADY else None


def _issue(conflict: _Conflict, disputed: Disputed) -> Issue:
    """The conflict as far as it had come, for a judge."""
    last = conflict.chain.named[-1][1]
    return Issue(
        kind=last.kind,
        statements=tuple(
            Statement(document=one.document, index=one.index, language=one.language, text=one.text)
            for one in disputed.voices
        ),
        differs=" / ".join(disputed.values) or last.differs,
        cause=conflict.cause,
    )
