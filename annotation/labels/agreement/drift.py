"""Whether a person's answers drift: agreement with the others and with checks as time goes on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean

from annotation.labels.agreement.overlap import overlap
from annotation.labels.agreement.units import Answer, decided, flattened
from annotation.labels.values import Item, Label, Role

WINDOW = 50
"""Labels that one figure rests on, unless fewer are there."""

MAIN = {"relevance": ("relevant",)}
"""The questions that tell whether two answers are alike; of other kinds all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The labels `first` to `last` (from 1, in order of time) of one person.

    `others` is the mean likeness (0 to 1) of their answers with those of others on the same
    items, over the `n_others` that somebody else answered; `checks` the share of the `n_checks`
    items with a known answer that they answered so.  None where n is 0.
    """

    annotator: str
    first: int
    last: int
    begun: datetime
    ended: datetime
    others: float | None
    n_others: int
    checks: float | None
    n_checks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One person's windows in order of time, each half a window after the one before."""

    annotator: str
    labels: int
    windows: tuple[Window, ...]

    @property
    def change(self) -> float | None:
        """Likeness with the others in the last window minus that in the first; below 0: apart."""
        known = [one.others for one in self.windows if one.others is not None]
        return known[-1] - known[0] if len(known) > 1 else None


def alike(item: Item, one: Answer, other: Answer) -> float | None:
    """How alike two answers to `item` are, 0 to 1.

    Equal or not for single questions and matchings, the share of equal verdicts for reviews,
    2 |A and B| / (|A| + |B|) over marked places for issues, and the overlap R for key points
    (None where just one of them highlighted nothing).
    """
    if item.kind == "key-points":
        sides = [
            [span["text"] for span in (*said["points"], *said["told"])] for said in (one, other)
        ]
        return overlap(sides[0], sides[1]).mean if any(sides) else 1.0
    if item.kind == "issues" and not item.payload.get("review"):
        a, b = (
            {(question, cell) for question, cell, said in flattened(item, given) if said is True}
            for given in (one, other)
        )
        return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0
    left, right = decided(item, one), decided(item, other)
    asked = MAIN.get(item.kind, tuple(left))
    return fmean(left[name] == right[name] for name in asked) if asked else None


def drift(items: Mapping[str, Item], labels: Iterable[Label], window: int = WINDOW) -> list[Drift]:
    """Every annotator's drift, by name; `items` with a known answer are the checks."""
    versions = {name: item.version for name, item in items.items()}
    by_item: dict[str, dict[str, Label]] = {}
    mine: dict[str, dict[str, Label]] = {}
    for one in labels:
        if one.role is not Role.ANNOTATOR or versions.get(one.item) != one.version:
            continue
        before = by_item.get(one.item, {}).get(one.annotator)
        # What a second round made people say is no sign of how they judge by themselves.
        if one.answer is not None and (before is None or one.round < before.round):
            by_item.setdefault(one.item, {})[one.annotator] = one
            mine.setdefault(one.annotator, {})[one.item] = one
    found = []
    for name in sorted(mine):
        ordered = sorted(mine[name].values(), key=lambda label: (label.submitted, label.item))
        judged = [_judged(items[one.item], one, by_item[one.item]) for one in ordered]
        found.append(
            Drift(annotator=name, labels=len(ordered), windows=_windows(ordered, judged, window))
        )
    return found


def _judged(
    item: Item, label: Label, said: Mapping[str, Label]
) -> tuple[float | None, float | None]:
    """(likeness with the others, likeness with the known answer: 1 or 0) of one label."""
    answer = label.answer or {}
    if item.gold is not None:
        return None, float(alike(item, answer, item.gold) == 1.0)
    others = [
        likeness
        for name, other in said.items()
        if name != label.annotator and other.answer is not None
        for likeness in [alike(item, answer, other.answer)]
        if likeness is not None
    ]
    return (fmean(others) if others else None), None


def _windows(
    labels: Sequence[Label], judged: Sequence[tuple[float | None, float | None]], size: int
) -> tuple[Window, ...]:
    ends = [*range(min(size, len(labels)), len(labels), max(1, size // 2)), len(labels)]
    found = []
    for end in ends:
        start = max(0, end - size)
        others = [one for one, _ in judged[start:end] if one is not None]
        checks = [one for _, one in judged[start:end] if one is not None]
        found.append(
            Window(
                annotator=labels[0].annotator,
                first=start + 1,
                last=end,
                begun=labels[start].submitted,
                ended=labels[end - 1].submitted,
                others=fmean(others) if others else None,
                n_others=len(others),
                checks=fmean(checks) if checks else None,
                n_checks=len(checks),
            )
        )
    return tuple(found)
