"""Judges that choose drafts and judge the result as well: flagged, or refused.

A draft chosen for pleasing a judge pleases that judge, whatever it is worth: its score says
little of the method.  The paper chooses by Qwen2.5-14B-Instruct and judges by
Mistral-7B-Instruct-v0.3.
"""

from collections.abc import Iterator

from baselines.drafts.methods import asked_proxies
from baselines.grid.cells import cells
from globesumm.config import Experiment, ModelRow
from globesumm.errors import UsageError
from metrics.judged import RATINGS


def same_judges(experiment: Experiment) -> Iterator[str]:
    """A line for each judge that chose drafts by what it is to judge."""
    for judge in experiment.judges:
        for name in judge.metrics:
            if name not in RATINGS or judge.model is None:
                continue
            row = experiment.rows[judge.model]
            chosen = sorted(
                {str(recipe) for recipe, by in _choosing(experiment, name) if _same(by, row)}
            )
            if chosen:
                yield (
                    f"{name} is judged by {row.name}, which also chose the drafts of "
                    f"{', '.join(chosen)}: those scores say how well the choice pleased it"
                )


def check_same_judge(experiment: Experiment) -> None:
    """Raise `UsageError` where a judge chose drafts by what it judges, if that is refused."""
    if experiment.drafts.same_judge == "refuse" and (told := next(same_judges(experiment), None)):
        raise UsageError(f'{told}; name another judge, or set drafts.same_judge = "flag"')


def chosen_by(experiment: Experiment, judge: ModelRow, metric: str) -> frozenset[str]:
    """The recipes all of whose drafts were chosen by `judge` by the proxy `metric`."""
    by: dict[str, list[bool]] = {}
    for recipe, row in _choosing(experiment, metric):
        by.setdefault(recipe, []).append(_same(row, judge))
    return frozenset(recipe for recipe, held in by.items() if all(held))


def _choosing(experiment: Experiment, metric: str) -> Iterator[tuple[str, ModelRow]]:
    """(recipe, who rates its drafts) of every cell whose drafts are chosen by `metric`."""
    settings = experiment.drafts
    for cell in cells(experiment):
        drafts, model = cell.recipe.drafts, cell.part.model
        if drafts and model and metric in asked_proxies(drafts, settings):
            yield str(cell.recipe), experiment.rows[settings.judge or model]


def _same(one: ModelRow, other: ModelRow) -> bool:
    return one.asked_as == other.asked_as
