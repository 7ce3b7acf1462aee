"""Which drafts of one side make pairs of a preferred and a rejected text.

The paper prefers higher-scoring summaries over lower-scoring ones (section 4) and does not say
which of nine make pairs; so that is a setting.  Drafts that cannot be told apart make no pair,
and whatever made none is counted with its reason.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from baselines.drafts.base import Scored
from baselines.preference.settings import PairRule, PairSettings

NO_TEXT = "drafts without a text"
UNSCORED = "drafts that not every proxy scored"
REPEATED = "drafts that repeat another's text"
TIED = "pairs of equal value"
WITHIN = "pairs within the margin"
FEW = "sides with fewer than two drafts to compare"
ALL_TIED = "sides whose drafts all have one value"
FAILED = "sides of which no draft could be had"
TOO_LONG = "pairs too long for training"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """A draft of one side: `number` from 1, its text, and what the proxies say of it."""

    number: int
    text: str | None
    reason: str | None = None
    scored: Scored | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """`chosen` is preferred over `rejected`, for the side `task`; numbers are of drafts.

    `gap` is by how much the joint values differ (None where the rule compares without numbers).
    """

    task: str
    chosen: str
    rejected: str
    chosen_number: int
    rejected_number: int
    gap: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """The pairs of several sides, and by reason what made none."""

    pairs: tuple[Pair, ...] = ()
    none: Mapping[str, int] = field(default_factory=dict)

    def told(self) -> str:
        """The reasons with their counts, in words."""
        return "; ".join(f"{count} {reason}" for reason, count in self.none.items() if count)


Ranked = Sequence[Rated]
Both = tuple[Rated, Rated]


def _best_worst(ranked: Ranked, k: int) -> Iterator[Both]:
    del k
    yield ranked[0], ranked[-1]


def _best_all(ranked: Ranked, k: int) -> Iterator[Both]:
    del k
    yield from ((ranked[0], other) for other in ranked[1:])


def _all(ranked: Ranked, k: int) -> Iterator[Both]:
    del k
    yield from ((one, other) for at, one in enumerate(ranked) for other in ranked[at + 1 :])


def _top_bottom(ranked: Ranked, k: int) -> Iterator[Both]:
    size = min(k, len(ranked) // 2)
    yield from ((one, other) for one in ranked[:size] for other in ranked[-size:])


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule: the pairs it looks at among drafts in order, best first, and a line about it."""

    look: Callable[[Ranked, int], Iterator[Both]]
    about: str


RULES: Mapping[PairRule, RuleRow] = {
    "best-worst": RuleRow(_best_worst, "the best draft over the worst"),
    "best-all": RuleRow(_best_all, "the best draft over each that is worse"),
    "all": RuleRow(_all, "every draft over each that is worse"),
    "top-bottom": RuleRow(_top_bottom, "each of the k best over each of the k worst"),
}


def pair(task: str, drafts: Sequence[Rated], settings: PairSettings) -> Paired:
    """The pairs of one side's drafts.

    Equal texts count once, as the one drawn first; drafts that some proxy left unscored are left
    out; equal values make no pair, nor do values that differ by `margin` or less.
    """
    none: Counter[str] = Counter()
    held: dict[str, Rated] = {}
    used = _used(drafts)
    for one in drafts:
        if one.text is None:
            none[NO_TEXT] += 1
        elif one.scored is None or one.scored.rank is None or not _whole(one.scored, used):
            none[UNSCORED] += 1
        elif one.text in held:
            none[REPEATED] += 1
        else:
            held[one.text] = one
    if all(one.text is None for one in drafts):
        none[FAILED] += 1
        return Paired(none=dict(none))
    if len(held) < 2:
        none[FEW] += 1
        return Paired(none=dict(none))
    ranked = sorted(held.values(), key=_place)
    made = []
    for better, worse in RULES[settings.rule].look(ranked, settings.k):
        if _equal(better, worse):
            none[TIED] += 1
            continue
        gap = _gap(better, worse)
        # A negative gap is a guard's doing, which no margin undoes.
        if gap is not None and 0 <= gap <= settings.margin:
            none[WITHIN] += 1
            continue
        made.append(
            Pair(
                task=task,
                chosen=better.text or "",
                rejected=worse.text or "",
                chosen_number=better.number,
                rejected_number=worse.number,
                gap=gap,
            )
        )
    if _equal(ranked[0], ranked[-1]):
        none[ALL_TIED] += 1
    return Paired(pairs=tuple(made), none=dict(none))


def joined(several: Sequence[Paired]) -> Paired:
    """All pairs in order, and what made none, added up."""
    none: Counter[str] = Counter()
    for one in several:
        none.update(one.none)
    return Paired(
        pairs=tuple(pair for one in several for pair in one.pairs), none=dict(sorted(none.items()))
    )


def _used(drafts: Sequence[Rated]) -> set[str]:
    """The proxies that scored any draft; the others decide nothing."""
    return {
        name
        for one in drafts
        if one.scored
        for name, value in one.scored.values.items()
        if value is not None
    }


def _whole(scored: Scored, used: set[str]) -> bool:
    """Whether every proxy that scored any draft scored this one."""
    return bool(used) and all(scored.values.get(name) is not None for name in used)


def _place(one: Rated) -> tuple[int, float, int]:
    scored = one.scored
    assert scored is not None  # noqa: S101  (those without were left out)
    assert scored.rank is not None  # noqa: S101
    return scored.rank, -(scored.joint or 0.0), one.number


def _equal(one: Rated, other: Rated) -> bool:
    """Whether nothing tells the two apart; guards may rank what has one number differently."""
    if one.scored is None or other.scored is None:
        return True
    if one.scored.joint is None or other.scored.joint is None:
        return one.scored.rank == other.scored.rank
    return math.isclose(one.scored.joint, other.scored.joint, abs_tol=1e-12)


def _gap(one: Rated, other: Rated) -> float | None:
    if one.scored is None or other.scored is None:
        return None
    if one.scored.joint is None or other.scored.joint is None:
        return None
    return one.scored.joint - other.scored.joint
