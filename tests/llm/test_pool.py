"""Slots: bounded over all servers and for each, the most urgent call first, quiet when asked."""

import threading
import time
from collections.abc import Callable
from contextvars import copy_context

import pytest

from globesumm.errors import UsageError
from globesumm.llm.backends import open_model
from globesumm.llm.bounded import Bounded
from globesumm.llm.errors import ModelError, RateLimited, Refused, Stopped
from globesumm.llm.metered import Caps, Meter
from globesumm.llm.pool import Lane, Pool
from globesumm.llm.recording import record, recording
from globesumm.llm.request import Completion, Model, Request
from globesumm.llm.retrying import Retrying
from globesumm.llm.scripted import Scripted
from globesumm.llm.single_flight import SingleFlight
from globesumm.llm.work import CURRENT, Job, Load, Work
from tests.llm.conftest import Answer, QuirkServer, ask


def start(task: Callable[[], object], job: Job | None = None) -> threading.Thread:
    """`task` in a thread of its own, as part of `job`."""

    def run() -> None:
        CURRENT.set(job)
        task()

    thread = threading.Thread(target=copy_context().run, args=(run,), daemon=True)
    thread.start()
    return thread


def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.002)


class Gate:
    """A model that answers when it is let, and says in which order it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.open = threading.Event()
        self.model = Scripted(self._answer)

    def _answer(self, request: Request) -> str:
        self.asked.append(request.messages[0].content)
        self.open.wait(10)
        return "x"


def waiting(lane: Lane) -> int:
    return sum(not (t.is_granted() or t.gone) for t in {entry[2] for entry in lane.waiting})


def job(remaining: int, work: Work | None = None) -> Job:
    return Job(work=work or Work(), load=Load(), remaining=remaining)


def test_the_longest_remaining_chain_goes_first() -> None:
    gate, pool = Gate(), Pool(1)
    lane = pool.lane("a")
    model = Bounded(gate.model, lane=lane)
    threads = [start(lambda: model.complete(ask("first")))]
    until(lambda: gate.asked == ["first"])
    for count, remaining in enumerate((3, 40, 7), start=1):
        threads.append(start(lambda r=remaining: model.complete(ask(f"{r}")), job(remaining)))  # type: ignore[misc]
        until(lambda c=count: waiting(lane) == c)  # type: ignore[misc]
    gate.open.set()
    for thread in threads:
        thread.join(5)
    assert gate.asked == ["first", "40", "7", "3"]


def test_a_call_that_someone_more_urgent_waits_for_moves_ahead() -> None:
    gate, pool = Gate(), Pool(1)
    lane = pool.lane("a")
    model = SingleFlight(Bounded(gate.model, lane=lane))
    threads = [start(lambda: model.complete(ask("first")))]
    until(lambda: gate.asked == ["first"])
    threads.append(start(lambda: model.complete(ask("shared")), job(1)))
    until(lambda: waiting(lane) == 1)
    threads.append(start(lambda: model.complete(ask("middle")), job(5)))
    until(lambda: waiting(lane) == 2)
    threads.append(start(lambda: model.complete(ask("shared")), job(9)))
    until(lambda: model.shared == 1)
    gate.open.set()
    for thread in threads:
        thread.join(5)
    assert gate.asked == ["first", "shared", "middle"]


def test_servers_have_bounds_of_their_own_within_the_whole() -> None:
    gate, pool = Gate(), Pool(3)
    slow, fast = pool.lane("slow", 1), pool.lane("fast", 3)
    one, two = Bounded(gate.model, lane=slow), Bounded(gate.model, lane=fast)
    threads = [start(lambda: one.complete(ask("slow"))) for _ in range(3)]
    until(lambda: len(gate.asked) == 1 and waiting(slow) == 2)
    threads += [start(lambda: two.complete(ask("fast"))) for _ in range(4)]
    until(lambda: len(gate.asked) == 3 and waiting(fast) == 2)
    assert (slow.running, fast.running, pool.running) == (1, 2, 3)
    gate.open.set()
    for thread in threads:
        thread.join(5)
    assert sorted(gate.asked) == ["fast"] * 4 + ["slow"] * 3
    assert pool.running == 0


def test_quiet_holds_back_those_who_wait_for_a_slot_already() -> None:
    left = [RateLimited("slow", 0.4)]
    times: list[float] = []

    def script(_: Request) -> str | ModelError:
        times.append(time.monotonic())
        time.sleep(0.02)
        return left.pop() if left else "x"

    pool = Pool(1)
    lane = pool.lane("a")
    model = Retrying(
        Bounded(Scripted(script), lane=lane), first_wait_seconds=0.01, chance=lambda: 0.0, lane=lane
    )
    threads = [start(lambda n=n: model.complete(ask(f"{n}"))) for n in range(6)]  # type: ignore[misc]
    for thread in threads:
        thread.join(5)
    assert len(times) == 7
    assert times[1] - times[0] >= 0.4


def test_a_429_halves_what_is_in_flight_and_answers_give_it_back() -> None:
    lane = Pool(64).lane("a")
    lane.quiet(0.0)
    assert lane.limit == 32
    for _ in range(2000):
        lane.answered()
    assert lane.limit == 64


def test_stopped_work_begins_no_call_and_lets_those_in_flight_end() -> None:
    gate, pool, work = Gate(), Pool(1), Work()
    lane = pool.lane("a")
    model = Bounded(gate.model, lane=lane)
    outcomes: list[str] = []

    def call(text: str) -> None:
        try:
            outcomes.append(model.complete(ask(text)).text)
        except Stopped as error:
            outcomes.append(f"{text}: {error}")

    first = start(lambda: call("first"), job(0, work))
    until(lambda: gate.asked == ["first"])
    second = start(lambda: call("second"), job(0, work))
    until(lambda: waiting(lane) == 1)
    work.stop("enough")
    second.join(5)
    assert outcomes == ["second: enough"]
    call_after = start(lambda: call("third"), job(0, work))
    call_after.join(5)
    gate.open.set()
    first.join(5)
    assert outcomes == ["second: enough", "third: enough", "x"]
    assert pool.running == 0


def test_a_wait_for_another_attempt_ends_when_the_work_does() -> None:
    work = Work()
    model = Retrying(Scripted(lambda _: RateLimited("slow", 3000.0)))
    raised: list[BaseException] = []
    one = job(0, work)

    def call() -> None:
        try:
            model.complete(ask())
        except ModelError as error:
            raised.append(error)

    thread = start(call, one)
    until(lambda: one.load.waiting == 2)  # the wait, and the first slot that it did not ask for
    work.stop("enough")
    thread.join(5)
    assert [type(error) for error in raised] == [Stopped]
    assert one.load.waiting == 1


def test_within_one_piece_of_work_a_refusal_is_bought_once() -> None:
    asked: list[str] = []

    def script(request: Request) -> ModelError:
        asked.append(request.key)
        return Refused("no")

    model, work = SingleFlight(Scripted(script)), Work()
    outcomes: list[str] = []

    def call() -> None:
        try:
            model.complete(ask())
        except Refused as error:
            outcomes.append(str(error))

    for _ in range(3):
        start(call, job(0, work)).join(5)
    assert (outcomes, len(asked)) == (["no"] * 3, 1)
    start(call, job(0)).join(5)
    assert len(asked) == 2


def test_models_of_one_run_share_pool_and_meter(server: QuirkServer) -> None:
    server.behave = lambda _: Answer(wait=0.05)
    pool, meter = Pool(2), Meter(caps=Caps(calls=5))
    with (
        open_model("tiny", server.url, pool=pool, meter=meter) as one,
        open_model("small", server.url, pool=pool, meter=meter, most_at_once=2) as two,
    ):
        results: list[Completion | ModelError] = []

        def call(model: Model, text: str) -> None:
            try:
                results.append(model.complete(ask(text, model=model.name)))
            except ModelError as error:
                results.append(error)

        threads = [
            start(lambda m=m, n=n: call(m, f"{n}"))  # type: ignore[misc]
            for n in range(4)
            for m in (one, two)
        ]
        for thread in threads:
            thread.join(10)
        answered = [one for one in results if isinstance(one, Completion)]
    assert (len(results), len(answered), meter.totals.calls) == (8, 5, 5)
    assert server.most_at_once <= 2
    assert all(one.seconds and one.seconds >= 0.05 for one in answered)


def test_a_shared_meter_brings_its_own_caps(server: QuirkServer) -> None:
    with pytest.raises(UsageError, match="shared meter"):
        open_model("tiny", server.url, meter=Meter(), caps=Caps(calls=1))


def test_recorded_keys_come_in_order_and_a_recording_inside_keeps_its_own() -> None:
    with open_model(Scripted(lambda _: "x", "tiny")) as model:
        model.complete(ask("unrecorded"))
        with recording() as keys:
            model.complete(ask("a"))
            with recording() as inner:
                model.complete(ask("b"))
            record(inner)
            model.complete(ask("a"))
    assert [one.key for one in keys] == [ask(text).key for text in ("a", "b", "a")]
