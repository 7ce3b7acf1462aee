"""The frames that portal pages put around a day's news, from 2005 to today.

::

    {{Current events header|2005|01|08}} … {{Current events footer}}      or … |}
    {{Current events|year=2023|month=05|day=15|content= … }}
    {{Current events|year=2026|month=09|day=19|top=yes}} … {{Current events|…|bottom=yes}}

Old pages were moved to newer frames, so the content decides and not the year.  What stands
outside a frame is no news (vandalism, navigation) and is counted.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from retrieval.portal.days import day_from

LARGEST_PAGE = 2 * 1024 * 1024
"""Bytes; MediaWiki itself keeps no longer page ($wgMaxArticleSize)."""

_COMMENT_END = "-->"
_BELOW, _ABOVE, _HELD = "\x0e", "\x0f", "\x0b"
"""What the two anchor comments, and line ends inside comments and templates, are read as."""

_ANCHOR = re.compile(r"<!--\s*All\s+news\s+items\s+(below|above)\b[^<>]{0,80}-->", re.IGNORECASE)
_FRAME = re.compile(
    r"\{\{\s*(?:Template:)?Current[ _]events(?P<header>[ _]header)?\s*"
    r"\|(?P<args>[^{}]{0,300}?)(?:(?P<content>\bcontent\s*=)|\}\})",
    re.IGNORECASE,
)
_FOOT = re.compile(
    r"\{\{\s*Current[ _]events[ _]footer\s*\}\}|^\s*\|\}", re.IGNORECASE | re.MULTILINE
)
_BRACES = re.compile(r"\{\{|\}\}")
_BULLET = re.compile(r"^[ \t]*[*#]", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Framed:
    """The news of one day as wikitext; `line` is the line of the page on which it begins."""

    text: str
    day: date | None = None
    line: int = 1
    notes: tuple[str, ...] = ()


def framed(wikitext: str) -> tuple[list[Framed], int]:
    """The days in a page, and how many bullets stand outside all frames.

    A page without any frame is read between its anchor comments, or else as a whole.
    """
    text, notes = _without_comments(wikitext)
    frames = list(_FRAME.finditer(text))
    if not frames:
        start, end = _anchored(text)
        body = text[start:end]
        outside = _bullets(text[:start]) + _bullets(text[end:])
        notes.append("no frame {{Current events}} around the news")
        return [
            Framed(text=_clear(body), line=1 + line_ends(text[:start]), notes=tuple(notes))
        ], outside
    days: list[Framed] = []
    outside, reached = 0, 0
    line, counted = 1, 0
    for frame, limit in _with_limits(frames, len(text)):
        outside += _bullets(text[reached : frame.start()])
        reached = frame.end()
        arguments = _arguments(frame["args"])
        if "bottom" in arguments:
            continue
        end, more = _end(text, frame, limit)
        line, counted = line + line_ends(text[counted : frame.end()]), frame.end()
        days.append(
            Framed(
                text=_clear(text[frame.end() : end]),
                day=_date(arguments),
                line=line,
                notes=(*notes, *more),
            )
        )
        reached = end
    return days, outside + _bullets(text[reached:])


def line_ends(text: str) -> int:
    """How many line ends of the page lie in a piece of what `framed` gave."""
    return text.count("\n") + text.count(_HELD)


def _without_comments(wikitext: str) -> tuple[str, list[str]]:
    """Comments gone, but for the two anchors; line ends within them stay countable."""
    text = re.sub(r"\r\n?", "\n", wikitext.translate({0x0B: " ", 0x0E: " ", 0x0F: " ", 0: None}))
    text = _ANCHOR.sub(lambda found: _BELOW if found[1].lower() == "below" else _ABOVE, text)
    parts: list[str] = []
    notes: list[str] = []
    reached = 0
    while (start := text.find("<!--", reached)) >= 0:
        end = text.find(_COMMENT_END, start + 4)
        parts.append(text[reached:start])
        if end < 0:
            notes.append("a comment is never closed; the rest of the page is hidden by it")
            reached = len(text)
            break
        parts.append(_HELD * text.count("\n", start, end))
        reached = end + len(_COMMENT_END)
    parts.append(text[reached:])
    return _joined("".join(parts)), notes


_LINES = re.compile(r"\n[ \t]*(?:[*#;:=]|''')")
_MARK = re.compile(r"\{\{|\}\}|<ref\b[^<>]*(?<!/)>|</ref\s*>", re.IGNORECASE)


def _joined(text: str) -> str:
    """Templates and footnotes over several lines on one line: they belong to one bullet.

    What holds bullets or headings itself (the frame, a template that was never closed) stays.
    """
    lines = [line.start() for line in _LINES.finditer(text)]
    held: list[tuple[int, int]] = []
    waiting: list[tuple[str, int]] = []
    for mark in _MARK.finditer(text):
        kind = mark[0][:2]
        if kind == "{{" or kind.lower() == "<r":
            waiting.append((kind, mark.start()))
            continue
        opener = "{{" if kind == "}}" else "<r"
        if waiting and waiting[-1][0].lower() == opener:
            start = waiting.pop()[1]
            following = bisect_left(lines, start)
            on_its_own = following == len(lines) or lines[following] >= mark.end()
            if on_its_own and not _FRAME.match(text, start):
                held.append((start, mark.end()))
    if not held:
        return text
    parts: list[str] = []
    reached = 0
    for start, end in sorted(held):
        if end <= reached:
            continue
        inside = max(start, reached)
        parts += (text[reached:inside], text[inside:end].replace("\n", _HELD))
        reached = end
    return "".join((*parts, text[reached:]))


def _with_limits(frames: list[re.Match[str]], end: int) -> Iterator[tuple[re.Match[str], int]]:
    starts = [frame.start() for frame in frames[1:]]
    return zip(frames, [*starts, end], strict=True)


def _arguments(written: str) -> dict[str, str]:
    found: dict[str, str] = {}
    position = 0
    for part in written.split("|"):
        name, equals, value = part.partition("=")
        if equals:
            found[name.strip().lower()] = value.strip()
        elif part.strip():
            position += 1
            found[str(position)] = part.strip()
    return found


def _date(arguments: dict[str, str]) -> date | None:
    year, month, day = (
        arguments.get(name) or arguments.get(str(position)) or ""
        for position, name in enumerate(("year", "month", "day"), start=1)
    )
    return day_from(year, month, day)


def _end(text: str, frame: re.Match[str], limit: int) -> tuple[int, list[str]]:
    """Where the news of a frame ends, no later than `limit`, where the next one begins."""
    start = frame.end()
    above = text.find(_ABOVE, start, limit)
    if frame["header"]:
        foot = _FOOT.search(text, start, limit)
        return (foot.start(), []) if foot else (above if above >= 0 else limit, [])
    if not frame["content"]:
        return limit, []
    end = _close(text, start, limit)
    if end is None:
        end = above if above >= 0 else limit
        return end, ["the frame is never closed"]
    if above > end and _bullets(text[end:above]):
        return above, ["the frame is closed before the last of its news"]
    return end, []


def _close(text: str, start: int, limit: int) -> int | None:
    depth = 1
    for brace in _BRACES.finditer(text, start, limit):
        depth += 1 if brace[0] == "{{" else -1
        if depth == 0:
            return brace.start()
    return None


def _anchored(text: str) -> tuple[int, int]:
    below, above = text.find(_BELOW), text.rfind(_ABOVE)
    start = below + 1 if below >= 0 else 0
    return start, above if above >= start else len(text)


def _clear(text: str) -> str:
    return text.replace(_BELOW, " ").replace(_ABOVE, " ")


def _bullets(text: str) -> int:
    return len(_BULLET.findall(text))
