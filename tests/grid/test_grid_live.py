"""The live view: what is done, called, spent and failed; the remaining time right or absent."""

import io

import pytest

from baselines.grid.live import State, Watch
from globesumm.llm.metered import Totals
from globesumm.runs import Failure


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Run:
    """Totals and a clock that the test moves."""

    def __init__(self, stream: io.StringIO, **settings: object) -> None:
        self.now, self.totals = 0.0, Totals()
        self.stream = stream
        self.watch = Watch(
            lambda: self.totals,
            stream=stream,
            clock=lambda: self.now,
            **settings,  # type: ignore[arg-type]
        )

    def go(self, seconds: int, a_second: int, state: State) -> None:
        for _ in range(seconds):
            self.now += 1
            self.totals = Totals(calls=self.totals.calls + a_second)
            self.watch.show(state)


def test_a_line_says_what_is_done_called_spent_and_failed() -> None:
    run = Run(io.StringIO(), spend=50.0, spent_before=1.0)
    run.totals = Totals(calls=812, hits=3411, failed=4, limited=2, spend=0.25)
    state = State(total=1480, done=120, failures={"CutOff": 2, "Refused": 1})
    assert run.watch.line(state) == (
        "summaries 120/1,480 | failed 3 (CutOff 2, Refused 1) | calls 812 live, 3,411 cached, "
        "4 in vain, 2 turned away (429) | spend 1.25 of 50.00 USD"
    )


def test_a_spend_that_is_not_known_is_said_to_be_so() -> None:
    run = Run(io.StringIO())
    run.totals = Totals(calls=3, unpriced=3)
    assert run.watch.line(State(total=1)).endswith("spend unknown")
    run.totals = Totals(calls=3, unpriced=1, spend=0.5)
    assert run.watch.line(State(total=1)).endswith("spend 0.50 + unknown USD")


def test_a_log_gets_a_line_every_fifteen_seconds() -> None:
    run = Run(io.StringIO())
    run.go(60, 1, State(total=10))
    assert len(run.stream.getvalue().splitlines()) == 4


def test_a_terminal_has_one_line_that_is_redrawn() -> None:
    run = Run(Terminal())
    run.go(5, 1, State(total=10, done=3))
    run.watch.end(State(total=10, done=10))
    written = run.stream.getvalue()
    assert written.count("\n") == 1
    assert written.endswith("\n")
    assert "\rsummaries 3/10" in written


def test_a_line_never_wraps_in_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    run = Run(Terminal())
    run.totals = Totals(calls=10**6, hits=10**6, failed=10**6, limited=10**6)
    run.watch.show(State(total=10**6), now=True)
    assert len(run.stream.getvalue().strip("\r")) == 39


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_failures_are_told_as_they_happen_and_steer_no_terminal(stream: io.StringIO) -> None:
    run = Run(stream)
    for number in range(15):
        reason = "said \x1b[2J\nno"
        run.watch.failed(
            Failure(recipe="crs.none.direct", event=f"e{number}", reason=reason, kind="Refused")
        )
    lines = [line for line in stream.getvalue().replace("\r", "\n").splitlines() if line.strip()]
    assert len(lines) == 11
    assert lines[0] == r"failed: crs.none.direct on e0: Refused: said \x1b[2J no"
    assert "further failures of the kind Refused" in lines[-1]


def test_the_remaining_time_follows_from_the_plan_and_the_pace() -> None:
    run = Run(io.StringIO(), calls=1000)
    state = State(total=100, active=4, longest=3)
    run.go(50, 2, state)
    left = run.watch.seconds_left(state)
    assert left is not None
    assert left == pytest.approx((1000 - 100) / 2, rel=0.05)
    assert "0:07:" in run.watch.line(state)


def test_a_long_chain_takes_as_long_as_its_calls_however_many_run_at_once() -> None:
    run = Run(io.StringIO(), calls=400)
    state = State(total=100, active=64, longest=40)
    run.go(20, 16, state)
    # 64 at once and 16 a second: 4 seconds a call, of which 40 follow one another.
    assert run.watch.seconds_left(state) == pytest.approx(160, rel=0.1)


def test_no_time_is_left_beside_summaries_that_are_not_done() -> None:
    run = Run(io.StringIO(), calls=200)
    state = State(total=100, done=95, active=5, longest=1)
    run.go(100, 2, state)
    run.totals = Totals(calls=200)
    assert "left" not in run.watch.line(state)
    done = State(total=100, done=100)
    assert "left" not in run.watch.line(done)
    # The pace is noted once a second: calls that ended since then are still to be made by it.
    quick = Run(io.StringIO(), calls=2010)
    quick.go(20, 100, state)
    quick.totals = Totals(calls=2010)
    assert "left" not in quick.watch.line(state)


def test_a_remaining_time_that_cannot_be_told_is_absent() -> None:
    state = State(total=100, active=1)
    unplanned = Run(io.StringIO())
    unplanned.go(60, 5, state)
    assert unplanned.watch.seconds_left(state) is None
    early = Run(io.StringIO(), calls=1000)
    early.go(5, 1, state)
    assert early.watch.seconds_left(state) is None
    beyond = Run(io.StringIO(), calls=50)
    beyond.go(60, 2, state)
    assert beyond.watch.seconds_left(state) is None
    assert "left" not in beyond.watch.line(state)


def test_summaries_without_a_model_count_in_the_remaining_time() -> None:
    run = Run(io.StringIO(), calls=200)
    state = State(total=100, done=90, active=1, free_left=8, free_made=2)
    run.go(100, 2, state)
    assert run.watch.seconds_left(state) is None
    state = State(total=100, done=95, active=1, free_left=5, free_made=10)
    # All calls are made; ten took a hundred seconds, so five take fifty.
    assert run.watch.seconds_left(state) == pytest.approx(50, rel=0.02)
    beyond_the_plan = State(total=100, done=90, active=1)
    assert run.watch.seconds_left(beyond_the_plan) is None
