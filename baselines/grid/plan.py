"""What a grid will ask, cost and take, before anything is asked.

Calls are distinct requests, found by carrying every cell out in symbols (`annotation.symbolic`):
what cells share counts once.  They are exact as long as every answer can be used and no document
has to be trimmed.  Tokens are estimates, and so are money and time, which follow from them.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from annotation.plan import counter
from annotation.symbolic import Asked, Ledger, PlannedCall, Roles, Symbolic, Text, Told
from baselines.grid.authors import decoding_of, library, prices
from baselines.grid.cells import Cell, Part, cells, parts
from baselines.grid.judged_plan import JudgedSummaries
from baselines.recipes import needs_model
from globesumm.config import Experiment, ModelRow
from globesumm.errors import UsageError
from globesumm.llm.request import Usage
from globesumm.values import Event

SECONDS_TO_BEGIN = 1.0
SECONDS_A_TOKEN = 0.02
"""What a call is taken to last where a row states no `seconds_per_call`: 50 tokens a second."""

METHOD = (
    "calls are distinct requests, exact while every answer can be used and nothing is trimmed; "
    "tokens are estimated from the length and script of texts, and for answers from the shares "
    "measured for GlobeSumm"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRow:
    """One step by one model: distinct calls, estimated tokens, and their price.

    `cost` is None where the model's price is not known.  `at_most`: judges see summaries that
    may turn out alike, and then fewer calls are made.
    """

    model: str
    step: str
    calls: int
    prompt_tokens: int
    answer_tokens: int
    cost: float | None
    at_most: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPlan:
    """The whole grid before it is run.

    `requests` is how many calls there would be if cells shared none.  `chain` is the length of
    the longest chain of calls that wait for each other, `chain_seconds` its estimated time, and
    `seconds` that of everything at best.  `tight` calls may not fit their model's window.
    """

    cells: tuple[Cell, ...]
    events: int
    documents: int
    rows: tuple[PlannedRow, ...]
    requests: int
    chain: int
    chain_seconds: float
    seconds: float
    tight: int
    currency: str
    prices_dated: date | None

    @property
    def calls(self) -> int:
        """Calls for summaries, exact while every answer can be used."""
        return sum(row.calls for row in self.rows if not row.at_most)

    @property
    def judging(self) -> int:
        """Calls of judges, at most."""
        return sum(row.calls for row in self.rows if row.at_most)

    @property
    def cost(self) -> float:
        """What the calls with a known price cost."""
        return sum(row.cost for row in self.rows if row.cost is not None)

    @property
    def unpriced(self) -> int:
        """Calls whose price is not known; they are not in `cost`."""
        return sum(row.calls for row in self.rows if row.cost is None)


def plan_grid(
    experiment: Experiment, events: Sequence[Event], chosen: Sequence[Cell] | None = None
) -> GridPlan:
    """The plan of `experiment` on `events`, or of its `chosen` cells alone.

    Raises what `baselines.grid.cells.cells` raises.
    """
    held = list(cells(experiment)) if chosen is None else list(chosen)
    count, ledger = counter(), Ledger()
    told = [Told(event, count) for event in events]
    judged = JudgedSummaries(experiment, events, count)
    symbolic: dict[str, Symbolic] = {}
    for part, recipes in parts(held).items():
        if part.target not in symbolic:
            symbolic[part.target] = Symbolic(
                part.target, experiment.max_words, library(experiment.prompts), count, ledger
            )
        roles = None if part.model is None else _roles(experiment, part)
        for recipe in recipes:
            for event, texts in zip(events, told, strict=True):
                if roles is not None and needs_model(recipe):
                    summary: Text | None = symbolic[part.target].carry_out(texts, recipe, roles)
                else:
                    summary = None
                judged.add(event, recipe, part, summary)
    calls = list(ledger.calls.values())
    return GridPlan(
        cells=tuple(held),
        events=len(events),
        documents=sum(len(event.documents) for event in events),
        rows=(*_rows(experiment, calls), *_judging(experiment, judged)),
        requests=ledger.asked,
        chain=max((call.depth for call in calls), default=0),
        chain_seconds=max((call.ends for call in calls), default=0.0),
        seconds=_seconds(experiment, calls),
        tight=sum(call.tight for call in calls),
        currency=experiment.currency,
        prices_dated=experiment.prices_dated,
    )


def _roles(experiment: Experiment, part: Part) -> Roles:
    rows, pre = experiment.rows, experiment.presteps
    if part.model is None:
        raise UsageError(f"part {part.name} has no model")
    writing = _asked(experiment, rows[part.model], part.seed)
    if pre.model is None:
        return Roles.of(writing)
    preparing = _asked(experiment, rows[pre.model], experiment.seed)
    carrying = preparing if pre.carries else writing
    return Roles(writing=writing, preparing=preparing, carrying=carrying)


def _asked(experiment: Experiment, row: ModelRow, seed: int) -> Asked:
    decoding = decoding_of(experiment, row, seed)
    room = None
    if row.context is not None:
        room = row.context - (decoding.max_tokens or min(1024, row.context // 4))
    fixed = row.seconds_per_call

    def seconds(tokens: int) -> float:
        return SECONDS_TO_BEGIN + SECONDS_A_TOKEN * tokens if fixed is None else fixed

    return Asked(label=row.name, identity=(row.asked_as, decoding), seconds=seconds, room=room)


def _rows(experiment: Experiment, calls: Iterable[PlannedCall]) -> list[PlannedRow]:
    grouped: dict[tuple[str, str], list[PlannedCall]] = defaultdict(list)
    for call in calls:
        grouped[call.asked, call.step].append(call)
    order = {name: place for place, name in enumerate(experiment.rows)}
    return [
        _row(experiment, model, step, len(held), _tokens(held))
        for (model, step), held in sorted(grouped.items(), key=lambda item: order[item[0][0]])
    ]


def _tokens(calls: Sequence[PlannedCall]) -> Usage:
    return Usage(
        prompt_tokens=sum(call.prompt_tokens for call in calls),
        completion_tokens=sum(call.answer_tokens for call in calls),
    )


def _judging(experiment: Experiment, judged: JudgedSummaries) -> list[PlannedRow]:
    return [
        replace(_row(experiment, model, f"judging {metric}", calls, usage), at_most=True)
        for model, metric, calls, usage in judged.totals()
    ]


def _row(experiment: Experiment, model: str, step: str, calls: int, usage: Usage) -> PlannedRow:
    price = prices(experiment).get(experiment.rows[model].asked_as)
    return PlannedRow(
        model=model,
        step=step,
        calls=calls,
        prompt_tokens=usage.prompt_tokens or 0,
        answer_tokens=usage.completion_tokens or 0,
        cost=price.of(usage) if price else None,
    )


def _seconds(experiment: Experiment, calls: Sequence[PlannedCall]) -> float:
    """At best: the longest chain, or the time of all calls with as many in flight as may be."""
    by_row: dict[str, float] = defaultdict(float)
    for call in calls:
        by_row[call.asked] += call.seconds
    most = experiment.limits.at_once
    bounds = [
        total / min(most, experiment.rows[name].at_once or most) for name, total in by_row.items()
    ]
    chain = max((call.ends for call in calls), default=0.0)
    return max([chain, sum(by_row.values()) / most, *bounds])
