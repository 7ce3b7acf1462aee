"""What methods of drafts ask is what the plan said, for every method and any recipe."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pytest

from baselines.grid.authors import maker_of
from baselines.grid.cells import cells
from baselines.grid.plan import plan_grid
from baselines.grid.schedule import chain
from baselines.planned import planned_calls
from baselines.recipes import Drafting, maker, parse_recipe
from baselines.summarize import summarize
from globesumm.config import Drafts, Experiment, ModelRow, PreSteps
from globesumm.llm.request import Model
from globesumm.values import Event
from tests.drafts.conftest import Writer, event

STEP_OF = {
    "kis.default": "kis",
    "clp.default": "clp",
    "pgp.where": "where",
    "pgp.strategies": "strategies",
    "drafts.critique": "critique",
    "drafts.revise": "revise",
    "drafts.debate": "debate",
    "judged.coverage": "rating llm-coverage",
    "judged.faithfulness": "rating llm-faithfulness",
}
METHODS = (
    "rerank",
    "rerank-1",
    "rerank-rouge-4",
    "self-refine",
    "self-refine-2",
    "debate",
    "debate-4x2",
    "debate-2x1",
)
BASES = ("sts.none.direct", "crs.none.direct", "sts.kis.protocol", "crs.kis.protocol")


def steps(found: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    named: Counter[tuple[str, str]] = Counter()
    for (model, step), count in found.items():
        named[model, STEP_OF.get(step, "summary")] += count
    return named


def made(experiment: Experiment, events: list[Event]) -> Counter[tuple[str, str]]:
    writer = Writer(critique="")
    models: Mapping[str, Model] = {name: writer.model(name) for name in experiment.rows}
    for cell in cells(experiment):
        for happening in events:
            summarize(
                happening,
                cell.recipe,
                target=cell.part.target,
                by=maker_of(experiment, cell, models),
            )
    return steps(writer.calls())


def planned(experiment: Experiment, events: list[Event]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for row in plan_grid(experiment, events).rows:
        found[row.model, row.step.removesuffix(" of the summary")] += row.calls
    return found


PLAIN = Experiment(recipes=("sts.none.direct",), models=(ModelRow(name="one"),))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("base", BASES)
def test_the_plan_of_a_method_counts_what_is_then_asked(base: str, method: str) -> None:
    experiment = replace(PLAIN, recipes=(f"{base}.{method}",), drafts=Drafts(n=3))
    events = [event(3), event(2, name="bus"), event(1, name="tram")]
    assert planned(experiment, events) == made(experiment, events)


@pytest.mark.parametrize(
    "experiment",
    [
        replace(PLAIN, drafts=Drafts(judge="judge"), helpers=(ModelRow(name="judge"),)),
        replace(PLAIN, seeds=(0, 1)),
        replace(PLAIN, drafts=Drafts(temperature=0.0)),
        replace(PLAIN, drafts=Drafts(proxies=("llm-coverage", "rouge"))),
        replace(PLAIN, drafts=Drafts(proxies=("rouge",))),
        replace(PLAIN, presteps=PreSteps(model="pre"), helpers=(ModelRow(name="pre"),)),
        replace(PLAIN, drafts=Drafts(settle="first", stop=False)),
    ],
    ids=["a judge", "seeds", "greedy drafts", "one proxy asks", "no proxy asks", "pre", "first"],
)
def test_the_plan_of_many_recipes_counts_what_they_share_once(experiment: Experiment) -> None:
    named = (
        "sts.none.direct",
        *(f"sts.none.direct.{one}" for one in METHODS),
        *(f"sts.kis-clp.protocol.{one}" for one in METHODS),
    )
    experiment = replace(experiment, recipes=named)
    events = [event(3), event(2, name="bus")]
    assert planned(experiment, events) == made(experiment, events)


def test_a_sweep_of_rounds_shares_its_calls() -> None:
    sweep = tuple(f"sts.none.direct.self-refine-{rounds}" for rounds in range(2, 19))
    experiment = replace(PLAIN, recipes=sweep, drafts=Drafts(stop=False))
    plan = plan_grid(experiment, [event(3)])
    assert plan.calls == 1 + 2 * 18
    assert plan.requests == sum(1 + 2 * rounds for rounds in range(2, 19))
    debates = tuple(f"sts.none.direct.debate-{m}x{n}" for m in (3, 5) for n in range(2, 10))
    plan = plan_grid(replace(experiment, recipes=debates), [event(3)])
    # The first answers of three are among those of five; what is said afterwards is not.
    assert plan.calls == 5 + 8 * 3 + 8 * 5


def test_calls_that_a_critic_may_spare_are_told_apart() -> None:
    recipe = ("sts.none.direct.self-refine",)
    rows = plan_grid(replace(PLAIN, recipes=recipe), [event(2)]).rows
    assert {row.step: (row.calls, row.early) for row in rows} == {
        "summary": (1, False),
        "critique": (3, True),
        "revise": (3, True),
    }
    # Without the critic's word the first revision is sure; one that repeats the text ends it.
    once = replace(PLAIN, recipes=(f"{recipe[0]}-1",), drafts=Drafts(stop=False))
    assert not any(row.early for row in plan_grid(once, [event(2)]).rows)


def test_ratings_of_drafts_that_come_twice_are_planned_as_the_most_there_can_be() -> None:
    recipe = ("sts.none.direct.rerank",)
    rows = plan_grid(replace(PLAIN, recipes=recipe, drafts=Drafts(n=3)), [event(2)]).rows
    assert {row.step: (row.calls, row.early) for row in rows} == {
        "summary": (3, False),
        "rating llm-coverage": (3, True),
        "rating llm-faithfulness": (3, True),
    }


@pytest.mark.parametrize("method", METHODS)
def test_the_plan_of_one_run_counts_what_its_summaries_ask(method: str) -> None:
    name = f"crs.kis.protocol.{method}"
    writer = Writer(critique="")
    author, drafting = writer.author(), Drafting(settings=Drafts(n=3))
    experiment = Experiment(recipes=(name,))
    counted = planned_calls(experiment, [event(3)], author, drafting)
    by = maker(parse_recipe(name), 0, author, drafting=drafting)
    summarize(event(3), name, by=by)
    asked = steps(writer.calls())
    found: Counter[tuple[str, str]] = Counter()
    for _, step in counted:
        found["writer", step.step.removesuffix(" of the summary")] += step.calls
    assert found == asked


@pytest.mark.parametrize("method", METHODS)
def test_the_longest_chain_of_a_method_is_that_of_its_plan(method: str) -> None:
    drafts = Drafts(n=3)
    for base in BASES:
        recipe = parse_recipe(f"{base}.{method}")
        experiment = replace(PLAIN, recipes=(str(recipe),), drafts=drafts)
        assert plan_grid(experiment, [event(3)]).chain == chain(recipe, 3, drafts).left(0)
