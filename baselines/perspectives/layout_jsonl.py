"""The layout of topics that is the project's own: one a line, in full or in short.

In full a side is an object and a document an object with the fields of `Document`; in short
``sides`` maps names to lists of texts.  Both may be mixed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from baselines.perspectives.checking import Found, key_points_of, refused
from baselines.perspectives.values import KeyPoint, Side, Topic, side_id
from globesumm.errors import DataError, UnknownName
from globesumm.languages import UNKNOWN, parse
from globesumm.records import from_plain, read_plain_records, to_plain, write_records
from globesumm.values import Document, Rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    name: str
    documents: tuple[str | dict[str, Any], ...]
    references: tuple[str, ...] = ()
    key_points: tuple[str | KeyPoint, ...] = ()
    summary: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line; ``language`` is that of every document that names none."""

    topic: str
    sides: tuple[_Side, ...]
    id: str | None = None
    language: str | None = None
    reference_language: str = "en"
    notes: tuple[str, ...] = ()


def read(path: Path) -> Iterator[Found | Rejected]:
    """Each line as a topic; a line of another form is `Rejected` with the path of the field."""
    for number, record in enumerate(read_plain_records(path), 1):
        if isinstance(record, Rejected):
            yield refused(record.where, "bad-record", record.reason)
            continue
        where, plain = record
        try:
            line = from_plain(_Line, _in_full(plain), where)
            topic = _topic(line, where, number)
        except (DataError, UnknownName) as error:
            yield refused(where, "bad-record", str(error).removeprefix(f"{where}: "))
            continue
        yield Found(where=where, topic=topic)


def write(path: Path, topics: list[Topic], texts: Mapping[str, str]) -> None:
    """Write topics in full; a side's summary stands beside its documents where there is one."""
    write_records(path, [_plain(topic, texts) for topic in topics])


def _plain(topic: Topic, texts: Mapping[str, str]) -> dict[str, Any]:
    sides = []
    for side in topic.sides:
        plain = to_plain(side)
        if (text := texts.get(side_id(topic, side))) is not None:
            plain["summary"] = text
        sides.append(plain)
    head = {"id": topic.id, "topic": topic.topic, "reference_language": topic.reference_language}
    return head | {"notes": list(topic.notes), "sides": sides}


def _in_full(plain: Mapping[str, Any]) -> Mapping[str, Any]:
    """The line with sides given as a mapping turned into a list of sides."""
    sides = plain.get("sides")
    if not isinstance(sides, Mapping):
        return plain
    listed = [
        {"name": name, **held} if isinstance(held, Mapping) else {"name": name, "documents": held}
        for name, held in sides.items()
    ]
    return {**plain, "sides": listed}


def _topic(line: _Line, where: str, number: int) -> Topic:
    known = parse(line.language) if line.language else UNKNOWN
    name = line.id or f"topic-{number}"
    return Topic(
        id=name,
        topic=line.topic,
        sides=tuple(
            Side(
                name=side.name,
                documents=documents_of(side.documents, f"{place}", known, where),
                references=side.references,
                key_points=key_points_of(side.key_points),
            )
            for place, side in enumerate(line.sides, 1)
        ),
        reference_language=parse(line.reference_language),
        notes=line.notes,
    )


def documents_of(
    given: Sequence[str | Mapping[str, Any]], prefix: str, language: str, where: str
) -> tuple[Document, ...]:
    """Documents given as texts or as objects; what has no id gets ``<prefix>-<number>``."""
    found = []
    for number, one in enumerate(given, 1):
        plain = {"text": one} if isinstance(one, str) else dict(one)
        plain.setdefault("id", f"{prefix}-{number}")
        plain.setdefault("language", language)
        document = from_plain(Document, plain, where)
        found.append(replace(document, language=parse(document.language)))
    return tuple(found)
