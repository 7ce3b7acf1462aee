"""Which of the events are used, and how much of each: the experiment's ``[slice]``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from annotation.passages import in_order
from globesumm import languages
from globesumm.config import Slice
from globesumm.errors import UnknownName, UsageError
from globesumm.values import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Sliced:
    """The events that are left, and a line on each kind of thing that was left out."""

    events: tuple[Event, ...]
    left_out: tuple[str, ...]


def sliced(events: Sequence[Event], slice: Slice) -> Sliced:  # noqa: A002 (the table's name)
    """`events` cut as `slice` says, in their order.

    An event of which documents were left out says so in its notes, since its references speak
    of all of them.  Raises `UnknownName` for an id, category or language that no event has, and
    `UsageError` where nothing is left.
    """
    known = {
        "event id": (slice.ids, {event.id for event in events}),
        "category": (slice.categories, {event.category for event in events if event.category}),
    }
    for kind, (named, there) in known.items():
        for name in named:
            if name not in there:
                raise UnknownName(kind, name, there, where="[slice]")
    spoken = tuple(languages.parse(code) for code in slice.languages)
    wanted = [event for event in events if _is_wanted(event, slice)]
    cut = [_cut(event, slice, spoken) for event in wanted]
    kept = [event for event in cut if event.documents]
    told = list(_told(events, wanted, kept, slice))
    if slice.events is not None and len(kept) > slice.events:
        told.append(f"{len(kept) - slice.events} events beyond the first {slice.events}")
        kept = kept[: slice.events]
    if not kept:
        raise UsageError(
            f"[slice] leaves none of {len(events)} events ({'; '.join(told)}): widen it"
        )
    return Sliced(events=tuple(kept), left_out=tuple(told))


def _is_wanted(event: Event, slice: Slice) -> bool:  # noqa: A002 (the table's name)
    day = event.date.date() if event.date else None
    return (
        (not slice.ids or event.id in slice.ids)
        and (not slice.categories or event.category in slice.categories)
        and (slice.since is None or (day is not None and day >= slice.since))
        and (slice.until is None or (day is not None and day <= slice.until))
    )


def _cut(event: Event, slice: Slice, spoken: Sequence[str]) -> Event:  # noqa: A002 (the table's name)
    documents = in_order(event.documents)
    if spoken:
        documents = [document for document in documents if document.language in spoken]
    documents = documents[: slice.documents]
    if len(documents) == len(event.documents):
        return event
    note = (
        f"slice: {len(documents)} of {len(event.documents)} documents; references and conflicts "
        "speak of all"
    )
    return replace(event, documents=tuple(documents), notes=(*event.notes, note))


def _told(
    events: Sequence[Event],
    wanted: Sequence[Event],
    kept: Sequence[Event],
    slice: Slice,  # noqa: A002 (the table's name)
) -> Iterator[str]:
    if len(wanted) < len(events):
        yield f"{len(events) - len(wanted)} events not chosen"
    undated = sum(event.date is None for event in events)
    if undated and (slice.since or slice.until):
        yield f"{undated} of them without a date, so neither before nor after any day"
    if len(kept) < len(wanted):
        yield f"{len(wanted) - len(kept)} events without a document left"
    documents = sum(len(event.documents) for event in wanted)
    left = sum(len(event.documents) for event in kept)
    if left < documents:
        yield f"{documents - left} of {documents} documents"
