"""From reports seen to the event's documents; whatever is left out has its reason."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from baselines.briefs.asked import Request
from baselines.briefs.searching import Seen
from globesumm.finite import counted
from globesumm.text.details import details
from globesumm.values import Document
from retrieval.duplicates.near import near_duplicates
from retrieval.events.choosing import publisher
from retrieval.finish import digest
from retrieval.url import is_web, normal

PER_PUBLISHER = 2
"""Reports of one publisher that are taken of what was found, unless another number is asked."""

TAKEN = "taken"
OTHER = "another event"
CHOICE = "choice.jsonl"
"""In the folder ``brief`` of a run: a `Fate` a line, of all looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What became of one report: `kind` is the short name of the reason, ``"taken"`` if kept."""

    document: str
    language: str
    how: str
    kind: str
    reason: str
    title: str | None = None
    source: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The documents taken now, and the fate of everything that was seen and is not held yet."""

    documents: tuple[Document, ...]
    fates: tuple[Fate, ...]

    def left(self) -> Counter[str]:
        """How many were left out, by the reason."""
        return Counter(one.kind for one in self.fates if one.kind != TAKEN)


def fresh(held: Sequence[Document], seen: Iterable[Seen], now: datetime) -> list[Seen]:
    """What of `seen` the event does not hold, each report once; by its id, and its address.

    A report that is held and whose text has other figures by now is a later report, with an id
    of its own; it is of its last change where that is stated, else of `now`.
    """
    by_id = {one.id: one for one in held}
    ids = set(by_id)
    places = {place for one in held if (place := _place(one))}
    found: list[Seen] = []
    for one in seen:
        place = _place(one.document)
        earlier = by_id.get(one.document.id)
        if earlier is not None:
            later = _later(earlier, one, now)
            if later is not None and later.document.id not in ids:
                ids.add(later.document.id)
                found.append(later)
            continue
        if one.document.id in ids or (place and place in places):
            continue
        ids.add(one.document.id)
        places |= {place} if place else set()
        found.append(one)
    return found


def _later(earlier: Document, one: Seen, now: datetime) -> Seen | None:
    """The report as a later one; None where it gives the same figures."""
    document = one.document
    if document.text == earlier.text or _figures(document) == _figures(earlier):
        return None
    changed = document.modified
    if changed is None or (earlier.published and changed <= earlier.published):
        changed = now
    note = f"a later text of {earlier.id!r}, with other figures"
    return replace(
        one,
        later_of=earlier.id,
        document=replace(
            document,
            id=f"{earlier.id}.{digest(document.text)[:8]}",
            published=changed,
            notes=tuple(dict.fromkeys((*document.notes, note))),
        ),
    )


def _figures(document: Document) -> list[tuple[str, str]]:
    """The quantities of a text with their signs, in order of size: what a correction turns on."""
    found = details(document.text, document.language).quantities
    return sorted((str(one.value), str(one.kind)) for one in found if not one.soft)


def asked_for(request: Request, seen: Iterable[Seen]) -> tuple[list[Seen], list[Fate]]:
    """What is in the languages and of the days asked for, and the fates of the others."""
    kept: list[Seen] = []
    fates: list[Fate] = []
    for one in seen:
        if (why := _not_asked(request, one.document)) is None:
            kept.append(one)
        else:
            fates.append(fate(one, *why))
    return kept, fates


def _not_asked(request: Request, document: Document) -> tuple[str, str] | None:
    if request.languages and document.language not in request.languages:
        return "language", f"in {document.language}, which was not asked for"
    if request.since is None and request.until is None:
        return None
    if document.published is None:
        return None if request.undated else ("undated", "has no date, so its day is not known")
    day = document.published.date()
    if request.since and day < request.since:
        return "day", f"of {day}, before --since {request.since}"
    if request.until and day > request.until:
        return "day", f"of {day}, after --until {request.until}"
    return None


def choose(request: Request, held: Sequence[Document], seen: Sequence[Seen]) -> Chosen:
    """What of `seen`, all of it of the event, is taken beside what the event holds.

    Near-copies of what is held, or of an earlier report, are left out; then publishers have
    their share, better ranks first, and at most ``request.most`` are had in all.
    """
    copies = _copies(held, [one.document for one in seen])
    shares: Counter[str] = Counter()
    for document in held:
        if (name := publisher(document)) is not None:
            shares[name] += 1
    taken: list[Document] = []
    fates: list[Fate] = []
    for one in sorted(seen, key=_first):
        why = _left_out(request, one, copies, shares, len(held) + len(taken))
        if why is None:
            taken.append(one.document)
            if (name := publisher(one.document)) is not None:
                shares[name] += 1
        fates.append(fate(one, *(why or (TAKEN, one.how))))
    return Chosen(documents=tuple(taken), fates=tuple(fates))


def _first(one: Seen) -> tuple[bool, int, float, str]:
    """What a person named first, then the best of each language, then earlier reports."""
    time = one.document.published.timestamp() if one.document.published else float("inf")
    return not one.named, one.rank or 1_000_000, time, one.document.id


def _left_out(
    request: Request, one: Seen, copies: dict[str, str], shares: Counter[str], count: int
) -> tuple[str, str] | None:
    if one.later_of:
        return None
    if of := copies.get(one.document.id):
        return "near-copy", f"a near-copy of {of}"
    most = request.per_publisher
    if most is None:
        most = 0 if one.named else PER_PUBLISHER
    outlet = publisher(one.document)
    if most and outlet is not None and shares[outlet] >= most:
        return "publisher", f"{outlet} has {counted(most, 'report')} already (--per-publisher)"
    if request.most and count >= request.most and not one.named:
        return "most", f"the brief has {counted(request.most, 'report')} already (--most)"
    return None


def _copies(held: Sequence[Document], new: Sequence[Document]) -> dict[str, str]:
    """New document → what it is a near-copy of; what is held stays, whoever came first."""
    mine = {one.id for one in held}
    copies: dict[str, str] = {}
    for copy in near_duplicates([*held, *new]):
        if copy.document not in mine:
            copies[copy.document] = copy.of
        elif copy.of not in mine:
            copies[copy.of] = copy.document
    return {name: _root(name, copies) for name in copies}


def _root(name: str, copies: dict[str, str]) -> str:
    passed = {name}
    while (of := copies.get(name)) is not None and of not in passed:
        passed.add(of)
        name = of
    return name


def fate(one: Seen, kind: str, reason: str) -> Fate:
    """The row of one report."""
    document = one.document
    return Fate(
        document=document.id,
        language=document.language,
        how=one.how,
        kind=kind,
        reason=reason,
        title=document.title,
        source=document.source,
        url=document.url,
    )


def told(fates: Iterable[Fate]) -> Iterator[str]:
    """How many reports were left out for each reason, a line a reason, with examples."""
    by_kind: dict[str, list[Fate]] = {}
    for one in fates:
        if one.kind != TAKEN:
            by_kind.setdefault(one.kind, []).append(one)
    for kind, some in by_kind.items():
        names = ", ".join(one.document for one in some[:3])
        more = f" and {len(some) - 3} more" if len(some) > 3 else ""
        yield f"{len(some)} left out ({kind}): {names}{more}"


def _place(document: Document) -> str | None:
    return normal(document.url) if document.url and is_web(document.url) else None
