"""The perspective paper's released records: one a side, ``{"topic", "stance", "document"}``.

A file is a JSON list or JSON Lines.  ``document`` holds the documents of the side, one a line;
``input``, the paper's prompt, is not read, and ``generated`` is what a method wrote.  A topic's
name may come back for another quarrel (five of the paper's 100 test topics do): a stance that
the open topic of that name has already opens the next one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from baselines.perspectives.checking import Found, lines_of, refused
from baselines.perspectives.layout_jsonl import documents_of
from baselines.perspectives.values import Side, Topic, side_id
from globesumm.errors import DataError, UnknownName
from globesumm.languages import UNKNOWN, parse
from globesumm.records import from_json, from_plain, read_plain_records, to_json, write_bytes
from globesumm.values import Rejected

LARGEST_FILE = 256 * 1024 * 1024
"""Bytes of the largest JSON list read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    topic: str
    stance: str
    document: str
    input: str | None = None
    generated: str | None = None
    references: tuple[str, ...] = ()
    language: str | None = None


@dataclass(slots=True)
class _Open:
    """Sides of one topic, as they come."""

    where: str
    id: str
    topic: str
    sides: dict[str, Side] = field(default_factory=dict)


def read(path: Path) -> Iterator[Found | Rejected]:
    """Each topic with its sides, in the order of its first record."""
    opened: list[_Open] = []
    latest: dict[str, list[_Open]] = {}
    for record in _records(path):
        if isinstance(record, Rejected):
            yield refused(record.where, "bad-record", record.reason)
            continue
        where, plain = record
        try:
            one = from_plain(_Record, {k: v for k, v in plain.items() if k in _KNOWN}, where)
            language = parse(one.language) if one.language else UNKNOWN
            texts = lines_of(one.document)
            documents = documents_of(texts, one.stance.strip(), language, where)
        except (DataError, UnknownName) as error:
            yield refused(where, "bad-record", str(error).removeprefix(f"{where}: "))
            continue
        side = Side(name=one.stance.strip(), documents=documents, references=one.references)
        holding = latest.setdefault(one.topic, [])
        if not holding or side.name in holding[-1].sides:
            count = len(holding) + 1
            name = one.topic if count == 1 else f"{one.topic} #{count}"
            fresh = _Open(where, name, one.topic)
            holding.append(fresh)
            opened.append(fresh)
        holding[-1].sides[side.name] = side
    for one_open in opened:
        sides = tuple(one_open.sides.values())
        topic = Topic(id=one_open.id, topic=one_open.topic, sides=sides)
        yield Found(where=one_open.where, topic=topic)


_KNOWN = frozenset(_Record.__dataclass_fields__)


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]] | Rejected]:
    if path.suffix.lower() in {".jsonl", ".ndjson"}:
        yield from read_plain_records(path)
        return
    if path.stat().st_size > LARGEST_FILE:
        raise DataError(f"{path}: larger than {LARGEST_FILE} bytes: give it as JSON Lines")
    listed = from_json(list[Any], path.read_bytes(), str(path))
    for number, one in enumerate(listed, 1):
        where = f"{path}[{number}]"
        if isinstance(one, dict):
            yield where, one
        else:
            yield Rejected(where=where, reason="no object with topic, stance and document")


def write(path: Path, topics: list[Topic], texts: Mapping[str, str]) -> None:
    """Write one record a side, as a JSON list, or as JSON Lines where the ending says so."""
    records = [
        _record(topic, side, texts.get(side_id(topic, side)))
        for topic in topics
        for side in topic.sides
    ]
    if path.suffix.lower() in {".jsonl", ".ndjson"}:
        text = "".join(f"{to_json(one)}\n" for one in records)
    else:
        text = "[\n" + ",\n".join(map(to_json, records)) + "\n]\n"
    write_bytes(path, text.encode("utf-8", errors="backslashreplace"))


def _record(topic: Topic, side: Side, text: str | None) -> dict[str, Any]:
    document = "\n".join(" ".join(one.text.split()) for one in side.documents)
    plain: dict[str, Any] = {"topic": topic.topic, "stance": side.name, "document": document}
    tongues = {one.language for one in side.documents}
    if len(tongues) == 1 and tongues != {UNKNOWN}:
        plain["language"] = tongues.pop()
    if side.references:
        plain["references"] = list(side.references)
    return plain | ({} if text is None else {"generated": text})
