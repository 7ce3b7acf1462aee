"""Batches bring every answer into the store once, whatever their server does with the lines."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from globesumm.errors import UsageError
from globesumm.llm.batch import Batches, Counts, Progress, batch_server, in_waves
from globesumm.llm.batch.collecting import Collecting
from globesumm.llm.call_store import CallStore
from globesumm.llm.errors import ModelError, ServerFault
from globesumm.llm.metered import Caps, Meter
from globesumm.llm.openai_compatible import OpenAICompatible
from globesumm.llm.request import Message, Model, Request
from globesumm.llm.scripted import Scripted
from tests.llm.batch_house import BatchHouse, answered, expired, refused


@pytest.fixture
def house() -> Iterator[BatchHouse]:
    running = BatchHouse()
    yield running
    running.stop()


class Desk:
    """A run's side: a store, a meter, and the batches of a folder."""

    def __init__(self, folder: Path, house: BatchHouse, **settings: Any) -> None:
        self.backend = OpenAICompatible("tiny", house.url, timeout_seconds=5)
        self.server = batch_server(self.backend)
        self.server._sleep = lambda _: None
        self.store = CallStore(folder / "calls.sqlite")
        self.meter = Meter(caps=settings.pop("caps", None))
        self.told: list[str] = []
        self.batches = Batches(
            folder / "batches",
            self.store,
            self.meter,
            told=self.told.append,
            sleep=lambda _: None,
            **settings,
        )

    def answer(self, requests: Mapping[str, Request]) -> Progress:
        return self.batches.answer(self.server, "tiny", requests)


def requests(count: int, start: int = 0) -> dict[str, Request]:
    made = [
        Request(model="tiny", messages=(Message("user", f"question {number}"),))
        for number in range(start, start + count)
    ]
    return {one.key: one for one in made}


def test_every_answer_is_stored_under_its_own_request_whatever_the_order(
    tmp_path: Path, house: BatchHouse
) -> None:
    plain = house.work
    house.work = lambda lines: plain(lines[::-1])
    desk, asked = Desk(tmp_path, house), requests(20)
    assert desk.answer(asked) == Progress(counts=Counts(answered=20))
    for key, request in asked.items():
        found = desk.store.get(key)
        assert found
        assert found.text == f"answer to {request.messages[-1].content}"
    assert desk.meter.totals.calls == 20
    assert desk.meter.totals.tokens == 20 * 12


def test_what_expired_failed_or_was_never_mentioned_is_redone_and_nothing_else(
    tmp_path: Path, house: BatchHouse
) -> None:
    rounds = iter([0, 1])

    def work(lines: list[dict[str, Any]]) -> tuple[str, list[Any], list[Any]]:
        if next(rounds):
            return "completed", [answered(line, "late") for line in lines], []
        good = [answered(line, "early") for line in lines[3:]]
        stranger = answered(lines[0] | {"custom_id": "nobody's"}, "strange")
        wrong = [expired(lines[0]), refused(lines[1], 500, "the server fell over")]
        return "expired", [*good, good[0], stranger, "no JSON"], wrong

    house.work = work
    desk, asked = Desk(tmp_path, house), requests(10)
    found = desk.answer(asked)
    assert found.counts == Counts(answered=10, expired=1, failed=1, missing=1, strange=3)
    assert (found.left, found.waiting) == (0, 0)
    assert len(house.batches) == 2
    assert sorted(house.asked()[10:]) == ["question 0", "question 1", "question 2"]
    assert desk.meter.totals.calls == 11
    assert [call.error for call in desk.store.failures()] == [ServerFault.__name__]


def test_a_line_that_can_never_be_answered_is_not_sent_again(
    tmp_path: Path, house: BatchHouse
) -> None:
    house.work = lambda lines: (
        "completed",
        [],
        [refused(line, 400, "maximum context length is 10 tokens") for line in lines],
    )
    desk = Desk(tmp_path, house)
    found = desk.answer(requests(3))
    assert (found.counts.failed, found.left, len(house.batches)) == (3, 3, 1)


def test_a_refused_setting_is_stated_in_another_way_when_the_line_is_redone(
    tmp_path: Path, house: BatchHouse
) -> None:
    def work(lines: list[dict[str, Any]]) -> tuple[str, list[Any], list[Any]]:
        if "temperature" in lines[0]["body"]:
            said = "Unsupported value: 'temperature' does not support 0"
            return "completed", [], [refused(line, 400, said) for line in lines]
        return "completed", [answered(line, "yes") for line in lines], []

    house.work = work
    desk, asked = Desk(tmp_path, house), requests(2)
    assert desk.answer(asked).counts.answered == 2
    stored = desk.store.get(next(iter(asked)))
    assert stored
    assert any("temperature" in note for note in stored.notes)


def test_a_batch_that_always_fails_leaves_its_calls_to_ordinary_ones(
    tmp_path: Path, house: BatchHouse
) -> None:
    house.work = lambda _: ("failed", [], [])
    found = Desk(tmp_path, house).answer(requests(4))
    assert (found.left, found.counts.missing, len(house.batches)) == (4, 12, 3)


def test_without_waiting_the_batch_is_taken_up_on_another_day(
    tmp_path: Path, house: BatchHouse
) -> None:
    house.looks = 2
    asked = requests(5)
    today = Desk(tmp_path, house, wait=False)
    assert today.answer(asked).waiting == 5
    today.store.close()
    tomorrow = Desk(tmp_path, house, wait=False)
    assert tomorrow.answer(asked).counts == Counts(answered=5)
    assert len(house.batches) == 1
    assert tomorrow.meter.totals.calls == 5


@pytest.mark.parametrize("moment", ["upload", "submit", "ask"])
def test_a_kill_between_any_two_steps_submits_no_batch_twice(
    tmp_path: Path, house: BatchHouse, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    asked, first = requests(5), Desk(tmp_path, house)
    real = getattr(first.server, moment)

    def dies(*given: Any) -> Any:
        if moment != "upload":
            real(*given)
        raise Killed

    monkeypatch.setattr(first.server, moment, dies)
    with pytest.raises(Killed):
        first.answer(asked)
    first.store.close()
    again = Desk(tmp_path, house)
    assert again.answer(asked).counts.answered == 5
    assert len(house.batches) == 1


def test_a_lost_reply_to_a_submission_makes_no_second_batch(
    tmp_path: Path, house: BatchHouse
) -> None:
    house.lose_reply = True
    assert Desk(tmp_path, house).answer(requests(2)).counts.answered == 2
    assert len(house.batches) == 1


def test_passing_faults_of_the_endpoints_are_waited_out(tmp_path: Path, house: BatchHouse) -> None:
    house.refuse_next = [429, 500, 503]
    assert Desk(tmp_path, house).answer(requests(2)).counts.answered == 2


def test_long_inputs_are_split_into_several_batches(tmp_path: Path, house: BatchHouse) -> None:
    desk = Desk(tmp_path, house, most_lines=4)
    assert desk.answer(requests(10)).counts.answered == 10
    assert len(house.batches) == 3


def test_a_cap_keeps_further_lines_back_and_says_so(tmp_path: Path, house: BatchHouse) -> None:
    desk = Desk(tmp_path, house, caps=Caps(calls=3))
    found = desk.answer(requests(5))
    assert found.counts.answered == 3
    assert found.left == 2
    assert found.stopped
    assert "cap of 3 calls" in found.stopped


def test_a_server_without_batches_is_named(tmp_path: Path, house: BatchHouse) -> None:
    house.refuse_next = [404]
    with pytest.raises(UsageError, match=r"has no Batch API .*leave --batch away"):
        Desk(tmp_path, house).answer(requests(1))


def test_a_model_without_a_server_has_no_batches() -> None:
    with pytest.raises(UsageError, match="batches need a model behind an OpenAI-compatible"):
        batch_server(Scripted({}))


def test_steps_that_follow_from_answers_go_out_in_waves(tmp_path: Path, house: BatchHouse) -> None:
    desk = Desk(tmp_path, house)
    finished: list[str] = []

    def work(models: Mapping[str, Model]) -> None:
        for start in ("one", "two"):
            text = start
            try:
                for _ in range(3):
                    request = Request(model="tiny", messages=(Message("user", text),))
                    text = models["tiny"].complete(request).text
            except ModelError:
                continue
            finished.append(text)

    def answer(_: str, lacking: Mapping[str, Request]) -> bool:
        return not desk.answer(lacking).waiting

    assert in_waves(work, {"tiny": desk.backend}, desk.store, answer)
    assert len(house.batches) == 3
    assert finished == [f"answer to answer to answer to {start}" for start in ("one", "two")]


def test_waves_end_where_a_call_can_never_be_answered(tmp_path: Path, house: BatchHouse) -> None:
    house.work = lambda _: ("failed", [], [])
    desk = Desk(tmp_path, house)

    def work(models: Mapping[str, Model]) -> None:
        for request in requests(2).values():
            with pytest.raises(ModelError):
                models["tiny"].complete(request)

    assert not in_waves(
        work,
        {"tiny": desk.backend},
        desk.store,
        lambda _, lacking: not desk.answer(lacking).waiting,
    )


def test_collecting_asks_nothing_of_the_model_inside(tmp_path: Path) -> None:
    store = CallStore(tmp_path / "calls.sqlite")
    collecting = Collecting(Scripted({}), store)
    request = Request(model="scripted", messages=(Message("user", "hello"),))
    with pytest.raises(ModelError, match="waits for its batch"):
        collecting.complete(request)
    assert list(collecting.missing) == [request.key]
