"""One event as the report shows it: documents, accounts, references, scores, failures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from globesumm.report.accounts import Told
from globesumm.report.drawing import Timeline, timeline
from globesumm.report.texts import Text, as_text, language_name, safe_link, time_of
from globesumm.values import Document, Event, Score, Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A sentence that a step made, beside what it was made from."""

    made: Text
    originals: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """What a recipe's steps (``kis``, ``clp``) made of a document, sentence by sentence."""

    steps: str
    recipe: str
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One document; `paragraphs` is its text, `steps` what was made of it."""

    number: int
    id: str
    time: str
    language: str
    outlet: str
    title: Text
    link: str
    notes: tuple[str, ...]
    paragraphs: tuple[Text, ...]
    steps: tuple[Steps, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """The scores of one summary: a value a metric, times 100, or a dash; why not below."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An event's scores: `reasons` say why values are missing, each with how many."""

    metrics: tuple[str, ...]
    rows: tuple[ScoreRow, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One event with every recipe's account of it; `failures` are (where, why)."""

    number: int
    id: str
    description: str
    category: str
    notes: tuple[str, ...]
    documents: tuple[Row, ...]
    timeline: Timeline | None
    languages: tuple[str, ...]
    references: tuple[Text, ...]
    accounts: tuple[Told, ...]
    scored: Scored | None
    failures: tuple[tuple[str, str], ...]


def page(
    event: Event,
    number: int,
    accounts: Sequence[Told],
    summaries: Iterable[Summary],
    *,
    scores: Sequence[tuple[str, Score]] = (),
    failures: Sequence[tuple[str, str]] = (),
) -> Page:
    """The view of one event; `scores` come with the name of the summary that they are of."""
    made = steps(summaries)
    return Page(
        number=number,
        id=event.id,
        description=event.description,
        category=event.category or "",
        notes=event.notes,
        documents=tuple(
            _row(document, place, made.get(document.id, ()))
            for place, document in enumerate(event.documents, 1)
        ),
        timeline=timeline(event.documents),
        languages=tuple(
            dict.fromkeys(sorted(language_name(one.language) for one in event.documents))
        ),
        references=tuple(as_text(text, event.reference_language) for text in event.references),
        accounts=tuple(accounts),
        scored=scored(scores) if scores else None,
        failures=tuple(failures),
    )


def steps(summaries: Iterable[Summary]) -> dict[str, tuple[Steps, ...]]:
    """What steps made of each document, by its id; equal ones of several recipes once."""
    found: dict[str, dict[tuple[object, ...], Steps]] = {}
    for summary in summaries:
        for passage in (one for round_ in summary.rounds for one in round_.inputs):
            if not passage.steps or len(passage.documents) != 1:
                continue
            of_document = found.setdefault(passage.documents[0], {})
            key = (passage.steps, passage.sentences)
            if key not in of_document:
                of_document[key] = Steps(
                    steps=" then ".join(one.upper() for one in passage.steps),
                    recipe=summary.recipe,
                    pairs=tuple(
                        Pair(
                            made=as_text(one.text, one.language),
                            originals=tuple(as_text(s.text, s.language) for s in one.statements),
                        )
                        for one in passage.sentences
                    ),
                    notes=passage.notes,
                )
    return {name: tuple(held.values()) for name, held in found.items()}


def scored(scores: Sequence[tuple[str, Score]]) -> Scored:
    """A row a summary, a column a metric, both in the order in which they first occur."""
    metrics = tuple(dict.fromkeys(one.metric for _, one in scores))
    held: dict[str, dict[str, Score]] = {}
    reasons: dict[tuple[str, str], int] = {}
    for name, one in scores:
        held.setdefault(name, {})[one.metric] = one
        if one.value is None:
            key = (one.metric, one.note or "no reason was noted")
            reasons[key] = reasons.get(key, 0) + 1
    return Scored(
        metrics=metrics,
        rows=tuple(
            ScoreRow(name=name, values=tuple(value_of(row.get(metric)) for metric in metrics))
            for name, row in held.items()
        ),
        reasons=tuple(
            f"{metric}: {count} without a value: {note}"
            for (metric, note), count in reasons.items()
        ),
    )


def value_of(score: Score | None) -> str:
    """A score times 100, a dash where there is none."""
    return "–" if score is None or score.value is None else f"{100 * score.value:.2f}"


def _row(document: Document, number: int, made: Sequence[Steps]) -> Row:
    return Row(
        number=number,
        id=document.id,
        time=time_of(document),
        language=language_name(document.language),
        outlet=document.source or "–",
        title=as_text(document.title or document.id, document.language),
        link=safe_link(document.url),
        notes=document.notes,
        paragraphs=tuple(
            as_text(line, document.language) for line in document.text.splitlines() if line.strip()
        ),
        steps=tuple(made),
    )
