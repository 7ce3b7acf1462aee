"""The background-summaries events: dated updates, and for each what came before, by people.

Row m of an annotator's table holds update m and the background that a reader of update m needs,
which sums up updates 1 to m - 1 (Pratapa, Small and Dreyer, 2023).  So the summary of updates
1 to m is held against the background of row m + 1, and the last update has none to be held
against.
"""

import csv
import io
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from baselines.studies.places import locate
from globesumm.errors import UsageError
from globesumm.text.clean import decode
from globesumm.values import Document, Rejected

PLACES = tuple(
    f"{above}{inner}"
    for above in ("", "background-summaries/", "summaries/background-summaries/")
    for inner in ("", "events.tar.gz", "events", "data/events.tar.gz", "data/events")
)
WHAT = "the background-summaries data set (events.tar.gz, or its folder of annotator*.tsv)"
LARGEST = 16 * 2**20
"""Bytes of one table at most; the real ones have up to 400 kB."""

_TABLE = re.compile(r"(?:.*/)?(?P<event>[\w-]+)/(?P<annotator>annotator\w+)\.tsv")
_DATE = re.compile(r"\[?(\d{4})-(\d{2})-(\d{2})\]?")
_COLUMNS = ("Date", "Update", "Background")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """One event as one annotator wrote it up.

    ``backgrounds[m]`` is the background of row m + 1 (None where it is empty), thus what sums
    up ``updates[:m]``.
    """

    event: str
    annotator: str
    updates: tuple[Document, ...]
    backgrounds: tuple[str | None, ...]

    def reference(self, prefix: int) -> str | None:
        """What people wrote about updates 1 to `prefix`; None where nobody did."""
        return self.backgrounds[prefix] if prefix < len(self.backgrounds) else None


def load(data: Path | None) -> tuple[list[Timeline], list[Rejected]]:
    """Every timeline in `data`, by event and annotator, and the rows and tables refused.

    Raises UsageError if the data set is not there or holds no timeline.
    """
    place = locate(data, PLACES, _is_it, WHAT)
    timelines: list[Timeline] = []
    rejected: list[Rejected] = []
    for name, content in sorted(_tables(place), key=lambda table: table[0]):
        found = _TABLE.fullmatch(name)
        if found is None:
            continue
        if content is None:
            rejected.append(Rejected(where=name, reason=f"larger than {LARGEST} bytes"))
            continue
        timeline, refused = _timeline(found["event"], found["annotator"], content)
        rejected += refused
        if timeline.updates:
            timelines.append(timeline)
    if not timelines:
        raise UsageError(
            f"{place} holds no table <event>/annotator<n>.tsv with updates: "
            "name the data set's folder"
        )
    return timelines, rejected


def _is_it(place: Path) -> bool:
    if place.is_file():
        return place.name.endswith((".tar.gz", ".tgz", ".tar"))
    return place.is_dir() and any(place.glob("*/annotator*.tsv"))


def _tables(place: Path) -> Iterator[tuple[str, bytes | None]]:
    if place.is_dir():
        for path in place.glob("*/annotator*.tsv"):
            large = path.stat().st_size > LARGEST
            yield path.relative_to(place.parent).as_posix(), None if large else path.read_bytes()
        return
    try:
        with tarfile.open(place) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() else None
                if file is not None and _TABLE.fullmatch(member.name):
                    yield member.name, None if member.size > LARGEST else file.read()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise UsageError(f"{place} cannot be read as an archive: {error}") from error


def _timeline(event: str, annotator: str, content: bytes) -> tuple[Timeline, list[Rejected]]:
    where = f"{event}/{annotator}.tsv"
    table = csv.DictReader(io.StringIO(decode(content).text, newline=""), delimiter="\t")
    missing = [name for name in _COLUMNS if name not in (table.fieldnames or ())]
    if missing:
        reason = f"no column {', '.join(missing)}"
        return _empty(event, annotator), [Rejected(where=where, reason=reason)]
    updates: list[Document] = []
    backgrounds: list[str | None] = []
    rejected: list[Rejected] = []
    try:
        for number, row in enumerate(table, 1):
            date = _date(row["Date"] or "")
            text = (row["Update"] or "").strip()
            if date is None or not text:
                reason = "no date" if date is None else "no update"
                rejected.append(Rejected(where=f"{where}, row {number}", reason=reason))
                continue
            updates.append(
                Document(
                    id=f"{event}-{number:04d}",
                    text=text,
                    language="en",
                    published=date,
                    source=annotator,
                )
            )
            backgrounds.append((row["Background"] or "").strip() or None)
    except csv.Error as error:
        rejected.append(Rejected(where=f"{where}, line {table.line_num}", reason=str(error)))
    timeline = Timeline(
        event=event, annotator=annotator, updates=tuple(updates), backgrounds=tuple(backgrounds)
    )
    return timeline, rejected


def _empty(event: str, annotator: str) -> Timeline:
    return Timeline(event=event, annotator=annotator, updates=(), backgrounds=())


def _date(text: str) -> datetime | None:
    found = _DATE.fullmatch(text.strip())
    try:
        return datetime(*map(int, found.groups()), tzinfo=UTC) if found else None  # type: ignore[arg-type, misc]
    except ValueError:
        return None
