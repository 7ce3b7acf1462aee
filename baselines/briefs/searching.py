"""Words → reports of a built index, language by language; and reports of the same days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.briefs.asked import Request
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import track
from globesumm.values import Document
from retrieval.events.candidates import LONGEST_QUERY, NO_ANALYZER, NOT_INDEXED

if TYPE_CHECKING:
    from retrieval.index import Hit, Index, Window

AS_IT_STANDS = "searched with the words as they stand, untranslated"
NO_HIT = "no document holds a word of the query within the days"
WEEK = timedelta(days=7)
"""How far before the first and behind the last hit reports of the same event are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A report that may be taken; `how` it came, `rank` in its language where words found it.

    What a person named is `named`: it is not asked whether it tells of the event.  `later_of` is
    the id of the document of which this is a later text, with other figures.
    """

    document: Document
    how: str
    rank: int | None = None
    named: bool = False
    later_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """Something that is missing, and why."""

    what: str
    why: str


def search(
    folder: Path, request: Request, queries: Mapping[str, str]
) -> tuple[list[Seen], list[Lack]]:
    """The reports that the words find, and the languages in which they find none; starts Java.

    `queries` are words by language; a language without any is searched with the request's own.
    Raises `UsageError` where nothing is found at all, with what may help.
    """
    index, there = _opened(folder), languages_in(folder)
    wanted = request.languages or tuple(there)
    if not set(wanted) & set(there):
        raise UsageError(
            f"{folder} has no documents in {', '.join(wanted)}: it has {', '.join(there)}"
        )
    window = window_of(request)
    found: list[Seen] = []
    lacks: list[Lack] = []
    try:
        for language in track(wanted, "languages searched", len(wanted)):
            if language not in there:
                lacks.append(Lack(what=language, why=_absent(language)))
                continue
            text = queries.get(language, request.text)[:LONGEST_QUERY]
            own = "" if language in queries else f", {AS_IT_STANDS}"
            hits = _hits(index, text, language, request, window)
            found += [
                Seen(document=index.document(name), rank=rank,
                     how=f"words in {language}, rank {rank}{own}")
                for rank, name in enumerate(hits, start=1)
            ]  # fmt: skip
            if not hits:
                lacks.append(Lack(what=language, why=f"{NO_HIT}{own}"))
        if not found:
            raise UsageError(_nothing(index, request, queries, [w for w in wanted if w in there]))
    finally:
        index.close()
    return found, lacks


def around(
    folder: Path, request: Request, story: Sequence[Document], known: Sequence[str]
) -> tuple[list[Seen], list[Lack]]:
    """Reports of the days of `story`, in every language wanted, that no words found.

    At most ``request.around`` a language; where there are more, that is among the lacks.
    """
    days = [one.published.date() for one in story if one.published]
    if not request.around or not days:
        return [], []
    from retrieval.index import Window

    first, last = min(days) - WEEK, max(days) + WEEK
    window = Window(
        since=max(first, request.since or first), until=min(last, request.until or last)
    )
    index, there = _opened(folder), languages_in(folder)
    seen: list[Seen] = []
    lacks: list[Lack] = []
    held = set(known)
    try:
        for language in request.languages or there:
            if language not in there:
                continue
            near = index.within(language, window, request.around + 1)
            if len(near) > request.around:
                why = (
                    f"only {counted(request.around, 'report')} of the days were compared (--around)"
                )
                lacks.append(Lack(what=language, why=why))
            seen += [
                Seen(document=one, how="of the same days, and near by its beginning")
                for one in near[: request.around]
                if one.id not in held
            ]
    finally:
        index.close()
    return seen, lacks


def window_of(request: Request) -> "Window | None":
    """The days asked for; None for any."""
    from retrieval.index import Window

    return Window.between(request.since, request.until, undated=request.undated)


def languages_in(folder: Path) -> list[str]:
    """The languages of an index; raises `UsageError` where there is none, or one is damaged."""
    there = sorted(path.parent.name for path in folder.glob("*/analysis.json"))
    held = sorted(path.parent.name for path in folder.glob("*/documents.sqlite"))
    if lost := [name for name in held if name not in there]:
        raise UsageError(
            f"{folder / lost[0]} has lost its analysis.json: delete that folder and repeat the "
            "command that made it"
        )
    if not there:
        state = "is empty" if folder.is_dir() else "does not exist"
        raise UsageError(
            f"--index {folder} {state}: globesumm index documents.jsonl --out {folder} fills it"
        )
    return there


def _opened(folder: Path) -> "Index":
    from retrieval.index import Index

    return Index(folder)


def _absent(language: str) -> str:
    from retrieval.index import analyses

    return NOT_INDEXED if language in analyses() else NO_ANALYZER


def _hits(
    index: "Index", text: str, language: str, request: Request, window: "Window | None"
) -> "list[Hit]":
    from retrieval.index import Bm25

    return index.search(text, language, Bm25(k=request.depth), window)


def _nothing(
    index: "Index", request: Request, queries: Mapping[str, str], languages: Sequence[str]
) -> str:
    """What to tell where nothing was found: the days are wrong, or the words."""
    days = [
        document.published.date()
        for language in languages
        for hit in _hits(index, queries.get(language, request.text), language, request, None)
        if (document := index.document(hit)).published
    ]
    if days and window_of(request):
        return (
            f"nothing is found within the days: what the words find is of {min(days)} to "
            f"{max(days)}; give other --since and --until"
        )
    told = ", ".join(languages)
    return (
        f"no document in {told} holds a word of {request.text[:80]!r}: give the words in a "
        "language of the index with --words CODE=WORDS, or let --model translate them"
    )
