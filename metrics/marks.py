"""What people or a model point out between two documents, as marks on their sentences.

A file of marks is JSON Lines, a line for each pair and annotator::

    {"pair": "ferry-1", "event": "ferry", "documents": ["a", "b"], "sentences": [8, 10],
     "digest": "0f3c…", "annotator": "one", "issues": [
       {"kind": "redundancy", "first": [1], "second": [1, 2]},
       {"kind": "omission", "first": [3]},
       {"kind": "conflict", "first": [4], "second": [3], "cause": "update"}]}

It holds no text: sentences are named by their numbers (from 1) as `globesumm.text.sentences`
splits the documents, and `digest` tells whether the texts are still those that were marked.
Where texts come from elsewhere, `data` names the data set, `splitter` the rules that numbered
the sentences, and `texts` has a digest of each document, so that the one that differs is named.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from globesumm.errors import DataError
from globesumm.records import read_records
from globesumm.values import ConflictCause, Issue, IssueKind, Rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One issue: its kind, and the numbers of the sentences of the first and second document.

    An omission stands on one side, the one that tells it; the others on both.
    """

    kind: IssueKind
    first: tuple[int, ...] = ()
    second: tuple[int, ...] = ()
    cause: ConflictCause | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))

    @property
    def whole(self) -> bool:
        """Whether it stands on as many sides as its kind does."""
        sides = bool(self.first) + bool(self.second)
        return sides == (1 if self.kind is IssueKind.OMISSION else 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """The marks of one annotator on one pair; `sentences` are how many each document has.

    `texts` are `text_digest` of each document, `digest` is `digest_of` their sentences.
    """

    pair: str
    event: str
    documents: tuple[str, str]
    sentences: tuple[int, int]
    annotator: str
    data: str | None = None
    splitter: str | None = None
    texts: tuple[str, str] | None = None
    digest: str | None = None
    issues: tuple[Mark, ...] = ()


def read_marks(path: Path) -> list[Marked]:
    """Every line of a file of marks.

    Raises `DataError` naming the line where one cannot be read, names a sentence that the
    document has not, or marks the same pair as before for the same annotator, or pairs of one
    name differ in their documents: a gold standard with a hole in it would mislead.
    """
    found: list[Marked] = []
    seen: set[tuple[str, str]] = set()
    pairs: dict[str, Marked] = {}
    for number, one in enumerate(read_records(path, Marked), start=1):
        if isinstance(one, Rejected):
            raise DataError(f"{one.where}: {one.reason}")
        where = f"{path}: entry {number} (pair {one.pair!r} by {one.annotator!r})"
        if (one.pair, one.annotator) in seen:
            raise DataError(f"{where}: marked before: keep one of the two")
        seen.add((one.pair, one.annotator))
        if one.documents[0] == one.documents[1]:
            raise DataError(f"{where}: its two documents are one, {one.documents[0]!r}: name two")
        first = pairs.setdefault(one.pair, one)
        if _about(one) != _about(first):
            raise DataError(f"{where}: another annotator's pair of this name has other texts")
        for place, mark in enumerate(one.issues, start=1):
            _check(mark, one.sentences, f"{where}: issue {place}")
        found.append(one)
    if not found:
        raise DataError(f"{path}: it holds no marks: name another file")
    return found


def _about(one: Marked) -> tuple[object, ...]:
    """What every annotator of a pair must have had before him."""
    return one.event, one.documents, one.sentences, one.texts, one.digest


def _check(mark: Mark, sentences: tuple[int, int], where: str) -> None:
    if not mark.whole:
        sides = "one side" if mark.kind is IssueKind.OMISSION else "both sides"
        raise DataError(f"{where}: a mark of kind {mark.kind} stands on {sides}")
    for name, numbers, most in zip(
        ("first", "second"), (mark.first, mark.second), sentences, strict=True
    ):
        if bad := [one for one in numbers if not 1 <= one <= most]:
            raise DataError(f"{where}: {name} names sentence {bad[0]} of {most}")


def digest_of(first: Sequence[str], second: Sequence[str]) -> str:
    """What `Marked.digest` is for the sentences of two documents: 12 hexadecimal digits."""
    return text_digest("\x1d".join("\x1e".join(texts) for texts in (first, second)))


def text_digest(text: str) -> str:
    """What `Marked.texts` holds for a document: 12 hexadecimal digits of its text's SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]


def marks_of(
    issues: Iterable[Issue], documents: tuple[str, str]
) -> tuple[list[tuple[int, Mark]], list[int]]:
    """(place of the issue, mark) for what a model found, and the places of what is no mark.

    An issue is none where its statements do not stand on the sides that its kind needs.
    """
    found: list[tuple[int, Mark]] = []
    lost: list[int] = []
    for place, issue in enumerate(issues):
        sides = [
            tuple(one.index for one in issue.statements if one.document == document)
            for document in documents
        ]
        mark = Mark(kind=issue.kind, first=sides[0], second=sides[1], cause=issue.cause)
        if mark.whole:
            found.append((place, mark))
        else:
            lost.append(place)
    return found, lost
