"""What each step writes and the next one reads; one line of JSON each, by source or summary."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from globesumm.errors import DataError
from globesumm.languages import UNKNOWN
from globesumm.records import from_plain, read_plain_records
from globesumm.values import KeyFact, Rejected
from metrics.facts.sources import known_language


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A summary of the source `id`, written by `system`."""

    id: str
    summary: str
    system: str = "summaries"
    language: str = UNKNOWN
    thinking_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedFact:
    """A fact that the self-review did not keep, and why: for people or a panel to decide."""

    fact: KeyFact
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFacts:
    """The key facts of one source (None with the `reason` where there was no answer).

    `warnings`, here and below, name what in the texts speaks to a model (orders, verdicts).
    """

    source: str
    facts: tuple[KeyFact, ...] | None
    rejected: tuple[RejectedFact, ...] = ()
    reason: str | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryFacts:
    """The facts of one summary (None with the `reason`), and what the judges' votes took out.

    `digest` is that of the text they were taken from, None where it is not known.
    """

    id: str
    system: str
    facts: tuple[str, ...] | None
    discarded: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    reason: str | None = None
    digest: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """For each key fact the sentences, from 1, that state it (None with the `reason`)."""

    id: str
    system: str
    sentences: tuple[str, ...]
    key_facts: tuple[str, ...]
    matches: tuple[tuple[int, ...] | None, ...] | None
    reason: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Supported:
    """For each fact whether the source supports it, as a whole and by part.

    `evidence` is what the judge gave, `pieces` into how many the source was cut for it.
    """

    id: str
    system: str
    facts: tuple[str, ...]
    supported: tuple[bool | None, ...] | None
    by_part: tuple[dict[str, bool | None], ...] = ()
    evidence: tuple[str | None, ...] = ()
    pieces: int = 1
    reason: str | None = None
    notes: tuple[str, ...] = field(default=())
    warnings: tuple[str, ...] = ()


def read_candidates(path: Path) -> Iterator[Candidate | Rejected]:
    """Lines ``{"id", "summary", "system"?, "language"?}``; a second of one system is `Rejected`."""
    seen: set[tuple[str, str]] = set()
    for record in read_plain_records(path):
        if isinstance(record, Rejected):
            yield record
            continue
        where, plain = record
        try:
            found = from_plain(Candidate, plain, where)
        except DataError as error:
            yield Rejected(where=where, reason=str(error).removeprefix(f"{where}: "))
            continue
        if (found.system, found.id) in seen:
            reason = f"the summary of {found.id!r} by {found.system!r} was on a line before"
            yield Rejected(where=where, reason=reason)
            continue
        seen.add((found.system, found.id))
        yield replace(found, language=known_language(found.language))
