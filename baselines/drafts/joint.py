"""Several proxies into one choice: how their values are joined, and what happens at the edges.

A draft that some proxy left unscored cannot be compared, so it is not taken as long as another
was scored by all; a proxy that scored no draft at all is left out, and said to be.  Ties go to
the draft drawn first.  Whatever kept the proxies from telling drafts apart stands in the notes:
one draft, equal drafts, a judge that gives them all the same.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from baselines.drafts.base import Choice, Draft, Objective, Scored, Task
from baselines.drafts.proxies import scores
from globesumm.errors import UnknownName
from metrics.base import Better, Measured

DIGITS = 12
"""After the point; sums that differ beyond them are equal."""

Values = Mapping[str, Sequence[Measured]]


class Rule(Protocol):
    """Chooses among drafts by what proxies said of them."""

    @property
    def name(self) -> str:
        """The rule with all that decides it, for records and signatures."""

    def choose(
        self, drafts: Sequence[Draft], objectives: Sequence[Objective], values: Values
    ) -> Choice:
        """`values` hold by proxy one entry for each draft with a text, in order."""


Row = tuple[float, ...]
"""One draft's values, one a proxy, higher being better."""


def _mean(row: Row, weights: Row) -> Row:
    return (math.fsum(v * w for v, w in zip(row, weights, strict=True)) / math.fsum(weights),)


def _product(row: Row, weights: Row) -> Row:
    total = math.fsum(weights)
    held = zip(row, weights, strict=True)
    return (math.prod(max(0.0, value) ** (weight / total) for value, weight in held),)


def _least(row: Row, weights: Row) -> Row:
    del weights
    return (min(row),)


def _in_order(row: Row, weights: Row) -> Row:
    del weights
    return row


JOINTS: Mapping[str, Callable[[Row, Row], Row]] = {
    "mean": _mean,
    "product": _product,
    "min": _least,
    "rank-mean": _mean,
    "lexicographic": _in_order,
}
"""By its name, what makes of a draft's values what drafts are compared by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The rule called `how`, with `weights` by proxy (1 where none is given).

    - ``mean``: the weighted mean of the values, each between its proxy's least (0) and greatest
      (1) value, or, for a proxy without bounds, between those of the drafts at hand;
    - ``product``: their weighted geometric mean, so that 0 on one proxy is 0 in all;
    - ``min``: the worst of them;
    - ``rank-mean``: the weighted mean of the shares of other drafts left behind, ties half;
    - ``lexicographic``: the first proxy decides, the next among equals, and so on.
    """

    how: str = "mean"
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.how not in JOINTS:
            raise UnknownName("rule to join proxies", self.how, (*JOINTS, "weighted"))

    @property
    def name(self) -> str:
        given = ",".join(f"{name}={weight:g}" for name, weight in self.weights.items())
        return f"{self.how}({given})" if given else self.how

    def choose(
        self, drafts: Sequence[Draft], objectives: Sequence[Objective], values: Values
    ) -> Choice:
        texts = [draft for draft in drafts if draft.text is not None]
        scored = {
            draft.number: Scored(
                number=draft.number,
                values={name: held[at].value for name, held in values.items()},
                notes={name: note for name, held in values.items() if (note := held[at].note)},
            )
            for at, draft in enumerate(texts)
        }
        notes = [f"draft {one.number} has no text: {one.reason}" for one in drafts if not one.text]
        if not texts:
            return Choice(chosen=None, rule=self.name, notes=(*notes, "no draft has a text"))
        used = [
            one for one in objectives if any(held.value is not None for held in values[one.name])
        ]
        notes += [
            f"{one.name} scored no draft, so it decides nothing: {values[one.name][0].note}"
            for one in objectives
            if one not in used
        ]
        able = [
            draft
            for at, draft in enumerate(texts)
            if all(values[one.name][at].value is not None for one in used)
        ]
        if used and len(able) < len(texts):
            lost = ", ".join(str(draft.number) for draft in texts if draft not in able)
            notes.append(f"not every proxy scored drafts {lost}: they cannot be compared")
        if not used or not able:
            notes.append("nothing could be compared: the first draft was taken")
            return Choice(
                chosen=texts[0].number,
                rule=self.name,
                scored=tuple(scored.values()),
                notes=tuple(notes),
            )
        notes += _uninformative(used, texts, able, values)
        places = [texts.index(draft) for draft in able]
        held = {one.name: [values[one.name][at] for at in places] for one in used}
        return self._ranked(able, used, held, scored, notes=notes)

    def _ranked(
        self,
        able: Sequence[Draft],
        used: Sequence[Objective],
        values: Values,
        scored: Mapping[int, Scored],
        *,
        notes: Sequence[str],
    ) -> Choice:
        columns = [self._alike(one, values[one.name]) for one in used]
        weights = tuple(self.weights.get(one.name, 1.0) for one in used)
        if not math.fsum(weights):
            # Those with a weight scored nothing; what is left counts alike.
            weights = (1.0,) * len(used)
        join = JOINTS[self.how]
        joints = {
            draft.number: tuple(round(v, DIGITS) for v in join(row, weights))
            for draft, row in zip(able, zip(*columns, strict=True), strict=True)
        }
        order = sorted(joints, key=lambda number: ([-v for v in joints[number]], number))
        best = joints[order[0]]
        tied = tuple(sorted(number for number, held in joints.items() if held == best))
        told = dict(scored)
        for number, held in joints.items():
            ahead = sum(other > held for other in joints.values())
            joint = held[0] if len(held) == 1 else None
            told[number] = _with(scored[number], joint, ahead + 1)
        ending = []
        if len(able) > 1 and len(tied) == len(able):
            ending.append("nothing tells the drafts apart: the first was taken")
        elif len(tied) > 1:
            ending.append(f"{len(tied)} drafts stand first together: the first of them was taken")
        return Choice(
            chosen=order[0],
            rule=self.name,
            scored=tuple(told.values()),
            tied=tied if len(tied) > 1 else (),
            notes=(*notes, *ending),
        )

    def _alike(self, objective: Objective, held: Sequence[Measured]) -> list[float]:
        """The values of one proxy, from 0 to 1 and higher being better."""
        sign = -1.0 if objective.better is Better.LOWER else 1.0
        values = [sign * one.value for one in held if one.value is not None]
        if self.how == "rank-mean":
            return _ranks(values)
        if self.how == "lexicographic":
            return values
        low, high = objective.low, objective.high
        if low is None or high is None:
            least, most = min(values), max(values)
        else:
            least, most = sorted((sign * low, sign * high))
        if most <= least:
            return [0.5] * len(values)
        return [(value - least) / (most - least) for value in values]


def _ranks(values: Sequence[float]) -> list[float]:
    """The share of the others that each leaves behind, ties counting half."""
    if len(values) < 2:
        return [0.5] * len(values)
    return [
        (sum(other < one for other in values) + (sum(other == one for other in values) - 1) / 2)
        / (len(values) - 1)
        for one in values
    ]


def _with(scored: Scored, joint: float | None, rank: int) -> Scored:
    return Scored(
        number=scored.number, values=scored.values, notes=scored.notes, joint=joint, rank=rank
    )


def _uninformative(
    used: Sequence[Objective], texts: Sequence[Draft], able: Sequence[Draft], values: Values
) -> list[str]:
    """What kept proxies from telling drafts apart."""
    distinct = {draft.text for draft in able}
    if len(able) > 1 and len(distinct) == 1:
        return [f"all {len(able)} drafts are one text: there is nothing to choose"]
    notes = []
    for one in used:
        held = [values[one.name][texts.index(draft)] for draft in able]
        if len(held) > 1 and len({measured.value for measured in held}) == 1:
            said = f" ({held[0].note})" if held[0].note else ""
            value = (held[0].value or 0.0) + 0.0  # no sign before nothing
            notes.append(f"{one.name} gave every draft {value:g}{said}: no information")
    return notes


def scored_by(
    objectives: Sequence[Objective], task: Task, drafts: Sequence[Draft]
) -> dict[str, list[Measured]]:
    """What each proxy says of each draft with a text, in order; equal texts are scored once."""
    texts = [draft for draft in drafts if draft.text is not None]
    first = {draft.text: draft for draft in reversed(texts)}
    asked = sorted(first.values(), key=lambda draft: draft.number)
    found: dict[str, list[Measured]] = {}
    for one, said in zip(objectives, scores(objectives, task, asked), strict=True):
        held = {draft.text: value for draft, value in zip(asked, said, strict=True)}
        found[one.name] = [held[draft.text] for draft in texts]
    return found
