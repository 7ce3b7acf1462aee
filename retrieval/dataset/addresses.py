"""A data set without texts: ids, addresses and digests, and how texts are put back.

A digest is SHA-256 of the text as this package extracts it, so a report that comes back the
same is the same to the letter; what changed on the web, or vanished, is named.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from globesumm.errors import MissingPackage
from globesumm.records import write_bytes
from globesumm.values import Document, Event
from retrieval.dataset.takedown import digest
from retrieval.event import event_of
from retrieval.url import is_web, normal, url_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One document of one event without a word of it; `text_sha256` is None for none."""

    event: str
    split: str
    document: str
    language: str
    url: str | None = None
    published: datetime | None = None
    event_date: datetime | None = None
    category: str | None = None
    text_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What putting a text back met: `kind` is ``changed``, ``missing`` or ``no address``."""

    event: str
    document: str
    kind: str
    url: str | None = None
    reason: str | None = None
    expected: str | None = None
    found: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehydrated:
    """Events with their texts again; `same` documents have the digest they should have."""

    events: tuple[Event, ...]
    splits: Mapping[str, str]
    differences: tuple[Difference, ...]
    same: int
    of: int


def addresses(events: Iterable[Event], splits: Mapping[str, str]) -> Iterator[Address]:
    """A row for each document, in the order of events and documents."""
    for event in events:
        for document in event.documents:
            yield Address(
                event=event.id,
                split=splits[event.id],
                document=document.id,
                language=document.language,
                url=document.url,
                published=document.published,
                event_date=event.date,
                category=event.category,
                text_sha256=digest(document.text) if document.text else None,
            )


def events_of(rows: Iterable[Address]) -> list[Event]:
    """Events whose documents have no text and no title, as the rows tell of them."""
    grouped: dict[str, list[Address]] = {}
    for row in rows:
        grouped.setdefault(row.event, []).append(row)
    return [
        Event(
            id=event,
            description="",
            date=members[0].event_date,
            category=members[0].category,
            documents=tuple(
                Document(
                    id=row.document,
                    text="",
                    language=row.language,
                    url=row.url,
                    published=row.published,
                )
                for row in members
            ),
        )
        for event, members in grouped.items()
    ]


def rehydrate(
    rows: Sequence[Address],
    documents: Iterable[Document],
    reasons: Mapping[str, str],
    *,
    exact: bool = False,
) -> Rehydrated:
    """The events of `rows` with the texts of `documents` that were fetched from their addresses.

    `reasons` say by address why a page is not among them.  With `exact` a text that changed is
    left out; without, it is kept with a note.
    """
    by_id: dict[str, Document] = {}
    by_address: dict[str, Document] = {}
    for document in documents:
        by_id.setdefault(document.id, document)
        if document.url and is_web(document.url):
            by_address.setdefault(normal(document.url), document)
    why = {normal(url): reason for url, reason in reasons.items() if is_web(url)}
    grouped: dict[str, list[Document]] = {}
    differences: list[Difference] = []
    same = 0
    for row in rows:
        if row.url is None or not is_web(row.url):
            differences.append(_difference(row, "no address"))
            continue
        found = by_id.get(url_id(row.url)) or by_address.get(normal(row.url))
        if found is None:
            reason = why.get(normal(row.url), "not fetched")
            differences.append(_difference(row, "missing", reason=reason))
            continue
        got = digest(found.text)
        notes = found.notes
        if got != row.text_sha256:
            kept = "left out" if exact else "kept"
            differences.append(_difference(row, "changed", reason=kept, found=got))
            if exact:
                continue
            notes = (*notes, "text: not the one of the data set, which has another digest")
        else:
            same += 1
        grouped.setdefault(row.event, []).append(
            replace(
                found,
                id=row.document,
                language=row.language,
                published=row.published or found.published,
                notes=notes,
            )
        )
    return Rehydrated(
        events=tuple(_event(row, grouped) for row in _first_rows(rows) if row.event in grouped),
        splits={row.event: row.split for row in rows},
        differences=tuple(differences),
        same=same,
        of=len(rows),
    )


def write_addresses(path: Path, rows: Iterable[Address]) -> None:
    """Write `rows` as Parquet with stated types, whole or not at all."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingPackage("pyarrow", "writing Parquet", "retrieval") from error
    parquet: Any = __import__("pyarrow.parquet", fromlist=["write_table"])
    times = {"published", "event_date"}
    schema = pa.schema(
        [
            (one.name, pa.timestamp("us", tz="UTC") if one.name in times else pa.string())
            for one in fields(Address)
        ]
    )
    plain = [{one.name: getattr(row, one.name) for one in fields(Address)} for row in rows]
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_pylist(plain, schema=schema), sink, compression="zstd")
    write_bytes(path, sink.getvalue().to_pybytes())


COLUMNS = tuple(
    (one.name, "timestamp" if one.name in {"published", "event_date"} else "string")
    for one in fields(Address)
)
"""(column, type) of the rows."""


def _first_rows(rows: Iterable[Address]) -> list[Address]:
    first: dict[str, Address] = {}
    for row in rows:
        first.setdefault(row.event, row)
    return list(first.values())


def _event(row: Address, grouped: Mapping[str, Sequence[Document]]) -> Event:
    made = event_of(grouped[row.event], id=row.event, date=row.event_date)
    return replace(made, category=row.category)


def _difference(row: Address, kind: str, **more: Any) -> Difference:
    return Difference(
        event=row.event,
        document=row.document,
        kind=kind,
        url=row.url,
        expected=row.text_sha256,
        **more,
    )
