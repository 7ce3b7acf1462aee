"""What a run asked, held against what its plan said: planned = made + spared + not reached.

Made are the distinct requests of the plan that summaries rest on (`baselines.grid.uses`), whenever
and by however many processes they were bought.  Calls beyond the plan are apart: asked again
because an answer could not be used, or shortened because a server found the first too long.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields

from globesumm.finite import counted
from globesumm.llm.recording import Use


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """One summary that is finished or failed, and what was asked for it; None if not noted."""

    finished: bool
    uses: tuple[Use, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepAccount:
    """Distinct calls of one step: `planned` = `made` + `spared` + `unreached`.

    `spared` were not needed for summaries that are finished: a model found nothing to change, or
    texts turned out alike; less than 0 would be more calls than were planned.  `unreached` belong
    to summaries that failed before them or are not made yet.  `again` and `shortened` are beyond
    the plan, and `unanswered` of all those made have no answer.
    """

    step: str
    planned: int = 0
    made: int = 0
    spared: int = 0
    unreached: int = 0
    again: int = 0
    shortened: int = 0
    unanswered: int = 0

    @property
    def calls(self) -> int:
        """All distinct calls."""
        return self.made + self.again + self.shortened

    def __add__(self, other: "StepAccount") -> "StepAccount":
        """Both together, under the name of the first."""
        numbers = [one.name for one in fields(self) if one.name != "step"]
        sums = {name: getattr(self, name) + getattr(other, name) for name in numbers}
        return StepAccount(step=self.step, **sums)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Every step, in the order of the plan, and how many summaries are finished, failed, left.

    `unnoted` of those that ended were made by a version that did not note what calls were for;
    then no step is told.
    """

    steps: tuple[StepAccount, ...]
    finished: int
    failed: int
    left: int
    unnoted: int = 0

    @property
    def all(self) -> StepAccount:
        """The sums."""
        return sum(self.steps, StepAccount(step="in all"))


def account(
    planned: Mapping[str, int],
    planned_of_finished: Mapping[str, int],
    ended: Iterable[Ended],
    summaries: int,
) -> Account:
    """The account of `summaries` that were planned, of which those `ended` are finished or failed.

    `planned` are the distinct calls of the plan by step, `planned_of_finished` those of a plan
    of the finished summaries alone.
    """
    finished = failed = unnoted = 0
    of_finished: dict[str, Use] = {}
    of_all: dict[str, Use] = {}
    for one in ended:
        finished, failed = finished + one.finished, failed + (not one.finished)
        if one.uses is None or not all(use.step for use in one.uses):
            unnoted += 1
            continue
        for use in one.uses:
            for known in (of_all, of_finished) if one.finished else (of_all,):
                # What failed once and was answered later is answered.
                if use.key not in known or use.answered:
                    known[use.key] = use
    left = summaries - finished - failed
    counts = {"finished": finished, "failed": failed, "left": left, "unnoted": unnoted}
    if unnoted:
        return Account(steps=(), **counts)
    here, all_of = _firsts(of_finished.values()), _firsts(of_all.values())
    beyond: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for use in of_all.values():
        beyond[use.step][use.why] += 1
        beyond[use.step]["unanswered"] += not use.answered
    steps = []
    for step in dict.fromkeys([*planned, *beyond]):
        total, sure = planned.get(step, 0), planned_of_finished.get(step, 0)
        made, done = all_of.get(step, 0), here.get(step, 0)
        steps.append(
            StepAccount(
                step=step,
                planned=total,
                made=made,
                spared=sure - done,
                unreached=(total - sure) - (made - done),
                again=beyond[step]["again"],
                shortened=beyond[step]["shortened"],
                unanswered=beyond[step]["unanswered"],
            )
        )
    return Account(steps=tuple(steps), **counts)


def _firsts(uses: Iterable[Use]) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for use in uses:
        found[use.step] += use.why == "first"
    return found


def account_lines(told: Account, what: str = "summary") -> Iterator[str]:
    """The account for a reader: one line of sums, and one for each kind of call beyond the plan.

    `what` is the noun of one of those that it counts as finished or failed.
    """
    if told.unnoted:
        yield (
            f"{counted(told.unnoted, what)} of an earlier version did not note what "
            "calls were for: "
            "calls cannot be held against the plan"
        )
        return
    total = told.all
    if not total.planned and not total.calls:
        return
    parts = [f"{total.made} made"]
    if total.spared > 0:
        parts.append(f"{total.spared} not needed (nothing to change, or texts alike)")
    if total.unreached:
        why = [f"{counted(told.failed, what)} failed"] if told.failed else []
        why += [f"{told.left} are not made yet"] if told.left else []
        parts.append(f"{total.unreached} not reached ({', '.join(why)})")
    if total.spared < 0:
        parts.append(f"{total.spared}: more were made than planned")
    yield f"{counted(total.planned, 'call')} planned = {' + '.join(parts)}"
    beyond = []
    if total.again:
        beyond.append(f"{total.again} asked again, since the first answer could not be used")
    if total.shortened:
        beyond.append(f"{total.shortened} shortened, since the first was too long")
    beyond = [f"beyond the plan: {', '.join(beyond)}"] if beyond else ["none beyond the plan"]
    if total.unanswered:
        beyond.append(f"{total.unanswered} of all without an answer")
    ended = ""
    if told.left:
        # A run that was stopped had asked for more than what ended rests on.
        ended = " of those that ended"
        beyond.append(f"what was asked for the other {told.left} counts once they end")
    yield f"{counted(total.calls, 'call')} in all{ended}; {'; '.join(beyond)}"
