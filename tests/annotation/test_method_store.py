"""The method behind a call store: nothing is asked twice, and only what changed is asked again."""

import gc
import tracemalloc
from hashlib import sha256
from pathlib import Path

import pytest

from annotation.author import Author
from annotation.pipelines import Method
from annotation.schemas import Context, chronological, passages
from annotation.stages import WritingStage, prepare
from globesumm.llm.backends import OpenedModel, open_model
from globesumm.llm.request import Request
from globesumm.llm.scripted import Scripted
from globesumm.prompts import Library, shipped_prompts
from globesumm.values import Event, Recipe, Round
from tests.annotation.conftest import blocks, carry_out, document, event

RECIPE = Recipe(schema="crs", pipeline="kis-clp", prompting="protocol")
FOUR = event(*(document(f"d{n}", n, code) for n, code in enumerate(("en", "fr", "en", "de"))))
CALLS = 2 * 4 - 2 + 4 * 3


def by_content(request: Request) -> str:
    """An answer that depends on nothing but what was asked, also from many threads."""
    if '"issues"' in (request.schema or ""):
        return '{"issues": [{"kind": "conflict", "sentences": [[1, 1], [2, 1]], "detail": "x"}]}'
    if len(request.messages) == 3:
        return '{"strategies": [{"conflict": 1, "cause": "update", "strategy": "The later."}]}'
    shown = "".join(text for _, text in blocks(request))
    digest = sha256(shown.encode()).hexdigest()[:6]
    if request.schema:
        return f'{{"sentences": ["The ferry {digest} sank.", "Nine of {digest} are missing."]}}'
    return f"The ferry {digest} sank. Nine are missing."


def opened(store: Path) -> OpenedModel:
    return open_model(Scripted(by_content), store=store)


def test_a_second_run_makes_no_call_and_gives_the_same_rounds(tmp_path: Path) -> None:
    store = tmp_path / "calls.sqlite"
    with opened(store) as model:
        first = carry_out(FOUR, str(RECIPE), Author(model=model))
        assert (model.totals.calls, model.totals.hits) == (CALLS, 0)
    with opened(store) as model:
        second = carry_out(FOUR, str(RECIPE), Author(model=model))
        assert (model.totals.calls, model.totals.hits) == (0, CALLS)
    assert second == first


def test_a_replay_needs_no_model(tmp_path: Path) -> None:
    store = tmp_path / "calls.sqlite"
    with opened(store) as model:
        first = carry_out(FOUR, str(RECIPE), Author(model=model))
    with open_model(Scripted(by_content), store=store, replay=True) as model:
        assert carry_out(FOUR, str(RECIPE), Author(model=model)) == first


@pytest.mark.parametrize(
    ("name", "calls"),
    [("pgp.summary", 3), ("pgp.where", 6), ("pgp.strategies", 3), ("clp.default", 2)],
)
def test_with_one_prompt_changed_exactly_the_affected_calls_are_made(
    tmp_path: Path, name: str, calls: int
) -> None:
    with opened(tmp_path / "calls.sqlite") as model:
        carry_out(FOUR, str(RECIPE), Author(model=model))
    path = tmp_path / "own" / name.replace(".", "/")
    path.parent.mkdir(parents=True)
    path.with_suffix(".md").write_bytes(shipped_prompts()[name].content + b"\nPlease.\n")
    prompts = Library(tmp_path / "own")
    with opened(tmp_path / "calls.sqlite") as model:
        # The answers stay as they were, so only requests that show the prompt itself are new:
        # strategies hold the conversation that began with where.
        carry_out(FOUR, str(RECIPE), Author(model=model, prompts=prompts))
        assert model.totals.calls == calls


def test_a_document_that_came_in_last_costs_its_own_calls_and_one_round(tmp_path: Path) -> None:
    more = event(*FOUR.documents, document("late", 9, "fr"))
    with opened(tmp_path / "calls.sqlite") as model:
        carry_out(FOUR, str(RECIPE), Author(model=model))
    with opened(tmp_path / "calls.sqlite") as model:
        carry_out(more, str(RECIPE), Author(model=model))
        assert model.totals.calls == 2 + 4


def test_steps_before_the_merge_are_shared_by_recipes(tmp_path: Path) -> None:
    with opened(tmp_path / "calls.sqlite") as model:
        carry_out(FOUR, "crs.kis-clp.protocol", Author(model=model))
    with opened(tmp_path / "calls.sqlite") as model:
        carry_out(FOUR, "sts.kis-clp.direct", Author(model=model))
        assert model.totals.calls == 1


def test_documents_prepared_at_once_come_out_as_one_by_one() -> None:
    many = event(*(document(f"d{n:02}", n, "fr") for n in range(20)))
    writing = Author(model=Scripted(by_content))
    through = (WritingStage("kis", writing), WritingStage("clp", writing))
    context = Context(event=many, target="en")
    single = prepare(passages(many), through, context, at_once=1)
    assert prepare(passages(many), through, context, at_once=8) == single
    assert [made.documents for made in single] == [(f"d{n:02}",) for n in range(20)]


def rounds_of(happening: Event, method: Method) -> list[Round]:
    context = Context(event=happening, target="en")
    return list(chronological(method.prepare(passages(happening), context), method.merge, context))


@pytest.mark.slow
def test_two_hundred_events_keep_memory_flat() -> None:
    with open_model(Scripted(by_content)) as model:
        method = Method.of(RECIPE, Author(model=model))
        tracemalloc.start()
        used = []
        for number in range(200):
            documents = (document(f"{number}-{n}", n, "fr") for n in range(12))
            assert len(rounds_of(event(*documents), method)) == 11
            if number in (40, 199):
                gc.collect()
                used.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert model.totals.calls == 200 * (24 + 44)
    assert used[1] - used[0] < 2_000_000
