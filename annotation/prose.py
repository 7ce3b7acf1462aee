"""Issues that a model describes in prose: headings, list items, ``sentence 3 of report 1``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.protocol import protocol
from globesumm.values import IssueKind

Reference = tuple[int, int]
"""(number of a report, number of a sentence in it), both from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """One issue as an answer names it, before its sentences are looked up."""

    kind: IssueKind
    references: tuple[Reference, ...]
    detail: str


_NUMBERS = r"\(?#?\d{1,3}\)?(?:\s*(?:,|and|&|/|und|et|y)\s*#?\(?\d{1,3}\)?)*"
_REPORT = r"(?:news\s+)?(?:report|article|document|text|source)s?"
_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5"}
_ORDINAL = re.compile(rf"\b({'|'.join(_ORDINALS)})\s+({_REPORT})\b", re.IGNORECASE)
_SENTENCE = r"(?:sentence|point|item|statement|number|fact|no\.|s\.)s?"
_OF = re.compile(
    rf"{_SENTENCE}\s*(?P<numbers>{_NUMBERS})\s*(?:of|in|from)\s+(?:the\s+)?{_REPORT}\s*(?P<report>\d{{1,3}})",
    re.IGNORECASE,
)
_THEN = re.compile(
    rf"{_REPORT}\s*(?P<report>\d{{1,3}})[^.;\d]{{0,24}}?{_SENTENCE}\s*(?P<numbers>{_NUMBERS})",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\bR(?P<report>\d{1,3})[\s.,:-]{0,2}S(?P<numbers>\d{1,3})\b")
_DOTTED = re.compile(r"[(\[](?P<report>\d{1,2})\.(?P<numbers>\d{1,3})[)\]]")
_NONE = re.compile(r"\b(?:no|none|not|n/a|nothing|without)\b", re.IGNORECASE)
_MARKS = re.compile(r"^[\s#>*_•\-–—()\[\].:\d]+")


def references(text: str) -> tuple[Reference, ...]:
    """The sentences that a phrase such as ``sentences 1 and 3 of report 2`` points at."""
    text = _ORDINAL.sub(lambda found: f"{found[2]} {_ORDINALS[found[1].casefold()]}", text)
    found: list[tuple[int, int, int]] = []
    for pattern in (_OF, _THEN, _SHORT, _DOTTED):
        for match in pattern.finditer(text):
            report = int(match["report"])
            numbers = re.findall(r"\d+", match["numbers"])
            found += [(match.start(), report, int(number)) for number in numbers]
        # What one form has read is no part of another.
        text = pattern.sub(lambda read: ";" * len(read[0]), text)
    found.sort()
    return tuple(dict.fromkeys((report, number) for _, report, number in found))


def from_prose(text: str) -> Iterator[Named]:
    """One issue a line under a heading that names its kind, or in a line that begins with it."""
    current: IssueKind | None = None
    for line in text.splitlines():
        bare = _MARKS.sub("", line).strip().strip("*_ ")
        if not bare:
            continue
        opening = bare[:40]
        kind = protocol().kind_of(opening)
        places = references(bare)
        if kind and not places and (len(bare) <= 60 or bare.endswith(":")):
            current = kind
            continue
        kind = kind or current
        if kind is None or (not places and _NONE.search(bare[:60])):
            continue
        if places or line.lstrip()[:1] in "-*•–—" or line.lstrip()[:1].isdigit():
            yield Named(kind=kind, references=places, detail=" ".join(bare.split()))
