"""Pairwise preferences as wins, and as the scores that ``globesumm rank`` reads."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from annotation.labels.results.held import Held, lacking, source
from globesumm.values import Rejected

Preferred = Literal["a", "b", "tie"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two methods' summaries of one document, and which one people preferred."""

    item: str
    document: str
    a: str
    b: str
    preferred: Preferred


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodScore:
    """A line of ``globesumm rank``: 1 for the preferred method, 0 for the other, .5 for a tie.

    `document` names the comparison, so that each has its own winner even where methods beat each
    other in a circle.
    """

    method: str
    document: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Wins:
    """How often `method` was preferred, over all its decided comparisons; a tie is half."""

    method: str
    wins: float
    comparisons: int

    @property
    def rate(self) -> float | None:
        """0 to 1, .5 is chance."""
        return self.wins / self.comparisons if self.comparisons else None


def comparisons(held: Held) -> tuple[list[Comparison], list[Rejected]]:
    """The decided comparisons, and the items that are in none with the reason.

    An item's source names the methods ``a`` and ``b`` and the ``document`` (else its event).
    """
    found: list[Comparison] = []
    left: list[Rejected] = []
    for one in held.of_kind("preference").decisions:
        item = held.items[one.item]
        a, b = source(item, "a"), source(item, "b")
        if a is None or b is None:
            left.append(lacking(item, "a", "b"))
        elif one.answer is None:
            left.append(Rejected(where=f"item {item.id!r}", reason=one.reason or "undecided"))
        else:
            document = source(item, "document") or item.event or item.id
            preferred: Preferred = "a" if one.answer == "a" else "b" if one.answer == "b" else "tie"
            found.append(Comparison(item=item.id, document=document, a=a, b=b, preferred=preferred))
    return found, left


def method_scores(found: Iterable[Comparison]) -> list[MethodScore]:
    """Two lines a comparison."""
    worth = {"a": (1.0, 0.0), "b": (0.0, 1.0), "tie": (0.5, 0.5)}
    return [
        MethodScore(method=method, document=f"{one.document}\t{one.item}", score=score)
        for one in found
        for method, score in zip((one.a, one.b), worth[one.preferred], strict=True)
    ]


def wins(found: Iterable[Comparison]) -> list[Wins]:
    """By method, the one with the highest share first."""
    totals: dict[str, list[float]] = {}
    for one in method_scores(found):
        totals.setdefault(one.method, []).append(one.score)
    rows = [Wins(method=name, wins=sum(got), comparisons=len(got)) for name, got in totals.items()]
    return sorted(rows, key=lambda row: (-(row.rate or 0.0), row.method))
