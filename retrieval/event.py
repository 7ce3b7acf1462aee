"""Documents that tell of one happening → an event."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from globesumm.errors import DataError
from globesumm.values import Document, Event
from retrieval.finish import digest


def event_of(
    documents: Iterable[Document],
    *,
    id: str | None = None,  # noqa: A002 (the field's name)
    description: str | None = None,
    date: datetime | None = None,
    references: Sequence[str] = (),
    reference_language: str = "en",
) -> Event:
    """An event from its documents, in the order of their times, undated ones last.

    Without a `description` it is the first document's title, without a `date` the first one's
    time, without an `id` a digest of the documents' ids.  Raises `DataError` where there are no
    documents or two have one id.
    """
    ordered = sorted(
        documents,
        key=lambda doc: (
            doc.published is None,
            doc.published.timestamp() if doc.published else 0.0,
            doc.id,
        ),
    )
    if not ordered:
        raise DataError("an event needs documents, and there are none")
    ids = [document.id for document in ordered]
    twice = sorted({id_ for id_ in ids if ids.count(id_) > 1})
    if twice:
        raise DataError(f"two documents of an event have the id {twice[0]!r}: give each its own")
    titles = [document.title for document in ordered if document.title]
    event = Event(
        id=id or f"event-{digest(' '.join(ids))}",
        description=description or next(iter(titles), ordered[0].text.split("\n", 1)[0][:200]),
        documents=tuple(ordered),
        date=date or ordered[0].published,
        references=tuple(references),
        reference_language=reference_language,
    )
    if description or not titles:
        return event
    return replace(event, notes=("description: the first document's title",))
