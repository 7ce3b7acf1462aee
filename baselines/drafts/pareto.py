"""One choice of several proxies that may pull apart: weights, guards, and the Pareto front.

Where a draft has no value on a proxy, it stands below every draft that has one on that proxy,
and level with the others that have none.  It never gets a value made up for it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from baselines.drafts.base import Choice, Draft, Objective, Scored
from globesumm.errors import UnknownName, UsageError
from metrics.base import Better, Measured

Scale = Literal["ranks", "range"]

SCALES: Mapping[Scale, str] = {
    "ranks": "the share of the other drafts that a draft leaves behind, ties counting half",
    "range": "its place between the worst and the best value of this task's drafts",
}
"""How values of unlike proxies are made alike before they are weighed."""

UNSCORED_RULE = "a draft without a value on a proxy stands below those with one on that proxy"

Values = Mapping[str, Sequence[Measured]]
"""By proxy what it said of each draft, in the order of the drafts."""

DIGITS = 12
"""After the point; sums that differ beyond them are equal, in whatever order they were summed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where one draft stands among the others of its task.

    `front` counts from 1 (no draft dominates it); `dominated_by` are numbers of drafts that are
    at least as good on every proxy and better on one.
    """

    number: int
    front: int
    dominated_by: tuple[int, ...]


def places(values: Sequence[Measured], better: Better) -> list[int]:
    """Places from 0, equal values sharing one; all that have no value share the last."""
    sign = 1 if better is Better.LOWER else -1
    known = sorted({sign * one.value for one in values if one.value is not None})
    order = {value: place for place, value in enumerate(known)}
    return [len(known) if one.value is None else order[sign * one.value] for one in values]


def standings(
    numbers: Sequence[int], values: Values, better: Mapping[str, Better]
) -> list[Standing]:
    """The fronts of drafts by all proxies in `values`: non-dominated sorting (Deb et al., 2002)."""
    columns = [places(held, better[name]) for name, held in values.items()]
    rows = {number: tuple(c[at] for c in columns) for at, number in enumerate(numbers)}
    by = {
        number: tuple(other for other in numbers if dominates(rows[other], rows[number]))
        for number in numbers
    }
    front: dict[int, int] = {}
    level = 0
    while len(front) < len(rows):
        level += 1
        free = [n for n in rows if n not in front and all(o in front for o in by[n])]
        front.update(dict.fromkeys(free, level))
    return [Standing(number=n, front=front[n], dominated_by=by[n]) for n in numbers]


def dominates(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether places `one` are nowhere behind `other` and somewhere before it."""
    pairs = list(zip(one, other, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighted:
    """The rule: drafts within every guard, and of them the highest weighted sum.

    `weights` are by proxy, each 0 or more, their sum above 0; a proxy with weight 0 is shown and
    does not choose.  `guards` are by proxy how far behind the best draft's value a draft may be,
    in the proxy's own unit: what costs more than that is not up for trade.  `scale` is a key of
    `SCALES`.  Ties go to the draft drawn first.
    """

    weights: Mapping[str, float]
    guards: Mapping[str, float] = field(default_factory=dict)
    scale: Scale = "ranks"

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise UnknownName("scale", self.scale, SCALES)
        for what, held in (("weight", self.weights), ("guard", self.guards)):
            for name, value in held.items():
                if isinstance(value, bool) or not math.isfinite(value) or value < 0:
                    raise UsageError(f"the {what} of {name} is {value}: give a number from 0 up")
        if not math.fsum(self.weights.values()) and not self.guards:
            raise UsageError("every weight is 0: give one proxy a weight above 0")

    @property
    def name(self) -> str:
        """The rule with all that decides it, for records and signatures."""
        weights = ",".join(f"{name}={value:g}" for name, value in self.weights.items())
        guards = ",".join(f"{name}>{value:g}" for name, value in self.guards.items())
        return f"weighted({self.scale}; {weights}{f'; within {guards}' if guards else ''})"

    def choose(
        self, drafts: Sequence[Draft], objectives: Sequence[Objective], values: Values
    ) -> Choice:
        """The choice among `drafts`; `values` hold one entry a draft that has a text, in order.

        Raises `UnknownName` where a weight or guard names a proxy that is not there.
        """
        known = {one.name: one for one in objectives}
        for name in (*self.weights, *self.guards):
            if name not in known:
                raise UnknownName("proxy", name, known)
        texts = [draft for draft in drafts if draft.text is not None]
        numbers = [draft.number for draft in texts]
        better = {name: known[name].better for name in values}
        told = dict(zip(numbers, standings(numbers, values, better), strict=True))
        joint = self._joint(len(texts), values, better)
        allowed, guarded = self._within(numbers, values, better)
        order = sorted(
            range(len(texts)), key=lambda at: (numbers[at] not in allowed, -joint[at], numbers[at])
        )
        stands = {at: (numbers[at] not in allowed, -joint[at]) for at in order}
        rank = {
            numbers[at]: 1 + sum(other < stands[at] for other in stands.values()) for at in order
        }
        scored = tuple(
            Scored(
                number=draft.number,
                values={n: held[at].value for n, held in values.items()},
                notes={n: note for n, held in values.items() if (note := held[at].note)},
                joint=joint[at],
                rank=rank[draft.number],
            )
            for at, draft in enumerate(texts)
        )
        if not order:
            return Choice(chosen=None, rule=self.name, notes=("no draft has a text",))
        first = order[0]
        tied = tuple(
            numbers[at]
            for at in range(len(texts))
            if numbers[at] in allowed and joint[at] == joint[first]
        )
        lost = [draft for draft in drafts if draft.text is None]
        notes = [f"draft {one.number} has no text: {one.reason}" for one in lost]
        notes += [*guarded, *_uninformative(values, texts), *_dominated(told, numbers[first])]
        return Choice(
            chosen=numbers[first],
            rule=self.name,
            scored=scored,
            tied=tied if len(tied) > 1 else (),
            notes=tuple(notes),
        )

    def _joint(self, count: int, values: Values, better: Mapping[str, Better]) -> list[float]:
        total = math.fsum(self.weights.values()) or 1.0
        scale = _by_range if self.scale == "range" else _by_ranks
        columns = {n: scale(held, better[n]) for n, held in values.items() if n in self.weights}
        return [
            round(
                math.fsum(self.weights[name] * held[at] for name, held in columns.items()) / total,
                DIGITS,
            )
            for at in range(count)
        ]

    def _within(
        self, numbers: Sequence[int], values: Values, better: Mapping[str, Better]
    ) -> tuple[set[int], list[str]]:
        """The drafts within every guard, and what must be said of guards."""
        allowed, notes = set(numbers), []
        for name, slack in self.guards.items():
            sign = -1 if better[name] is Better.LOWER else 1
            known = {
                number: sign * one.value
                for number, one in zip(numbers, values[name], strict=True)
                if one.value is not None and number in allowed
            }
            if not known:
                notes.append(f"no draft has a value of {name}: its guard holds nobody back")
                continue
            best = max(known.values())
            allowed = {number for number, value in known.items() if value >= best - slack - 1e-12}
        return allowed, notes


def _by_ranks(values: Sequence[Measured], better: Better) -> list[float]:
    """The share of the other drafts left behind, ties half: 0 (last alone) to 1 (first alone)."""
    held = places(values, better)
    if len(held) < 2:
        return [0.5] * len(held)
    return [
        (sum(other > one for other in held) + (sum(other == one for other in held) - 1) / 2)
        / (len(held) - 1)
        for one in held
    ]


def _by_range(values: Sequence[Measured], better: Better) -> list[float]:
    """1 for the best and 0 for the worst value; without a value one share of a draft below 0."""
    known = [one.value for one in values if one.value is not None]
    below = -1 / max(1, len(values))
    if not known:
        return [0.5] * len(values)
    low, high = min(known), max(known)
    made = []
    for one in values:
        if one.value is None:
            made.append(below)
        elif high == low:
            made.append(0.5)
        else:
            place = (one.value - low) / (high - low)
            made.append(1 - place if better is Better.LOWER else place)
    return made


def _uninformative(values: Values, drafts: Sequence[Draft]) -> list[str]:
    """What a reader must know of proxies that tell no draft from another, and of equal drafts."""
    notes = []
    for name, held in values.items():
        known = [one.value for one in held if one.value is not None]
        lost = len(held) - len(known)
        if not known and held:
            notes.append(f"{name}: no draft has a value ({held[0].note})")
        elif lost:
            notes.append(f"{name}: {lost} of {len(held)} drafts have no value; {UNSCORED_RULE}")
        elif len(held) > 1 and len(set(known)) == 1:
            notes.append(f"{name}: every draft has {known[0] + 0.0:g}, which chooses nothing")
    if len(drafts) > 1 and len({draft.text for draft in drafts}) == 1:
        notes.append(f"all {len(drafts)} drafts are one text")
    return notes


def _dominated(told: Mapping[int, Standing], chosen: int) -> list[str]:
    notes = [
        f"draft {one.number} is dominated by {', '.join(map(str, one.dominated_by))}"
        for one in told.values()
        if one.dominated_by
    ]
    if told[chosen].dominated_by:
        notes.append("the draft taken is dominated: a weight of 0 or a guard decided against it")
    return notes
