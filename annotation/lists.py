"""Lists as models write them: JSON, numbered in the digits of any script, bulleted, nested.

What is no list is one item, and `Listed.form` says so; the raw text always stays.  Every step
is linear in the length of the text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from annotation.loose_json import LONGEST_ANSWER, json_in, strings_in, unfenced

Form = Literal["json", "numbered", "bulleted", "prose", "empty"]

_HAN_NUMBERS = {digit: number for number, digit in enumerate("一二三四五六七八九十", start=1)}
_ENDS = tuple(".!?。！？…؟।॥։።.)\"'”’»」』")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A list read from `raw`; `before` and `after` are what stood around it."""

    items: tuple[str, ...]
    form: Form
    raw: str
    before: str = ""
    after: str = ""


def numbered(items: Sequence[str]) -> str:
    """`items` one a line, numbered from 1; blanks and line ends within an item become one blank."""
    return "\n".join(f"{n}. {' '.join(item.split())}" for n, item in enumerate(items, start=1))


def parse(raw: str) -> Listed:
    """The list in a model's answer.

    Understood are JSON (bare, fenced, after a remark; a list, or an object that holds one),
    numbers in any script's digits before ``. ) : 、 -`` and the like, nested numbers and
    letters, and bullets.  A heading over nested items is put before each of them.  Remarks
    before and after a list are no items.
    """
    text = raw[:LONGEST_ANSWER].strip()
    if not text:
        return Listed(items=(), form="empty", raw=raw)
    found = json_in(text)
    items = strings_in(found) if found is not None else None
    if items is not None:
        return Listed(items=tuple(_without_numbers(items)), form="json", raw=raw)
    return _written(unfenced(text), raw)


def _without_numbers(items: list[str]) -> Iterator[str]:
    """`items` without the numbers that some models put into JSON strings as well."""
    marks = [_marker().match(item) for item in items]
    counted = all(mark and _number(mark) == place for place, mark in enumerate(marks, start=1))
    for item, mark in zip(items, marks, strict=True):
        bare = item[mark.end() :].strip() if counted and mark else item
        yield bare or item


@dataclass(slots=True)
class _Entry:
    """An item while it is being read; `depth` 1 stands under an item of depth 0."""

    depth: int
    lines: list[str]

    @property
    def text(self) -> str:
        return _plain(" ".join(" ".join(self.lines).split()))


def _written(text: str, raw: str) -> Listed:
    """A list of lines, or else prose."""
    lines = text.split("\n")
    entries, before, after, form = _entries(lines)
    if not entries:
        inline = _inline(text)
        if inline:
            return Listed(items=tuple(inline), form="numbered", raw=raw)
        return Listed(items=(_plain(" ".join(text.split())),), form="prose", raw=raw)
    if len(entries) == 1 and form == "numbered" and (inline := _inline(text)):
        return Listed(items=tuple(inline), form="numbered", raw=raw)
    if len(entries) == 1 and before and not before.endswith((":", "：")):
        # Prose with a dash or a date at the start of some line.
        return Listed(items=(_plain(" ".join(text.split())),), form="prose", raw=raw)
    items = tuple(item for item in _flattened(entries) if item)
    if not items:
        return Listed(items=(" ".join(text.split()),), form="prose", raw=raw)
    return Listed(items=items, form=form, raw=raw, before=before, after=after)


def _entries(lines: list[str]) -> tuple[list[_Entry], str, str, Form]:
    """(items, what stood before, what stood after, form).

    A number starts an item if it goes on counting, or counts from the start again; so a line
    that happens to begin with a year does not.
    """
    form: Form = "numbered" if any(_starts_count(line) for line in lines) else "bulleted"
    entries: list[_Entry] = []
    before: list[str] = []
    loose: list[str] = []
    count, blank = 0, False
    for line in lines:
        if not line.strip():
            blank = True
            continue
        mark, entry = _marker().match(line), None
        nested = _bullet().match(line)
        if form == "numbered" and not nested:
            nested = _nested().match(line)
            # "2.1" stands under 2; under anything else it is a quantity.
            if nested and nested["over"] and _whole(nested["over"]) != count:
                nested = None
        if form == "numbered" and mark and _number(mark) in ((count + 1, 1) if count else (0, 1)):
            count = _number(mark)
            entry = _Entry(0, [line[mark.end() :]])
        elif nested and (entries or form == "bulleted"):
            entry = _Entry(int(form == "numbered"), [line[nested.end() :]])
        if entry:
            entries += [entry]
            # Only now is it known that the remark stood between two items.
            if loose and len(entries) > 1 and not _is_heading(loose):
                entries[-2].lines += loose
            loose = []
        elif not entries:
            before.append(line.strip())
        elif blank or loose:
            loose.append(line.strip())
        else:
            entries[-1].lines.append(line)
        blank = False
    return entries, " ".join(before), " ".join(loose), form


def _starts_count(line: str) -> bool:
    mark = _marker().match(line)
    return mark is not None and _number(mark) in (0, 1)


def _is_heading(lines: list[str]) -> bool:
    """Whether a remark between two items heads the second list rather than ends the first."""
    return len(lines) == 1 and (lines[0].rstrip("*_ ").endswith((":", "：")) or lines[0][:1] == "#")


def _flattened(entries: list[_Entry]) -> Iterator[str]:
    heading = ""
    for place, entry in enumerate(entries):
        if entry.depth:
            yield f"{heading} {entry.text}".strip()
            continue
        has_parts = entries[place + 1 : place + 2] and entries[place + 1].depth
        heading = ""
        if has_parts and not entry.text.endswith(_ENDS):
            heading = f"{entry.text.rstrip(':： ')}:"
        else:
            yield entry.text


def _inline(text: str) -> list[str]:
    """The items of ``1. One. 2. Two.`` on one line, if it counts 1, 2, and so on."""
    starts: list[tuple[int, int]] = []
    for mark in _inline_marker().finditer(text):
        if _whole(mark["number"]) == len(starts) + 1:
            starts.append((mark.start(), mark.end()))
    if len(starts) < 2 or text[: starts[0][0]].strip():
        return []
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return [
        " ".join(text[begin:end].split())
        for (_, begin), end in zip(starts, ends, strict=True)
        if text[begin:end].strip()
    ]


def _number(mark: Any) -> int:
    if mark["han"]:
        return _HAN_NUMBERS[mark["han"]]
    if mark["circled"]:
        return ord(mark["circled"]) - ord("①") + 1
    return _whole(mark["number"])


def _whole(digits: str) -> int:
    """The value of decimal digits of any script; -1 where Python does not know them yet."""
    return int(digits) if digits.isdecimal() else -1


def _plain(text: str) -> str:
    """`text` without the emphasis that Markdown puts around all of it."""
    for mark in ("**", "__", "*"):
        inside = text[len(mark) : -len(mark)]
        if text.startswith(mark) and text.endswith(mark) and inside and mark not in inside:
            return inside.strip()
    return text


_INDENT = r"^[\s\u200e\u200f\u061c\ufeff>#]*(?:\*\*|__)?"


@cache
def _marker() -> Any:
    """What numbers an item: ``1.``, ``(2)``, ``٣-``, ``४।``, ``①``, ``一、``, ``Fact 3:``."""
    import regex

    return regex.compile(
        _INDENT + r"(?:"
        r"[(\[（]\s*(?P<number>\p{Nd}{1,3})\s*[)\]）](?:\*\*|__)?[.:]?"
        r"|(?P<number>\p{Nd}{1,3})(?:\*\*|__)?\s?(?:[.．](?!\p{Nd})|[)\]:：）、。،।](?!\p{Nd})"
        r"|[-–—](?=\s))"
        r"|(?P<circled>[①-⑳])"
        r"|(?P<han>[一二三四五六七八九十])[、．.]"
        r"|\p{L}{1,20}\s(?P<number>\p{Nd}{1,3})\s?[:：]"
        r")(?:\*\*|__)?\s*"
    )


@cache
def _inline_marker() -> Any:
    import regex

    return regex.compile(r"(?:^|(?<=\s))(?P<number>\p{Nd}{1,3})[.．)、](?!\p{Nd})\s*")


@cache
def _nested() -> Any:
    """``2.1``, ``2.1.``, ``a)``, ``(b)``, ``ii.`` below a number."""
    import regex

    return regex.compile(
        r"^[\s\u200e\u200f\u061c]*(?:(?P<over>\p{Nd}{1,3})(?:[.．]\p{Nd}{1,3})+[.)]?\s+"
        r"|(?<=\s)(?:\(?[a-z]\)|[a-z]\.|[ivx]{1,5}[.)])\s+)"
    )


@cache
def _bullet() -> Any:
    import regex

    return regex.compile(r"^[\s\u200e\u200f\u061c]*[-*+•‣◦▪●○–—·・⁃]\s+")
