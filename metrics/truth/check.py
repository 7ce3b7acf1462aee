"""Every metric on known summaries, and which of them orders these rightly."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from metrics.base import Better, Column, Metric
from metrics.scoring import score_all
from metrics.truth.agreement import HELD, Measure, Orders, Ties
from metrics.truth.known import TRUTHS, Known

CHANCE = {"spearman": 0.0, "pairs": 0.5}
ALONE = {"coverage": "more", "faithfulness": "cleaner"}
"""The pairs of `HELD` that differ in this truth and as little as can be in the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A metric to be checked, by the name it is listed under; `model` judges behind it."""

    name: str
    metric: Metric
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """How one column of one metric orders the known summaries of one group.

    `spearman` and `winrate` are by truth (coverage, faithfulness), `held` by the names of
    `metrics.truth.agreement.HELD`.  `n` of `expected` summaries were scored, and `reasons` count
    why the others were not.
    """

    metric: str
    column: str
    better: Better
    model: str | None
    signature: str
    group: str
    n: int
    expected: int
    spearman: Mapping[str, Measure]
    winrate: Mapping[str, Measure]
    held: Mapping[str, Measure]
    reasons: tuple[tuple[str, int], ...] = ()

    def orders(self, truth: str) -> bool | None:
        """Whether it orders summaries rightly by `truth`, beyond chance in each of four ways.

        The intervals of its correlation, of its winrate and, where sentences were counted, of its
        shares of swapped pairs and of those that differ in this truth alone must all lie above
        chance.  Without the third a metric that merely likes long texts would pass for coverage,
        without the fourth coverage for faithfulness, since the two truths go together.  None
        where there is no interval.
        """
        measures = [
            self.spearman[truth].above(CHANCE["spearman"]),
            self.winrate[truth].above(CHANCE["pairs"]),
        ]
        measures += [
            one.above(CHANCE["pairs"])
            for one in (self.held["swapped"], self.held[ALONE[truth]])
            if one.value is not None
        ]
        if any(one is False for one in measures):
            return False
        return None if any(one is None for one in measures) else True

    @property
    def verdict(self) -> str:
        """What it orders rightly, in words."""
        found = {truth: self.orders(truth) for truth in TRUTHS}
        if self.n and all(self.spearman[truth].value is None for truth in TRUTHS):
            return "says nothing"
        if all(one is None for one in found.values()):
            return "not known"
        right = [truth for truth, one in found.items() if one]
        return "both" if len(right) == len(TRUTHS) else (right[0] if right else "neither")


def check(
    subjects: Iterable[Subject],
    known: Sequence[Known],
    group: Callable[[Known], str],
    *,
    ties: Ties = "half",
    resamples: int = 500,
    seed: int = 0,
) -> Iterator[Checked]:
    """Each subject's columns on each group of summaries, subject by subject.

    A metric that cannot run gives rows in which nothing is scored, with the reason.
    """
    names = sorted({group(one) for one in known})
    places = {name: [p for p, one in enumerate(known) if group(one) == name] for name in names}
    orders = {
        name: Orders([known[place] for place in places[name]], ties, resamples, seed)
        for name in names
    }
    candidates = [one.candidate for one in known]
    for subject in subjects:
        scores = score_all([subject.metric], candidates)
        for column in subject.metric.columns:
            mine = [score for score in scores if score.metric == column.name]
            values = [score.value for score in mine]
            notes = [score.note for score in mine]
            for name in names:
                held = places[name]
                yield _checked(
                    subject,
                    column,
                    name,
                    [(values[place], notes[place]) for place in held],
                    orders[name],
                )


def _checked(
    subject: Subject,
    column: Column,
    group: str,
    scored: Sequence[tuple[float | None, str | None]],
    orders: Orders,
) -> Checked:
    reasons: dict[str, int] = {}
    for value, note in scored:
        if value is None:
            reason = note or "no reason given"
            reasons[reason] = reasons.get(reason, 0) + 1
    values = [value for value, _ in scored]
    better = column.better
    return Checked(
        metric=subject.name,
        column=column.name,
        better=better,
        model=subject.model,
        signature=str(subject.metric.signature),
        group=group,
        n=sum(value is not None for value in values),
        expected=len(values),
        spearman={truth: orders.spearman(values, truth, better) for truth in TRUTHS},
        winrate={truth: orders.winrate(values, truth, better) for truth in TRUTHS},
        held={name: orders.held(values, name, better) for name in HELD},
        reasons=tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
    )
