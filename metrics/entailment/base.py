"""What every entailer is: does a premise state what a hypothesis says?

An entailer gives a value from 0 to 1 for a pair, or None with the reason.  Its name goes into
the signature of every metric that uses it, so that numbers of a trained model, a judge and a
stand-in never share a column.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import regex

from globesumm.finite import is_number
from globesumm.languages import UNKNOWN
from metrics.base import joined, printable

_SAYS_SOMETHING = regex.compile(r"[\p{L}\p{N}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """A statement that a premise may entail; `language` is a BCP-47 code or ``"und"``."""

    text: str
    language: str = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A premise and a hypothesis with their languages."""

    premise: str
    hypothesis: str
    premise_language: str = UNKNOWN
    hypothesis_language: str = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What an entailer says about one pair.

    `value` is from 0 to 1, None where it was not judged, and then `reason` says why; `entailed`
    is whether it passes the entailer's threshold.  `chunks` is the number of pieces that the
    premise was read in (0 if it was not read); `note` is what a reader must know to weigh it.
    """

    value: float | None
    entailed: bool | None = None
    chunks: int = 1
    reason: str | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        if self.value is not None and not is_number(self.value):
            object.__setattr__(self, "value", None)
            object.__setattr__(self, "reason", self.reason or "the model gave no finite number")

    @classmethod
    def unjudged(cls, reason: str) -> "Verdict":
        return cls(value=None, chunks=0, reason=reason)


class Entailer(ABC):
    """Base of all entailers: subclasses say what they are and judge one premise at a time.

    `languages` are those it reads (None: any).  `threshold` is the value above which a
    hypothesis counts as entailed; no value is below `lowest` or above 1.  `stand_in` names one
    that does not judge meaning (``""`` for those that do); metrics wear it in their own name.
    Two entailers are equal if class and name are.
    """

    languages: frozenset[str] | None = None
    threshold: float = 0.5
    lowest: float = 0.0
    stand_in: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entailer) and (type(self), self.name) == (type(other), other.name)

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    @property
    @abstractmethod
    def identity(self) -> str:
        """Everything that decides its values: kind, model, precision, chunking."""

    @abstractmethod
    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        """A verdict for each of several distinct hypotheses on one premise, in order.

        The texts hold a letter or digit, can be encoded, and are in languages it reads;
        `Verdict.entailed` is filled in by the caller.
        """

    @property
    def name(self) -> str:
        """What stands for it in signatures: `identity` and the threshold."""
        return f"{self.identity}>{self.threshold:g}"

    @property
    def requires(self) -> tuple[str, ...]:
        """What it needs beyond the light core, for people; empty if nothing."""
        return ()

    def entails(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """A verdict for each pair, in order; equal pairs are judged once.

        Pairs of one premise are judged together wherever they stand in the sequence.  A text
        without a letter or digit, and one in a language that it does not read, gets no value
        but the reason.
        """
        found: dict[Pair, Verdict] = {}
        waiting: dict[tuple[str, str], dict[Hypothesis, list[Pair]]] = {}
        notes: dict[Pair, str] = {}
        for pair in dict.fromkeys(pairs):
            premise, repaired = printable(pair.premise)
            hypothesis, mended = printable(pair.hypothesis)
            if reason := self.refusal(pair):
                found[pair] = Verdict.unjudged(reason)
                continue
            if note := repaired or mended:
                notes[pair] = note
            asked = Hypothesis(text=hypothesis, language=pair.hypothesis_language)
            premises = waiting.setdefault((premise, pair.premise_language), {})
            premises.setdefault(asked, []).append(pair)
        for (premise, language), asked_of in waiting.items():
            verdicts = self.judge(premise, language, list(asked_of))
            for verdict, asking in zip(verdicts, asked_of.values(), strict=True):
                for pair in asking:
                    found[pair] = self._decided(verdict, notes.get(pair))
        return [found[pair] for pair in pairs]

    def refusal(self, pair: Pair) -> str | None:
        """Why a pair cannot be judged at all, or None."""
        for what, text in (("premise", pair.premise), ("hypothesis", pair.hypothesis)):
            if not _SAYS_SOMETHING.search(text):
                return f"the {what} has no letter or digit"
        sides = (("premise", pair.premise_language), ("hypothesis", pair.hypothesis_language))
        for what, language in sides:
            if reason := self.cannot_read(language):
                return f"the {what} is {reason}"
        return None

    def lasting(self, verdict: Verdict) -> bool:
        """Whether asking again would give the same; a store keeps only such verdicts."""
        return verdict.value is not None or verdict.chunks > 0

    def cannot_read(self, language: str) -> str | None:
        """Why texts in `language` get no value, to follow "is"; None if they can be read."""
        if self.languages is None or language in self.languages:
            return None
        known = ", ".join(sorted(self.languages))
        told = "in an unknown language" if language == UNKNOWN else f"in {language}"
        return f"{told}, and {self.identity} reads {known} only"

    def _decided(self, verdict: Verdict, note: str | None) -> Verdict:
        entailed = None if verdict.value is None else verdict.value > self.threshold
        return replace(verdict, entailed=entailed, note=joined(verdict.note, note))
