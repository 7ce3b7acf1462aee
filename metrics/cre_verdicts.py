r"""Reading a judge's verdicts from whatever it wrote, without ever guessing.

A reply is believed in this order: the list behind the mark that only this request bears; a list
that stands on lines of its own; points numbered 1 to n with one verdict each.  Lists within
prose are never read, since "[1]" there is a citation.  Whatever is left open (two different
lists, a wrong length, another value) is unread with the reason.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from globesumm.finite import counted

Verdicts = tuple[int, ...]

_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_ITEM = rf"(?:\"{_NUMBER}\"|'{_NUMBER}'|{_NUMBER})"
_COMMENT = r"(?:[#/][^\n\[\]]*\n)"
# Possessive: what follows a gap is never part of one, and trying it shorter took a reply of
# 20,000 spaces half a minute.
_GAP = rf"(?:\s|{_COMMENT})*+"
_SEPARATOR = rf"(?:{_GAP}[,;]{_GAP})"
_LIST = (
    rf"(?:\[{_GAP}(?:{_ITEM}(?:{_SEPARATOR}{_ITEM})*{_GAP},?{_GAP})?\]"
    rf"|\({_GAP}{_ITEM}(?:{_SEPARATOR}{_ITEM})+{_GAP},?{_GAP}\))"
)
_LABEL = (
    r"(?:[\w ]{0,30}\b(?:answers?|verdicts?|results?|outputs?|lists?|scores?|ratings?|labels?"
    r"|evaluation|judge?ments?|response|python)(?: list)?(?: is| are)?\s*[:=]?\s*)"
)
_ORDER = r"(?:(?:conflict|point|item|no\.?|number)\s*)?[#(]?(?P<order>\d{1,3})"


@dataclass(frozen=True, slots=True)
class Read:
    """The verdicts of a reply, or why there are none; exactly one of the two is None."""

    verdicts: Verdicts | None
    reason: str | None = None


def read_verdicts(reply: str, count: int, mark: str = "") -> Read:
    """`count` (at least 1) verdicts of 1, 0 or -1 from `reply`."""
    text = _plain(reply)
    marked = [found[1] for found in _compiled().marked(mark).finditer(text)] if mark else []
    alone = [_list(found) for found in _compiled().alone.finditer(text)]
    for lists in (marked, alone):
        if lists:
            return _agreed([_numbers(one) for one in lists], count)
    if count > 1 and (bare := [found[1] for found in _compiled().bare.finditer(text)]):
        return _agreed([_numbers(one) for one in bare], count)
    return _numbered(text, count)


def _list(found: Any) -> str:
    return str(found["keyed"] or found["list"])


def without_planted(text: str, count: int) -> tuple[str, int]:
    """`text` with each list of verdicts in it replaced, and how many there were.

    A news summary holds no such list; one that does was written to be taken for the answer.
    A single ``[1]`` is a citation, and is replaced only where `count`, the number of conflicts,
    is 1 as well.
    """
    removed = 0

    def replaced(found: Any) -> str:
        nonlocal removed
        if not _planted(found[0], count):
            return str(found[0])
        removed += 1
        return "(list removed)"

    changed = str(_compiled().anywhere.sub(replaced, _minus(text)))
    return (changed, removed) if removed else (text, 0)


def _planted(written: str, count: int) -> bool:
    numbers = _numbers(written)
    return len(numbers) >= min(count, 2) and set(numbers) <= {"1", "0", "-1"}


def _plain(reply: str) -> str:
    """`reply` without typographic variety: minus signs, full-width forms, emphasis, fences."""
    text = _minus(unicodedata.normalize("NFKC", reply))
    text = text.replace("\u201c", '"').replace("\u201d", '"').replace("\u2019", "'")
    return "\n".join(
        line.replace("**", "").replace("`", "").strip()
        for line in text.splitlines()
        if not line.strip().startswith(("```", "~~~"))
    )


def _minus(text: str) -> str:
    return text.translate(_MINUS)


_MINUS = {
    **{ord(char): "-" for char in "−–—‐‑‒﹣"},
    **{0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)},
}
"""Minus signs, and the full-width forms of ASCII, each as one ASCII character."""


def _numbers(written: str) -> list[str]:
    """The items of a list in one spelling: ``["1", "-1", "2"]``."""
    without_comments = _compiled().comment.sub("\n", written)
    return [_spelled(found[0]) for found in _compiled().number.finditer(without_comments)]


def _spelled(number: str) -> str:
    whole = number.removeprefix("+")
    head, _, fraction = whole.partition(".")
    return head if not fraction.strip("0") else whole


def _agreed(lists: Sequence[Sequence[str]], count: int) -> Read:
    """The one list that all are, if it is legal."""
    distinct = list(dict.fromkeys(map(tuple, lists)))
    if len(distinct) > 1:
        return Read(None, f"it holds {len(distinct)} different lists")
    return _checked(distinct[0], count)


def _checked(items: Iterable[str], count: int) -> Read:
    held = list(items)
    if len(held) != count:
        return Read(
            None, f"it has {counted(len(held), 'verdict')} for {counted(count, 'conflict')}"
        )
    if wrong := [item for item in held if item not in {"1", "0", "-1"}]:
        return Read(None, f"{wrong[0][:20]} is not 1, 0 or -1")
    return Read(tuple(int(item) for item in held))


def _numbered(text: str, count: int) -> Read:
    """Verdicts on lines numbered 1 to `count` in order."""
    lines = [(int(one["order"]), one["verdict"]) for one in _compiled().numbered.finditer(text)]
    if not lines:
        return Read(None, "it holds no list of verdicts")
    if [order for order, _ in lines] != list(range(1, count + 1)):
        return Read(
            None, f"its numbered lines are not one for each of {counted(count, 'conflict')}"
        )
    return _checked((_spelled(verdict) for _, verdict in lines), count)


class _Patterns:
    """Compiled when first needed."""

    def __init__(self) -> None:
        import regex

        flags = regex.IGNORECASE | regex.MULTILINE
        keyed = rf"\{{\s*\"?[\w -]{{1,40}}\"?\s*:\s*(?P<keyed>{_LIST})\s*\}}"
        self._regex, self._flags = regex, flags
        self.number = regex.compile(_NUMBER)
        self.comment = regex.compile(_COMMENT)
        self.anywhere = regex.compile(_LIST)
        self.alone = regex.compile(
            rf"^[>*-]?[ ]?{_LABEL}?(?:{keyed}|(?P<list>{_LIST}))\s*[.;]?[ ]*$", flags
        )
        self.bare = regex.compile(
            rf"^{_LABEL}?({_NUMBER}(?:[ ]*[,;][ ]*{_NUMBER})++)[ ]*[.]?$", flags
        )
        self.numbered = regex.compile(
            rf"^[*-]?[ ]?{_ORDER}[)\]]?[ ]*(?:[.):=]|->|→|=>)[ ]*"
            rf"(?P<verdict>{_NUMBER})(?![\d.]*\d)(?![ ]*%)[ ]*(?=$|[.,;:(#]|-[ ])",
            flags,
        )

    def marked(self, mark: str) -> Any:
        return self._regex.compile(
            rf"{self._regex.escape(mark)}\"?\s*[:=]?\s*({_LIST})", self._flags
        )


@cache
def _compiled() -> _Patterns:
    return _Patterns()
