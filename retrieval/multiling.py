"""The layout of the MultiLing tasks: ``SourceTexts/M0012.english`` is document 2 of topic 1.

Every file has its headline first, then a dateline, then the text.  The same document in
another language tells of the same day, so the English dateline dates them all.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from globesumm.errors import DataError, UnknownName
from globesumm.languages import parse
from globesumm.text.clean import decode
from globesumm.values import Document, Rejected
from retrieval.binary import refuse_broken, refuse_signature
from retrieval.dates import DATE_ONLY, Moment, doubt, doubt_note, moment
from retrieval.draft import Draft, Settings
from retrieval.files import files_below, plain_name, read_bytes
from retrieval.single import rejected

NAME = re.compile(r"(M\d{4})\.([A-Za-z]{4,12})")
"""What such files are called; the ending is a language's English name in any case."""

_DATE_BEFORE_TITLE = re.compile(r"^\d{2,4}/\d\d/\d{2,4}\s+")
_DATELINE = re.compile(r"(\D{0,30}\d{1,2}\D{1,25}\d{4})(?!\d)[\s.,،;]*")
_SHORT_DATELINE = re.compile(r"(\D{4,40}\d{4})\.?")
_FROM_ENGLISH = "published: from the English text of the same document, midnight UTC"


def multiling(source: str, _name: str, settings: Settings) -> Iterator[Draft | Document | Rejected]:
    """The texts in one file, in a folder, or in the ``SourceTexts`` of a whole data set."""
    path = Path(source)
    inner = path / "SourceTexts"
    root = inner if inner.is_dir() else path
    for file in files_below(root, settings.leave_out) if root.is_dir() else [path]:
        if isinstance(file, Rejected):
            yield file
        elif match := NAME.fullmatch(plain_name(file)):
            try:
                yield _draft(file, match, settings)
            except DataError as error:
                yield rejected(str(file), error)
        else:
            yield Rejected(where=str(file), reason="not named like M0012.english")


def is_multiling(path: Path) -> bool:
    """Whether `path` is named like a text of a MultiLing data set."""
    match = NAME.fullmatch(plain_name(path))
    return match is not None and _code(match[2]) is not None


def _draft(path: Path, match: re.Match[str], settings: Settings) -> Draft:
    document, ending = match.groups()
    content = read_bytes(path, settings.max_bytes)
    refuse_signature(content, str(path))
    decoded = decode(content)
    refuse_broken(content, decoded, str(path))
    title, dateline, text = _parts(decoded.text)
    language = _code(ending)
    dated = _own_date(dateline, language)
    if language != "en":
        dated = _english_date(path, document, settings) or dated
    draft = Draft(
        where=str(path),
        text=text,
        id=f"{document}.{ending.lower()}",
        title=_DATE_BEFORE_TITLE.sub("", title) if title else None,
        language=language,
        notes=decoded.notes,
    )
    if dated is None:
        return draft
    if why := doubt(dated.time, settings.now):
        return replace(draft, notes=(*draft.notes, doubt_note(dated.time.date(), why)))
    note = (dated.note,) if dated.note else ()
    return replace(draft, published=dated.time, notes=(*draft.notes, *note))


def _parts(text: str) -> tuple[str | None, str, str]:
    """(headline, dateline, text); the dateline is empty where there is none.

    The dateline is the second line, the third below a second headline, or the first where the
    headline is missing; in some files the first paragraph goes on behind it.
    """
    lines = [" ".join(line.split()) for line in text.splitlines()]
    lines = [line for line in lines if line]
    for place in (1, 2, 3, 0):
        line = lines[place] if place < len(lines) else ""
        if found := _DATELINE.match(line) or _SHORT_DATELINE.fullmatch(line):
            below = line[found.end() :].strip()
            if place == 0:
                return None, found[1], "\n".join([*([below] if below else []), *lines[1:]])
            kept = [*lines[1:place], *([below] if below else []), *lines[place + 1 :]]
            return lines[0], found[1], "\n".join(kept)
    return next(iter(lines), None), "", "\n".join(lines[1:])


def _english_date(path: Path, document: str, settings: Settings) -> Moment | None:
    """The date of the English text beside `path`, if there is one."""
    for sibling in sorted(path.parent.glob(f"{document}.*")):
        match = NAME.fullmatch(plain_name(sibling))
        if match and _code(match[2]) == "en":
            content = decode(read_bytes(sibling, settings.max_bytes))
            found = moment(_parts(content.text)[1])
            return Moment(found.time, _FROM_ENGLISH) if found else None
    return None


def _own_date(dateline: str, language: str | None) -> Moment | None:
    """The date in a dateline of any language: English by rule, others by dateparser."""
    if not dateline:
        return None
    if found := moment(dateline):
        return found
    import dateparser  # type: ignore[import-untyped]

    wanted = {"REQUIRE_PARTS": ["day", "month", "year"], "TIMEZONE": "UTC"}
    try:
        day = dateparser.parse(
            dateline,
            languages=[language] if language else None,
            settings=wanted,
        )
    except (ValueError, OverflowError):
        return None
    return Moment(datetime(day.year, day.month, day.day, tzinfo=UTC), DATE_ONLY) if day else None


def _code(ending: str) -> str | None:
    try:
        return parse(ending)
    except UnknownName:
        return None
