"""A grid's account: its plan beside what its summaries rest on."""

from collections.abc import Iterator, Sequence

from baselines.account import Account, Ended, account
from baselines.grid.cells import Cell
from baselines.grid.failures import MISSING
from baselines.grid.folder import GridFolder
from baselines.grid.plan import GridPlan, plan_grid
from baselines.grid.uses import read_uses
from baselines.recipes import needs_model
from globesumm.config import Experiment
from globesumm.records import read_record
from globesumm.runs import Failure, Run


def grid_account(
    folder: GridFolder, experiment: Experiment, plan: GridPlan, chosen: Sequence[Cell]
) -> Account:
    """What the summaries of `chosen` asked, beside `plan`, which planned them.

    Judges of scores are not among them.
    """
    events = folder.events()
    asking = [cell for cell in chosen if needs_model(cell.recipe)]
    ended = list(_ended(folder, asking, list(events)))
    done = {where for where, one in ended if one.finished}
    total = len(asking) * len(events)
    planned = plan.by_step()
    sure = planned
    if len(done) < total:

        def wanted(cell: Cell, event: str) -> bool:
            return (cell, event) in done

        sure = plan_grid(experiment, events, asking, wanted).by_step() if done else {}
    return account(planned, sure, (one for _, one in ended), total)


def _ended(
    folder: GridFolder, chosen: Sequence[Cell], events: Sequence[str]
) -> Iterator[tuple[tuple[Cell, str], Ended]]:
    for cell in chosen:
        run, recipe = folder.part(cell.part), str(cell.recipe)
        for event in events:
            finished = run.summary_path(recipe, event).exists()
            if finished or run.failure_path(recipe, event).exists():
                uses = read_uses(run, recipe, event)
                if uses is None and not finished and _cannot_be(run, recipe, event):
                    uses = ()
                yield (cell, event), Ended(finished=finished, uses=uses)


def _cannot_be(run: Run, recipe: str, event: str) -> bool:
    """Whether nothing was asked because the data lack what the summary needs."""
    return read_record(run.failure_path(recipe, event), Failure).kind in MISSING
