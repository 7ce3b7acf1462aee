"""From runs and files to candidates, and from candidates to scores: what the command calls."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.languages import parse
from globesumm.records import from_plain, read_plain_records
from globesumm.values import Document, Event, Rejected, Score, Summary
from metrics.aggregate import aggregate
from metrics.base import Candidate, Metric, joined
from metrics.needs_model import NeedsModel


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line of a candidates file; `references` and `documents` are plain texts."""

    id: str
    candidate: str
    language: str
    references: tuple[str, ...] = ()
    reference_language: str | None = None
    documents: tuple[str, ...] = ()
    event: str | None = None
    recipe: str | None = None
    round: int | None = None


def read_candidates(path: Path) -> Iterator[Candidate | Rejected]:
    """Each line of a JSON Lines file ``{"id", "candidate", "language", "references"?, …}``.

    ``references`` and ``documents`` are lists of texts; ``reference_language``, ``event``,
    ``recipe`` and ``round`` may be given.  A line of another form, of an unknown language or
    with an id seen before is `Rejected` with line and reason; the others go on.
    """
    seen: set[tuple[str, str | None, int | None]] = set()
    for record in read_plain_records(path):
        if isinstance(record, Rejected):
            yield record
            continue
        where, plain = record
        try:
            candidate = _candidate(from_plain(_Line, plain, where))
        except (DataError, UnknownName) as error:
            yield Rejected(where=where, reason=str(error).removeprefix(f"{where}: "))
            continue
        key = (candidate.id, candidate.recipe, candidate.round)
        if key in seen:
            yield Rejected(where=where, reason=f"the id {candidate.id!r} was on a line before")
            continue
        seen.add(key)
        yield candidate


def _candidate(line: _Line) -> Candidate:
    language = parse(line.language)
    return Candidate(
        id=line.id,
        text=line.candidate,
        language=language,
        references=line.references,
        reference_language=parse(line.reference_language) if line.reference_language else None,
        documents=tuple(
            Document(id=str(number), text=text, language="und")
            for number, text in enumerate(line.documents, 1)
        ),
        event=line.event,
        recipe=line.recipe,
        round=line.round,
    )


def candidates_of(
    summary: Summary, event: Event | None = None, *, prefixes: bool = False
) -> list[Candidate]:
    """The summary as a candidate, or with `prefixes` each of its rounds.

    The id is the event's, with ``#<round>`` before the last, so that systems pair by id.  The
    event's references speak of all its documents, so only the last round is held against them.
    """
    last = summary.rounds[-1] if summary.rounds else None
    by_id = {document.id: document for document in event.documents} if event else {}
    found = [
        Candidate(
            id=f"{summary.event}#{one.index}",
            text=one.summary,
            language=summary.target,
            sentences=one.sentences or None,
            documents=tuple(by_id[name] for name in one.documents if name in by_id),
            event=summary.event,
            recipe=summary.recipe,
            round=one.index,
        )
        for one in summary.rounds[:-1]
        if prefixes
    ]
    whole = Candidate(
        id=summary.event,
        text=summary.text,
        language=summary.target,
        references=event.references if event else (),
        reference_language=event.reference_language if event else None,
        sentences=(last.sentences or None) if last else None,
        documents=event.documents if event else (),
        event=summary.event,
        recipe=summary.recipe,
        round=last.index if last else None,
    )
    return [*found, whole]


def score_all(
    metrics: Iterable[Metric | NeedsModel], candidates: Sequence[Candidate]
) -> list[Score]:
    """The scores of every metric; one that cannot run leaves its columns unscored, with why.

    What was summarized at some cost is never lost to a missing package or model: the other
    metrics go on.
    """
    scores: list[Score] = []
    for metric in metrics:
        try:
            scores += metric.score(candidates)
        except UsageError as error:
            scores += [
                Score(
                    id=candidate.id,
                    metric=column.name,
                    value=None,
                    signature=str(metric.signature),
                    note=joined("not scored", str(error)),
                    event=candidate.event,
                    recipe=candidate.recipe,
                    round=candidate.round,
                    language=candidate.language,
                )
                for candidate in candidates
                for column in metric.columns
            ]
    return scores


def records(scores: Sequence[Score]) -> Iterator[dict[str, Any]]:
    """What ``--format jsonl`` prints: one object a score, then one with the aggregate.

    The last object is ``{"aggregate": [{"metric", "mean", "low", "high", "n", "expected",
    "signature"}, …]}``.
    """
    for score in scores:
        yield {
            "id": score.id,
            "metric": score.metric,
            "value": score.value,
            "signature": score.signature,
            "note": score.note,
        }
    yield {
        "aggregate": [
            {
                "metric": one.metric,
                "mean": one.mean,
                "low": one.low,
                "high": one.high,
                "n": one.n,
                "expected": one.expected,
                "signature": one.signature,
            }
            for one in aggregate(scores)
        ]
    }
