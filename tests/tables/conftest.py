"""Results made up by rule, so that every number of a table can be told beforehand."""

from collections.abc import Callable, Sequence

import pytest

from baselines.recipes import parse_recipe
from baselines.tables.results import CellResult, Results, Who
from globesumm.values import Recipe
from metrics.aggregate import interval, mean
from metrics.base import Signature
from metrics.registry import known_columns

Value = Callable[[Recipe, Who, str, int], float | None]
"""Recipe, writer, metric and number of the event (from 0) to a score."""

SIGNATURES = {name: str(Signature.of(name, v=1)) for name in ("rougeL", "red", "nic", "cre")}


def made_cell(
    recipe: Recipe,
    who: Who,
    metric: str,
    values: Sequence[float | None],
    *,
    repeat: int = 0,
    signature: str | None = None,
) -> CellResult:
    """A cell with one value an event, as reading a run folder would give it."""
    scored = sorted(value for value in values if value is not None)
    low, high = interval(scored)
    missing = len(values) - len(scored)
    return CellResult(
        recipe=recipe,
        who=who,
        metric=metric,
        repeat=repeat,
        mean=mean(scored),
        low=low,
        high=high,
        n=len(scored),
        expected=len(values),
        signature=(signature or SIGNATURES[metric]) if scored else "",
        reasons=(("no summary: it failed", missing),) if missing else (),
        items={f"event-{number:02}": value for number, value in enumerate(values)},
    )


def made_results(
    recipes: Sequence[str],
    models: Sequence[str],
    value: Value,
    *,
    metrics: Sequence[str] = ("rougeL", "red", "nic", "cre"),
    events: int = 12,
    repeats: int = 1,
) -> Results:
    """A grid of `recipes` by `models`, each cell's values by rule."""
    parsed = tuple(parse_recipe(name) for name in recipes)
    who = tuple(Who(model=model) for model in models)
    known = known_columns()
    return Results(
        source="made up",
        cells=tuple(
            made_cell(
                recipe,
                one,
                metric,
                [value(recipe, one, metric, number + 100 * repeat) for number in range(events)],
                repeat=repeat,
            )
            for recipe in parsed
            for one in who
            for metric in metrics
            for repeat in range(repeats)
        ),
        recipes=parsed,
        who=who,
        columns=tuple(known[name] for name in metrics),
        asked=frozenset((recipe, one) for recipe in parsed for one in who),
    )


@pytest.fixture(scope="session")
def grid() -> Callable[..., Results]:
    return made_results


@pytest.fixture(scope="session")
def cell() -> Callable[..., CellResult]:
    return made_cell
