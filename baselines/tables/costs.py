"""What each cell cost: alone, as if it were the only one, and its share of what cells share.

A request that several cells rest on was paid once.  *Alone* counts all requests of a cell in
full; *share* divides each among the cells that rest on it, so that shares add up to what was
paid.  Judging, and answers that no finished summary rests on, belong to no cell.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from baselines.grid.authors import prices
from baselines.grid.folder import STORE
from baselines.grid.uses import read_uses
from baselines.recipes import needs_model
from baselines.tables.portions import Portion
from baselines.tables.results import Who
from globesumm.config import Experiment
from globesumm.finite import numbers
from globesumm.llm.call_store import CallStore
from globesumm.llm.metered import Price
from globesumm.llm.request import Usage
from globesumm.values import Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What one stored request used; `cost` is None without a price, tokens without a count."""

    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    seconds: float | None


@dataclass(slots=True)
class Spent:
    """Sums over calls, each weighted; what is not known is counted beside them, never as 0.

    `seconds` is the time of the calls one after another, not the time that passed.
    """

    calls: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    cost: float = 0.0
    seconds: float = 0.0
    uncounted: float = 0.0
    unpriced: float = 0.0
    untimed: float = 0.0
    models: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, calls: Iterable[tuple[float, Call]]) -> "Spent":
        """The sum of calls, exact to the last digit in any order."""
        held = list(calls)

        def total(name: str) -> float:
            values = numbers(getattr(one, name) or 0 for _, one in held)
            return math.fsum(w * value for (w, _), value in zip(held, values, strict=True))

        return cls(
            calls=math.fsum(w for w, _ in held),
            prompt_tokens=total("prompt_tokens"),
            completion_tokens=total("completion_tokens"),
            cost=total("cost"),
            seconds=total("seconds"),
            uncounted=math.fsum(w for w, one in held if one.prompt_tokens is None),
            unpriced=math.fsum(w for w, one in held if one.cost is None),
            untimed=math.fsum(w for w, one in held if one.seconds is None),
            models={one.model for _, one in held},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CellCost:
    """One cell over its repeats; `summaries` are finished, of `noted` the calls are known."""

    recipe: Recipe
    who: Who
    summaries: int
    noted: int
    alone: Spent
    share: Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The cost of every cell, of no cell, and of all stored answers together.

    `failed` counts stored failures and lost answers (keys noted, but not in the store).
    """

    cells: tuple[CellCost, ...]
    nobody: Spent
    stored: Spent
    failed: int
    lost: int
    currency: str
    unpriced_models: tuple[str, ...]


def costs(
    folder: Path,
    found: Sequence[Portion],
    events: Sequence[str],
    experiment: Experiment | None = None,
) -> Costs:
    """What the cells of `found` rest on, priced as the experiment says."""
    calls, failed = stored_calls(folder / STORE, prices(experiment) if experiment else {})
    keys: dict[tuple[Recipe, Who], set[str]] = {}
    summaries: dict[tuple[Recipe, Who], tuple[int, int]] = {}
    for portion in found:
        for recipe in portion.recipes:
            cell = (recipe, portion.who)
            made, noted, used = _used(portion, recipe, events)
            keys.setdefault(cell, set()).update(used)
            before = summaries.get(cell, (0, 0))
            summaries[cell] = (before[0] + made, before[1] + noted)
    return shared(
        keys,
        calls,
        summaries=summaries,
        failed=failed,
        currency=experiment.currency if experiment else "",
    )


def shared(
    keys: Mapping[tuple[Recipe, Who], set[str]],
    calls: Mapping[str, Call],
    *,
    summaries: Mapping[tuple[Recipe, Who], tuple[int, int]],
    failed: int = 0,
    currency: str = "",
) -> Costs:
    """The costs of cells that rest on `keys`, each call split evenly among its cells."""
    users: dict[str, int] = {}
    for used in keys.values():
        for key in used:
            users[key] = users.get(key, 0) + 1
    cells = [
        CellCost(
            recipe=recipe,
            who=who,
            summaries=summaries[recipe, who][0],
            noted=summaries[recipe, who][1],
            alone=Spent.of((1.0, calls[key]) for key in sorted(used) if key in calls),
            share=Spent.of((1 / users[key], calls[key]) for key in sorted(used) if key in calls),
        )
        for (recipe, who), used in keys.items()
    ]
    return Costs(
        cells=tuple(cells),
        nobody=Spent.of((1.0, call) for key, call in calls.items() if key not in users),
        stored=Spent.of((1.0, call) for call in calls.values()),
        failed=failed,
        lost=sum(key not in calls for key in users),
        currency=currency,
        unpriced_models=tuple(sorted({c.model for c in calls.values() if c.cost is None})),
    )


def stored_calls(path: Path, known: Mapping[str, Price]) -> tuple[dict[str, Call], int]:
    """What every stored answer used, by key, and how many failures are stored; none without it."""
    if not path.exists():
        return {}, 0
    store = CallStore(path, read_only=True)
    try:
        calls = {}
        for row in store.answers():
            usage = (row.completion.usage if row.completion else None) or Usage()
            price = known.get(row.request.model)
            calls[row.key] = Call(
                model=row.request.model,
                prompt_tokens=usage.prompt_tokens,
                completion_tokens=usage.completion_tokens,
                cost=price.of(usage) if price else None,
                seconds=row.completion.seconds if row.completion else None,
            )
        return calls, sum(1 for _ in store.failures())
    finally:
        store.close()


def _used(portion: Portion, recipe: Recipe, events: Sequence[str]) -> tuple[int, int, set[str]]:
    """Summaries that are finished, those whose calls were noted, and the keys of all of these."""
    run = portion.run
    if run is None:
        return 0, 0, set()
    made, noted, keys = 0, 0, set[str]()
    for event in events:
        if not run.summary_path(str(recipe), event).exists():
            continue
        made += 1
        found = read_uses(run, str(recipe), event) if needs_model(recipe) else ()
        if found is not None:
            noted += 1
            keys.update(use.key for use in found if use.answered)
    return made, noted, keys
