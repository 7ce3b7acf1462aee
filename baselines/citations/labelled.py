"""How well a method cites, on summary sentences whose sources a reader named.

The sample lies in ``labels/``, a file for each sample event; it names sentences by number and
holds no text of the pages.
"""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any

from baselines.citations.citing import Citer
from baselines.citations.values import Citation, Standing
from globesumm import samples
from globesumm.errors import DataError
from globesumm.records import from_plain
from globesumm.text import sentences
from globesumm.values import Event, Round, Sentence, Summary

Place = tuple[str, int]
"""A document's id and the number of a sentence of it, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A summary sentence and the places that a reader accepts as its sources."""

    sentence: Sentence
    sources: frozenset[Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """One method on labelled sentences; ratios are from 0 to 1, None where nothing was counted.

    `right` of `cited` places are among the `labelled` ones.  Of the sentences that have a
    source, `told_supported` of `supported` were cited at least once with a right place; of
    those that have none, `told_unsupported` of `unsupported` were marked so.  `near` of
    `without` sentences that have a source and were cited without any show a right one as the
    nearest.  `unjudged` sentences count as neither and stand in every denominator.
    """

    method: str
    sentences: int
    right: int
    cited: int
    labelled: int
    told_supported: int
    supported: int
    told_unsupported: int
    unsupported: int
    near: int
    without: int
    unjudged: int

    @property
    def precision(self) -> float | None:
        """Right places / cited places; higher is better."""
        return self.right / self.cited if self.cited else None

    @property
    def recall(self) -> float | None:
        """Right places / labelled places; higher is better."""
        return self.right / self.labelled if self.labelled else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    sources: tuple[str, ...]
    reference: int | None = None
    text: str | None = None
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sample:
    event: str
    sentence: tuple[_Row, ...] = field(default=())


def labelled(event: Event) -> list[Labelled]:
    """The labelled sentences of the sample event `event`, whose documents were read already.

    Raises `DataError` for a label that names a sentence that is not there.
    """
    path = files("baselines.citations").joinpath("labels", f"{event.id}.toml")
    plain: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    sample = from_plain(_Sample, plain, path.name)
    reference = sentences.split(samples.load(event.id).reference, "en")
    counts = {
        document.id: len(sentences.split(document.text, document.language))
        for document in event.documents
    }
    ids = {name.split("-", 1)[0]: name for name in counts}
    found = []
    for number, row in enumerate(sample.sentence, 1):
        where = f"{path.name}: sentence {number}"
        places = frozenset(_place(name, ids, counts, where) for name in row.sources)
        if row.reference is None and row.text is None:
            raise DataError(f"{where}: give `reference` or `text`")
        text = row.text or reference[(row.reference or 0) - 1]
        found.append(Labelled(sentence=Sentence(text=text, language=row.language), sources=places))
    return found


def _place(name: str, ids: dict[str, str], counts: dict[str, int], where: str) -> Place:
    page, _, number = name.partition(":")
    document = ids.get(page, "")
    if not number.isdecimal() or not 1 <= int(number) <= counts.get(document, 0):
        raise DataError(f"{where}: no sentence {name!r} in the event's pages")
    return document, int(number)


def cited(event: Event, rows: Sequence[Labelled], citer: Citer) -> list[Citation]:
    """What `citer` cites for the labelled sentences."""
    ids = tuple(document.id for document in event.documents)
    told = tuple(replace(row.sentence, statements=()) for row in rows)
    round_ = Round(index=1, documents=ids, added=ids, summary="", sentences=told)
    summary = Summary(
        event=event.id, recipe="labelled", model="", target="en", text="", rounds=(round_,)
    )
    return citer.cite(summary, event)


def quality(rows: Sequence[Labelled], found: Iterable[Citation], method: str) -> Quality:
    """What `found`, in the order of `rows`, gets right."""
    citations = list(found)
    hits = [
        {(one.document, one.index) for one in citation.supports} & row.sources
        for row, citation in zip(rows, citations, strict=True)
    ]
    missed = [
        (citation.nearest, row.sources)
        for row, citation in zip(rows, citations, strict=True)
        if row.sources and not citation.supports
    ]
    none = [citation for row, citation in zip(rows, citations, strict=True) if not row.sources]
    return Quality(
        method=method,
        sentences=len(citations),
        right=sum(map(len, hits)),
        cited=sum(len(citation.supports) for citation in citations),
        labelled=sum(len(row.sources) for row in rows),
        told_supported=sum(bool(hit) for hit in hits),
        supported=len(rows) - len(none),
        told_unsupported=sum(one.standing is Standing.UNSUPPORTED for one in none),
        unsupported=len(none),
        near=sum(
            one is not None and (one.document, one.index) in sources for one, sources in missed
        ),
        without=len(missed),
        unjudged=sum(one.standing is Standing.UNJUDGED for one in citations),
    )
