"""NIC: what a human summary says and the candidate leaves out (GlobeSumm, appendix C.2)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from globesumm.errors import UnknownName
from globesumm.finite import counted
from globesumm.languages import UNKNOWN
from globesumm.text.words import WORDS, count_words
from metrics.base import (
    Better,
    Candidate,
    Column,
    Description,
    Measured,
    Metric,
    Signature,
    joined,
    printable,
)
from metrics.entailment.base import Entailer, Pair, Verdict
from metrics.entailment.stand_ins import LexicalStandIn, VectorStandIn
from metrics.nic_formula import LOG, Coverage, LogBase, nic
from metrics.sentences import SPLITTERS, splitter_name


@dataclass(frozen=True, slots=True)
class Nic(Metric):
    """1 − 10 · coverage / log(words), coverage being the share of reference sentences entailed.

    `base` is the logarithm's (the paper names none).  `summaries` ``"final"`` scores the last
    round of each event and recipe alone, ``"all"`` every prefix that has a reference.  With
    several references, `references` ``"mean"`` is the mean over them and ``"pooled"`` counts
    their sentences together.
    """

    entailer: Entailer
    base: LogBase = "e"
    summaries: Literal["final", "all"] = "final"
    references: Literal["mean", "pooled"] = "mean"
    split: Literal["icu", "lines"] = "icu"

    def __post_init__(self) -> None:
        settings: tuple[tuple[str, str, Sequence[str]], ...] = (
            ("log base", self.base, tuple(LOG)),
            ("choice of summaries", self.summaries, ("final", "all")),
            ("rule for references", self.references, ("mean", "pooled")),
            ("sentence splitter", self.split, tuple(SPLITTERS)),
        )
        for kind, value, known in settings:
            if value not in known:
                raise UnknownName(kind, str(value), known, "Nic")

    @classmethod
    def lexical(cls) -> "Nic":
        """With the stand-in that compares words: candidate and reference in one language."""
        return cls(LexicalStandIn())

    @classmethod
    def vector(cls) -> "Nic":
        """With the stand-in that compares sentence vectors, in any language."""
        return cls(VectorStandIn())

    @property
    def name(self) -> str:
        """``nic``, or ``nic-<stand-in>`` where no model of entailment stands behind it."""
        return f"nic-{self.entailer.stand_in}" if self.entailer.stand_in else "nic"

    @property
    def columns(self) -> tuple[Column, ...]:
        return (
            Column(name=self.name, better=Better.LOWER, high=1.0),
            Column(name=f"{self.name}-coverage", better=Better.HIGHER, low=0.0, high=1.0),
        )

    @property
    def signature(self) -> Signature:
        return Signature.of(
            self.name,
            entailer=self.entailer.name,
            standin=self.entailer.stand_in or "no",
            log=self.base,
            of=self.summaries,
            refs=self.references,
            words=WORDS,
            split=splitter_name(self.split),
            v=1,
        )

    @property
    def requires(self) -> tuple[str, ...]:
        return ("human summaries", *self.entailer.requires)

    def describe(self) -> Description:
        return Description(
            measures="what a human summary says and the text leaves out",
            formula="1 − 10 · coverage / log(words of the text); coverage = reference sentences "
            "entailed by the text / reference sentences",
            range="at most 1 (nothing covered), unbounded below; the paper prints 70 to 96 "
            "(times 100); lower is better",
            empty="a text of one word or none, or a reference without a sentence: unscored; one "
            "reference sentence that the entailer could not judge: unscored, since a coverage "
            "of the rest would not compare",
            cost="one pass of the entailer for each reference sentence and piece of the text",
            source="GlobeSumm, appendix C.2",
            difference="the paper names neither the logarithm's base nor which summaries are "
            "averaged; here the natural one and the final summaries unless set otherwise. With "
            "a stand-in instead of a model of entailment, values compare with each other only",
            weak_spots="a longer text is pushed towards 1 for the same coverage; the entailer's "
            "errors are the metric's: numbers and negations escape both stand-ins",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        last = _last_rounds(candidates)
        found: list[Mapping[str, Measured]] = []
        for candidate in candidates:
            earlier = candidate.round is not None and candidate.round < last[_system(candidate)]
            if self.summaries == "final" and earlier:
                found.append(
                    self._unscored("an earlier prefix; this setting scores final summaries")
                )
            else:
                found.append(self._measure(candidate))
        return found

    def coverages(self, candidate: Candidate) -> tuple[list[Coverage], str | None]:
        """What the candidate covers of each reference, and notes (or why there is nothing).

        An empty list comes with the reason.
        """
        if not candidate.references:
            return [], "there is no reference"
        text, repaired = printable(candidate.text)
        words = count_words(text, candidate.language)
        held = [self._sentences(candidate, reference) for reference in candidate.references]
        if words <= 1 or not any(held):
            return [Coverage(0, 0, words)], repaired
        tongue = candidate.reference_language or candidate.language
        pairs = [
            Pair(
                premise=text,
                hypothesis=sentence,
                premise_language=candidate.language or UNKNOWN,
                hypothesis_language=tongue or UNKNOWN,
            )
            for sentences in held
            for sentence in sentences
        ]
        verdicts = self.entailer.entails(pairs)
        if failed := [verdict for verdict in verdicts if verdict.value is None]:
            reason = f"{len(failed)} of {counted(len(verdicts), 'reference sentence')} not judged: "
            return [], reason + str(failed[0].reason)
        following = iter(verdicts)
        coverages = [
            Coverage(sum(bool(next(following).entailed) for _ in sentences), len(sentences), words)
            for sentences in held
            if sentences
        ]
        return coverages, joined(repaired, _pieces(verdicts), *_notes(verdicts))

    def _measure(self, candidate: Candidate) -> Mapping[str, Measured]:
        coverages, note = self.coverages(candidate)
        if not coverages:
            return self._unscored(note or "there is nothing to score")
        if self.references == "pooled":
            entailed = sum(one.entailed for one in coverages)
            sentences = sum(one.sentences for one in coverages)
            coverages = [Coverage(entailed, sentences, coverages[0].words)]
        values = [nic(one, self.base) for one in coverages]
        if any(one.value is None for one in values):
            return self._unscored(joined(values[0].note, note) or "")
        shares = [one.share or 0.0 for one in coverages]
        return {
            self.name: Measured(sum(one.value or 0.0 for one in values) / len(values), note),
            f"{self.name}-coverage": Measured(sum(shares) / len(shares), note),
        }

    def _unscored(self, reason: str) -> Mapping[str, Measured]:
        return {column.name: Measured(None, reason) for column in self.columns}

    def _sentences(self, candidate: Candidate, reference: str) -> list[str]:
        tongue = candidate.reference_language or candidate.language
        text, _ = printable(reference)
        found = SPLITTERS[self.split](text, tongue)
        return [sentence for sentence in found if count_words(sentence, tongue)]


def _system(candidate: Candidate) -> tuple[str, str | None]:
    """What the rounds of one summary share; without an event, the id before its round."""
    return candidate.event or candidate.id.partition("#")[0], candidate.recipe


def _last_rounds(candidates: Sequence[Candidate]) -> dict[tuple[str, str | None], int]:
    last: dict[tuple[str, str | None], int] = {}
    for candidate in candidates:
        if candidate.round is not None:
            key = _system(candidate)
            last[key] = max(last.get(key, 0), candidate.round)
    return last


def _pieces(verdicts: Sequence[Verdict]) -> str | None:
    """How many pieces the candidate was read in, where it was more than one."""
    most = max((verdict.chunks for verdict in verdicts), default=0)
    return f"read in {most} pieces" if most > 1 else None


def _notes(verdicts: Sequence[Verdict]) -> Iterator[str]:
    yield from dict.fromkeys(verdict.note for verdict in verdicts if verdict.note)
