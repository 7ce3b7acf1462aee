"""The runs that a folder holds: the parts of a grid, or one run by itself."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from baselines.grid.cells import NO_MODEL, Part, cells, parts
from baselines.recipes import needs_model, parse_recipe
from baselines.tables.results import Who
from globesumm.config import Experiment
from globesumm.errors import UsageError
from globesumm.records import read_own_records, read_record
from globesumm.runs import PARTS, Run, file_name
from globesumm.values import Event, Recipe, Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """A run whose summaries have one writer, language and repeat, and the recipes it is to hold.

    `run` is None for a part that was not begun.
    """

    part: Part
    recipes: tuple[Recipe, ...]
    run: Run | None

    @property
    def who(self) -> Who:
        return Who(model=self.part.model or "", target=self.part.target)


def portions(folder: Path, experiment: Experiment | None = None) -> list[Portion]:
    """The parts of the grid in `folder`, in the experiment's order; of a run its one or two.

    Without an `experiment` the parts that are there say what they are.  A run of
    ``globesumm summarize`` counts as a part for its model and one for the recipes without.
    """
    grid = (folder / PARTS).is_dir() or Run.open(folder).record().settings.get("kind") == "grid"
    if experiment is not None and grid:
        return [
            Portion(part=part, recipes=tuple(recipes), run=_opened(folder / PARTS / part.name))
            for part, recipes in parts(cells(experiment)).items()
        ]
    if (folder / PARTS).is_dir():
        found = [
            portion
            for path in sorted((folder / PARTS).iterdir())
            if (run := _opened(path))
            for portion in _of_run(run)
        ]
        if not found:
            raise UsageError(f"{folder / PARTS} holds no part with a run.json in it")
        return found
    return _of_run(Run.open(folder))


def events_of_all(found: Sequence[Portion], folder: Path) -> list[Event]:
    """The events of the grid, or of the one run, without the texts of their documents.

    Tables need none of them, and all together may be more than memory holds.
    """
    runs = [Run(folder), *(one.run for one in found if one.run is not None)]
    paths = dict.fromkeys(run.events_path for run in runs if run.events_path.is_file())
    by_id = {
        event.id: replace(event, documents=tuple(replace(one, text="") for one in event.documents))
        for path in paths
        for event in read_own_records(path, Event)
    }
    return list(by_id.values())


def _opened(folder: Path) -> Run | None:
    return Run.open(folder) if (folder / "run.json").is_file() else None


def _of_run(run: Run) -> list[Portion]:
    """What a run folder says of itself."""
    settings = run.record().settings
    named = [parse_recipe(name) for name in str(settings.get("recipes") or "").split()]
    target, seed = str(settings.get("target") or "en"), settings.get("seed")
    repeated = re.search(rf"--{re.escape(target)}--(\d+)$", run.folder.name)
    free = tuple(one for one in named if not needs_model(one))
    asked = tuple(one for one in named if needs_model(one))
    whole = str(settings.get("part") or "")
    found = []
    for model, recipes in ((None, free), (_model(run, asked), asked)):
        if not recipes:
            continue
        if model is not None and whole and whole != NO_MODEL:
            model = str(settings.get("models") or model)  # noqa: PLW2901  # the row's name, as the grid calls it
        part = Part(
            model=model,
            target=target,
            repeat=int(repeated[1]) - 1 if repeated else 0,
            seed=seed if isinstance(seed, int) else 0,
        )
        found.append(Portion(part=part, recipes=recipes, run=run))
    return found


def _model(run: Run, recipes: Sequence[Recipe]) -> str | None:
    """Who wrote the summaries of recipes that take a model, as they say themselves."""
    for recipe in recipes:
        folder = run.folder / "summaries" / file_name(str(recipe))
        for path in sorted(folder.glob("*.json")):
            return read_record(path, Summary).model
    return str(run.record().settings.get("models") or "a model")
