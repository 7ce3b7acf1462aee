"""From candidates and verdicts to events; whatever is left out has its reason."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from globesumm.values import Document, Event
from retrieval.duplicates.near import near_duplicates, trust
from retrieval.event import event_of
from retrieval.events.candidates import Candidate
from retrieval.events.judging import Verdict
from retrieval.events.settings import KeepTable
from retrieval.portal.values import PortalEvent
from retrieval.url import host_of

TAKEN = "taken"
UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What became of one candidate: `kind` is the short name of the reason, ``"taken"`` if kept."""

    event: str
    document: str
    language: str
    rank: int
    kind: str
    reason: str

    @property
    def taken(self) -> bool:
        return self.kind == TAKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """An event that is not kept, with how much it has and why that is too little."""

    event: str
    documents: int
    languages: int
    reason: str


@dataclass(slots=True, kw_only=True)
class Choice:
    """The events kept, those left out, and a decision for each candidate."""

    events: list[Event] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surplus:
    """A candidate whose story was told by enough others already, `of` the first of them."""

    event: str
    document: str
    of: str


def surplus_of(
    candidates: Iterable[Candidate], documents: Mapping[str, Document], most: int
) -> list[Surplus]:
    """The candidates, event by event, that repeat a story which `most` others tell already.

    Near-duplicates in one language are one story, of which the earliest are kept (see
    `retrieval.duplicates.near`).  With `most` 0 there is no cap.
    """
    if not most:
        return []
    by_event: dict[str, dict[str, Document]] = {}
    for one in candidates:
        by_event.setdefault(one.event, {})[one.document] = documents[one.document]
    found: list[Surplus] = []
    for event, own in by_event.items():
        first = {copy.document: copy.of for copy in near_duplicates(own.values())}
        told: Counter[str] = Counter()
        for document in sorted(own.values(), key=trust):
            story = first.get(document.id, document.id)
            told[story] += 1
            if told[story] > most:
                found.append(Surplus(event=event, document=document.id, of=story))
    return found


def publisher(document: Document) -> str | None:
    """Who publishes a document: its host, else the outlet it names; None where neither is known."""
    if document.url and (host := host_of(document.url)):
        return host
    return document.source.casefold().strip() or None if document.source else None


def choose(
    events: Sequence[PortalEvent],
    candidates: Iterable[Candidate],
    documents: Mapping[str, Document],
    verdicts: Mapping[tuple[str, str], Verdict],
    keep: KeepTable,
    *,
    surplus: Iterable[Surplus] = (),
    unjudged: bool = False,
) -> Choice:
    """The events that have enough verified documents, oldest report first in each.

    A candidate is taken if its verdict is yes (or, with `unjudged`, if it has none) and neither
    its story nor its publisher has had its share; better ranks come first.
    """
    choice = Choice()
    by_event: dict[str, list[Candidate]] = {event.id: [] for event in events}
    for candidate in candidates:
        by_event[candidate.event].append(candidate)
    copies = {(one.event, one.document): one.of for one in surplus}
    judged = _Judging(copies=copies, verdicts=verdicts, unjudged=unjudged)
    homes = {} if keep.shared else _homes(events, by_event, judged)
    for event in events:
        mine = by_event[event.id]
        made = list(_decided(mine, documents, judged, homes, keep))
        choice.decisions += made
        taken = [decision for decision in made if decision.taken]
        if (lacking := _lacking(taken, keep)) is not None:
            choice.left_out.append(_left_out(event, taken, lacking))
        else:
            choice.events.append(_event(event, taken, documents, verdicts))
    return choice


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judging:
    """What is known of each (event, document): the story it repeats, and the verdict on it."""

    copies: Mapping[tuple[str, str], str]
    verdicts: Mapping[tuple[str, str], Verdict]
    unjudged: bool

    def of(self, candidate: Candidate) -> tuple[str, str]:
        """Kind and reason, as far as the candidate by itself decides."""
        key = (candidate.event, candidate.document)
        if key in self.copies:
            return "story", f"tells the story of {self.copies[key]} again"
        verdict = self.verdicts.get(key)
        if verdict is None or verdict.relevant is None:
            why = "nobody judged it" if verdict is None else f"not decided: {verdict.note}"
            return (TAKEN, f"{UNVERIFIED}: {why}") if self.unjudged else ("not judged", why)
        if not verdict.relevant:
            return "not relevant", f"none of the criteria, says {verdict.judge}"
        return TAKEN, f"{', '.join(verdict.met) or 'relevant'}, says {verdict.judge}"


def _homes(
    events: Sequence[PortalEvent],
    by_event: Mapping[str, Sequence[Candidate]],
    judged: _Judging,
) -> dict[str, str]:
    """The event of each document that could be taken: the best rank, then the nearest day."""
    best: dict[str, tuple[int, int, int]] = {}
    homes: dict[str, str] = {}
    for place, event in enumerate(events):
        for one in by_event[event.id]:
            if judged.of(one)[0] != TAKEN:
                continue
            days = abs((one.published.date() - event.date).days) if one.published else 0
            fit = (one.rank, days, place)
            if one.document not in best or fit < best[one.document]:
                best[one.document], homes[one.document] = fit, event.id
    return homes


def _decided(
    candidates: Sequence[Candidate],
    documents: Mapping[str, Document],
    judged: _Judging,
    homes: Mapping[str, str],
    keep: KeepTable,
) -> Iterator[Decision]:
    outlets: Counter[str] = Counter()
    for candidate in sorted(candidates, key=lambda one: (one.rank, one.language, one.document)):
        kind, reason = judged.of(candidate)
        home = homes.get(candidate.document, candidate.event)
        outlet = publisher(documents[candidate.document])
        if kind == TAKEN and home != candidate.event:
            kind, reason = "other event", f"fits the event {home} better"
        elif kind == TAKEN and outlet is not None:
            if keep.per_publisher and outlets[outlet] >= keep.per_publisher:
                kind = "publisher"
                reason = f"{outlet} has {keep.per_publisher} better ranked reports already"
            else:
                outlets[outlet] += 1
        yield Decision(
            event=candidate.event,
            document=candidate.document,
            language=candidate.language,
            rank=candidate.rank,
            kind=kind,
            reason=reason,
        )


def _lacking(taken: Sequence[Decision], keep: KeepTable) -> str | None:
    languages = len({decision.language for decision in taken})
    if len(taken) < keep.documents:
        return f"fewer than {keep.documents} documents"
    return f"fewer than {keep.languages} languages" if languages < keep.languages else None


def _left_out(event: PortalEvent, taken: Sequence[Decision], reason: str) -> LeftOut:
    return LeftOut(
        event=event.id,
        documents=len(taken),
        languages=len({decision.language for decision in taken}),
        reason=reason,
    )


def _event(
    event: PortalEvent,
    taken: Sequence[Decision],
    documents: Mapping[str, Document],
    verdicts: Mapping[tuple[str, str], Verdict],
) -> Event:
    made = event_of(
        [documents[decision.document] for decision in taken],
        id=event.id,
        description=event.description,
        date=datetime(event.date.year, event.date.month, event.date.day, tzinfo=UTC),
    )
    judges: Counter[str] = Counter()
    for decision in taken:
        verdict = verdicts.get((event.id, decision.document))
        judged = verdict is not None and verdict.relevant is not None
        judges[verdict.judge if verdict and judged else UNVERIFIED] += 1
    notes = [
        f"{count} of {len(taken)} documents {UNVERIFIED}"
        if who == UNVERIFIED
        else f"{count} of {len(taken)} documents verified by {who}"
        for who, count in sorted(judges.items())
    ]
    return Event(
        id=made.id,
        description=made.description,
        documents=made.documents,
        date=made.date,
        category=event.category or event.heading,
        notes=(*event.notes, *notes),
    )
