"""A grid carried out: each request once, stopped and resumed, failures kept and counted."""

import json
import re
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from baselines.experiment import score
from baselines.grid.carry_out import Outcome, carry_out
from baselines.grid.folder import GridFolder
from globesumm.config import Experiment, Limits, ModelRow
from globesumm.errors import UsageError
from globesumm.llm.call_store import CallStore
from globesumm.llm.errors import KeyRefused, ModelError, Refused, ServerDown
from globesumm.llm.request import Decoding, Model, Request
from globesumm.llm.scripted import Scripted
from globesumm.runs import PARTS
from globesumm.values import Document, Event
from tests.grid.conftest import (
    Backends,
    Grid,
    Server,
    asked_of,
    contents,
    event,
    experiment,
    opened,
    scripted,
)
from tests.llm.conftest import Answer, QuirkServer


def run(grid: Grid, *, retry_failed: bool = False) -> Outcome:
    return carry_out(grid.folder, grid.setup, grid.cells, grid.makers, retry_failed=retry_failed)


def failing(word: str, error: ModelError) -> Backends:
    """A backend that fails where `word` is in the last message."""

    def backend(row: ModelRow) -> Model:
        inside = scripted(row)

        def script(request: Request) -> str | ModelError:
            if word in request.messages[-1].content:
                return error
            return inside.complete(request).text

        return Scripted(script, row.served)

    return backend


def failures(path: Path) -> list[dict[str, object]]:
    return [
        json.loads(file.read_text()) for file in sorted((path / PARTS).glob("*/failures/*/*.json"))
    ]


EVENTS = [event(0, 3), event(1, 4)]


def test_what_cells_share_is_asked_for_once_and_a_second_run_asks_nothing(
    tmp_path: Path, answering_server: Server
) -> None:
    setup = experiment("tiny", "small", url=answering_server.url)
    with opened(tmp_path / "grid", setup, EVENTS) as grid:
        outcome = run(grid)
        needed = grid.meter.totals.calls + grid.meter.totals.hits
        distinct = len(grid.models["tiny"].store or ())
    assert outcome == Outcome(made=24, kept=0, failed=0, skipped=0, left=0)
    assert Counter(answering_server.asked).most_common(1)[0][1] == 1
    assert len(answering_server.asked) == distinct < needed
    before = contents(tmp_path / "grid")
    with opened(tmp_path / "grid", setup) as grid:
        assert run(grid) == Outcome(made=0, kept=24, failed=0, skipped=0, left=0)
        assert grid.meter.totals.calls == 0
    assert contents(tmp_path / "grid") == before
    assert len(answering_server.asked) == distinct


def test_the_uses_of_a_summary_are_its_calls_in_order_also_when_others_paid(tmp_path: Path) -> None:
    setup = experiment(recipes=("sts.kis.direct", "crs.kis.direct"))
    with opened(tmp_path / "grid", setup, EVENTS[:1], backend=scripted) as grid:
        run(grid)
        store = CallStore(grid.folder.store, read_only=True)
        requests = {call.key: call.request for call in store.answers()}
        single, chained = (
            grid.folder.uses(cell.part, str(cell.recipe), "event-0") for cell in grid.cells
        )
    assert single is not None
    assert chained is not None
    assert single[:3] == chained[:3]  # the key information of three documents
    told = ["kis" if requests[key].schema else "summary" for key in chained]
    assert told == ["kis", "kis", "kis", "summary", "kis", "summary", "kis"]
    said = [requests[key].messages[-1].content for key in chained[:3]]
    assert all(f"Report {place} on" in said[place] for place in range(3))
    completion = store.get(chained[0])
    assert completion is not None
    assert completion.seconds is not None


def test_with_the_call_store_alone_a_grid_runs_again(
    tmp_path: Path, answering_server: Server
) -> None:
    setup = experiment(url=answering_server.url)
    with opened(tmp_path / "first", setup, EVENTS) as grid:
        run(grid)
    calls = len(answering_server.asked)
    elsewhere = replace(setup, models=(ModelRow(name="tiny", base_url="http://127.0.0.1:9/v1"),))
    store = tmp_path / "first" / "calls.sqlite"
    with opened(tmp_path / "again", elsewhere, EVENTS, store=store, replay=True) as grid:
        assert run(grid).made == 12
        assert grid.meter.totals.calls == 0
    assert len(answering_server.asked) == calls
    assert contents(tmp_path / "again") == contents(tmp_path / "first")


@pytest.mark.parametrize("limits", [Limits(calls=10), Limits(tokens=4000)])
def test_a_cap_stops_and_the_same_call_goes_on(tmp_path: Path, limits: Limits) -> None:
    setup = experiment(limits=replace(limits, at_once=4))
    with opened(tmp_path / "grid", setup, EVENTS, backend=scripted) as grid:
        outcome = run(grid)
        first = grid.meter.totals.calls
        stored = len(grid.models["tiny"].store or ())
    assert outcome.left > 0
    assert outcome.stopped is not None
    assert "cap of" in outcome.stopped
    assert not failures(tmp_path / "grid")
    assert stored == first
    with opened(tmp_path / "grid", setup, backend=scripted) as grid:
        again = run(grid)
        assert grid.meter.totals.calls == 0
    assert again.left == outcome.left - again.made
    open_end = replace(setup, limits=Limits(at_once=4))
    with opened(tmp_path / "grid", open_end, backend=scripted) as grid:
        assert run(grid).left == 0
        total = grid.meter.totals.calls + first
        assert len(grid.models["tiny"].store or ()) == total


def test_a_failure_is_kept_with_kind_prompt_and_answer_and_the_rest_goes_on(
    tmp_path: Path,
) -> None:
    setup = experiment()
    backend = failing("on ferry 1", Refused("I will not."))
    with opened(tmp_path / "grid", setup, EVENTS, backend=backend) as grid:
        outcome = run(grid)
    assert (outcome.made, outcome.failed, outcome.left) == (6, 6, 0)
    assert outcome.kinds == {"Refused": 6}
    kept = failures(tmp_path / "grid")
    assert len(kept) == 6
    for one in kept:
        assert one["kind"] == "Refused"
        assert "on ferry 1" in one["prompt"][-1][1]  # type: ignore[index]


def test_a_refused_request_that_many_cells_need_is_bought_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def backend(row: ModelRow) -> Model:
        def script(request: Request) -> ModelError:
            asked.append(request.key)
            return Refused("no")

        return Scripted(script, row.served)

    with opened(tmp_path / "grid", experiment(), EVENTS, backend=backend) as grid:
        assert run(grid).failed == 12
    assert len(asked) == len(set(asked))


def test_failed_summaries_wait_until_they_are_taken_up_with_another_policy(tmp_path: Path) -> None:
    setup = experiment()
    backend = failing("on ferry 1", Refused("no"))
    with opened(tmp_path / "grid", setup, EVENTS, backend=backend) as grid:
        run(grid)
    with opened(tmp_path / "grid", setup, backend=scripted) as grid:
        outcome = run(grid)
        assert (outcome.made, outcome.kept, outcome.failed) == (0, 6, 6)
        assert grid.meter.totals.calls == 0
    other = Decoding(max_tokens=900)
    with opened(tmp_path / "grid", setup, backend=scripted, decoding=other) as grid:
        outcome = run(grid, retry_failed=True)
    assert (outcome.made, outcome.kept, outcome.failed, outcome.left) == (6, 6, 0, 0)
    assert failures(tmp_path / "grid") == []


@pytest.mark.parametrize(
    ("limits", "least", "words"),
    [
        (Limits(failures=3, at_once=1), 3, "3 summaries failed.*Refused 3.*--retry-failed"),
        (Limits(failed_share=0.5, at_once=2), 20, "failed_share = 0.5"),
    ],
)
def test_too_many_failures_end_the_run(
    tmp_path: Path, limits: Limits, least: int, words: str
) -> None:
    setup = experiment(limits=limits)
    backend = failing("ferry", Refused("no"))
    given = [event(number, 2) for number in range(6)]
    with opened(tmp_path / "grid", setup, given, backend=backend) as grid:
        outcome = run(grid)
    assert least <= outcome.failed < 36
    assert outcome.left == 36 - outcome.failed
    assert outcome.stopped is not None
    assert re.search(words, outcome.stopped)


def test_an_event_without_text_is_missing_with_the_reason_and_fails_nothing(
    tmp_path: Path,
) -> None:
    blank = Document(id="d1", text="", language="fr", notes=("nothing could be extracted",))
    empty = Event(id="empty", description="x", documents=(blank,), notes=("one page was lost",))
    nothing = Event(id="nothing", description="x", documents=())
    setup = experiment(limits=Limits(failures=1))
    with opened(tmp_path / "grid", setup, [*EVENTS, empty, nothing], backend=scripted) as grid:
        outcome = run(grid)
        assert (outcome.made, outcome.skipped, outcome.failed, outcome.left) == (12, 12, 0, 0)
        (part,) = grid.folder.parts().values()
    reasons = {str(one["event"]): str(one["reason"]) for one in failures(tmp_path / "grid")}
    assert "none of its 1 documents has text" in reasons["empty"]
    assert "one page was lost; d1: nothing could be extracted" in reasons["empty"]
    assert "it has no document" in reasons["nothing"]
    scores = [one for one in score(part, ["rouge"]) if one.event in ("empty", "nothing")]
    assert scores
    assert all(one.value is None and one.note for one in scores)


@pytest.mark.parametrize(
    ("behave", "kind"),
    [(Answer("no", 401), KeyRefused), (None, ServerDown)],
)
def test_what_concerns_every_summary_ends_the_run_at_once(
    tmp_path: Path, quirky: QuirkServer, behave: Answer | None, kind: type[Exception]
) -> None:
    url = quirky.url
    if behave is None:
        quirky.stop()
    else:
        quirky.replies(behave)
    with (
        opened(tmp_path / "grid", experiment(url=url), EVENTS) as grid,
        pytest.raises(kind),
    ):
        run(grid)
    assert failures(tmp_path / "grid") == []


def test_an_error_of_our_own_on_one_summary_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    def backend(row: ModelRow) -> Model:
        inside = scripted(row)

        def script(request: Request) -> str:
            if "on ferry 1" in request.messages[-1].content:
                raise ZeroDivisionError("a slip")
            return inside.complete(request).text

        return Scripted(script, row.served)

    with opened(tmp_path / "grid", experiment(), EVENTS, backend=backend) as grid:
        outcome = run(grid)
    assert outcome.kinds == {"Unexpected:ZeroDivisionError": 6}
    assert "a slip (at test_grid_carry_out.py:" in str(failures(tmp_path / "grid")[0]["reason"])


def test_cells_without_a_model_run_beside_the_others(tmp_path: Path) -> None:
    names = ("crs.none.lead", "sts.none.random", "crs.none.direct")
    setup = experiment(recipes=names)
    with opened(tmp_path / "grid", setup, EVENTS, backend=scripted) as grid:
        assert run(grid).made == 6
        assert sorted(grid.folder.parts()) == ["no-model--en", "tiny--en"]


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    folder = GridFolder.start(tmp_path / "grid", {})
    with (
        folder.alone(),
        pytest.raises(UsageError, match="another process"),
        GridFolder.open(tmp_path / "grid").alone(),
    ):
        pass


def test_many_servers_keep_their_own_bounds(tmp_path: Path) -> None:
    most: Counter[str] = Counter()
    now: Counter[str] = Counter()
    lock = threading.Lock()

    def backend(row: ModelRow) -> Model:
        inside = scripted(row)

        def script(request: Request) -> str:
            with lock:
                now[row.name] += 1
                most[row.name] = max(most[row.name], now[row.name])
                most["all"] = max(most["all"], sum(now.values()))
            threading.Event().wait(0.005)
            with lock:
                now[row.name] -= 1
            return inside.complete(request).text

        return Scripted(script, row.served)

    rows = (ModelRow(name="slow", at_once=2), ModelRow(name="fast"))
    setup: Experiment = replace(experiment(), models=rows, limits=Limits(at_once=6))
    given = [event(number, 3) for number in range(4)]
    with opened(tmp_path / "grid", setup, given, backend=backend) as grid:
        assert run(grid).made == 48
    assert most["slow"] == 2
    assert most["all"] == 6


def test_requests_of_equal_models_under_two_names_are_told_apart(tmp_path: Path) -> None:
    with opened(tmp_path / "grid", experiment("one", "two"), EVENTS[:1], backend=scripted) as grid:
        run(grid)
        store = CallStore(grid.folder.store, read_only=True)
        digests = [asked_of(call.request) for call in store.answers()]
    assert len(digests) == len(set(digests))


@pytest.mark.slow
def test_a_server_that_asks_for_quiet_holds_up_no_other(
    tmp_path: Path, quirky: QuirkServer, answering_server: Server
) -> None:
    quirky.behave = lambda _: Answer({"error": "slow"}, 429, headers={"Retry-After": "600"})
    rows = (
        ModelRow(name="quiet", base_url=quirky.url),
        ModelRow(name="busy", base_url=answering_server.url),
    )
    setup = experiment(limits=Limits(at_once=4, seconds=15))
    setup = replace(setup, models=rows)
    with opened(tmp_path / "grid", setup, [event(n, 3) for n in range(2)]) as grid:
        outcome = run(grid)
        parts = grid.folder.parts()
    # The other server's summaries were all made; the cap on time ended the wait for the first.
    assert (outcome.made, outcome.left, outcome.failed) == (12, 12, 0)
    assert outcome.stopped is not None
    assert "15 seconds" in outcome.stopped
    assert len(parts["busy--en"].summaries()) == 12
    assert len(quirky.calls) <= 4
