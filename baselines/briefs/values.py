"""What stands in a brief."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from baselines.citations import Standing
from baselines.ledger import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One sentence of the summary: `sources` are the numbers of the reports that say so.

    `languages` are those of these reports.  `figures` are numbers and times of the sentence that
    no cited sentence gives.
    """

    text: str
    language: str
    standing: Standing
    sources: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What reports say in common, or one alone: the sentence of one of them, and who says so.

    `conflicts` are the numbers of those in which these very reports take different sides, so that
    they speak of the same and do not agree.
    """

    text: str
    language: str
    sources: tuple[int, ...]
    languages: tuple[str, ...]
    conflicts: tuple[int, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """What the report `source` tells alone, and which common claims it lacks (places from 1).

    A claim counts as lacking only if two others had told it by then.
    """

    source: int
    alone: tuple[Claim, ...]
    lacks: tuple[int, ...]


class CorrectionKind(StrEnum):
    """What became of a sentence that an earlier version of the summary held."""

    OTHERWISE = "says otherwise"
    DROPPED = "no longer says"


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A sentence `before` of version `version`; `now` is what the next one says in its place.

    `round` is the one whose summary it stood in; `sources` are the reports that it rested on, as
    "outlet, time", `because` those that the next version added; `at` is when it was seen.
    """

    kind: CorrectionKind
    version: int
    round: int
    at: datetime
    before: str
    language: str
    sources: tuple[str, ...]
    now: str | None = None
    now_language: str | None = None
    now_sources: tuple[str, ...] = ()
    because: tuple[str, ...] = ()


class Turn(StrEnum):
    """What became of a conflict from one version to the next."""

    ARISES = "arises"
    CHANGES = "changes"
    SETTLED = "is settled"
    REOPENED = "is open again"
    GONE = "is no longer named"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """A conflict that `turn` befell in `version`; `about` is the detail that it turns on.

    `news` says what is new of it, `treatment` what the summary does about it then.
    """

    turn: Turn
    version: int
    at: datetime
    about: str
    news: tuple[str, ...] = ()
    treatment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One report: `share` of the supported sentences of the summary, None where none is.

    `sentences` of the summary cite it.  `notes` say what a reader must know of it: what was
    repaired or missing, a text that speaks to models.
    """

    number: int
    id: str
    outlet: str
    language: str
    title: str
    published: datetime | None = None
    country: str | None = None
    url: str | None = None
    share: float | None = None
    sentences: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """What is not there or was not measured, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """An event in one view; every list is empty where there is nothing, and `missing` says why.

    `shares` are (language, reports, share of the supported sentences).  `version` counts what
    readers were shown of this event, from 1.
    """

    event: str
    title: str
    asked: str
    recipe: str
    model: str
    target: str
    version: int
    first: datetime | None
    last: datetime | None
    summary: tuple[Line, ...]
    common: tuple[Claim, ...]
    silences: tuple[Silence, ...]
    conflicts: tuple[Entry, ...]
    turns: tuple[Turned, ...]
    corrections: tuple[Correction, ...]
    sources: tuple[Source, ...]
    shares: tuple[tuple[str, int, float | None], ...]
    missing: tuple[Missing, ...]
