"""How well [where] is answered, against people: P*, R*, F1* (GlobeSumm, 3.1 and B.1).

Counts are summed over pairs before anything is divided (micro-averaged).  A prediction that no
gold mark matches is a false positive; one that a person then found right is also a *false
positive positive* (FPP)::

    P* = (TP + FPP) / (TP + FP)    R* = (TP + FPP) / (TP + FN)    F1* = 2 P* R* / (P* + R*)

FPP is part of FP, so P* is at most 1; R* may pass 1, and so may F1*.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from globesumm.errors import DataError
from globesumm.records import read_records
from globesumm.values import IssueKind, Rejected
from metrics.marks import Mark
from metrics.where_gold import MATCHES, matched


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """`fp` are all predictions without a gold mark; `fpp` those of them found right.

    `inspected` says how many of them a person looked at; the others count as wrong.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0
    fpp: int = 0
    inspected: int = 0

    def __post_init__(self) -> None:
        if min(self.tp, self.fp, self.fn, self.fpp, self.inspected) < 0:
            raise ValueError("counts are 0 or more")
        if not self.fpp <= self.inspected <= self.fp:
            raise ValueError("of the false positives some are inspected, of those some right")

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            tp=self.tp + other.tp,
            fp=self.fp + other.fp,
            fn=self.fn + other.fn,
            fpp=self.fpp + other.fpp,
            inspected=self.inspected + other.inspected,
        )

    @property
    def predicted(self) -> int:
        return self.tp + self.fp

    @property
    def gold(self) -> int:
        return self.tp + self.fn

    @property
    def precision(self) -> float | None:
        """TP / (TP + FP), 0 to 1; None where nothing was predicted."""
        return _share(self.tp, self.predicted)

    @property
    def recall(self) -> float | None:
        """TP / (TP + FN), 0 to 1; None where there is no gold."""
        return _share(self.tp, self.gold)

    @property
    def f1(self) -> float | None:
        return _f1(self.precision, self.recall)

    @property
    def precision_star(self) -> float | None:
        """(TP + FPP) / (TP + FP), 0 to 1; None where nothing was predicted."""
        return _share(self.tp + self.fpp, self.predicted)

    @property
    def recall_star(self) -> float | None:
        """(TP + FPP) / (TP + FN), from 0, may pass 1; None where there is no gold."""
        return _share(self.tp + self.fpp, self.gold)

    @property
    def f1_star(self) -> float | None:
        """The harmonic mean of the starred two."""
        return _f1(self.precision_star, self.recall_star)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _f1(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


Key = tuple[str, str, IssueKind, tuple[int, ...], tuple[int, ...]]
"""What one inspection is of: pair, ``"issue"`` or ``"strategy"``, kind, sentences of both sides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """What a person says of one prediction that the gold has not, or of one strategy.

    `of` is ``"issue"`` or ``"strategy"``, the latter for the conflict at these sentences.
    `right` is None as long as nobody said.  `text` shows what was predicted.
    """

    pair: str
    of: Literal["issue", "strategy"]
    kind: IssueKind
    first: tuple[int, ...] = ()
    second: tuple[int, ...] = ()
    right: bool | None = None
    by: str | None = None
    text: str | None = None

    @property
    def key(self) -> Key:
        return self.pair, self.of, self.kind, tuple(self.first), tuple(self.second)


def read_inspected(path: Path) -> list[Inspected]:
    """Every line of a file of inspections.

    Raises `DataError` naming the line where one cannot be read or says another thing than a line
    before it: which of two people is right no program can know.
    """
    found: dict[Key, Inspected] = {}
    for number, one in enumerate(read_records(path, Inspected), start=1):
        if isinstance(one, Rejected):
            raise DataError(f"{one.where}: {one.reason}")
        earlier = found.get(one.key)
        if (
            earlier is not None
            and None not in (earlier.right, one.right)
            and (earlier.right is not one.right)
        ):
            raise DataError(
                f"{path}: entry {number} (pair {one.pair!r}, {one.of} of kind {one.kind}): right "
                f"is {str(one.right).lower()} here and was {str(earlier.right).lower()} before: "
                "keep one"
            )
        if earlier is None or earlier.right is None:
            found[one.key] = one
    return list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """One pair: counts by kind, and the predictions that the gold has not."""

    pair: str
    counts: Mapping[IssueKind, Counts]
    surplus: tuple[Mark, ...]
    missed: tuple[Mark, ...]


def score_pair(
    pair: str,
    predicted: Sequence[Mark],
    standard: Sequence[Mark],
    rule: str = "overlap",
    inspected: Iterable[Inspected] = (),
) -> PairResult:
    """The predictions on one pair against its gold, matched one to one by `rule`."""
    said = {one.key: one.right for one in inspected if one.right is not None}
    pairs = matched(predicted, standard, MATCHES[rule])
    hit, found = {a for a, _ in pairs}, {b for _, b in pairs}
    surplus = [one for place, one in enumerate(predicted) if place not in hit]
    missed = [one for place, one in enumerate(standard) if place not in found]
    counts = {}
    for kind in IssueKind:
        over = [one for one in surplus if one.kind is kind]
        answers = [said.get((pair, "issue", kind, one.first, one.second)) for one in over]
        counts[kind] = Counts(
            tp=sum(predicted[place].kind is kind for place in hit),
            fp=len(over),
            fn=sum(one.kind is kind for one in missed),
            fpp=answers.count(True),
            inspected=len(answers) - answers.count(None),
        )
    return PairResult(pair=pair, counts=counts, surplus=tuple(surplus), missed=tuple(missed))


def summed(results: Iterable[PairResult], kind: IssueKind | None = None) -> Counts:
    """Micro-averaging: the counts of all pairs, of one kind or of all."""
    kinds = list(IssueKind) if kind is None else [kind]
    total = Counts()
    for one in results:
        for each in kinds:
            total += one.counts[each]
    return total
