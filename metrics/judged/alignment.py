"""Alignment: the mean over a text's sentences of how far some source entails each (AlignScore).

The aggregation is AlignScore's (Zha et al., 2023): sources in pieces of about 350 words, the
highest value over the pieces for each sentence, the mean over sentences.  What gives the values
is an entailer of `metrics.entailment`, and its name stands in the signature.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from globesumm.errors import UnknownName
from globesumm.finite import counted
from globesumm.languages import UNKNOWN
from globesumm.text.words import count_words
from metrics.base import (
    Better,
    Candidate,
    Column,
    Description,
    Measured,
    Metric,
    Signature,
    joined,
    parts,
    printable,
)
from metrics.entailment.base import Entailer, Pair, Verdict
from metrics.entailment.stand_ins import LexicalStandIn, VectorStandIn
from metrics.sentences import SPLITTERS, splitter_name


@dataclass(frozen=True, slots=True)
class Alignment(Metric):
    """Mean over sentences of the highest entailment value over all sources and their pieces.

    `value` ``"score"`` takes the entailer's values as they are, ``"entailed"`` whether they pass
    its threshold, which makes the mean a share of sentences.
    """

    entailer: Entailer
    value: Literal["score", "entailed"] = "score"
    split: Literal["icu", "lines"] = "icu"

    def __post_init__(self) -> None:
        if self.value not in ("score", "entailed"):
            raise UnknownName("value", self.value, ("score", "entailed"), "Alignment")
        if self.split not in SPLITTERS:
            raise UnknownName("sentence splitter", self.split, SPLITTERS, "Alignment")

    @classmethod
    def lexical(cls) -> "Alignment":
        """With the stand-in that compares words: text and sources in one language."""
        return cls(LexicalStandIn())

    @classmethod
    def vector(cls) -> "Alignment":
        """With the stand-in that compares sentence vectors, in any language."""
        return cls(VectorStandIn())

    @property
    def name(self) -> str:
        """``alignment``, or ``alignment-<stand-in>`` where no model of entailment is behind it."""
        return f"alignment-{self.entailer.stand_in}" if self.entailer.stand_in else "alignment"

    @property
    def columns(self) -> tuple[Column, ...]:
        low = self.entailer.lowest if self.value == "score" else 0.0
        return (Column(name=self.name, better=Better.HIGHER, low=low, high=1.0),)

    @property
    def signature(self) -> Signature:
        return Signature.of(
            self.name,
            entailer=self.entailer.name,
            standin=self.entailer.stand_in or "no",
            value=self.value,
            split=splitter_name(self.split),
            v=1,
        )

    @property
    def requires(self) -> tuple[str, ...]:
        return ("the documents summarized", *self.entailer.requires)

    def describe(self) -> Description:
        return Description(
            measures="how far the sources support what a text says, sentence by sentence",
            formula="mean over sentences of max over sources and their pieces of the entailer's "
            "value (premise: the piece, hypothesis: the sentence)",
            range="0 (nothing supported) to 1, from -1 with entailers of differences; higher is "
            "better",
            empty="no source, or a text without a sentence: unscored; a sentence that no source "
            "could be held against: unscored, since a mean of the rest would not compare; a source "
            "of unknown language is read as the text's own",
            cost="one pass of the entailer for each sentence, source and piece",
            source="AlignScore (Zha et al., 2023), as used in the perspective paper",
            difference="the aggregation is AlignScore's, over any entailment model; with its own "
            "model (weights by path) the values are its own, with a stand-in they compare with "
            "each other only. Several sources count as one: the best of all pieces",
            weak_spots="what is left out costs nothing: a short, safe text scores high; numbers "
            "and negations escape both stand-ins",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        return [{self.name: self._measure(candidate)} for candidate in candidates]

    def _measure(self, candidate: Candidate) -> Measured:
        sources = [one for one in candidate.documents if one.text.strip()]
        if not sources:
            return Measured(None, "there is no source to hold it against")
        sentences = list(self._sentences(candidate))
        if not sentences:
            return Measured(None, "the text has no sentence")
        pairs = [
            Pair(
                premise=source.text,
                hypothesis=sentence,
                premise_language=_known(source.language) or candidate.language or UNKNOWN,
                hypothesis_language=language or UNKNOWN,
            )
            for sentence, language in sentences
            for source in sources
        ]
        verdicts = self.entailer.entails(pairs)
        each = len(sources)
        best: list[float] = []
        unjudged = 0
        for place in range(len(sentences)):
            held = verdicts[place * each : (place + 1) * each]
            values = [self._value(one) for one in held if one.value is not None]
            if not values:
                reason = held[0].reason
                return Measured(
                    None, f"sentence {place + 1} of {len(sentences)} was not judged: {reason}"
                )
            unjudged += len(held) - len(values)
            best.append(max(values))
        skipped = (
            f"{unjudged} of {counted(len(verdicts), 'pair')} of sentence and source not judged"
            if unjudged
            else None
        )
        unknown = sum(not _known(source.language) for source in sources)
        guessed = (
            f"{counted(unknown, 'source')} of unknown language read as {candidate.language}"
            if unknown and _known(candidate.language)
            else None
        )
        notes = dict.fromkeys(verdict.note for verdict in verdicts if verdict.note)
        return Measured(math.fsum(best) / len(best), joined(guessed, skipped, *notes))

    def _value(self, verdict: Verdict) -> float:
        if self.value == "entailed":
            return float(bool(verdict.entailed))
        return verdict.value or 0.0

    def _sentences(self, candidate: Candidate) -> list[tuple[str, str]]:
        return [
            (sentence, language)
            for text, language in parts(candidate)
            for sentence in SPLITTERS[self.split](printable(text)[0], language)
            if count_words(sentence, language)
        ]


def _known(language: str | None) -> str | None:
    return language if language and language != UNKNOWN else None
