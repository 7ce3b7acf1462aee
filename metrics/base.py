"""What every metric is: a frozen value with a name, a signature, a description and `score`.

Values are fractions as the formulas give them (ROUGE 0 to 1); tables print them times 100, as
the GlobeSumm paper does.  A value that cannot be computed is None with the reason in the note.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import quote, unquote

from globesumm.errors import DataError, UsageError
from globesumm.finite import is_number
from globesumm.languages import UNKNOWN
from globesumm.text import planted
from globesumm.values import Document, Score, Sentence
from metrics.means import means

NO_NUMBER = "the computation gave no finite number"
ROUNDING = 1e-6
"""How far a value may lie outside its bounds by rounding alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One text to be scored, and what a metric may hold against it.

    `language` is a BCP-47 code (``"und"`` where unknown), `references` are human summaries in
    `reference_language` (None: in the candidate's own language).  `sentences` are given where
    the maker of the text knows them and their languages; the text may mix languages then.
    `documents` are the texts summarized.  `event`, `recipe` and `round` go into the scores.
    """

    id: str
    text: str
    language: str
    references: tuple[str, ...] = ()
    reference_language: str | None = None
    sentences: tuple[Sentence, ...] | None = None
    documents: tuple[Document, ...] = ()
    event: str | None = None
    recipe: str | None = None
    round: int | None = None


class Better(StrEnum):
    """Which way a metric points; `arrow` is what tables print after its name."""

    HIGHER = "higher"
    LOWER = "lower"

    @property
    def arrow(self) -> str:
        return "↑" if self is Better.HIGHER else "↓"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One number a metric gives; `low` and `high` bound it (None: no bound that holds always)."""

    name: str
    better: Better
    low: float | None = None
    high: float | None = None

    def held(self, found: "Measured") -> "Measured":
        """What was measured, without a value that lies outside the bounds."""
        value = found.value
        if value is None or (
            (self.low is None or value >= self.low - ROUNDING)
            and (self.high is None or value <= self.high + ROUNDING)
        ):
            return found
        return Measured(None, joined(found.note, f"{value:g} is outside the range of {self.name}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a reader must know before believing a number; every field is plain English.

    `empty` says what happens to empty and degenerate texts, `cost` what one score takes,
    `difference` where this differs from its `source`, `weak_spots` what it cannot see.
    """

    measures: str
    formula: str
    range: str
    empty: str
    cost: str
    source: str
    difference: str
    weak_spots: str


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that changes a metric's value, as text: ``name|key:value|key:value``.

    ``Signature.parse(str(s)) == s`` for every signature.  The characters ``| % :`` and all
    control characters are percent-encoded where they would be misread.
    """

    name: str
    parts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, name: str, **parts: str | int) -> "Signature":
        """A signature whose keys stand in the order given."""
        return cls(name, tuple((key, str(value)) for key, value in parts.items()))

    @classmethod
    def parse(cls, text: str) -> "Signature":
        """The signature that `text` prints; text of another form is a `DataError`."""
        name, *rest = text.split("|")
        if any(":" not in part for part in rest):
            raise DataError(f"not a metric signature: {text[:80]!r} (name|key:value|…)")
        pairs = (part.split(":", 1) for part in rest)
        return cls(_decoded(name), tuple((_decoded(key), _decoded(value)) for key, value in pairs))

    def __str__(self) -> str:
        pairs = (f"{_encoded(key, ':')}:{_encoded(value)}" for key, value in self.parts)
        return "|".join((_encoded(self.name), *pairs))

    def differences(self, other: "Signature") -> tuple[str, ...]:
        """Each part on which two signatures disagree, as ``key: mine / theirs``."""
        mine, theirs = ({"name": s.name, **dict(s.parts)} for s in (self, other))
        return tuple(
            f"{key}: {mine.get(key, '(none)')} / {theirs.get(key, '(none)')}"
            for key in mine | theirs
            if mine.get(key) != theirs.get(key)
        )


def _encoded(text: str, more: str = "") -> str:
    """`text` with the characters that carry meaning in a signature percent-encoded."""
    special = "|%" + more
    return "".join(
        quote(char, safe="", errors="surrogatepass")
        if char in special or not char.isprintable()
        else char
        for char in text
    )


def _decoded(text: str) -> str:
    return unquote(text, errors="surrogatepass") if "%" in text else text


@dataclass(frozen=True, slots=True)
class Measured:
    """A value, or None, with what must be said about it; a value that is no number becomes None."""

    value: float | None
    note: str | None = None

    def __post_init__(self) -> None:
        if self.value is not None and not is_number(self.value):
            object.__setattr__(self, "value", None)
            object.__setattr__(self, "note", joined(self.note, NO_NUMBER))


class Metric(ABC):
    """A metric; subclasses are frozen dataclasses whose fields are its settings."""

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in the registry, in signatures and on the command line."""

    @property
    @abstractmethod
    def columns(self) -> tuple[Column, ...]:
        """The numbers it gives for one candidate, in order."""

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """Everything that changes its values; equal signatures may share a table column."""

    @property
    def requires(self) -> tuple[str, ...]:
        """What it needs beyond the light core: packages, a model, languages; empty if nothing."""
        return ()

    @abstractmethod
    def describe(self) -> Description:
        """What it measures, how, and where it must not be trusted."""

    @abstractmethod
    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        """For each candidate, in order, what it measured for each of its columns."""

    def score(self, candidates: Sequence[Candidate]) -> list[Score]:
        """One score a candidate and column, candidates in the order given.

        Never NaN, infinite or outside its column's bounds: such a value becomes None with a note.
        Where a model judges, a text that speaks to models is noted (see `globesumm.text.planted`).
        A missing package or a model that cannot be loaded is a `UsageError`; the candidates' texts
        are never the cause of an exception.
        """
        signature = str(self.signature)
        measured = self.measure(candidates)
        # A text that speaks to a model has to be looked at where a model reads it as its judge.
        warned = any(needed.startswith("model ") for needed in self.requires)
        return [
            _score(
                candidate, column.name, _warned(column.held(found[column.name]), sign), signature
            )
            for candidate, found in zip(candidates, measured, strict=True)
            for sign in [planted.note(candidate.text, "the text") if warned else None]
            for column in self.columns
        ]

    def compute(
        self,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]] | None = None,
        *,
        language: str,
    ) -> dict[str, Any]:
        """The mean of each column over texts in one language, as Hugging Face `evaluate` does.

        `references` holds one text or several for each prediction (None for metrics without
        references).  The result is that of `metrics.means.means`.
        """
        if references is not None and len(references) != len(predictions):
            raise UsageError(
                f"{len(predictions)} predictions but {len(references)} references: "
                "give one or several for each"
            )
        held: Sequence[str | Sequence[str]] = references or [()] * len(predictions)
        scores = self.score(
            [
                Candidate(
                    id=str(index),
                    text=text,
                    language=language,
                    references=(given,) if isinstance(given, str) else tuple(given),
                )
                for index, (text, given) in enumerate(zip(predictions, held, strict=True))
            ]
        )
        names = [column.name for column in self.columns]
        return means(names, scores, len(predictions), str(self.signature))


def _warned(found: Measured, sign: str | None) -> Measured:
    return Measured(found.value, joined(found.note, sign)) if sign else found


def _score(candidate: Candidate, column: str, found: Measured, signature: str) -> Score:
    return Score(
        id=candidate.id,
        metric=column,
        value=found.value,
        signature=signature,
        note=found.note,
        event=candidate.event,
        recipe=candidate.recipe,
        round=candidate.round,
        language=candidate.language,
    )


def joined(*notes: str | None) -> str | None:
    """The notes that say something, in one line; None if none does."""
    return "; ".join(note for note in notes if note) or None


def printable(text: str) -> tuple[str, str | None]:
    """`text` with lone surrogates, which no encoder accepts, replaced by U+FFFD, and a note."""
    try:
        text.encode()
    except UnicodeEncodeError:
        fixed = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
        return fixed, "lone surrogates were replaced by U+FFFD"
    return text, None


def parts(candidate: Candidate) -> Iterator[tuple[str, str]]:
    """(text, language) of each stretch in one language: the given sentences, or the whole text."""
    if candidate.sentences:
        for sentence in candidate.sentences:
            yield sentence.text, sentence.language
    else:
        yield candidate.text, candidate.language or UNKNOWN
