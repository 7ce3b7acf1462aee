"""What stands in a conflict ledger."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from globesumm.text.details import Kind
from globesumm.values import ConflictCause, in_utc


class Treatment(StrEnum):
    """What a summary does about a conflict (the three verdicts of CRE, GlobeSumm C.2)."""

    ADDRESSED = "addressed"
    ABSENT = "absent"
    UNADDRESSED = "unaddressed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """One competing statement: who says it, where, when, and from which round on.

    `value` is the side that it takes (``"18.5 km"``), in a form independent of language where
    it is a figure; None where it was not read.  `country` is what tables of outlets say.
    """

    document: str
    index: int
    language: str
    text: str
    outlet: str | None
    country: str | None
    published: datetime | None
    value: str | None
    round: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "published", in_utc(self.published))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The strategy that a round settled on for the conflict."""

    round: int
    cause: ConflictCause
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Handling:
    """What the summary of one round does about the conflict.

    `words` are its sentences that do so, `values` the sides that they tell.  `treatment` is None
    where it was not judged; `note` says why, or on what the verdict rests.
    """

    round: int
    treatment: Treatment | None
    words: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One conflict over all rounds of a summary.

    `differs` is the detail it turns on as the rounds say it, `kind` what sort of figure that is
    (None where it is none), `cause` why (None where nobody judged it), `proposed`
    what the values suggest where nobody did.  It `arose` in the round that first names it;
    `named` are all rounds that do; `settled` is the first round from which on every summary
    addresses it, None if the last one does not.  `history` has a handling for each round from
    `arose` on; `judge` names who judged it.
    """

    event: str
    recipe: str
    number: int
    differs: str | None
    cause: ConflictCause | None
    proposed: ConflictCause | None
    plans: tuple[Plan, ...]
    voices: tuple[Voice, ...]
    arose: int
    named: tuple[int, ...]
    settled: int | None
    history: tuple[Handling, ...]
    judge: str
    note: str | None = None
    kind: Kind | None = None

    def __post_init__(self) -> None:
        if not self.history:
            raise ValueError(
                "history is empty: a conflict is handled in each round from `arose` on"
            )

    @property
    def final(self) -> Handling:
        """What the last summary does about it."""
        return self.history[-1]

    @property
    def sides(self) -> tuple[str, ...]:
        """The values told by voices, each once, in the order of time."""
        return tuple(dict.fromkeys(one.value for one in self.voices if one.value is not None))
