"""A server with every fault: a grid ends, names each failure, and its counts add up."""

import json
import random
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from baselines.experiment import score
from baselines.grid.carry_out import carry_out
from globesumm.config import Limits
from globesumm.llm.metered import Meter
from globesumm.runs import PARTS
from tests.grid.answering_server import answer
from tests.grid.conftest import event, experiment, opened
from tests.llm.conftest import Answer, QuirkServer, choice, reply

STALL_SECONDS = 2.0
LASTING = {"Refused", "CutOff"}
"""What comes again however often it is asked for: these hit by request, the others by chance."""

CALM_CALLS = 40
"""A 500 on a form that the server never took makes the model ask in another way, as part of the
same call; once it has taken the form, every request that arrives is a call of its own."""

FAULTS: dict[str, Answer] = {
    "429 with Retry-After": Answer({"error": "slow"}, 429, headers={"Retry-After": "0.02"}),
    "429 without": Answer({"error": {"message": "slow down"}}, 429),
    "500": Answer("oops", 500),
    "reset": Answer(fault="reset"),
    "stall": Answer(wait=2 * STALL_SECONDS),
    "cut body": Answer(fault="cut"),
    "malformed JSON": Answer('{"choices": [{"message": {"content": "Half'),
    "empty choices": Answer(reply(choices=[])),
    "refusal": Answer(reply(**choice(refusal="I cannot help with that.", content=None))),
    "length": Answer(reply(**choice(finish="length", content="The ferry sa"))),
}
IN_VAIN = [kind for kind in FAULTS if not kind.startswith("429")]
NAMED = {
    "Refused", "CutOff", "BadAnswer", "ServerFault", "ConnectionLost", "TimedOut", "RateLimited",
}  # fmt: skip


class Faulty:
    """Behaves as one of `FAULTS` in `share` of the calls."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.seen: Counter[str] = Counter()
        self._drawn = random.Random(3)
        self._lock = threading.Lock()

    def __call__(self, body: dict[str, Any]) -> Answer:
        # A model that refuses a text refuses it again.
        lasting = random.Random(json.dumps(body["messages"])).random()
        kinds = [kind for kind in FAULTS if kind not in ("refusal", "length")]
        with self._lock:
            fault = self._drawn.choice(kinds) if self._drawn.random() < self.share * 0.8 else None
            if lasting < self.share * 0.2:
                fault = "refusal" if lasting < self.share * 0.1 else "length"
            if self.seen.total() < CALM_CALLS:
                fault = None
            self.seen[fault or "answer"] += 1
        return FAULTS[fault] if fault else Answer(reply(answer(body)))


def carry_out_with_faults(
    tmp_path: Path,
    url: str,
    count: Callable[[], Counter[str]],
    events: int,
    watch: Callable[[Meter], AbstractContextManager[None]] = lambda _: nullcontext(),
) -> Counter[str]:
    """What the server at `url` has seen, by its `count`, when all that must hold was held."""
    setup = experiment(url=url, limits=Limits(at_once=16))
    given = [
        replace(event(number, 4), references=("Nine are missing.",)) for number in range(events)
    ]
    with opened(
        tmp_path / "grid",
        setup,
        given,
        timeout_seconds=STALL_SECONDS,
        longest_wait_seconds=0.02,
    ) as grid:
        with watch(grid.meter):
            outcome = carry_out(grid.folder, setup, grid.cells, grid.makers)
        totals = grid.meter.totals
        (part,) = grid.folder.parts().values()
        answers = len(grid.models["tiny"].store or ())
    # Everything ended, one way or the other.
    assert (outcome.left, outcome.skipped, outcome.stopped) == (0, 0, None)
    assert outcome.made + outcome.failed == events * len(setup.recipes)
    assert outcome.made > 0
    assert outcome.failed > 0
    # Each failure has its name, what was asked, and what came back where anything did.
    failures = part.failures()
    assert len(failures) == outcome.failed == sum(outcome.kinds.values())
    assert Counter(one.kind for one in failures) == Counter(outcome.kinds)
    assert set(outcome.kinds) <= NAMED
    assert outcome.kinds["Refused"] > 0
    for one in failures:
        assert one.prompt
        assert one.kind in ("BadAnswer", *LASTING) or one.answer is None
        assert one.kind not in LASTING or one.answer
    # No summary was made of a fault.
    summaries = part.summaries()
    assert len(summaries) == outcome.made
    assert all(one.text.startswith("The ferry ") and "missing" in one.text for one in summaries)
    # The server's count is the meter's, but for calls given up before a busy server read them.
    seen = count()
    unread = totals.calls + totals.limited - seen.total()
    assert 0 <= unread <= max(0, totals.failed - sum(seen[kind] for kind in IN_VAIN))
    assert totals.calls - totals.failed == answers
    assert totals.limited == seen["429 with Retry-After"] + seen["429 without"]
    # Nothing that failed is scored as if it were a text.
    scores = score(part, ["rouge"])
    unscored = {(one.event, one.recipe) for one in scores if one.value is None}
    missing = {(one.event, one.recipe) for one in failures}
    assert missing <= unscored
    assert len({(one.event, one.recipe) for one in scores}) == events * len(setup.recipes)
    return seen


def test_a_faulty_server_ends_a_grid_with_each_failure_named(
    tmp_path: Path, quirky: QuirkServer
) -> None:
    quirky.behave = faulty = Faulty(0.3)
    carry_out_with_faults(tmp_path, quirky.url, lambda: faulty.seen, 3)


@pytest.mark.slow
def test_three_thousand_calls_of_which_three_in_ten_fail_add_up(
    tmp_path: Path, quirky: QuirkServer
) -> None:
    quirky.behave = faulty = Faulty(0.3)
    seen = carry_out_with_faults(tmp_path, quirky.url, lambda: faulty.seen, 90)
    assert seen.total() >= 3000
    assert set(seen) == {*FAULTS, "answer"}
    assert (tmp_path / "grid" / PARTS).is_dir()


def test_when_the_server_is_well_again_what_failed_is_taken_up(
    tmp_path: Path, quirky: QuirkServer
) -> None:
    quirky.behave = Faulty(0.5)
    setup = experiment(url=quirky.url, recipes=("sts.kis.direct", "crs.none.direct"))
    with opened(
        tmp_path / "grid", setup, [event(n, 3) for n in range(4)], longest_wait_seconds=0.02,
        timeout_seconds=STALL_SECONDS,
    ) as grid:  # fmt: skip
        first = carry_out(grid.folder, setup, grid.cells, grid.makers)
        quirky.behave = lambda body: Answer(reply(answer(body)))
        outcome = carry_out(grid.folder, setup, grid.cells, grid.makers, retry_failed=True)
        (part,) = grid.folder.parts().values()
    assert outcome.kept == first.made
    assert (outcome.made, outcome.failed, outcome.left) == (first.failed, 0, 0)
    assert part.failures() == []
