"""A grid of one cell, made from the options of a command line instead of an experiment file."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.accounts import tell_account
from globesumm.cli.modelling import bounds_of, spent
from globesumm.config import Experiment, ModelRow
from globesumm.config.tables import Decoded, Limits
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say
from globesumm.values import Event, Rejected

if TYPE_CHECKING:
    from baselines.grid.carry_out import Outcome
    from baselines.grid.cells import Cell
    from baselines.grid.folder import GridFolder
    from baselines.grid.plan import GridPlan


def experiment_of(options: argparse.Namespace, recipe: str) -> Experiment:
    """The experiment that carries out `recipe` alone, by the model that the options name if any.

    Raises `UsageError` for options that no experiment may have.
    """
    try:
        return Experiment(
            inputs=tuple(options.inputs),
            recipes=(recipe,),
            target=options.target,
            max_words=options.max_words,
            seed=options.seed,
            metrics=(),
            prompts=str(options.prompts) if options.prompts else None,
            decoding=Decoded(
                temperature=options.temperature,
                max_tokens=options.max_tokens,
                overrun=options.overrun,
                structured=not options.plain,
                bounded=bounds_of(options),
            ),
            models=(_row(options),) if options.model else (),
            limits=Limits(
                spend=options.most_spend,
                tokens=options.most_tokens,
                calls=options.most_calls,
                at_once=options.at_once,
            ),
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def _row(options: argparse.Namespace) -> ModelRow:
    from globesumm.llm.metered import read_prices

    how = options.reasoning
    row = ModelRow(
        name=options.model,
        base_url=options.base_url,
        key_variable=options.key_variable,
        context=options.context_window,
        tokenizer=options.tokenizer,
        reasoning=int(how) if how and how.isdigit() else how,
        timeout_seconds=options.timeout,
    )
    listed = read_prices(options.prices) if options.prices else {}
    price = listed.get(row.asked_as)
    if price is None:
        return row
    return replace(
        row,
        input_per_million=price.input_per_million,
        cached_input_per_million=price.cached_input_per_million,
        output_per_million=price.output_per_million,
    )


def begun(
    options: argparse.Namespace,
    experiment: Experiment,
    events: Sequence[Event],
    rejected: Sequence[Rejected],
) -> "GridFolder":
    """The run folder of `options.out` with its one part; raises `UsageError` for another run's."""
    from baselines.grid.cells import cells, parts
    from baselines.grid.fork import started
    from baselines.grid.settings import grid_settings, part_settings

    settings = grid_settings(experiment, events)
    folder = started(options.out, settings, forks=False)
    with folder.alone():
        folder.write_events(events, rejected)
        for part, recipes in parts(cells(experiment)).items():
            folder.part(part, part_settings(experiment, settings, part, recipes))
    return folder


def carried_out(
    options: argparse.Namespace, experiment: Experiment, folder: "GridFolder", plan: "GridPlan"
) -> "Outcome":
    """Make what is not there yet; progress, what was done and what was asked go to stderr."""
    from baselines.grid.accounting import grid_account
    from baselines.grid.authors import maker_of, opened_models
    from baselines.grid.carry_out import carry_out
    from baselines.grid.live import Watch

    with opened_models(experiment, store=folder.store, replay=options.replay) as models:
        watch = Watch(
            lambda: models.meter.totals,
            calls=max(0, plan.calls - models.before.calls + models.before.failed),
            spend=experiment.limits.spend,
            spent_before=models.before.spend,
            currency=experiment.currency,
        )
        try:
            outcome = carry_out(
                folder,
                experiment,
                plan.cells,
                lambda cell: maker_of(experiment, cell, models),
                watch=watch,
                retry_failed=options.retry_failed,
            )
        finally:
            say(f"this time: {spent(models.meter.totals)}")
    _tell(outcome)
    tell_account(grid_account(folder, experiment, plan, plan.cells), folder.path)
    return outcome


def cell_of(experiment: Experiment) -> "Cell":
    """The one cell."""
    from baselines.grid.cells import cells

    [cell] = cells(experiment)
    return cell


def print_held(out: Path | None) -> None:
    """How many answers a run folder that is there already holds, for the reader of a plan."""
    from baselines.grid.folder import STORE
    from globesumm.llm.call_store import CallStore

    if out is None or not (out / STORE).is_file():
        return
    store = CallStore(out / STORE, read_only=True)
    print(f"{out} holds {counted(len(store), 'answer')}, which are not asked for again")
    store.close()


def _tell(outcome: "Outcome") -> None:
    told = [f"{counted(outcome.made, 'event')} made", f"{outcome.kept} there already"]
    told += [f"{outcome.failed} failed"] if outcome.failed else []
    told += [f"{outcome.skipped} without text"] if outcome.skipped else []
    told += [f"{outcome.left} left"] if outcome.left else []
    say(", ".join(told))
    if outcome.stopped:
        say(f"stopped: {outcome.stopped}")
