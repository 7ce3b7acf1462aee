"""PoliSum's table: one topic a row, left and right, documents separated by line breaks.

The columns read are those of the released code (Deas and McKeown, 2025): ``title``, ``left_op``
and ``right_op`` (the documents), ``left_sum`` and ``right_sum`` (the reference summaries, which
may be missing).  ``alt_op``, the documents of both sides in turn, follows from the others.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path

from baselines.perspectives.checking import Found, lines_of, refused
from baselines.perspectives.values import Side, Topic, side_id
from globesumm.errors import DataError, UsageError
from globesumm.records import write_bytes
from globesumm.text.clean import decode
from globesumm.values import Document, Rejected

SIDES = ("left", "right")
LANGUAGE = "en"
"""Everything in PoliSum is in English."""

LARGEST_FILE = 256 * 1024 * 1024
"""Bytes of the largest table read."""

_NEEDED = ("title", *(f"{side}_op" for side in SIDES))


def read(path: Path) -> Iterator[Found | Rejected]:
    """Each row as a topic; a table without the columns is a `DataError`."""
    if path.stat().st_size > LARGEST_FILE:
        raise DataError(f"{path}: larger than {LARGEST_FILE} bytes: give it in parts")
    text = _decoded(path.read_bytes())
    csv.field_size_limit(max(csv.field_size_limit(), LARGEST_FILE))
    rows = csv.DictReader(io.StringIO(text, newline=""))
    header = [name.strip() for name in rows.fieldnames or ()]
    if missing := [name for name in _NEEDED if name not in header]:
        raise DataError(
            f"{path}: no PoliSum table: it has no column {missing[0]!r} "
            f"(it needs {', '.join(_NEEDED)})"
        )
    rows.fieldnames = header
    titles: Counter[str] = Counter()
    while True:
        where = f"{path}:{rows.line_num + 1}"
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield refused(where, "bad-record", str(error))
            return
        if row is None:
            return
        cells = {name: value for name, value in row.items() if isinstance(value, str)}
        yield Found(where=where, topic=_topic(cells, titles))


def _decoded(content: bytes) -> str:
    """The table's text as it is, since cleaning would make line breaks of other separators."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return decode(content).text


def _topic(cells: Mapping[str, str], titles: Counter[str]) -> Topic:
    title = cells.get("title", "").strip()
    titles[title] += 1
    # A title comes back: the same quarrel in another month is another topic.
    name = title if titles[title] == 1 else f"{title} #{titles[title]}"
    sides = []
    for side in SIDES:
        texts = lines_of(cells.get(f"{side}_op", ""))
        reference = cells.get(f"{side}_sum", "").strip()
        sides.append(
            Side(
                name=side,
                documents=tuple(
                    Document(id=f"{side}-{number}", text=text.strip(), language=LANGUAGE)
                    for number, text in enumerate(texts, 1)
                ),
                references=(reference,) if reference else (),
            )
        )
    return Topic(id=name, topic=title, sides=tuple(sides), reference_language=LANGUAGE)


def write(path: Path, topics: list[Topic], texts: Mapping[str, str]) -> None:
    """Write a table; what was written of a side goes into the column of PoliSum's predictions.

    Raises `UsageError` for a topic whose sides are not left and right.
    """
    header = [*_NEEDED, "alt_op", "left_sum", "right_sum", "sp_left_pred", "sp_right_pred"]
    out = io.StringIO(newline="")
    rows = csv.DictWriter(out, header, lineterminator="\n")
    rows.writeheader()
    for topic in topics:
        sides = {side.name: side for side in topic.sides}
        if set(sides) != set(SIDES):
            told = ", ".join(sides)
            raise UsageError(
                f"topic {topic.id!r} has the sides {told}: PoliSum's table holds left and right "
                "only; write jsonl or stances"
            )
        lines = {name: [_flat(one.text) for one in side.documents] for name, side in sides.items()}
        mixed = [one for pair in zip_longest(*(lines[s] for s in SIDES)) for one in pair if one]
        row = {"title": topic.topic, "alt_op": "\n".join(mixed)}
        for name, side in sides.items():
            row[f"{name}_op"] = "\n".join(lines[name])
            row[f"{name}_sum"] = side.references[0] if side.references else ""
            row[f"sp_{name}_pred"] = texts.get(side_id(topic, side), "")
        rows.writerow(row)
    write_bytes(path, out.getvalue().encode("utf-8", errors="backslashreplace"))


def _flat(text: str) -> str:
    return " ".join(text.split())
