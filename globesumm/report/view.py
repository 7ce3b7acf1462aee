"""What the report shows, as plain values for the template.

Everything that comes from documents or models is text here; the template escapes all of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from globesumm.languages import LANGUAGES
from globesumm.values import (
    Document,
    Event,
    Issue,
    IssueKind,
    Round,
    Score,
    Sentence,
    Statement,
    Summary,
)


@dataclass(frozen=True, slots=True)
class Text:
    """A text with what a browser needs to set it right."""

    text: str
    language: str
    direction: str
    marked: bool = False
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """One statement and who made it."""

    outlet: str
    time: str
    language: str
    said: Text


@dataclass(frozen=True, slots=True)
class Found:
    """One issue as readers see it."""

    differs: str
    cause: str
    note: str
    statements: tuple[Said, ...]
    document_count: int


@dataclass(frozen=True, slots=True)
class Row:
    """One document of the timeline."""

    number: int
    id: str
    time: str
    language: str
    outlet: str
    title: Text
    link: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prefix:
    """One round: the summary of everything up to a document."""

    index: int
    added: str
    sentences: tuple[Text, ...]
    counts: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """One recipe's account of an event."""

    recipe: str
    model: str
    target: str
    prefixes: tuple[Prefix, ...]
    issues: dict[str, tuple[Found, ...]]
    notes: tuple[str, ...]

    @property
    def last(self) -> Prefix:
        return self.prefixes[-1]


@dataclass(frozen=True, slots=True)
class Page:
    """One event with every recipe's account of it."""

    id: str
    description: str
    documents: tuple[Row, ...]
    languages: tuple[str, ...]
    references: tuple[Text, ...]
    accounts: tuple[Told, ...]


def page(event: Event, summaries: Sequence[Summary]) -> Page:
    """The view of one event."""
    numbers = {document.id: number for number, document in enumerate(event.documents, 1)}
    return Page(
        id=event.id,
        description=event.description,
        documents=tuple(_row(document, numbers[document.id]) for document in event.documents),
        languages=tuple(sorted({document.language for document in event.documents})),
        references=tuple(as_text(text, event.reference_language) for text in event.references),
        accounts=tuple(_told(event, summary, numbers) for summary in summaries),
    )


def score_groups(scores: Sequence[Score]) -> list[tuple[str, list[Score]]]:
    """Scores by recipe, in the order in which recipes first occur."""
    groups: dict[str, list[Score]] = {}
    for score in scores:
        groups.setdefault(score.recipe or "candidates", []).append(score)
    return list(groups.items())


def _row(document: Document, number: int) -> Row:
    return Row(
        number=number,
        id=document.id,
        time=_time(document),
        language=language_name(document.language),
        outlet=document.source or "–",
        title=as_text(document.title or document.id, document.language),
        link=_safe_link(document.url),
        notes=document.notes,
    )


def _told(event: Event, summary: Summary, numbers: dict[str, int]) -> Told:
    whole = Round(index=0, documents=(), added=(), summary=summary.text)
    rounds = summary.rounds or (whole,)
    issues = rounds[-1].issues
    documents = {document.id: document for document in event.documents}
    return Told(
        recipe=summary.recipe,
        model=summary.model,
        target=summary.target,
        prefixes=tuple(
            Prefix(
                index=round_.index,
                added=", ".join(f"{numbers.get(name, '?')}" for name in round_.added),
                sentences=_sentences(round_.sentences, round_.summary, summary.target, numbers),
                counts=", ".join(
                    f"{sum(issue.kind is kind for issue in round_.issues)} {_PLURAL[kind]}"
                    for kind in IssueKind
                ),
                notes=round_.notes,
            )
            for round_ in rounds
        ),
        issues={
            _PLURAL[kind]: tuple(_found(issue, documents) for issue in issues if issue.kind is kind)
            for kind in (IssueKind.CONFLICT, IssueKind.REDUNDANCY, IssueKind.OMISSION)
        },
        notes=summary.notes,
    )


_PLURAL = {
    IssueKind.REDUNDANCY: "redundancies",
    IssueKind.OMISSION: "omissions",
    IssueKind.CONFLICT: "conflicts",
}


def _sentences(
    sentences: Sequence[Sentence], summary: str, target: str, numbers: dict[str, int]
) -> tuple[Text, ...]:
    if not sentences:
        return tuple(as_text(line, target) for line in summary.splitlines() if line.strip())
    return tuple(
        as_text(
            sentence.text,
            sentence.language,
            marked=sentence.language != target,
            sources=_sources(sentence, numbers),
        )
        for sentence in sentences
    )


def _sources(sentence: Sentence, numbers: dict[str, int]) -> tuple[str, ...]:
    """The numbers of the documents a sentence rests on, in the order of the timeline."""
    named = {statement.document for statement in sentence.statements}
    known = sorted(numbers[name] for name in named if name in numbers)
    return (*map(str, known), *sorted(named - numbers.keys()))


def _found(issue: Issue, documents: dict[str, Document]) -> Found:
    return Found(
        differs=issue.differs or "",
        cause=str(issue.cause or ""),
        note=issue.note or "",
        statements=tuple(_said(statement, documents) for statement in issue.statements),
        document_count=len({statement.document for statement in issue.statements}),
    )


def _said(statement: Statement, documents: dict[str, Document]) -> Said:
    document = documents.get(statement.document)
    return Said(
        outlet=(document.source if document else None) or statement.document,
        time=_time(document) if document else "",
        language=language_name(statement.language),
        said=as_text(statement.text, statement.language),
    )


def as_text(
    text: str, language: str, *, marked: bool = False, sources: tuple[str, ...] = ()
) -> Text:
    """The text with its direction; "auto" for a language that is not known."""
    row = LANGUAGES.get(language)
    # Where the language is unknown the browser judges by the first strong letter.
    direction = row.direction if row else "auto"
    return Text(text, language if row else "", direction, marked, sources)


def language_name(code: str) -> str:
    """The English name of a language."""
    row = LANGUAGES.get(code)
    return row.name if row else "unknown language"


def _time(document: Document) -> str:
    if document.published is None:
        return "undated"
    return document.published.strftime("%Y-%m-%d %H:%M UTC")


def _safe_link(url: str | None) -> str:
    """`url` if a click on it can only open a web page, else nothing."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return ""
    safe = parts.scheme in {"http", "https"} and parts.netloc and (url or "").isprintable()
    return url or "" if safe else ""
