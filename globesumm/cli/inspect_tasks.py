r"""Tasks of Inspect (``inspect_ai``) by this project's recipes and metrics.

::

    inspect eval globesumm/summarize -T events=documents.jsonl -T recipe=crs.kis-clp.protocol \
        -T metrics=rouge,red,cre --model openai/gpt-4o --model-role judge=openai/gpt-4o-mini
    inspect eval globesumm/outputs -T run=runs/mine -T metrics=rouge,red --model none/none

`events` is what ``globesumm grid`` takes as an input: a sample event, a file of events or
documents, a run folder.
"""

from pathlib import Path
from typing import Any

from inspect_ai import Task, task

from baselines.exports import cells_of
from baselines.exports.inspect_eval import kept_solver, recipe_solver, sample_of, scorers_of
from baselines.recipes import MODEL_DEFAULT, parse_recipe
from globesumm import samples
from globesumm.cli.experiment_events import read_events
from globesumm.cli.inputs import target_language
from globesumm.config import METRICS
from globesumm.config.files import SAMPLE
from globesumm.errors import UnknownName, UsageError
from globesumm.values import Event, Summary

_METRICS = ",".join(METRICS)


@task
def summarize(  # noqa: PLR0917  # Inspect hands each over by name
    events: str = f"{SAMPLE}{samples.FIRST}",
    recipe: str = MODEL_DEFAULT,
    target: str = "en",
    max_words: int = 250,
    seed: int = 0,
    metrics: str = _METRICS,
    entailer: str | None = None,
) -> Task:
    """Each event summarized by `recipe` with the model of ``--model``, scored by `metrics`.

    `metrics` that judge ask the model of the role ``judge``; `entailer` is that of ``nic`` and
    ``alignment``.
    """
    found, _ = read_events(tuple(_names(events)))
    code = target_language(target)
    return Task(
        dataset=_data_set([sample_of(event) for event in found], events),
        solver=recipe_solver(str(parse_recipe(recipe)), code, max_words, seed),
        scorer=scorers_of(_listed(metrics), code, entailer),
        name=f"globesumm/{parse_recipe(recipe)}",
    )


@task
def outputs(
    run: str,
    recipe: str | None = None,
    metrics: str = _METRICS,
    entailer: str | None = None,
) -> Task:
    """The summaries of a run that is there already, scored by `metrics`; no model writes."""
    cells, events = cells_of(Path(run))
    by_id: dict[str, Event] = {event.id: event for event in events}
    known = list(dict.fromkeys(str(cell.recipe) for cell in cells))
    if recipe is not None and recipe not in known:
        raise UnknownName("recipe", recipe, known, where=run)
    if recipe is None and len(cells) > 1:
        raise UsageError(f"{run} holds {', '.join(known)}: choose one with -T recipe=NAME")
    chosen = [cell for cell in cells if recipe in (None, str(cell.recipe))]
    if len(chosen) > 1:
        raise UsageError(f"{run} holds {recipe} by several models: name one of its parts/")
    held = chosen[0].portion.run
    made: list[Summary] = held.summaries() if held else []
    wanted = [one for one in made if one.recipe == str(chosen[0].recipe)]
    if not wanted:
        raise UsageError(
            f"{run} holds no summary by {chosen[0].recipe} yet: globesumm summarize makes it"
        )
    return Task(
        dataset=_data_set([sample_of(by_id[one.event], one) for one in wanted], run),
        solver=kept_solver(),
        scorer=scorers_of(_listed(metrics), wanted[0].target, entailer),
        name=f"globesumm/{chosen[0].recipe}",
    )


def _data_set(found: list[Any], name: str) -> Any:
    from inspect_ai.dataset import MemoryDataset

    return MemoryDataset(found, name=Path(name).name)


def _names(given: Any) -> list[str]:
    """Inspect hands ``-T x=a,b`` over as a list."""
    return [str(one) for one in given] if isinstance(given, list) else [given]


def _listed(given: Any) -> str:
    return ",".join(_names(given))
