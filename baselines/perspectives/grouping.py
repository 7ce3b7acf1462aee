"""Sides of one's own events: documents grouped by language, country, outlet, or any column.

The perspective paper's sides are left and right; a table of outlets may say anything of them
(leaning, ownership, state affiliation), and documents say their language and outlet themselves.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from baselines.perspectives.checking import LEAST, Found, checked, refused
from baselines.perspectives.values import Side, Topic
from globesumm.errors import UnknownName
from globesumm.languages import UNKNOWN
from globesumm.values import Document, Event, Rejected

FIELDS: Mapping[str, Callable[[Document], str | None]] = {
    "language": lambda one: None if one.language == UNKNOWN else one.language,
    "outlet": lambda one: one.source or (one.outlet.domain if one.outlet else None),
    "country": lambda one: one.outlet.country if one.outlet else None,
    "agency": lambda one: one.outlet.agency if one.outlet else None,
}
"""What documents know without a table of one's own; any other field is a column of outlets."""


def value_of(document: Document, by: str) -> str | None:
    """What `document` says of the field `by`; None where nothing is known."""
    if by in FIELDS:
        return FIELDS[by](document)
    return document.outlet.facts.get(by) if document.outlet else None


def columns(events: Iterable[Event]) -> list[str]:
    """Every field that documents could be grouped by, those of outlets included."""
    found = {
        name
        for event in events
        for document in event.documents
        if document.outlet
        for name in document.outlet.facts
    }
    return [*FIELDS, *sorted(found - set(FIELDS))]


def grouped(events: Iterable[Event], by: str, *, least: int = LEAST) -> Iterator[Topic | Rejected]:
    """A topic of each event whose sides are its documents grouped by the field `by`.

    Documents of which the field is not known, and sides of fewer than `least` documents, are
    left out and named in the topic's notes; an event of which fewer than two sides remain is
    `Rejected`.  Sides come with most documents first, equals by name.  Raises `UnknownName` for
    a field that no document has.
    """
    held = list(events)
    if by not in columns(held):
        raise UnknownName("field to group by", by, columns(held))
    yield from checked(_found(held, by, least), least=least, detect=False)


def _found(events: list[Event], by: str, least: int) -> Iterator[Found | Rejected]:
    for event in events:
        groups: dict[str, list[Document]] = {}
        unknown = 0
        for document in event.documents:
            value = value_of(document, by)
            if value is None or not value.strip():
                unknown += 1
            else:
                groups.setdefault(value.strip(), []).append(document)
        counts = Counter({name: len(found) for name, found in groups.items()})
        kept = sorted((n for n in counts if counts[n] >= least), key=lambda n: (-counts[n], n))
        notes = [f"{unknown} documents have no {by}"] if unknown else []
        small = [f"{name} ({counts[name]})" for name in sorted(counts) if counts[name] < least]
        if small:
            notes.append(f"sides of fewer than {least} documents left out: {', '.join(small)}")
        where = f"event {event.id}"
        if len(kept) < 2:
            told = "; ".join(notes)
            reason = (
                f"{len(kept)} of {len(counts)} sides by {by} have {least} documents or more, and "
                "two are needed: --least asks for fewer"
            )
            yield refused(where, "missing-side", f"{reason}{f' ({told})' if told else ''}")
            continue
        yield Found(
            where=where,
            topic=Topic(
                id=event.id,
                topic=event.description or event.id,
                sides=tuple(Side(name=name, documents=tuple(groups[name])) for name in kept),
                reference_language=event.reference_language,
                notes=tuple(notes),
            ),
        )
