"""The cells of a grid, and the run folder of each model's part of it.

A *cell* is a recipe with a model, a target language and a repeat.  Cells that share the last
three form a *part*, whose folder is a run folder of its own, so that every command that takes a
run takes a part of a grid too.  Recipes without a model form one part for each target.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from baselines.recipes import needs_model, parse_recipe, recipes
from globesumm import languages
from globesumm.config import Experiment, ModelRow
from globesumm.errors import UsageError
from globesumm.runs import file_name
from globesumm.values import Recipe

NO_MODEL = "no-model"
"""What the part of the recipes without a model is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Model (its row's name; None for the recipes without one), target language and repeat.

    `repeat` counts from 0 and picks the seed `seed`.
    """

    model: str | None
    target: str
    repeat: int = 0
    seed: int = 0

    @property
    def name(self) -> str:
        """Unique and safe as a folder's name: ``gpt-4o``, ``gpt-4o--de``, ``gpt-4o--en--2``."""
        label = file_name((self.model or NO_MODEL).casefold())
        repeated = f"--{self.repeat + 1}" if self.repeat else ""
        return f"{label}--{self.target}{repeated}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One recipe in one part; its name, ``str(cell)``, stands in tables and messages."""

    recipe: Recipe
    part: Part

    def __str__(self) -> str:
        return f"{self.recipe} by {self.part.name}"


def cells(experiment: Experiment) -> list[Cell]:
    """Every cell of `experiment`: parts in the order of its rows, recipes in table order.

    Raises `UnknownName` for a recipe or language nobody knows, and `UsageError` where a recipe
    takes a model and no row names one.
    """
    wanted = _chosen(experiment.recipes)
    asking = next((one for one in wanted if needs_model(one)), None)
    if asking is not None and not experiment.models:
        raise UsageError(
            f"recipe {asking} takes a model: add a row [[models]] with its name, or name recipes "
            "that take none (globesumm recipes)"
        )
    found: list[Cell] = []
    for target in targets(experiment):
        free = Part(model=None, target=target, seed=experiment.seed)
        found += [Cell(recipe=one, part=free) for one in wanted if not needs_model(one)]
        for row in experiment.models:
            asked = [one for one in _of(row, wanted) if needs_model(one)]
            for repeat, seed in enumerate(experiment.seeds or (experiment.seed,)):
                part = Part(model=row.name, target=target, repeat=repeat, seed=seed)
                found += [Cell(recipe=one, part=part) for one in asked]
    return found


def parts(chosen: Sequence[Cell]) -> dict[Part, list[Recipe]]:
    """The recipes of each part, in order."""
    found: dict[Part, list[Recipe]] = {}
    for cell in chosen:
        found.setdefault(cell.part, []).append(cell.recipe)
    return found


def targets(experiment: Experiment) -> tuple[str, ...]:
    """The languages to write, each once."""
    named = experiment.targets or (experiment.target,)
    found = tuple(dict.fromkeys(languages.parse(name) for name in named))
    if languages.UNKNOWN in found:
        raise UsageError("a target is 'und', no language to write in: name one, for instance en")
    return found


def _chosen(names: Sequence[str]) -> list[Recipe]:
    if "all" in names:
        return recipes()
    return list(dict.fromkeys(parse_recipe(name) for name in names))


def _of(row: ModelRow, wanted: Sequence[Recipe]) -> list[Recipe]:
    if not row.recipes:
        return list(wanted)
    found = _chosen(row.recipes)
    free = next((one for one in found if not needs_model(one)), None)
    if free is not None and "all" not in row.recipes:
        raise UsageError(
            f"model {row.name!r} is to carry out {free}, which takes no model: name it among the "
            "experiment's recipes"
        )
    return found
