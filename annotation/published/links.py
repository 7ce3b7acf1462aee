"""Issues, causes and strategies as records that point into the free text they were read from."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from globesumm.values import ConflictCause, IssueKind, Round, Statement, Summary

Span = tuple[int, int]
"""Offsets ``[start, end)`` in characters of a text."""

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """One issue of one round, with its place in the answers that tell of it.

    `round` counts from 1 and `place`, among the round's issues, from 0.  `span` lies in the text
    ``where`` and `strategy_span` in the text ``strategy`` of the published layout; each is None
    where the words cannot be found there again.
    """

    event: str
    round: int
    place: int
    kind: IssueKind
    statements: tuple[Statement, ...]
    detail: str | None
    span: Span | None
    cause: ConflictCause | None = None
    strategy: str | None = None
    strategy_span: Span | None = None


def extracted(summary: Summary) -> Iterator[Extracted]:
    """Every issue of every round of `summary`, in order."""
    for done in summary.rounds:
        yield from _of_round(summary.event, done)


def _of_round(event: str, done: Round) -> Iterator[Extracted]:
    details = [one.differs or one.note for one in done.issues]
    spans = spans_of(done.answers.get("where", ""), details)
    settled = {one.issue: one for one in done.strategies}
    told = spans_of(
        done.answers.get("strategies", ""), [settled[place].text for place in sorted(settled)]
    )
    strategy_spans = dict(zip(sorted(settled), told, strict=True))
    for place, (issue, detail, span) in enumerate(zip(done.issues, details, spans, strict=True)):
        strategy = settled.get(place)
        yield Extracted(
            event=event,
            round=done.index,
            place=place,
            kind=issue.kind,
            statements=issue.statements,
            detail=detail,
            span=span,
            cause=issue.cause,
            strategy=strategy.text if strategy else None,
            strategy_span=strategy_spans.get(place),
        )


def spans_of(text: str, passages: Sequence[str | None]) -> list[Span | None]:
    """Where each of `passages` stands in `text`, blanks and JSON escapes aside.

    Equal passages get one place after the other as long as there are more; what does not stand
    there, and None, get None.
    """
    literals = [
        (said.split(), (found.start(1), found.end(1)))
        for found in _STRING.finditer(text)
        if (said := _decoded(found[0])) is not None
    ]
    reached = 0
    spans: list[Span | None] = []
    for passage in passages:
        words = (passage or "").split()
        span = _find(text, words, literals, reached) or _find(text, words, literals, 0)
        reached = span[1] if span else reached
        spans.append(span)
    return spans


def _find(
    text: str, words: list[str], literals: list[tuple[list[str], Span]], start: int
) -> Span | None:
    if not words:
        return None
    for said, span in literals:
        if span[0] >= start and said == words:
            return span
    found = re.compile(r"\s+".join(map(re.escape, words))).search(text, start)
    return found.span() if found else None


def _decoded(literal: str) -> str | None:
    try:
        return str(json.loads(literal, strict=False))
    except ValueError:
        return None
