"""What people answer, by kind, and when an answer fits its item.

A check returns the answer in its one canonical form, so that equal answers are equal JSON.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

from annotation.labels import payloads
from globesumm.errors import DataError
from globesumm.values import ConflictCause, IssueKind

CRITERIA = ("same_event", "cause_or_consequence", "perspective")
"""The three by which a report belongs to an event (GlobeSumm, A.1)."""

MOST = 2000
"""Marks, points or links of one answer; more is no work of a person."""

LONGEST = 5000
"""Characters of a strategy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """`relevant` is yes where at least one of `criteria` (see `CRITERIA`) is met."""

    relevant: bool
    criteria: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One issue by numbers of sentences, as in `metrics.marks`; a conflict has a cause."""

    kind: IssueKind
    first: tuple[int, ...] = ()
    second: tuple[int, ...] = ()
    cause: ConflictCause | None = None
    strategy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Issues:
    """The issues marked, or for each prediction to review whether it is right."""

    issues: tuple[Mark, ...] = ()
    reviewed: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFact:
    key: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSupport:
    supported: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """The numbers of the sentences that state the fact, from 1; none: no sentence does."""

    sentences: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Code points `start` to `end` of a text, and the `text` there (filled in where not given).

    `document` is the number of the document, from 1; 0 is the summary.
    """

    start: int
    end: int
    text: str = ""
    document: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPoints:
    """`points` in documents and `told` in the summary; `links` are (place in `points`, in `told`).

    Places are from 0.  A point with a link is included, one without is omitted; what is told
    without a link is hallucinated.
    """

    points: tuple[Span, ...] = ()
    told: tuple[Span, ...] = ()
    links: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """The better of summaries ``"a"`` and ``"b"``, and which of them was shown first."""

    preferred: Literal["a", "b", "tie"]
    first: Literal["a", "b"]


def check_relevance(_: payloads.Relevance, answer: Relevance) -> Relevance:
    if unknown := set(answer.criteria) - set(CRITERIA):
        raise DataError(f"no such criterion: {min(unknown)[:40]!r}")
    if answer.relevant is not bool(answer.criteria):
        raise DataError("relevant means that one of the three criteria is met: say which")
    return replace(answer, criteria=tuple(one for one in CRITERIA if one in answer.criteria))


def check_issues(payload: payloads.Issues, answer: Issues) -> Issues:
    if payload.review:
        if answer.issues or len(answer.reviewed) != len(payload.review):
            raise DataError(
                f"say of each of the {len(payload.review)} findings whether it is right"
            )
        return answer
    if answer.reviewed:
        raise DataError("there is nothing to review here")
    if len(answer.issues) > MOST:
        raise DataError(f"{len(answer.issues)} issues: at most {MOST} are taken")
    found: dict[Any, Mark] = {}
    for place, mark in enumerate(answer.issues, start=1):
        where = f"issue {place}"
        first = _numbers(mark.first, len(payload.first.sentences), f"{where}, first list")
        second = _numbers(mark.second, len(payload.second.sentences), f"{where}, second list")
        sides = bool(first) + bool(second)
        omission = mark.kind is IssueKind.OMISSION
        if sides != (1 if omission else 2):
            raise DataError(f"{where}: choose sentences {'of one list' if omission else 'of both'}")
        conflict = mark.kind is IssueKind.CONFLICT
        if conflict and mark.cause is None:
            raise DataError(f"{where}: a conflict needs its cause")
        strategy = _line(mark.strategy or "", f"{where}, strategy")
        found[mark.kind, first, second] = replace(
            mark,
            first=first,
            second=second,
            cause=mark.cause if conflict else None,
            strategy=strategy if conflict else None,
        )
    order = list(IssueKind)
    keys = sorted(found, key=lambda key: (order.index(key[0]), key[1], key[2]))
    return replace(answer, issues=tuple(found[key] for key in keys))


def check_key_fact(_: payloads.KeyFact, answer: KeyFact) -> KeyFact:
    return answer


def check_fact_support(_: payloads.FactSupport, answer: FactSupport) -> FactSupport:
    return answer


def check_matching(payload: payloads.Matching, answer: Matching) -> Matching:
    count = len(payload.summary.sentences)
    return replace(answer, sentences=_numbers(answer.sentences, count, "the summary"))


def check_key_points(payload: payloads.KeyPoints, answer: KeyPoints) -> KeyPoints:
    if max(len(answer.points), len(answer.told), len(answer.links)) > MOST:
        raise DataError(f"more than {MOST} points or links: that many are not taken")
    texts = ["" if payload.summary is None else payload.summary.text]
    texts += [one.text for one in payload.documents]
    for span in answer.points:
        if not 1 <= span.document <= len(payload.documents):
            raise DataError(f"there is no document {span.document}")
    if answer.told and payload.summary is None:
        raise DataError("there is no summary to highlight here")
    for span in answer.told:
        if span.document:
            raise DataError("what the summary tells stands in no document")
    points, told = (
        sorted(range(len(spans)), key=lambda place, spans=spans: _place(spans[place]))  # type: ignore[misc]  # a default binds the list
        for spans in (answer.points, answer.told)
    )
    marked = [_found(answer.points[place], texts) for place in points]
    says = [_found(answer.told[place], texts) for place in told]
    _check_apart(marked)
    _check_apart(says)
    links = set()
    for point, tells in answer.links:
        if not (0 <= point < len(points) and 0 <= tells < len(told)):
            raise DataError("a link joins a key point of a document and one of the summary")
        links.add((points.index(point), told.index(tells)))
    return KeyPoints(
        points=tuple(marked),
        told=tuple(says),
        links=tuple(sorted(links)),
    )


def check_preference(_: payloads.Preference, answer: Preference) -> Preference:
    return answer


def _line(text: str, where: str) -> str | None:
    """`text` without what no file takes (NUL, half a character); None where nothing is left."""
    if len(text) > LONGEST:
        raise DataError(f"{where}: longer than {LONGEST} characters")
    return text.encode("utf-8", "replace").decode().replace("\0", "").strip() or None


def _numbers(numbers: Iterable[int], most: int, where: str) -> tuple[int, ...]:
    found = tuple(sorted(set(numbers)))
    if bad := [one for one in found if not 1 <= one <= most]:
        raise DataError(f"{where}: there is no sentence {bad[0]} among {most}")
    return found


def _place(span: Span) -> tuple[int, int, int]:
    return span.document, span.start, span.end


def _found(span: Span, texts: Sequence[str]) -> Span:
    """`span` with the text that stands there; raises `DataError` where it says another."""
    text = texts[span.document]
    if not 0 <= span.start < span.end <= len(text):
        raise DataError(f"the highlight {span.start} to {span.end} is not in the text")
    there = text[span.start : span.end]
    if span.text not in {"", there}:
        raise DataError(f"the highlight {span.start} to {span.end} holds another text")
    return replace(span, text=there)


def _check_apart(spans: list[Span]) -> None:
    for one, other in pairwise(spans):
        if one.document == other.document and other.start < one.end:
            raise DataError("two highlights overlap: remove one")
