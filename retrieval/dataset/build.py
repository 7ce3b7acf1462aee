"""From events to a data set, or to a larger one: what is there keeps its split and its texts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.values import Document, Event
from retrieval.dataset import links as linking
from retrieval.dataset.addresses import Address, addresses
from retrieval.dataset.checks import Finding, checked
from retrieval.dataset.folder import Folder, made
from retrieval.dataset.schema import VERSION
from retrieval.dataset.splits import SPLITS, assign, leaks
from retrieval.dataset.statistics import Statistics
from retrieval.dataset.stories import among
from retrieval.dataset.takedown import Takedown, told
from retrieval.dataset.writing import Contents, write
from retrieval.event import event_of

NAME = "News events in many languages"
LICENCE = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a data set is built: `seed` draws the splits, `texts` is False for addresses alone."""

    seed: int = 0
    texts: bool = True
    name: str = NAME
    licence: str = LICENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What became of the events.

    `added` events and documents are new, `kept` known documents whose new text was not taken;
    `taken` counts documents by takedown entry, `idle` are entries that met nothing.
    """

    statistics: Statistics
    added_events: int
    added_documents: int
    kept: int
    left_out: tuple[Finding, ...]
    findings: Mapping[str, int]
    leaks: int
    taken: Mapping[str, int]
    idle: tuple[str, ...]
    unplotted: str | None


@dataclass(frozen=True, slots=True)
class _Merged:
    events: list[Event]
    new: frozenset[tuple[str, str]]
    """(event, document) that were not there."""
    kept: int


def build(
    events: Sequence[Event],
    out: Path,
    settings: Settings,
    takedown: Takedown | None = None,
    *,
    known: Mapping[str, str] | None = None,
    related: Sequence[linking.Link] = (),
) -> Built:
    """Add `events` to the data set in `out`, or begin one; the same call twice changes nothing.

    `known` are splits that events have from elsewhere (a rehydrated data set), `related` ties
    between events that only others know of (see `retrieval.dataset.stories`).  Raises
    `RunMismatch` where `out` was built with another seed or form, `UsageError` where it is
    something else or would be empty.
    """
    folder = Folder(out)
    with folder.alone():
        folder.begin(made(settings.seed, texts=settings.texts, version=VERSION))
        return _build(
            events, folder, settings, takedown or Takedown(), known=known or {}, related=related
        )


def _build(
    events: Sequence[Event],
    folder: Folder,
    settings: Settings,
    takedown: Takedown,
    *,
    known: Mapping[str, str],
    related: Sequence[linking.Link],
) -> Built:
    old = folder.events()
    splits = {**known, **folder.known()}
    unknown = set(splits.values()) - set(SPLITS)
    if unknown:
        raise UsageError(f"{folder.out}: there is no split {min(unknown)[:40]!r}")
    takedown.removed |= folder.memory()
    incoming, findings = checked(takedown.apply(events))
    merged = _merged(takedown.apply(old), incoming)
    merged, found, more = _without_leaks(merged, splits, related)
    findings += more
    groups = linking.groups(merged.events, found)
    splits, more = assign(groups, splits, settings.seed)
    findings += more
    kept = [event for event in merged.events if event.id in splits]
    if not kept:
        raise UsageError(f"{folder.out}: no event is left to be in the data set")
    findings = _all_findings(folder.findings(), findings, kept)
    between = leaks(found, splits)
    written = write(
        folder,
        Contents(
            events=kept,
            splits=splits,
            groups=groups,
            rows=_rows(folder, kept, splits) if not settings.texts else (),
            findings=findings,
            leaks=between,
            removed=takedown.removed,
            links=linking.signature(),
            seed=settings.seed,
            name=settings.name,
            licence=settings.licence,
            texts=settings.texts,
        ),
    )
    there = {event.id for event in old}
    documents = {(event.id, one.id) for event in kept for one in event.documents}
    return Built(
        statistics=written.statistics,
        added_events=sum(event.id not in there for event in kept),
        added_documents=len(merged.new & documents),
        kept=merged.kept,
        left_out=tuple(one for one in findings if one.left_out),
        findings=Counter(one.kind for one in findings),
        leaks=len(between),
        taken=told(takedown),
        idle=tuple(takedown.idle),
        unplotted=written.unplotted,
    )


def _merged(old: Sequence[Event], incoming: Sequence[Event]) -> _Merged:
    """Old events with the new documents of their namesakes, then new events, by id."""
    by_id = {event.id: event for event in old}
    new: set[tuple[str, str]] = set()
    kept = 0
    for event in incoming:
        there = by_id.get(event.id)
        if there is None:
            by_id[event.id] = event
            new |= {(event.id, one.id) for one in event.documents}
            continue
        texts = {one.id: one for one in there.documents}
        added = [one for one in event.documents if one.id not in texts]
        kept += sum(
            bool(texts[one.id].text) and one != texts[one.id]
            for one in event.documents
            if one.id in texts
        )
        new |= {(event.id, one.id) for one in added}
        if not any(one.text for one in there.documents):
            # A data set without texts: the new ones lend the links their words.
            given = {one.id for one in event.documents}
            rest = [one for one in there.documents if one.id not in given]
            by_id[event.id] = _joined(event, rest)
        elif added:
            by_id[event.id] = _joined(there, added)
    return _Merged([by_id[name] for name in sorted(by_id)], frozenset(new), kept)


def _joined(event: Event, added: Sequence[Document]) -> Event:
    documents = event_of([*event.documents, *added], id=event.id).documents
    return replace(event, documents=documents)


def _without_leaks(
    merged: _Merged, splits: Mapping[str, str], related: Sequence[linking.Link]
) -> tuple[_Merged, list[linking.Link], list[Finding]]:
    """Leave out new documents of known events that would tie two splits together."""
    found = _linked(merged.events, related)
    gone: dict[tuple[str, str], Finding] = {}
    for link in leaks(found, splits):
        for owner, document in ((link.left, link.left_document), (link.right, link.right_document)):
            if document is not None and (owner, document) in merged.new:
                gone[owner, document] = Finding(
                    event=owner,
                    document=document,
                    kind="between splits",
                    detail=link.why,
                    left_out=True,
                )
                break
    if not gone:
        return merged, found, []
    events = []
    for event in merged.events:
        left = tuple(one for one in event.documents if (event.id, one.id) not in gone)
        if left:
            events.append(replace(event, documents=left))
    rest = _Merged(events, merged.new - gone.keys(), merged.kept)
    return rest, _linked(rest.events, related), list(gone.values())


def _linked(events: Sequence[Event], related: Sequence[linking.Link]) -> list[linking.Link]:
    return [*linking.links(events), *among(related, (event.id for event in events))]


def _all_findings(
    old: Sequence[Finding], new: Sequence[Finding], events: Sequence[Event]
) -> list[Finding]:
    """What this build and earlier ones found, except of what has become a member since."""
    members = {(event.id, one.id) for event in events for one in event.documents}
    names = {event.id for event in events}
    held = [
        one
        for one in {*old, *new}
        if not one.left_out
        or ((one.event, one.document) not in members if one.document else one.event not in names)
        or one.kind.endswith(" twice")
    ]
    return sorted(held, key=lambda one: (one.event, one.document or "", one.kind, one.detail or ""))


def _rows(folder: Folder, events: Sequence[Event], splits: Mapping[str, str]) -> list[Address]:
    """A row for each document; a row that is there stays as it is."""
    there = {(row.event, row.document): row for row in folder.rows()}
    made_now = addresses(events, splits)
    return [there.get((row.event, row.document), row) for row in made_now]
