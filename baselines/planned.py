"""What one run will ask, by recipe and step, and at its end what it asked."""

from collections.abc import Callable, Sequence

from annotation.author import Author
from annotation.ledger import Asked, Ledger, SymbolicWriting, once
from annotation.plan import PlannedStep, counter, plan
from baselines.account import Account, Ended, account
from baselines.drafts.planned import drawing_as, rating_as, symbolic_drafts
from baselines.grid.uses import read_uses
from baselines.recipes import Drafting, needs_model, parse_recipe
from globesumm.config import Experiment
from globesumm.runs import Run
from globesumm.values import Event, Recipe

Job = tuple[Event, Recipe]


def planned_calls(
    experiment: Experiment,
    events: Sequence[Event],
    author: Author,
    drafting: Drafting | None = None,
    wanted: Callable[[Job], bool] = lambda _: True,
) -> list[tuple[Recipe, PlannedStep]]:
    """Calls and tokens by recipe and step, over all events, before anything is asked.

    A call that several summaries share counts with the first of them.  Only what is `wanted` is
    planned.
    """
    totals: dict[tuple[str, str], PlannedStep] = {}
    ledger = Ledger()
    recipes = {name: parse_recipe(name) for name in experiment.recipes}
    for name, recipe in recipes.items():
        if not needs_model(recipe):
            continue
        for event in events:
            if not wanted((event, recipe)):
                continue
            for step in plan(
                event,
                recipe,
                experiment.target,
                max_words=experiment.max_words,
                prompts=author.prompts,
                model=author.model,
                writing=_symbolic(recipe, author, drafting or Drafting()),
                asked=Asked(label="", identity=(author.model.name, author.decoding)),
                ledger=ledger,
            ):
                before = totals.get((name, step.step))
                totals[name, step.step] = before + step if before else step
    return [(recipes[name], step) for (name, _), step in totals.items()]


def _symbolic(recipe: Recipe, author: Author, drafting: Drafting) -> SymbolicWriting:
    """What `recipe` asks for the text of a summary."""
    if recipe.drafts is None:
        return once
    settings, judging, plain = drafting.settings, drafting.judging, Asked(label="", identity="")
    judge = judging.model.name if judging else author.model.name
    thinks = judging.reasoning if judging else author.decoding.reasoning
    return symbolic_drafts(
        recipe.drafts,
        settings,
        drawing_as(plain, author.model.name, author.decoding, settings),
        rating_as(plain, judge, thinks, weighted=settings.weighted, enforced=author.structured),
        author.prompts,
        count=counter(author.model),
    )


def asked(
    run: Run, experiment: Experiment, author: Author, drafting: Drafting | None = None
) -> Account:
    """What the summaries of `run` asked of `author` and judges of drafts, beside the plan."""
    events = run.events()
    jobs = [
        (event, recipe)
        for recipe in map(parse_recipe, experiment.recipes)
        if needs_model(recipe)
        for event in events
    ]
    ended, done = [], set[tuple[str, Recipe]]()
    for event, recipe in jobs:
        finished = run.summary_path(str(recipe), event.id).exists()
        if finished or run.failure_path(str(recipe), event.id).exists():
            uses = read_uses(run, str(recipe), event.id)
            ended.append(Ended(finished=finished, uses=uses))
        if finished:
            done.add((event.id, recipe))

    def planned(wanted: Callable[[Job], bool]) -> dict[str, int]:
        found: dict[str, int] = {}
        for _, step in planned_calls(experiment, events, author, drafting, wanted):
            found[step.step] = found.get(step.step, 0) + step.calls
        return found

    finished_alone = planned(lambda job: (job[0].id, job[1]) in done)
    return account(planned(lambda _: True), finished_alone, ended, len(jobs))
