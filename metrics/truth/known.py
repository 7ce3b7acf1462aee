"""A summary with what is known of it, by construction or from people."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from globesumm.errors import DataError, UnknownName
from globesumm.languages import parse
from globesumm.records import from_plain, read_plain_records
from globesumm.values import Document, Rejected
from metrics.base import Candidate
from metrics.ranking.scores import check_number

TRUTHS = ("coverage", "faithfulness")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One summary of one article, with its true coverage and faithfulness (None: not known).

    A composed summary states `good` of the article's `points` and `bad` sentences that are no
    point of it; coverage is good / points, faithfulness good / (good + bad) (perspective paper,
    equations 1 and 2).  `reversed` of the bad ones say the opposite of a point, the others are the
    other side's.  People's labels have no such counts.
    """

    id: str
    article: str
    source: str
    source_language: str
    text: str
    language: str
    coverage: float | None
    faithfulness: float | None
    good: int | None = None
    bad: int | None = None
    points: int | None = None
    reversed: int | None = None

    @property
    def candidate(self) -> Candidate:
        """What a metric is given: the article is both the document and the reference."""
        document = Document(id=self.article, text=self.source, language=self.source_language)
        return Candidate(
            id=self.id,
            text=self.text,
            language=self.language,
            references=(self.source,),
            reference_language=self.source_language,
            documents=(document,),
            event=self.article,
        )

    @property
    def pair(self) -> str:
        """The languages of source and summary, as ``de-en``."""
        return f"{self.source_language}-{self.language}"

    @property
    def kind(self) -> str:
        within = self.source_language == self.language
        return "within one language" if within else "across languages"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Label:
    article: str
    source: str
    summary: str
    language: str
    summary_language: str | None = None
    coverage: float | None = None
    faithfulness: float | None = None
    id: str | None = None


def read_labels(path: Path) -> Iterator[Known | Rejected]:
    """People's labels as truth: a JSON Lines file, one summary a line.

    ``{"article", "source", "summary", "language", "summary_language"?, "coverage"?,
    "faithfulness"?, "id"?}``: `source` is the article's text, the same on all its lines, labels
    are numbers on any scale, higher better, null where nobody judged.  A line of another form,
    without any label, with half a character in a text, or that repeats an id is `Rejected`.
    """
    seen: set[str] = set()
    sources: dict[str, str] = {}
    for record in read_plain_records(path):
        if isinstance(record, Rejected):
            yield record
            continue
        where, plain = record
        try:
            for name in TRUTHS:
                check_number(plain.get(name), f"{where}: {name}")
            check_whole(plain, where)
            found = _labelled(from_plain(_Label, plain, where), where)
        except (DataError, UnknownName) as error:
            yield Rejected(where=where, reason=str(error).removeprefix(f"{where}: "))
            continue
        if found.id in seen:
            yield Rejected(where=where, reason=f"the id {found.id!r} was on a line before")
            continue
        if sources.setdefault(found.article, found.source) != found.source:
            reason = f"another source of {found.article!r} was on a line before"
            yield Rejected(where=where, reason=reason)
            continue
        seen.add(found.id)
        yield found


def check_whole(plain: object, where: str) -> None:
    """Raise `DataError` where parsed JSON holds half a character (a lone surrogate).

    No text has one: what wrote it cut a letter in two, and names with one cannot seed a draw.
    """
    try:
        json.dumps(plain, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise DataError(f"{where}: half a character (a lone surrogate) in a text") from error


def _labelled(label: _Label, where: str) -> Known:
    values = (label.coverage, label.faithfulness)
    if all(value is None for value in values):
        raise DataError(f"{where}: neither coverage nor faithfulness: nothing is known of it")
    if not label.article.strip():
        raise DataError(f"{where}: article: a name is needed")
    if not label.source.strip() or not label.summary.strip():
        raise DataError(f"{where}: source and summary must say something")
    language = parse(label.language)
    return Known(
        id=label.id or where.rpartition(":")[2],
        article=label.article,
        source=label.source,
        source_language=language,
        text=label.summary,
        language=parse(label.summary_language) if label.summary_language else language,
        coverage=label.coverage,
        faithfulness=label.faithfulness,
    )
