"""A portal page's wikitext as headings and bullets, and as the events of its days."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import groupby

from globesumm.errors import DataError
from globesumm.values import Rejected
from retrieval.portal.categories import class_of
from retrieval.portal.events import Origin, build
from retrieval.portal.inline import MOST_UNCLOSED, pieces_of, unclosed
from retrieval.portal.items import Item
from retrieval.portal.pieces import compose
from retrieval.portal.values import Parsed
from retrieval.portal.wrapper import LARGEST_PAGE, Framed, framed, line_ends

LONGEST_BULLET = 10_000
"""Characters of the longest bullet that is read; the longest of the portal have about 3,000."""

DEEPEST = 20
"""Levels of the deepest bullet that is read; the portal's have up to 6."""

MOST_LINES = 5_000
LARGEST_DAY = 500_000
"""Lines and characters of a day that are read; the portal's longest have 150 and 60,000."""

_LIST = re.compile(r"[ \t]*([*#:;]+)[ \t]*(.*)", re.DOTALL)
_BOLD = re.compile(
    r"\s*(?:'''(?P<bold>.+?)'''|<b>(?P<tag>.+?)</b>|={2,6}(?P<head>[^=]+)={2,6})\s*:?\s*", re.DOTALL
)
_GLUED = re.compile(r"\s*'''(?P<bold>[^']+)'''\s*(?P<rest>[*#]+.*)", re.DOTALL)
_REDIRECT = re.compile(r"\s*#REDIRECT\b", re.IGNORECASE)
_TABLE = re.compile(r"\s*(\{\||\|[}\-+|]?|!)")


def read_wikitext(wikitext: str, origin: Origin, day: date | None = None) -> list[Parsed]:
    """The days in a page; with `day`, that day alone, even if the page's frame says another.

    Raises `DataError` for what is no portal page at all: a redirect, a page that is larger than
    MediaWiki allows.  Anything smaller that cannot be read is named in `Parsed.rejected`.
    """
    if len(wikitext) > LARGEST_PAGE:
        raise DataError(f"{origin}: longer than {LARGEST_PAGE} characters, which no page is")
    if _REDIRECT.match(wikitext):
        raise DataError(f"{origin}: a redirect, which holds no news itself")
    frames, outside = framed(wikitext)
    notes = [f"{outside} bullets outside the day's frame passed over"] if outside else []
    days: list[Parsed] = []
    for stated, group in groupby(_by_day(frames, day), key=lambda frame: frame.day or day):
        same = list(group)
        parts = [note for frame in same for note in frame.notes]
        items = [item for frame in same for item in items_of(frame, origin)]
        days.append(build(items, origin, stated, notes=(*notes, *dict.fromkeys(parts))))
    return days


def _by_day(frames: list[Framed], day: date | None) -> list[Framed]:
    if day is None:
        return sorted(frames, key=lambda frame: frame.day or date.min)
    if len(frames) > 1:
        # Someone left another day's frame in this page: that day has a page of its own.
        frames = [frame for frame in frames if frame.day in {day, None}] or frames
    return [
        Framed(
            text=frame.text,
            day=day,
            line=frame.line,
            notes=(*frame.notes, f"its frame says {frame.day}")
            if frame.day not in {day, None}
            else frame.notes,
        )
        for frame in frames
    ]


def items_of(frame: Framed, origin: Origin) -> Iterator[Item | Rejected]:
    """The headings and bullets of one day, and by name what could not be read."""
    number, read, size = frame.line, 0, 0
    for line in frame.text.split("\n"):
        here, number = number, number + 1 + line_ends(line)
        if not line.strip():
            continue
        read, size = read + 1, size + min(len(line), LONGEST_BULLET)
        if read > MOST_LINES or size > LARGEST_DAY:
            most = f"{MOST_LINES} lines or {LARGEST_DAY} characters"
            reason = f"a day of more than {most}; what follows is not read"
            yield Rejected(where=f"{origin}:{here}", reason=reason)
            return
        for item in _item(line, here):
            if isinstance(item, str):
                excerpt = line[:200].encode(errors="replace").decode()
                yield Rejected(where=f"{origin}:{here}", reason=item, excerpt=excerpt)
            else:
                yield item


def _item(line: str, number: int) -> Iterator[Item | str]:
    """What one line is; a string says why it could not be read."""
    if len(line) > LONGEST_BULLET:
        yield f"a line of more than {LONGEST_BULLET} characters"
        return
    left_open = unclosed(line)
    if left_open > MOST_UNCLOSED:
        yield f"{left_open} brackets, braces or tags are opened and never closed"
        return
    listed = _LIST.fullmatch(line)
    if glued := _GLUED.fullmatch(line) if listed is None else None:
        yield _heading(glued["bold"], number)
        yield from _item(glued["rest"], number)
    elif listed is None:
        yield from _unlisted(line, number)
    elif len(listed[1]) > DEEPEST:
        yield f"nested deeper than {DEEPEST} levels"
    else:
        yield from _listed(listed[1], listed[2], number)


def _listed(marks: str, content: str, number: int) -> Iterator[Item | str]:
    bold = _BOLD.fullmatch(content)
    if marks == ";" or (bold and class_of(_shown(content)) is not None):
        yield _heading(content, number)
    elif content.strip():
        pieces, notes = pieces_of(content)
        kind = "more" if marks.endswith(":") and len(marks) > 1 else "bullet"
        yield Item(kind=kind, pieces=pieces, level=len(marks), line=number, notes=notes)  # type: ignore[arg-type]


def _unlisted(line: str, number: int) -> Iterator[Item | str]:
    bold = _BOLD.fullmatch(line)
    if bold:
        yield _heading(bold["bold"] or bold["tag"] or bold["head"], number)
    elif _TABLE.match(line):
        yield "table markup where news should be"
    elif len(line) < 100 and class_of(line) is not None:
        yield _heading(line, number)
    else:
        pieces, notes = pieces_of(line)
        yield Item(kind="stray", pieces=pieces, line=number, notes=notes)


def _heading(content: str, number: int) -> Item:
    pieces, notes = pieces_of(content)
    return Item(kind="heading", pieces=pieces, line=number, notes=notes)


def _shown(content: str) -> str:
    return compose(pieces_of(content)[0]).text
