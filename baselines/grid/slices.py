"""Which of the events are used, and how much of each: the experiment's ``[slice]``."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from annotation.passages import in_order
from globesumm import languages
from globesumm.config import Slice
from globesumm.errors import UnknownName, UsageError
from globesumm.values import Event


class Slicing:
    """Cuts events as `slice` says while they come, and tells afterwards what was left out.

    An event of which documents were left out says so in its notes, since its references speak
    of all of them.
    """

    def __init__(self, slice: Slice) -> None:  # noqa: A002 (the table's name)
        self._slice = slice
        self._spoken = tuple(languages.parse(code) for code in slice.languages)
        self._ids: set[str] = set()
        self._categories: set[str] = set()
        self._counts: Counter[str] = Counter()

    def cut(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events that are left, in their order; all of `events` are looked at."""
        counts, most = self._counts, self._slice.events
        for event in events:
            counts["read"] += 1
            counts["undated"] += event.date is None
            self._ids.add(event.id)
            if event.category:
                self._categories.add(event.category)
            if not _is_wanted(event, self._slice):
                continue
            found = _cut(event, self._slice, self._spoken)
            counts["wanted"] += 1
            counts["documents"] += len(event.documents)
            if not found.documents:
                continue
            counts["left"] += 1
            counts["documents left"] += len(found.documents)
            if most is None or counts["left"] <= most:
                yield found

    def told(self) -> tuple[str, ...]:
        """What was left out, once all events were cut.

        Raises `UnknownName` for an id or category that no event has, and `UsageError` where
        nothing is left.
        """
        known = {
            "event id": (self._slice.ids, self._ids),
            "category": (self._slice.categories, self._categories),
        }
        for kind, (named, there) in known.items():
            for name in named:
                if name not in there:
                    raise UnknownName(kind, name, there, where="[slice]")
        lines = tuple(self._lines())
        if not self._counts["left"]:
            raise UsageError(
                f"[slice] leaves none of {self._counts['read']} events ({'; '.join(lines)}): "
                "widen it"
            )
        return lines

    def _lines(self) -> Iterator[str]:
        counts, cutting = self._counts, self._slice
        if others := counts["read"] - counts["wanted"]:
            yield f"{others} events not chosen"
        if counts["undated"] and (cutting.since or cutting.until):
            yield f"{counts['undated']} of them without a date, so neither before nor after any day"
        if emptied := counts["wanted"] - counts["left"]:
            yield f"{emptied} events without a document left"
        if cut := counts["documents"] - counts["documents left"]:
            yield f"{cut} of {counts['documents']} documents"
        if cutting.events is not None and counts["left"] > cutting.events:
            yield f"{counts['left'] - cutting.events} events beyond the first {cutting.events}"


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
