"""The values that cross folder borders.

All are frozen, slotted, keyword-only dataclasses.  A value that is missing is None, with the
reason in a note; it is never NaN, zero or an empty string.  Times are aware and in UTC.
Languages are BCP-47 codes from `globesumm.languages`, ``"und"`` where unknown.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from globesumm.finite import numbers


def in_utc(time: datetime | None) -> datetime | None:
    """`time` in UTC; a time without a zone is a ValueError, since nobody knows when it was."""
    if time is None:
        return None
    if time.tzinfo is None:
        raise ValueError(f"time {time.isoformat()} has no zone")
    try:
        return time.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"time {time.isoformat()} lies beyond the calendar in UTC") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlet:
    """What tables say of the outlet at `domain`.

    `country` is an ISO 3166-1 alpha-2 code, or a name where the table has no code; `agency` is
    the name of the news agency that the outlet is; `facts` are a user's own columns (ownership,
    state affiliation).
    """

    domain: str
    country: str | None = None
    agency: str | None = None
    facts: dict[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One news report.

    `language` is the one to work with; `language_declared` is what the page or file said,
    `language_prior` what whoever pointed at it said (GDELT, for instance) and
    `language_detected` what its text looks like.  `text` holds no headline; paragraphs are
    separated by newlines.  `source` is the outlet, `authors` those the page names, `modified`
    its last change.  `outlet` is what tables of outlets say, where any were given.  `notes` say
    what was repaired or missing.
    """

    id: str
    text: str
    language: str
    title: str | None = None
    published: datetime | None = None
    source: str | None = None
    url: str | None = None
    language_declared: str | None = None
    language_detected: str | None = None
    notes: tuple[str, ...] = ()
    modified: datetime | None = None
    authors: tuple[str, ...] = ()
    language_prior: str | None = None
    outlet: Outlet | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "published", in_utc(self.published))
        object.__setattr__(self, "modified", in_utc(self.modified))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """Something that could not become a value, with what it was and why; never just dropped.

    `kind` is the short, stable name of the reason where rejections are counted by it
    (``"consent-page"``); `url` and `language` are those of a rejected page where known.
    """

    where: str
    reason: str
    excerpt: str | None = None
    kind: str | None = None
    url: str | None = None
    language: str | None = None


class IssueKind(StrEnum):
    """What two reports of one event can do to each other (GlobeSumm, 2.3 and table 12)."""

    REDUNDANCY = "redundancy"
    OMISSION = "omission"
    CONFLICT = "conflict"


class ConflictCause(StrEnum):
    """Why two reports contradict each other (GlobeSumm, figure 6 and table 12)."""

    UPDATE = "update"
    PERSPECTIVE = "perspective"
    LANGUAGE = "language"
    ERROR = "error"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence of one document: who says what.  `index` is its 1-based place there."""

    document: str
    index: int
    language: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """A redundancy, omission or conflict between documents.

    `statements` are the sentences involved, `differs` the detail that a conflict turns on
    (for instance ``"number: 296 / 632"``), `cause` why (None where it was not judged), and
    `note` anything a reader must know to weigh it.
    """

    kind: IssueKind
    statements: tuple[Statement, ...]
    differs: str | None = None
    cause: ConflictCause | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """How one conflict is to be settled; `issue` is its 0-based place in the round's issues."""

    issue: int
    cause: ConflictCause
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of a passage or summary with the statements it rests on (none if unknown)."""

    text: str
    language: str
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What goes into a merge: numbered sentences on behalf of one or more documents.

    `documents` are the ids spoken for, oldest first.  `steps` names what was done to the
    original text (for instance ``("kis", "clp")``), empty for untouched documents.
    """

    documents: tuple[str, ...]
    language: str
    sentences: tuple[Sentence, ...]
    steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The sentences, one a line."""
        return "\n".join(sentence.text for sentence in self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One step of the recurrent loop, and the summary of the prefix that it ends.

    `documents` are all ids covered so far, oldest first, `added` the ones new in this round.
    `sentences` are the summary's sentences where the merge knows what they rest on.  `carry`
    is what the next round takes as its first passage; since that stands there as
    ``inputs[0]``, only the last round of a stored summary keeps it.
    """

    index: int
    documents: tuple[str, ...]
    added: tuple[str, ...]
    summary: str
    sentences: tuple[Sentence, ...] = ()
    issues: tuple[Issue, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    inputs: tuple[Passage, ...] = ()
    carry: Passage | None = None
    answers: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Schema x pipeline x prompting; its name, ``str(recipe)``, is like ``crs.none.direct``.

    `drafts` names how several drafts of each summary become one (``crs.none.direct.rerank``);
    None where the first is taken.
    """

    schema: str
    pipeline: str
    prompting: str
    drafts: str | None = None

    def __str__(self) -> str:
        drafts = "" if self.drafts is None else f".{self.drafts}"
        return f"{self.schema}.{self.pipeline}.{self.prompting}{drafts}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One event summarized by one recipe; `text` is the last round's summary."""

    event: str
    recipe: str
    model: str
    target: str
    text: str
    rounds: tuple[Round, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """News reports on one happening, and what people wrote about it.

    `references` are human summaries in `reference_language`; `conflicts` the standard
    conflicts people marked.
    """

    id: str
    description: str
    documents: tuple[Document, ...]
    date: datetime | None = None
    category: str | None = None
    references: tuple[str, ...] = ()
    reference_language: str = "en"
    conflicts: tuple[Issue, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "date", in_utc(self.date))


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One number about one candidate text, or the reason why there is none.

    `metric` names one column (``rouge1``); `value` is None where unscored and then `note` says
    why (no number as `globesumm.finite` has it: ValueError).  Two scores may stand in one column
    only if their `signature`s are equal.
    """

    id: str
    metric: str
    value: float | None
    signature: str
    note: str | None = None
    event: str | None = None
    recipe: str | None = None
    round: int | None = None
    language: str | None = None

    def __post_init__(self) -> None:
        numbers(() if self.value is None else (self.value,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One answer of one person or model to one labelling question."""

    task: str
    item: str
    judge: str
    answer: str
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFact:
    """One atomic fact of an event and the documents it was drawn from."""

    text: str
    language: str
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """What decides a run's results (`settings`) and what is worth knowing beside it (`facts`).

    The same `settings` resume a run folder, others are refused; `facts` (versions, digests,
    times) are recorded and may differ.
    """

    settings: dict[str, str | int | float | bool | None]
    facts: dict[str, str]
