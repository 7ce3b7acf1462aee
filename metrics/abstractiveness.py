"""How far a text is in its own words: novel n-grams, extractive fragments (and length)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from globesumm.errors import UnknownName
from globesumm.finite import counted
from globesumm.languages import UNKNOWN
from globesumm.text.words import WORDS, words
from metrics.base import (
    Better,
    Candidate,
    Column,
    Description,
    Measured,
    Metric,
    Signature,
    parts,
    printable,
)
from metrics.fragments import Fragments, TooRepetitive, greedy, longest

SIZES = (1, 2, 3, 4)
"""Lengths of n-grams; the perspective paper prints 4."""

FINDERS: Mapping[str, Callable[[Sequence[str], Sequence[Sequence[str]]], Fragments]] = {
    "greedy": greedy,
    "longest": longest,
}

COVERAGE, DENSITY = "fragment-coverage", "fragment-density"


@dataclass(frozen=True, slots=True)
class Abstractiveness(Metric):
    """Novel n-grams, and coverage and density of extractive fragments.

    A text is held against the documents in its own language: words of a translation are new
    without being anybody's own.  `fragments` ``"greedy"`` is the published algorithm with its
    known miss, ``"longest"`` the exact one.
    """

    fragments: Literal["greedy", "longest"] = "greedy"

    def __post_init__(self) -> None:
        if self.fragments not in FINDERS:
            raise UnknownName("way to find fragments", self.fragments, FINDERS, "Abstractiveness")

    @classmethod
    def exact(cls) -> "Abstractiveness":
        """With the truly longest fragments."""
        return cls(fragments="longest")

    @property
    def name(self) -> str:
        return "abstractiveness" if self.fragments == "greedy" else "abstractiveness-exact"

    @property
    def columns(self) -> tuple[Column, ...]:
        novel = (
            Column(name=f"novel{size}", better=Better.HIGHER, low=0.0, high=1.0) for size in SIZES
        )
        return (
            *novel,
            Column(name=COVERAGE, better=Better.LOWER, low=0.0, high=1.0),
            Column(name=DENSITY, better=Better.LOWER, low=0.0),
        )

    @property
    def signature(self) -> Signature:
        return Signature.of("abstractiveness", tok=WORDS, fragments=self.fragments, v=1)

    @property
    def requires(self) -> tuple[str, ...]:
        return ("the documents summarized, some of them in the text's language",)

    def describe(self) -> Description:
        return Description(
            measures="how far a text is in its own words rather than in those of its sources",
            formula="noveln: share of the text's n-grams (of all, repeated ones too) that stand in "
            "no source; fragment-coverage: share of its words in stretches shared with a source; "
            "fragment-density: sum of squared lengths of those stretches / words",
            range="noveln 0 to 1, higher is more abstractive; coverage 0 to 1 and density from 0 "
            "without bound (printed times 100), lower is more abstractive. More abstractive is "
            "what the arrows call better, and is so only where it costs no faithfulness",
            empty="no word, no source, or no source in the text's language: unscored; an n-gram "
            "longer than the text: unscored",
            cost="milliseconds",
            source="novel n-grams: See et al. (2017); fragments: Grusky et al. (2018); perspective "
            "paper, table 6 and supplement",
            difference="words of any script by the project's own rule; several sources are never "
            "joined, so no n-gram and no fragment crosses from one to the next",
            weak_spots="inflection makes words new; a paraphrase and an invention look alike. The "
            "published way to find fragments can skip a longer one that begins inside a shorter "
            "(text a a a b, summary a a b: density 1.667, truly 3); abstractiveness-exact does not",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        return [self._measure(candidate) for candidate in candidates]

    def _measure(self, candidate: Candidate) -> Mapping[str, Measured]:
        text = words_of(candidate)
        sources, note = comparable(candidate)
        why = "the text has no word" if not text else None if sources else note
        if why:
            return {column.name: Measured(None, why) for column in self.columns}
        found = {f"novel{size}": _novel(text, sources, size, note) for size in SIZES}
        try:
            fragments = FINDERS[self.fragments](text, sources)
        except TooRepetitive:
            reason = "the texts repeat themselves too often for fragments to be found"
            return found | {name: Measured(None, reason) for name in (COVERAGE, DENSITY)}
        return found | {
            COVERAGE: Measured(fragments.coverage, note),
            DENSITY: Measured(fragments.density, note),
        }


@dataclass(frozen=True, slots=True)
class Length(Metric):
    """A text's words, and how many words of its sources each stands for."""

    @property
    def name(self) -> str:
        return "length"

    @property
    def columns(self) -> tuple[Column, ...]:
        return (
            Column(name="words", better=Better.LOWER, low=0.0),
            Column(name="compression", better=Better.HIGHER, low=0.0),
        )

    @property
    def signature(self) -> Signature:
        return Signature.of("length", tok=WORDS, v=1)

    def describe(self) -> Description:
        return Description(
            measures="how long a text is, and how much shorter than its sources",
            formula="words: number of words (of characters in Chinese and Japanese); compression: "
            "words of all sources / words of the text",
            range="words from 0, compression above 0 (both printed times 100); the arrows call "
            "shorter better, which says nothing of what was left out",
            empty="words of an empty text: 0; compression of a text or sources without a word: "
            "unscored",
            cost="milliseconds",
            source="Grusky et al. (2018); perspective paper, supplement",
            difference="words by the project's own rule; sources count whatever their language, "
            "and languages need unequal numbers of words",
            weak_spots="a control: what merely follows length orders nothing by its content",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        return [self._measure(candidate) for candidate in candidates]

    def _measure(self, candidate: Candidate) -> Mapping[str, Measured]:
        own = len(words_of(candidate))
        sources = sum(
            len(words(printable(one.text)[0], one.language)) for one in candidate.documents
        )
        why = "the text has no word" if not own else "there is no source with a word"
        ratio = Measured(sources / own) if own and sources else Measured(None, why)
        return {"words": Measured(float(own)), "compression": ratio}


def words_of(candidate: Candidate) -> list[str]:
    """The candidate's words, each sentence cut by the rules of its own language."""
    return [
        word
        for text, language in parts(candidate)
        for word in words(printable(text)[0], language or UNKNOWN)
    ]


def comparable(candidate: Candidate) -> tuple[list[list[str]], str | None]:
    """The words of each source in a language of the candidate's, and what was left out.

    A source or candidate of unknown language is taken to be in the other's.
    """
    own = {language for _, language in parts(candidate)}
    given = [one for one in candidate.documents if one.text.strip()]
    held = [
        one for one in given if one.language in own or UNKNOWN in own or one.language == UNKNOWN
    ]
    if not given:
        return [], "there is no source to hold it against"
    note = None
    if len(held) < len(given):
        left = len(given) - len(held)
        note = f"{left} of {counted(len(given), 'source')} in other languages than the text"
    cut = [words(printable(one.text)[0], one.language) for one in held]
    return [one for one in cut if one], note or "no source has a word" if not any(cut) else note


def _novel(
    text: Sequence[str], sources: Sequence[Sequence[str]], size: int, note: str | None
) -> Measured:
    if len(text) < size:
        return Measured(None, f"the text has fewer than {counted(size, 'word')}")
    known = {gram for source in sources for gram in _grams(source, size)}
    new = sum(gram not in known for gram in _grams(text, size))
    return Measured(new / (len(text) - size + 1), note)


def _grams(text: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    return zip(*(text[start:] for start in range(size)), strict=False)
