"""Retries, meters, bounds and shared flights around a model."""

import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.llm.backends import open_model
from globesumm.llm.bounded import Bounded, complete_all
from globesumm.llm.errors import (
    BadAnswer,
    ConnectionLost,
    CutOff,
    LimitReached,
    ModelError,
    NoKey,
    RateLimited,
    ServerDown,
    ServerFault,
    TimedOut,
)
from globesumm.llm.metered import Caps, Meter, Metered, Price, Totals, read_prices
from globesumm.llm.request import Completion, Model, Request, Usage
from globesumm.llm.retrying import Retrying
from globesumm.llm.scripted import Scripted
from globesumm.llm.single_flight import SingleFlight
from tests.llm.conftest import Answer, QuirkServer, ask, reply


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def failing(*errors: ModelError, then: str = "whole") -> tuple[Scripted, list[Request]]:
    """A model that fails in order and then answers, and the requests that it got."""
    left, got = list(errors), []

    def script(request: Request) -> str | ModelError:
        got.append(request)
        return left.pop(0) if left else then

    return Scripted(script), got


def retrying(model: Model, clock: Clock, **settings: float) -> Retrying:
    return Retrying(
        model,
        sleep=clock.sleep,
        clock=clock,
        chance=lambda: 1.0,
        **settings,  # type: ignore[arg-type]
    )


def test_passing_faults_are_waited_out_longer_each_time() -> None:
    model, got = failing(ServerFault("a"), ConnectionLost("b"), TimedOut("c"))
    clock = Clock()
    assert retrying(model, clock).complete(ask()).text == "whole"
    assert clock.slept == [1.0, 2.0, 4.0]
    assert len(got) == 4


def test_after_its_attempts_a_call_fails_with_the_last_error() -> None:
    model, got = failing(*[ServerFault(f"{n}") for n in range(9)])
    with pytest.raises(ServerFault, match="2"):
        retrying(model, Clock(), attempts=3).complete(ask())
    assert len(got) == 3


@pytest.mark.parametrize(
    "error", [CutOff("x"), NoKey("X"), LimitReached("x"), ServerDown("http://x", "refused")]
)
def test_what_repeating_cannot_help_is_not_repeated(error: ModelError) -> None:
    model, got = failing(error)
    with pytest.raises(type(error)):
        retrying(model, Clock()).complete(ask())
    assert len(got) == 1


def test_an_unreadable_answer_is_asked_for_once_more() -> None:
    model, got = failing(*[BadAnswer("x") for _ in range(5)])
    with pytest.raises(BadAnswer):
        retrying(model, Clock()).complete(ask())
    assert len(got) == 2


def test_a_429_waits_as_long_as_the_server_says_and_takes_no_attempt() -> None:
    model, got = failing(*[RateLimited("slow", 7.0) for _ in range(50)])
    clock = Clock()
    assert retrying(model, clock, attempts=2).complete(ask()).text == "whole"
    assert len(got) == 51
    assert all(wait >= 7 for wait in clock.slept)


def test_a_429_without_end_fails_its_call_after_long_patience() -> None:
    model, _ = failing(*[RateLimited("slow", 600.0) for _ in range(50)])
    clock = Clock()
    with pytest.raises(RateLimited):
        retrying(model, clock, patience_seconds=3600).complete(ask())
    assert 3600 < clock.now < 5000


def test_a_429_slows_the_other_callers_too() -> None:
    model, _ = failing(RateLimited("slow", 30.0))
    clock = Clock()
    wrapped = retrying(model, clock)
    wrapped.complete(ask())
    wrapped._quiet_until = clock.now + 12
    wrapped.complete(ask("Another."))
    assert clock.slept[-1] == 12


def test_a_deadline_bounds_a_call_with_all_its_repetitions() -> None:
    model, got = failing(*[ServerFault("x") for _ in range(50)])
    clock = Clock()
    with pytest.raises(ServerFault):
        retrying(model, clock, attempts=50, deadline_seconds=10).complete(ask())
    assert clock.now <= 10
    assert len(got) == 4


def test_a_dying_server_is_not_asked_far_more_often_than_there_are_calls() -> None:
    model, got = failing(*[ServerFault("x") for _ in range(10_000)])
    wrapped = retrying(model, Clock(), allowance=20)
    for n in range(100):
        with pytest.raises(ServerFault):
            wrapped.complete(ask(f"{n}"))
    assert len(got) == 220


def test_two_equal_requests_in_flight_make_one_call() -> None:
    go, calls = threading.Event(), []

    def script(request: Request) -> str:
        calls.append(request)
        go.wait(5)
        return "one"

    model = SingleFlight(Scripted(script))
    results: list[Completion] = []
    threads = [
        threading.Thread(target=lambda: results.append(model.complete(ask()))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    while model.shared < 5:
        time.sleep(0.001)
    go.set()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert len(results) == 6
    assert len({id(result) for result in results}) == 1
    model.complete(ask())
    assert len(calls) == 2


def test_a_failure_in_flight_is_shared_and_then_forgotten() -> None:
    model, got = failing(CutOff("x"))
    shared = SingleFlight(model)
    with pytest.raises(CutOff):
        shared.complete(ask())
    assert shared.complete(ask()).text == "whole"
    assert len(got) == 2
    assert shared._flying == {}


def test_no_more_calls_run_at_once_than_allowed() -> None:
    lock, now, most = threading.Lock(), 0, 0

    def script(_: Request) -> str:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.005)
        with lock:
            now -= 1
        return "x"

    model = Bounded(Scripted(script), 3)
    answers = list(complete_all(model, (ask(f"{n}") for n in range(40)), most_at_once=10))
    assert len(answers) == 40
    assert most == 3


def test_answers_come_in_order_with_errors_in_their_place() -> None:
    def script(request: Request) -> str | ModelError:
        number = int(request.messages[0].content)
        time.sleep(0.002 * (number % 5))
        return CutOff("cut") if number % 7 == 3 else f"{number}"

    answers = list(complete_all(Scripted(script), (ask(f"{n}") for n in range(30))))
    for number, answer in enumerate(answers):
        if number % 7 == 3:
            assert isinstance(answer, CutOff)
        else:
            assert isinstance(answer, Completion)
            assert answer.text == f"{number}"


def test_requests_are_read_no_faster_than_they_are_answered() -> None:
    read = 0

    def requests() -> Iterator[Request]:
        nonlocal read
        for n in range(10_000):
            read += 1
            yield ask(f"{n}")

    answers = complete_all(Scripted(lambda _: "x"), requests(), most_at_once=4)
    for _ in range(10):
        next(answers)
    assert read <= 10 + 8
    answers.close()  # type: ignore[attr-defined]
    assert read <= 10 + 8


def test_an_error_that_ends_a_command_ends_the_work() -> None:
    model, got = failing(NoKey("THE_VARIABLE"))
    with pytest.raises(NoKey, match="THE_VARIABLE"):
        list(complete_all(model, (ask(f"{n}") for n in range(1000)), most_at_once=2))
    assert len(got) <= 6


def test_leaving_early_neither_waits_out_a_retry_nor_loses_what_is_in_flight() -> None:
    done: list[str] = []
    begun, limited = threading.Event(), threading.Event()

    def script(request: Request) -> str | ModelError:
        said = request.messages[0].content
        if said == "1":
            begun.wait(5)
            limited.set()
            return RateLimited("slow", 3000.0)
        if said == "2":
            begun.set()
            limited.wait(5)
            time.sleep(0.1)
        done.append(said)
        return "x"

    def consume() -> None:
        for _ in answers:
            limited.wait(5)
            raise KeyboardInterrupt

    model = Retrying(Scripted(script))
    answers = complete_all(model, (ask(f"{n}") for n in range(99)), most_at_once=3)
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        consume()
    answers.close()  # type: ignore[attr-defined]
    assert time.monotonic() - started < 5
    assert "2" in done
    assert len(done) < 20


def test_a_call_that_hangs_is_given_up_and_its_slot_is_free_again() -> None:
    hang = threading.Event()
    model, _ = failing()
    hung = Scripted(lambda _: "late" if hang.wait(10) else "never")
    bounded = Bounded(hung, 1, timeout_seconds=0.05)
    with pytest.raises(TimedOut):
        bounded.complete(ask())
    bounded.inside = model
    assert bounded.complete(ask()).text == "whole"
    hang.set()


def attempts(model: Model, count: int) -> list[Completion | ModelError]:
    """What `count` calls in a row give."""
    outcomes: list[Completion | ModelError] = []
    for _ in range(count):
        try:
            outcomes.append(model.complete(ask()))
        except ModelError as error:
            outcomes.append(error)
    return outcomes


def answer_using(prompt: int | None, answer: int | None) -> Callable[[Request], Completion]:
    usage = None
    if prompt is not None:
        usage = Usage(prompt_tokens=prompt, completion_tokens=answer, reasoning_tokens=1)
    return lambda _: Completion(text="x" * 10, usage=usage)


def test_calls_tokens_and_spend_add_up() -> None:
    meter = Meter(prices={"tiny": Price(input_per_million=1, output_per_million=10)})
    model = Metered(Scripted(answer_using(1000, 100)), meter)
    for _ in range(5):
        model.complete(ask())
    assert meter.totals == Totals(
        calls=5, prompt_tokens=5000, completion_tokens=500, reasoning_tokens=5, spend=0.01
    )


def test_an_unknown_price_or_count_is_unknown_and_not_nothing() -> None:
    unpriced = Meter()
    Metered(Scripted(answer_using(10, 5)), unpriced).complete(ask())
    assert (unpriced.totals.spend, unpriced.totals.unpriced) == (0.0, 1)
    uncounted = Meter(prices={"tiny": Price(input_per_million=1, output_per_million=1)})
    Metered(Scripted(answer_using(None, None)), uncounted).complete(ask())
    assert (uncounted.totals.uncounted, uncounted.totals.unpriced) == (1, 1)


def test_cached_input_has_its_own_price() -> None:
    price = Price(input_per_million=10, output_per_million=0, cached_input_per_million=1)
    usage = Usage(prompt_tokens=1_000_000, completion_tokens=0, cached_tokens=500_000)
    assert price.of(usage) == 5.5
    assert price.of(Usage(prompt_tokens=1)) is None


def test_failed_calls_count_what_they_used_and_a_429_is_no_call() -> None:
    half = Completion(text="half", usage=Usage(prompt_tokens=7, completion_tokens=3))
    model, _ = failing(CutOff("x", half), RateLimited("x"), ServerFault("x"), TimedOut("x"))
    meter = Meter()
    metered = Metered(model, meter)
    for _ in range(4):
        with pytest.raises(ModelError):
            metered.complete(ask())
    totals = meter.totals
    assert (totals.calls, totals.failed, totals.limited) == (3, 3, 1)
    assert (totals.tokens, totals.uncounted) == (10, 1)


@pytest.mark.parametrize(
    ("caps", "calls"),
    [(Caps(calls=3), 3), (Caps(tokens=500), 5), (Caps(spend=0.5), 5), (Caps(calls=0), 0)],
)
def test_a_cap_stops_before_the_next_call(caps: Caps, calls: int) -> None:
    meter = Meter(
        prices={"tiny": Price(input_per_million=1000, output_per_million=1000)}, caps=caps
    )
    model = Metered(Scripted(answer_using(60, 40)), meter)
    outcomes = attempts(model, calls + 2)
    assert meter.totals.calls == calls
    assert all(isinstance(o, Completion) for o in outcomes[:calls])
    assert all("repeat the command" in str(o) for o in outcomes[calls:])


def test_a_cap_on_tokens_holds_where_the_server_counts_none() -> None:
    meter = Meter(caps=Caps(tokens=100))
    model = Metered(Scripted(answer_using(None, None)), meter)
    stopped = [isinstance(o, LimitReached) for o in attempts(model, 6)]
    assert stopped == [False] * 5 + [True]
    assert meter.totals.tokens == 0


def test_a_cap_on_spend_needs_a_price() -> None:
    with pytest.raises(UsageError, match="price of 'tiny'"):
        Metered(Scripted(lambda _: "x"), Meter(caps=Caps(spend=1))).complete(ask())


def test_a_cap_on_time_stops_the_run() -> None:
    clock = Clock()
    meter = Meter(caps=Caps(seconds=60), clock=clock)
    model = Metered(Scripted(lambda _: "x"), meter)
    model.complete(ask())
    clock.now = 61
    with pytest.raises(LimitReached, match="seconds"):
        model.complete(ask())


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["ok", "cut", "429", "500", "bad", "reset"]), max_size=30))
def test_totals_add_up_whatever_happens(kinds: list[str]) -> None:
    table: dict[str, ModelError] = {
        "cut": CutOff("x", Completion(text="h")), "429": RateLimited("x"), "500": ServerFault("x"),
        "bad": BadAnswer("x", Completion(text="")), "reset": ConnectionLost("x"),
    }  # fmt: skip
    model = Scripted(lambda r: table.get(r.messages[0].content.split()[0], "fine words"))
    meter = Meter()
    outcomes = list(
        complete_all(Metered(model, meter), (ask(f"{k} {n}") for n, k in enumerate(kinds)))
    )
    totals = meter.totals
    assert len(outcomes) == len(kinds) == totals.calls + totals.limited
    assert totals.failed == sum(isinstance(o, ModelError) for o in outcomes) - totals.limited
    assert totals.limited == kinds.count("429")


# Everything together.


def test_an_opened_model_asks_once_stores_and_replays(server: QuirkServer, tmp_path: Path) -> None:
    store = tmp_path / "calls.sqlite"
    requests = [ask(f"{n % 10}") for n in range(40)]
    with open_model("tiny", server.url, store=store, most_at_once=4) as model:
        assert isinstance(model, Model)
        assert len(list(model.complete_all(requests))) == 40
        assert model.totals.calls == 10
        assert model.totals.hits == 30
    assert len(server.calls) == 10
    assert server.most_at_once <= 4
    with open_model("tiny", server.url, store=store) as model:
        assert all(isinstance(a, Completion) for a in model.complete_all(requests))
        assert (model.totals.calls, model.totals.hits) == (0, 40)
        assert model.run_totals().calls == 10
    server.stop()
    with open_model("tiny", store=store, replay=True) as model:
        assert model.complete(requests[0]).text == "Whole."
        (missing,) = model.complete_all([ask("Never asked.")])
        assert type(missing).__name__ == "NotStored"


def test_every_fault_mixed_ends_with_each_call_answered_or_named(server: QuirkServer) -> None:
    faults = [
        Answer({"error": {"message": "slow"}}, 429, headers={"Retry-After": "0"}),
        Answer("oops", 500), Answer(fault="reset"), Answer(fault="cut"), Answer("<html>"),
        Answer(reply(choices=[])), Answer(), Answer(),
        Answer(reply() | {"choices": [{"message": {"content": "h"}, "finish_reason": "length"}]}),
    ]  # fmt: skip
    seen = iter(range(10**9))
    server.behave = lambda _: faults[next(seen) % len(faults)]
    with open_model("tiny", server.url, timeout_seconds=5, longest_wait_seconds=0.001) as model:
        outcomes = list(model.complete_all(ask(f"{n}") for n in range(120)))
        totals = model.totals
    assert len(outcomes) == 120
    answered = [o for o in outcomes if isinstance(o, Completion)]
    named = [o for o in outcomes if isinstance(o, ModelError)]
    assert len(answered) + len(named) == 120
    assert {type(o).__name__ for o in named} <= {
        "CutOff",
        "BadAnswer",
        "ServerFault",
        "ConnectionLost",
    }
    assert {o.text for o in answered} == {"Whole."}
    assert totals.calls + totals.limited == len(server.calls)
    assert totals.calls - totals.failed == len(answered)


def test_caps_cover_what_the_store_holds_from_before(server: QuirkServer, tmp_path: Path) -> None:
    store = tmp_path / "calls.sqlite"
    with open_model("tiny", server.url, store=store, caps=Caps(calls=3)) as model:
        for n in range(3):
            model.complete(ask(f"{n}"))
        with pytest.raises(LimitReached):
            model.complete(ask("3"))
    with open_model("tiny", server.url, store=store, caps=Caps(calls=3)) as model:
        assert model.complete(ask("0")).text == "Whole."
        with pytest.raises(LimitReached):
            model.complete(ask("3"))
    with open_model("tiny", server.url, store=store, caps=Caps(calls=4)) as model:
        assert model.complete(ask("3")).text == "Whole."


@pytest.mark.slow
def test_memory_stays_flat_over_many_calls(tmp_path: Path) -> None:
    with open_model(
        Scripted(lambda _: "x" * 2000, "tiny"), store=tmp_path / "calls.sqlite"
    ) as model:
        model.store._run("PRAGMA synchronous = OFF", ())  # type: ignore[union-attr]
        requests = (ask(f"{n} " + "y" * 8000) for n in range(3000))
        answers = model.complete_all(requests)
        for _ in range(500):
            next(answers)
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for _ in answers:
            pass
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
    assert grown < 1_000_000  # 2,500 calls of 10 KB each went through


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("transformer:/x", UnknownName, "did you mean 'transformers'"),
        ("", UsageError, "empty"),
        ("scripted:", UsageError, "empty"),
        ("gpt-4o", NoKey, "OPENAI_API_KEY.*extractive"),
        ("ft:gpt-4o:org::id", NoKey, "OPENAI_API_KEY"),
    ],
)
def test_a_name_that_opens_nothing_says_what_to_do(
    name: str, kind: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(kind, match=words):
        open_model(name)


def test_an_unknown_setting_is_named_before_anything_is_opened() -> None:
    with pytest.raises(UnknownName, match="did you mean 'timeout_seconds'"):
        open_model("tiny", "http://127.0.0.1:9", timeout_second=3)
    with pytest.raises(UsageError, match="store"):
        open_model("tiny", replay=True)
    with pytest.raises(UsageError, match="most_at_once"):
        open_model("tiny", "http://127.0.0.1:9", most_at_once=0)


def test_a_script_file_answers_by_pattern(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"pattern": "(?i)summar", "answer": "Short."}\n')
    with open_model(f"scripted:{path}") as model:
        assert model.name == "scripted:answers.jsonl"
        assert model.complete(ask("Summarize.", model=model.name)).text == "Short."
        with pytest.raises(BadAnswer, match=r"answers\.jsonl"):
            model.complete(ask("Translate.", model=model.name))
        with pytest.raises(UsageError, match="'tiny' was given to the model 'scripted"):
            model.complete(ask("Summarize."))
    path.write_text('{"pattern": "(", "answer": "x"}\n')
    with pytest.raises(UsageError, match="pattern"):
        open_model(f"scripted:{path}")


def test_a_table_answers_by_last_message_or_key() -> None:
    model = Scripted({"Hello.": "Hi.", ask("Bye.").key: "See you."})
    assert model.complete(ask("Hello.")).text == "Hi."
    assert model.complete(ask("Bye.")).text == "See you."
    with pytest.raises(BadAnswer):
        model.complete(ask("What?"))


def test_prices_are_read_from_toml_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('["gpt-4o"]\ninput_per_million = 2.5\noutput_per_million = 10\n')
    assert read_prices(path) == {"gpt-4o": Price(input_per_million=2.5, output_per_million=10)}
    for text, words in (
        ("[a]\ninput_per_million = -1\noutput_per_million = 1", "at least 0"),
        ("[a]\ninput_per_million = nan\noutput_per_million = 1", "at least 0"),
        ("[a]\ninput = 1", "a.input"),
        ("[[", "TOML"),
    ):
        path.write_text(text)
        with pytest.raises(DataError, match=words):
            read_prices(path)
