"""Articles with excerpts, their key points, the reversals of these, and the other side's points."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from globesumm.errors import DataError, UnknownName
from globesumm.languages import parse
from globesumm.records import from_plain, read_plain_records
from globesumm.values import Rejected
from metrics.truth.known import check_whole

_EXCERPT = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Sentences in one language: `keys` restate the excerpts, one each; `reversals` (as many, or
    none) say the opposite of these; `other` are points of the other side.
    """

    keys: tuple[str, ...]
    reversals: tuple[str, ...] = ()
    other: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """The text of one side on one topic.

    `excerpts` are the stretches of `text` that hold its key points, and `points` say them and
    their contraries, by the language in which summaries are to be composed.
    """

    id: str
    language: str
    text: str
    excerpts: tuple[str, ...]
    points: Mapping[str, Points]
    topic: str | None = None
    side: str | None = None
    other_side: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    id: str
    language: str
    points: dict[str, Points]
    excerpts: tuple[str, ...]
    text: str | None = None
    topic: str | None = None
    side: str | None = None
    other_side: str | None = None


def shipped() -> list[Article]:
    """The articles that come with the package, in order of their ids.

    They are written for this project, on invented places, in several languages; what is not in
    English has points in English beside those in its own language.
    """
    folder = files("globesumm").joinpath("data", "truth")
    found = []
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if not entry.name.endswith(".toml"):
            continue
        plain = tomllib.loads(entry.read_text(encoding="utf-8"))
        marked = str(plain["text"]).strip()
        plain["excerpts"] = _EXCERPT.findall(marked)
        plain["text"] = _EXCERPT.sub(r"\1", marked)
        found.append(_article(plain, entry.name))
    return found


def read_articles(path: Path) -> Iterator[Article | Rejected]:
    """One's own articles: a JSON Lines file, one a line.

    ``{"id", "language", "text"?, "excerpts": […], "points": {"en": {"keys": […], "reversals"?:
    […], "other"?: […]}, …}, "topic"?, "side"?, "other_side"?}``; without a text the excerpts are
    the text.  A line of another form, an excerpt that is not in the text, keys that are not as
    many as the excerpts, or an id seen before is `Rejected`.
    """
    seen: set[str] = set()
    for record in read_plain_records(path):
        if isinstance(record, Rejected):
            yield record
            continue
        where, plain = record
        try:
            check_whole(plain, where)
            found = _article(plain, where)
        except (DataError, UnknownName) as error:
            yield Rejected(where=where, reason=str(error).removeprefix(f"{where}: "))
            continue
        if found.id in seen:
            yield Rejected(where=where, reason=f"the id {found.id!r} was on a line before")
            continue
        seen.add(found.id)
        yield found


def _article(plain: Mapping[str, object], where: str) -> Article:
    line = from_plain(_Line, plain, where)
    if not line.id.strip():
        raise DataError(f"{where}: id: a name is needed")
    text = "\n".join(line.excerpts) if line.text is None else line.text
    if not line.excerpts:
        raise DataError(f"{where}: excerpts: none given, so there is nothing to cover")
    for number, excerpt in enumerate(line.excerpts, 1):
        if not _flat(excerpt) or _flat(excerpt) not in _flat(text):
            raise DataError(f"{where}: excerpts: number {number} does not stand in the text")
    if not line.points:
        raise DataError(f"{where}: points: none given in any language")
    points: dict[str, Points] = {}
    for code, held in line.points.items():
        language = parse(code)
        if language in points:
            raise DataError(f"{where}: points: {language} is given twice")
        if len(held.keys) != len(line.excerpts):
            raise DataError(
                f"{where}: points.{code}: {len(held.keys)} keys for {len(line.excerpts)} excerpts"
            )
        if held.reversals and len(held.reversals) != len(held.keys):
            raise DataError(
                f"{where}: points.{code}: {len(held.reversals)} reversals for "
                f"{len(held.keys)} keys: give one each, or none"
            )
        said = [_flat(one) for one in (*held.keys, *held.reversals, *held.other)]
        if not all(said) or len(set(said)) < len(said):
            raise DataError(f"{where}: points.{code}: a sentence is empty or stands twice")
        points[language] = held
    return Article(
        id=line.id,
        language=parse(line.language),
        text=text,
        excerpts=line.excerpts,
        points=points,
        topic=line.topic,
        side=line.side,
        other_side=line.other_side,
    )


def _flat(text: str) -> str:
    return " ".join(text.split())
