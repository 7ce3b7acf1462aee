"""What a grid asked, held against its plan: exact through nonsense, failures, caps and resuming."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.window import PARTS
from baselines.account import Account, Ended, StepAccount, account, account_lines
from baselines.grid.accounting import grid_account
from baselines.grid.authors import maker_of
from baselines.grid.carry_out import carry_out
from baselines.grid.plan import plan_grid
from baselines.grid.uses import read_uses, uses_path
from globesumm.config import Drafts, Experiment, Limits, ModelRow
from globesumm.llm.call_store import CallStore
from globesumm.llm.errors import ContextOverrun, CutOff
from globesumm.llm.recording import Use
from globesumm.llm.request import Model, Request
from globesumm.llm.scripted import Scripted
from globesumm.values import Event
from tests.grid.answering_server import ISSUES, STRATEGIES
from tests.grid.conftest import Grid, event, experiment, opened

EVENTS = [event(0, 3), event(1, 4), event(2, 2)]
RECIPES = (
    "sts.none.direct", "crs.kis-clp.protocol", "crs.translate-summarize.direct",
    "sts.kis.protocol.rerank-2", "crs.kis.direct.debate-2x2", "sts.none.direct.self-refine-2",
)  # fmt: skip


def carried_out(grid: Grid) -> None:
    carry_out(
        grid.folder, grid.setup, grid.cells, lambda cell: maker_of(grid.setup, cell, grid.models)
    )


def told(grid: Grid, events: list[Event]) -> Account:
    return grid_account(grid.folder, grid.setup, plan_grid(grid.setup, events), grid.cells)


def kept(grid: Grid) -> int:
    """Distinct requests in the store, those that failed included."""
    store = CallStore(grid.folder.store, read_only=True)
    try:
        keys = {one.key for one in store.answers()} | {one.key for one in store.failures()}
        return len(keys)
    finally:
        store.close()


def usable(request: Request) -> str:
    """An answer of the form asked for, with other words for each request."""
    word, form = request.key[:8], request.schema or ""
    if request.grammar:
        return str(1 + int(word, 16) % 5)
    for name, said in (("issues", ISSUES), ("strategies", STRATEGIES)):
        if f'"{name}"' in form:
            return said
    text = f"The ferry {word} sank. Nine are missing."
    return json.dumps({"sentences": [text]}) if form else text


def with_faults(nonsense: float, failing: float, seed: int) -> Callable[[ModelRow], Model]:
    """Answers that follow from the request; of so many of them none can be used, or none comes."""

    def backend(row: ModelRow) -> Model:
        def script(request: Request) -> str:
            drawn = random.Random(f"{seed} {request.key}").random()
            if request.grammar is None and drawn < failing:
                raise CutOff("the answer was cut off")
            if request.grammar is None and drawn < failing + nonsense:
                return "!"
            return usable(request)

        return Scripted(script, row.served)

    return backend


def setup_of(**changes: object) -> Experiment:
    plain = experiment(recipes=RECIPES, drafts=Drafts(stop=False), limits=Limits(at_once=4))
    return replace(plain, **changes)  # type: ignore[arg-type]


pytestmark = pytest.mark.slow


def test_where_every_answer_can_be_used_the_calls_made_are_those_planned(tmp_path: Path) -> None:
    with opened(tmp_path, setup_of(), EVENTS, backend=with_faults(0, 0, 0)) as grid:
        carried_out(grid)
        found = told(grid, EVENTS)
        planned = plan_grid(grid.setup, EVENTS)
        assert found.all.made == found.all.calls == found.all.planned == planned.calls == kept(grid)
    assert {one.step: one.planned for one in found.steps} == planned.by_step()
    assert all(one.made == one.planned for one in found.steps)
    assert (found.finished, found.failed, found.left) == (18, 0, 0)
    assert list(account_lines(found)) == [
        f"{planned.calls} calls planned = {planned.calls} made",
        f"{planned.calls} calls in all; none beyond the plan",
    ]


@pytest.mark.parametrize("seed", range(3))
def test_nonsense_and_failures_are_told_apart_and_every_call_is_in_the_account(
    tmp_path: Path, seed: int
) -> None:
    nonsense, failing = [(0.1, 0.0), (0.0, 0.05), (0.1, 0.03)][seed % 3]
    with opened(tmp_path, setup_of(), EVENTS, backend=with_faults(nonsense, failing, seed)) as grid:
        carried_out(grid)
        found = told(grid, EVENTS)
        assert found.all.calls == kept(grid)
    assert found.finished + found.failed == 18
    for one in found.steps:
        assert one.planned == one.made + one.spared + one.unreached
        assert min(one.made, one.again, one.unreached) >= 0
        # Texts differ here, so that only what follows a draft that failed is not needed.
        assert one.spared == 0 or one.step in (
            "critique",
            "revise",
            "debate",
            "rating llm-coverage",
            "rating llm-faithfulness",
        )
    assert (found.all.again > 0) == (nonsense > 0)
    assert found.all.unreached == 0 or found.failed


def test_through_caps_the_account_ends_as_that_of_an_undisturbed_run(tmp_path: Path) -> None:
    # No faults: how far the calls beside one that fails for good had come is a matter of time.
    faults = with_faults(0.0, 0.0, 5)
    with opened(tmp_path / "whole", setup_of(), EVENTS, backend=faults) as grid:
        carried_out(grid)
        whole = told(grid, EVENTS)
    calls = 0
    while True:
        calls += 25
        capped = setup_of(limits=Limits(at_once=4, calls=calls))
        with opened(tmp_path / "capped", capped, EVENTS, backend=faults) as grid:
            carried_out(grid)
            found = told(grid, EVENTS)
            assert found.all.planned == whole.all.planned
            assert found.all.planned == found.all.made + found.all.spared + found.all.unreached
        if not found.left:
            break
        assert found.all.unreached
    assert found == whole


def test_a_document_that_a_server_finds_too_long_is_asked_about_again_beyond_the_plan(
    tmp_path: Path,
) -> None:
    def backend(row: ModelRow) -> Model:
        def script(request: Request) -> str:
            if len(request.messages[-1].content) > 1500:
                raise ContextOverrun("too long", tokens=PARTS + 1, window=PARTS)
            return usable(request)

        return Scripted(script, row.served)

    plain = setup_of(recipes=("sts.none.direct",))
    setup = replace(plain, decoding=replace(plain.decoding, overrun="trim"))
    long = [event(0, 3, words="The ferry sank near the coast. " * 30)]
    with opened(tmp_path, setup, long, backend=backend) as grid:
        carried_out(grid)
        found = told(grid, long)
        assert found.all.calls == kept(grid)
    assert (found.all.planned, found.all.made) == (1, 1)
    assert found.all.shortened >= 1
    assert "shortened" in " ".join(account_lines(found))


def test_summaries_of_an_earlier_version_are_counted_and_nothing_is_claimed_of_them(
    tmp_path: Path,
) -> None:
    with opened(tmp_path, setup_of(), EVENTS, backend=with_faults(0, 0, 0)) as grid:
        carried_out(grid)
        cell = grid.cells[0]
        run = grid.folder.part(cell.part)
        path = uses_path(run, str(cell.recipe), "event-0")
        noted = read_uses(run, str(cell.recipe), "event-0") or ()
        path.write_text(json.dumps([use.key for use in noted]))
        assert [one.key for one in read_uses(run, str(cell.recipe), "event-0") or ()] == [
            use.key for use in noted
        ]
        found = told(grid, EVENTS)
    assert (found.unnoted, found.steps) == (1, ())
    assert "did not note" in " ".join(account_lines(found))


def test_closed_forms_of_an_account() -> None:
    planned, of_finished = {"kis": 3, "summary": 2}, {"kis": 2, "summary": 1}
    good = Ended(finished=True, uses=(Use("a", "kis"), Use("s", "summary")))
    bad = Ended(
        finished=False,
        uses=(Use("c", "kis"), Use("d", "kis", "again", answered=False)),
    )
    found = account(planned, of_finished, [good, bad], 3)
    assert found.steps == (
        StepAccount(step="kis", planned=3, made=2, spared=1, again=1, unanswered=1),
        StepAccount(step="summary", planned=2, made=1, unreached=1),
    )
    assert (found.finished, found.failed, found.left) == (1, 1, 1)
    sums, calls = account_lines(found)
    assert sums == (
        "5 calls planned = 3 made + 1 not needed (nothing to change, or texts alike) + 1 not "
        "reached (1 summary failed, 1 are not made yet)"
    )
    assert calls == (
        "4 calls in all of those that ended; beyond the plan: 1 asked again, since the first "
        "answer could not be used; 1 of all without an answer; what was asked for the other 1 "
        "counts once they end"
    )
