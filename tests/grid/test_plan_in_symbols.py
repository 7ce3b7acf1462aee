"""The plan in symbols against the real code with a model that answers every request differently."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.plan import plan
from baselines.grid.authors import maker_of
from baselines.grid.cells import cells
from baselines.grid.plan import GridPlan, plan_grid
from baselines.recipes import needs_model, recipes
from baselines.summarize import summarize
from globesumm.config import Experiment, ModelRow, PreSteps
from globesumm.errors import UsageError
from globesumm.llm.request import Completion, Model, Request
from globesumm.llm.scripted import Scripted
from globesumm.values import Document, Event
from tests.annotation.conftest import START, document, event, step_of

MODELS = (ModelRow(name="one"), ModelRow(name="two"))
WITH_MODEL = tuple(str(recipe) for recipe in recipes() if needs_model(recipe))
EXPERIMENT = Experiment(recipes=WITH_MODEL, models=MODELS)


class Distinct:
    """Answers in the right form, so short that no script is missed in it, never the same twice."""

    def __init__(self, names: Iterator[str]) -> None:
        self.asked: list[tuple[str, Request]] = []
        self.models: Mapping[str, Model] = {
            name: Scripted(self.answer, name=name) for name in names
        }

    def answer(self, request: Request) -> str | Completion:
        step = step_of(request)
        self.asked.append((step, request))
        mark = int(request.key[:12], 16)
        if step in ("kis.default", "clp.default"):
            return json.dumps({"sentences": [f"a {mark}", f"b {mark}"]})
        if step == "pgp.where":
            places = [{"report": 1, "sentence": 1}]
            issue = {"kind": "conflict", "sentences": places, "detail": str(mark)}
            return json.dumps({"issues": [issue]})
        if step == "pgp.strategies":
            entry = {"conflict": 1, "cause": "update", "strategy": str(mark)}
            return json.dumps({"strategies": [entry]})
        return f"s {mark}."

    def calls(self) -> Counter[tuple[str, str]]:
        """Distinct requests by model and prompt."""
        distinct = {(request.model, step, request.key) for step, request in self.asked}
        return Counter((model, step) for model, step, _ in distinct)


def carried_out(experiment: Experiment, events: list[Event]) -> Counter[tuple[str, str]]:
    distinct = Distinct(iter(experiment.rows))
    for cell in cells(experiment):
        maker = maker_of(experiment, cell, distinct.models)
        for happening in events:
            # An event without any text is refused, before or after its documents are prepared.
            with suppress(UsageError):
                summarize(
                    happening,
                    cell.recipe,
                    target=cell.part.target,
                    max_words=experiment.max_words,
                    by=maker,
                )
    return distinct.calls()


PROMPT_OF = {
    "kis": "kis.default",
    "kis of the summary": "kis.default",
    "clp": "clp.default",
    "translate": "translate.default",
    "summarize_source": "summarize.source",
    "where": "pgp.where",
    "strategies": "pgp.strategies",
}


def planned(made: GridPlan) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for row in made.rows:
        found[row.model, PROMPT_OF.get(row.step, row.step)] += row.calls
    return found


def summaries_together(calls: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for (model, step), count in calls.items():
        summary = step.startswith("direct.") or step in ("pgp.summary", "summary")
        found[model, "summary" if summary else step] += count
    return found


def agree(experiment: Experiment, events: list[Event]) -> int:
    made = plan_grid(experiment, events)
    asked = summaries_together(carried_out(experiment, events))
    assert planned(made) == asked
    return made.calls


PLAIN = [
    document("a", 0, "fr", "Un navire a sombré. Neuf disparus."),
    document("b", 1, "en", "A ship sank. Nine are missing."),
    document("c", 2, "bg", "Кораб потъна. Девет души липсват."),
    document("d", 3, "de", "Ein Schiff sank. Neun fehlen."),
]


@pytest.mark.parametrize(
    "experiment",
    [
        EXPERIMENT,
        replace(EXPERIMENT, presteps=PreSteps(model="one")),
        replace(EXPERIMENT, presteps=PreSteps(model="one", carries=False)),
        replace(EXPERIMENT, presteps=PreSteps(model="pre"), helpers=(ModelRow(name="pre"),)),
        replace(EXPERIMENT, targets=("en", "bg")),
        replace(EXPERIMENT, seeds=(1, 2)),
        replace(EXPERIMENT, seeds=(1, 2), presteps=PreSteps(model="two")),
    ],
    ids=["plain", "pre-steps", "no carries", "helper", "targets", "repeats", "repeats after one"],
)
def test_the_plan_counts_exactly_what_is_then_asked(experiment: Experiment) -> None:
    one = event(*PLAIN)
    two = replace(event(*PLAIN[1:3]), id="two")
    assert agree(experiment, [one, two]) > 100


ODD = {
    "all in the target language": [replace(one, language="en") for one in PLAIN],
    "one document": PLAIN[:1],
    "one document in the target language": PLAIN[1:2],
    "two documents": PLAIN[:2],
    "an empty first document": [document("0", -1, "fr", ""), *PLAIN],
    "empty documents between": [PLAIN[0], document("x", 0, "fr", " "), *PLAIN[1:]],
    "two empty first": [document("0", -2, "fr", ""), document("1", -1, "en", ""), *PLAIN[:2]],
    "one with text": [document("0", -2, "fr", ""), PLAIN[0], document("z", 9, "fr", "")],
    "no text at all": [document("0", 0, "fr", ""), document("1", 1, "en", "")],
    "the same text twice": [*PLAIN, replace(PLAIN[0], id="e")],
    "the same text at the same time": [PLAIN[0], replace(PLAIN[0], id="z"), PLAIN[1]],
    "undated": [replace(one, published=None) for one in PLAIN],
    "of unknown language": [replace(one, language="und") for one in PLAIN],
}


@pytest.mark.parametrize("shape", ODD)
def test_odd_events_are_planned_as_they_are_asked(shape: str) -> None:
    agree(EXPERIMENT, [event(*ODD[shape])])


def test_the_same_reports_at_another_time_share_only_what_no_time_stands_in() -> None:
    """A document's time is told to who summarizes, and not to who prepares."""
    later = [
        replace(one, published=one.published and one.published.replace(year=2024)) for one in PLAIN
    ]
    twice = [event(*PLAIN), replace(event(*later), id="later")]
    assert agree(EXPERIMENT, twice) < 2 * agree(EXPERIMENT, twice[:1])
    german = [replace(one, language="de") for one in PLAIN]
    agree(EXPERIMENT, [twice[0], replace(event(*german), id="called German")])


TEXTS = [
    "",
    "A ship sank.",
    "A ship sank. Nine are missing.",
    "Кораб потъна.",
    "船沉了。九人失踪。",
]
DOCUMENTS = st.builds(
    Document,
    id=st.just(""),
    text=st.sampled_from(TEXTS),
    language=st.sampled_from(["en", "fr", "bg", "zh", "und", "xx"]),
    published=st.sampled_from([None, START, START.replace(hour=23)]),
)
EVENTS = st.lists(st.lists(DOCUMENTS, min_size=1, max_size=4), min_size=1, max_size=3)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(held=EVENTS, target=st.sampled_from(["en", "bg"]), pre=st.sampled_from([None, "two"]))
def test_any_events_are_planned_as_they_are_asked(
    held: list[list[Document]], target: str, pre: str | None
) -> None:
    events = [
        Event(
            id=f"event {number}",
            description="",
            documents=tuple(replace(one, id=f"d{place}") for place, one in enumerate(documents)),
        )
        for number, documents in enumerate(held)
    ]
    agree(replace(EXPERIMENT, target=target, presteps=PreSteps(model=pre)), events)


def test_cells_share_what_is_the_same_for_them() -> None:
    """All in the target language, key information and its translation are the same."""
    english = [event(*ODD["all in the target language"])]
    of = {
        pipeline: plan_grid(
            replace(EXPERIMENT, recipes=(f"crs.{pipeline}.protocol",), models=MODELS[:1]), english
        ).calls
        for pipeline in ("kis", "kis-clp")
    }
    both = replace(
        EXPERIMENT, recipes=("crs.kis.protocol", "crs.kis-clp.protocol"), models=MODELS[:1]
    )
    made = plan_grid(both, english)
    assert of["kis"] == of["kis-clp"] == made.calls
    assert made.requests == 2 * made.calls


def test_the_plan_of_one_recipe_is_that_of_its_only_cell() -> None:
    happening = event(*PLAIN)
    for recipe in recipes():
        if not needs_model(recipe):
            continue
        alone = replace(EXPERIMENT, recipes=(str(recipe),), models=MODELS[:1])
        rows = plan_grid(alone, [happening]).rows
        steps = plan(happening, recipe, "en")
        assert [(row.step, row.calls) for row in rows] == [(s.step, s.calls) for s in steps]
