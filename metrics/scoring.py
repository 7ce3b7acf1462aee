"""From runs and files to candidates, and from candidates to scores: what the command calls."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.languages import parse
from globesumm.records import from_plain, read_plain_records
from globesumm.values import Document, Event, Rejected, Score, Summary
from metrics.aggregate import Aggregate, Key, aggregate, slices
from metrics.base import Candidate, Metric
from metrics.merging import unscored
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
                unscored(candidate, column.name, str(metric.signature), f"not scored: {error}")
                for candidate in candidates
                for column in metric.columns
            ]
    return scores


def one_metric_a_column(metrics: Iterable[Metric]) -> None:
    """Refuse, as a `UsageError`, metrics that would put different values into one column."""
    givers: dict[str, Metric] = {}
    for metric in metrics:
        for column in metric.columns:
            other = givers.setdefault(column.name, metric)
            if other.signature != metric.signature:
                raise UsageError(
                    f"the metrics {other.name!r} and {metric.name!r} both give a column "
                    f"{column.name!r}: score one of them at a time"
                )


def records(
    scores: Sequence[Score], key: Key | None = None, *, seed: int = 0
) -> Iterator[dict[str, Any]]:
    """What ``--format jsonl`` prints: one object a score, then one with the aggregates.

    A score's object has ``id, metric, value, signature, note``, and ``recipe`` and ``round``
    where they are known.  The last object is ``{"aggregate": [{"recipe"?, "slice"?, "metric",
    "mean", "low", "high", "n", "expected", "signature"}, …]}``: one a recipe and column, with
    `key` one a slice too.
    """
    groups: dict[str | None, list[Score]] = {}
    for score in scores:
        groups.setdefault(score.recipe, []).append(score)
        known = {"recipe": score.recipe, "round": score.round}
        yield {
            "id": score.id,
            "metric": score.metric,
            "value": score.value,
            "signature": score.signature,
            "note": score.note,
        } | {name: value for name, value in known.items() if value is not None}
    found: list[dict[str, Any]] = []
    for recipe, group in groups.items():
        head = {} if recipe is None else {"recipe": recipe}
        if key is None:
            found += [head | _plain(one) for one in aggregate(group, seed=seed)]
        else:
            for name, some in slices(group, key, seed=seed).items():
                found += [head | {"slice": name} | _plain(one) for one in some]
    yield {"aggregate": found}


def _plain(one: Aggregate) -> dict[str, Any]:
    return {
        "metric": one.metric,
        "mean": one.mean,
        "low": one.low,
        "high": one.high,
        "n": one.n,
        "expected": one.expected,
        "signature": one.signature,
    }
