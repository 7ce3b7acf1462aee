"""Who is asked in a grid's plan, and how: models in the place of their answers."""

from collections.abc import Callable

from annotation.ledger import Asked, Roles, SymbolicWriting, once
from baselines.drafts.planned import drawing_as, rating_as, symbolic_drafts
from baselines.grid.authors import decoding_of, library
from baselines.grid.cells import Part
from globesumm.config import Experiment, ModelRow
from globesumm.errors import UsageError
from globesumm.values import Recipe

SECONDS_TO_BEGIN = 1.0
SECONDS_A_TOKEN = 0.02
"""What a call is taken to last where a row states no `seconds_per_call`: 50 tokens a second."""


def roles_of(experiment: Experiment, part: Part) -> Roles:
    """Who writes, prepares and carries on in `part`; raises `UsageError` where it has no model."""
    rows, pre = experiment.rows, experiment.presteps
    if part.model is None:
        raise UsageError(f"part {part.name} has no model: name one in its row")
    writing = _asked(experiment, rows[part.model], part.seed)
    if pre.model is None:
        return Roles.of(writing)
    preparing = _asked(experiment, rows[pre.model], experiment.seed)
    carrying = preparing if pre.carries else writing
    return Roles(writing=writing, preparing=preparing, carrying=carrying)


def writing_of(
    experiment: Experiment, part: Part, recipe: Recipe, count: Callable[[str], int]
) -> SymbolicWriting:
    """What is asked for each summary's text."""
    if recipe.drafts is None or part.model is None:
        return once
    rows, settings = experiment.rows, experiment.drafts
    writer = rows[part.model]
    judge = rows[settings.judge] if settings.judge else writer
    return symbolic_drafts(
        recipe.drafts,
        settings,
        drawing_as(
            _asked(experiment, writer, part.seed),
            writer.asked_as,
            decoding_of(experiment, writer, part.seed),
            settings,
        ),
        rating_as(
            _asked(experiment, judge, part.seed),
            judge.asked_as,
            judge.reasoning,
            weighted=settings.weighted,
            enforced=experiment.decoding.structured,
        ),
        library(experiment.prompts),
        count=count,
    )


def _asked(experiment: Experiment, row: ModelRow, seed: int) -> Asked:
    decoding = decoding_of(experiment, row, seed)
    room = None
    if row.context is not None:
        room = row.context - (decoding.max_tokens or min(1024, row.context // 4))
    fixed = row.seconds_per_call

    def seconds(tokens: int) -> float:
        return SECONDS_TO_BEGIN + SECONDS_A_TOKEN * tokens if fixed is None else fixed

    return Asked(label=row.name, identity=(row.asked_as, decoding), seconds=seconds, room=room)
