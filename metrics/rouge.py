"""ROUGE-1, 2, L and Lsum (Lin, 2004) for any script."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal, get_args

from globesumm.errors import UnknownName, UsageError
from globesumm.finite import counted
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
from metrics.overlap import PRF, RougeType, Text, compared, order_of, too_much
from metrics.tokens import TOKENIZERS, Tokenizer


@dataclass(frozen=True, slots=True)
class Rouge(Metric):
    """ROUGE F1 of a candidate against one or several references.

    `types` are the columns.  `tokenizer` is a name in `metrics.tokens.TOKENIZERS`; `stem` is
    for ``rouge-score`` alone, since Porter's stemmer knows only English.  `references` says
    what happens to several: ``max`` takes, for each type, the one with the highest F1, as
    rouge-score does, ``mean`` averages.  `lines` is where rougeLsum finds sentences:
    ``newline`` takes the text's lines, ``split`` our sentence splitter.  With `report`
    ``"prf"`` each type has the further columns ``<type>_p`` and ``<type>_r``.
    """

    types: tuple[RougeType, ...] = ("rouge1", "rouge2", "rougeL")
    tokenizer: str = "words"
    stem: bool = False
    references: Literal["max", "mean"] = "max"
    lines: Literal["newline", "split"] = "newline"
    report: Literal["f", "prf"] = "f"

    def __post_init__(self) -> None:
        if self.tokenizer not in TOKENIZERS:
            raise UnknownName("tokenizer", self.tokenizer, TOKENIZERS, "Rouge")
        if self.stem and self.tokenizer != "rouge-score":
            raise UsageError(
                f"Rouge cannot stem with the tokenizer {self.tokenizer!r}: "
                "the stemmer is English and goes with 'rouge-score' alone: choose that one"
            )
        for kind in self.types:
            if kind not in get_args(RougeType):
                raise UnknownName("ROUGE type", kind, get_args(RougeType))

    @property
    def name(self) -> str:
        return "rouge" if self.tokenizer == "words" else f"rouge-{self.tokenizer}"

    @property
    def columns(self) -> tuple[Column, ...]:
        ends = ("", "_p", "_r") if self.report == "prf" else ("",)
        return tuple(
            Column(name=kind + end, better=Better.HIGHER, low=0.0, high=1.0)
            for kind in self.types
            for end in ends
        )

    @property
    def signature(self) -> Signature:
        return Signature.of(
            "rouge",
            tok=self._rule.name,
            stem="porter" if self.stem else "none",
            refs=self.references,
            lsum=_splitter() if self.lines == "split" else "newline",
            v=1,
        )

    def describe(self) -> Description:
        return Description(
            measures="how many words, word pairs and words in order a text shares with a human one",
            formula="rouge1, rouge2: shared n-grams / n-grams; rougeL: longest common subsequence "
            "of the flat texts / words; rougeLsum: union of the subsequences of each reference "
            "line; F1 = 2PR / (P + R)",
            range="0 (nothing shared) to 1 (a text against itself); higher is better",
            empty="a candidate without words scores 0 with a note; without a reference, or where "
            "every reference has too few words, unscored; a candidate in another language than "
            "its references, unscored",
            cost="below a millisecond for two texts of 250 words; no model",
            source="Lin, 2004; rouge-score 0.1.2, whose values come out for the same tokens",
            difference="words in any script (NFC, lower case) instead of [a-z0-9]; the GlobeSumm "
            "paper names neither package nor stemming, and its R-L fits the flat form",
            weak_spots="paraphrase scores low, a changed number or a negation hardly shows",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        numbers = _numbers()
        held: dict[tuple[str, str], Text] = {}
        return [self._measure(candidate, numbers, held) for candidate in candidates]

    def compare(self, candidate: str, reference: str, language: str) -> dict[str, PRF]:
        """Precision, recall and F1 of each type for two texts in one language.

        A side without n-grams gives 0, as in rouge-score.
        """
        numbers = _numbers()
        mine, theirs = (
            self._text(printable(text)[0], language, numbers) for text in (candidate, reference)
        )
        return {kind: compared(kind, mine, theirs) for kind in self.types}

    @property
    def _rule(self) -> Tokenizer:
        return TOKENIZERS["rouge-score-stemmed" if self.stem else self.tokenizer]

    def _measure(
        self, candidate: Candidate, numbers: dict[str, int], held: dict[tuple[str, str], Text]
    ) -> Mapping[str, Measured]:
        language = candidate.reference_language or candidate.language
        reason = self._refusal(candidate, language)
        if reason:
            return {column.name: Measured(None, reason) for column in self.columns}
        text, note = printable(candidate.text)
        mine = self._text(text, language, numbers)
        if not mine.flat:
            note = joined(note, "the candidate has no words")
        for reference in candidate.references:
            if (reference, language) not in held:
                fixed = printable(reference)[0]
                held[reference, language] = self._text(fixed, language, numbers)
        theirs = [held[reference, language] for reference in candidate.references]
        found: dict[str, Measured] = {}
        for kind in self.types:
            found |= self._columns(kind, mine, theirs, note)
        return found

    def _refusal(self, candidate: Candidate, language: str) -> str | None:
        """Why `candidate` cannot be scored at all, or None."""
        if not candidate.references:
            return "no reference"
        if _differ(candidate.language, language):
            return f"the candidate is in {candidate.language}, its references in {language}"
        for whose, text in (
            ("candidate", candidate.text),
            *(("reference", text) for text in candidate.references),
        ):
            lost, letters = self._rule.blind_to(text)
            if lost * 2 > letters:
                return (
                    f"the tokenizer {self.tokenizer!r} sees {letters - lost} of the "
                    f"{counted(letters, 'letter')} of the {whose}"
                )
        return None

    def _columns(
        self, kind: RougeType, mine: Text, theirs: Sequence[Text], note: str | None
    ) -> Iterator[tuple[str, Measured]]:
        usable = [text for text in theirs if len(text.flat) >= order_of(kind)]
        skipped = len(theirs) - len(usable)
        reason = too_much(kind, mine, usable)
        if not usable:
            reason = f"no reference has {counted(order_of(kind), 'word')}"
        elif skipped:
            note = joined(
                note, f"{skipped} of {counted(len(theirs), 'reference')} had too few words"
            )
        if reason:
            yield from ((name, Measured(None, reason)) for name in self._names(kind))
            return
        results = [compared(kind, mine, text) for text in usable]
        if self.references == "max":
            best = max(results, key=lambda result: result.f)
        else:
            best = PRF(*(sum(values) / len(results) for values in zip(*results, strict=True)))
        values = (best.f, best.precision, best.recall)
        for name, value in zip(self._names(kind), values, strict=False):
            yield name, Measured(value, note)

    def _names(self, kind: RougeType) -> tuple[str, ...]:
        return (kind, f"{kind}_p", f"{kind}_r") if self.report == "prf" else (kind,)

    def _text(self, text: str, language: str, numbers: dict[str, int]) -> Text:
        """The text as token numbers; `numbers` gives a new token the next one."""
        lines = (self._rule.split(line, language) for line in self._sentences(text, language))
        return Text([[numbers[token] for token in line] for line in lines])

    def _sentences(self, text: str, language: str) -> list[str]:
        if "rougeLsum" not in self.types:
            return [text]
        if self.lines == "newline":
            return text.split("\n")
        from globesumm.text.sentences import split

        return split(text, language)


def _numbers() -> dict[str, int]:
    """A table that gives every token asked for the first time the next number."""
    return defaultdict(count().__next__)


def _splitter() -> str:
    from globesumm.text.sentences import SPLITTER

    return SPLITTER


def _differ(one: str, other: str) -> bool:
    """Whether two languages are known and not the same."""
    return "und" not in (one, other) and one != other
