"""Several answers to one prompt: in one call where the server gives them, else one by one."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.author import Author
from baselines.drafts.rerank import Rerank
from baselines.recipes import Drafting, maker, parse_recipe
from baselines.summarize import summarize
from globesumm.config import Drafts
from globesumm.llm.backends import OpenedModel, open_model
from globesumm.llm.call_store import CallStore
from globesumm.llm.errors import LimitReached
from globesumm.llm.metered import Caps
from globesumm.llm.recording import recording
from globesumm.llm.request import Completion, Usage
from globesumm.llm.together import draw_together
from tests.drafts.conftest import event
from tests.llm.conftest import Answer, Behaviour, QuirkServer, ask, reply


@pytest.fixture
def server() -> Iterator[QuirkServer]:
    running = QuirkServer()
    running.models = {"data": [{"id": "tiny"}]}
    yield running
    running.stop()


def giving(most: int) -> Behaviour:
    """A server that gives at most so many answers to one prompt, each telling its number."""

    def behave(body: dict[str, Any]) -> Answer:
        count = min(most, body.get("n", 1))
        seed = body["seed"]
        told = [
            {
                "index": place,
                "message": {"role": "assistant", "content": f"Text {seed + place} is here."},
                "finish_reason": "stop",
            }
            for place in range(count)
        ]
        used = {"prompt_tokens": 100, "completion_tokens": 10 * count + 1}
        return Answer(reply(choices=told, usage=used))

    return behave


def opened(server: QuirkServer, store: Path) -> OpenedModel:
    return open_model("tiny", server.url, store=store, attempts=2, longest_wait_seconds=0.01)


def test_nine_answers_come_in_one_call_and_each_is_stored_by_itself(
    server: QuirkServer, tmp_path: Path
) -> None:
    server.behave = giving(99)
    requests = [ask(sample=sample) for sample in range(9)]
    with opened(server, tmp_path / "calls.sqlite") as model:
        draw_together(model, requests)
        answers = [model.complete(request) for request in requests]
        assert model.totals.calls == 9
        assert model.totals.tokens == 100 + 91
    assert [body.get("n") for body in server.calls] == [9]
    assert [answer.text for answer in answers] == [f"Text {n} is here." for n in range(9)]
    assert answers[0].usage == Usage(prompt_tokens=100, completion_tokens=11)
    assert answers[1].usage == Usage(prompt_tokens=0, completion_tokens=10)
    assert answers[8].notes == ("n = 9 were asked for in one call, and 9 came",)


def test_what_the_store_holds_is_not_drawn_again(server: QuirkServer, tmp_path: Path) -> None:
    server.behave = giving(99)
    path = tmp_path / "calls.sqlite"
    with opened(server, path) as model:
        draw_together(model, [ask(sample=sample) for sample in range(3)])
    with opened(server, path) as model:
        draw_together(model, [ask(sample=sample) for sample in range(5)])
        draw_together(model, [ask(sample=sample) for sample in range(5)])
        assert model.totals.calls == 2
    assert [body.get("n") for body in server.calls] == [3, 2]
    store = CallStore(path, read_only=True)
    assert len(store) == 5
    store.close()


def test_a_server_that_silently_gives_one_is_asked_one_by_one_from_then_on(
    server: QuirkServer, tmp_path: Path
) -> None:
    server.behave = giving(1)
    with opened(server, tmp_path / "calls.sqlite") as model:
        for text in ("One.", "Two."):
            requests = [ask(text, sample=sample) for sample in range(3)]
            draw_together(model, requests)
            assert [model.complete(one).text for one in requests] == [
                f"Text {n} is here." for n in range(3)
            ]
        assert model.totals.calls == 6
    assert [body.get("n") for body in server.calls] == [3, None, None, None, None, None]


@pytest.mark.parametrize(
    ("refusal", "asked_again"),
    [
        (Answer({"error": {"message": "n must be 1", "param": "n"}}, 400), False),
        (Answer({"error": {"message": "maximum context length is 10 tokens"}}, 400), True),
        (Answer({"error": {"message": "busy"}}, 503), True),
        (Answer({"error": {"message": "slow down"}}, 429), True),
        (Answer("<html>", 200), True),
    ],
    ids=["no n", "too long", "a fault", "too many", "no JSON"],
)
def test_a_refusal_of_n_is_remembered_and_another_failure_is_not(
    server: QuirkServer, tmp_path: Path, refusal: Answer, *, asked_again: bool
) -> None:
    whole = giving(99)

    def behave(body: dict[str, Any]) -> Answer:
        return refusal if "n" in body and len(server.calls) == 1 else whole(body)

    server.behave = behave
    with opened(server, tmp_path / "calls.sqlite") as model:
        for text in ("One.", "Two."):
            requests = [ask(text, sample=sample) for sample in range(2)]
            draw_together(model, requests)
            assert all(model.complete(one).text for one in requests)
        assert model.totals.failed <= 1
    assert sum("n" in body for body in server.calls) == 1 + asked_again


def test_one_answer_of_several_that_is_not_whole_is_asked_for_by_itself(
    server: QuirkServer, tmp_path: Path
) -> None:
    whole = giving(99)

    def behave(body: dict[str, Any]) -> Answer:
        if "n" not in body:
            return whole(body)
        told = [
            {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
            for text, finish in (("Whole.", "stop"), ("Cut o", "length"))
        ]
        return Answer(reply(choices=told))

    server.behave = behave
    requests = [ask(sample=sample) for sample in range(2)]
    with opened(server, tmp_path / "calls.sqlite") as model:
        draw_together(model, requests)
        assert [model.complete(one).text for one in requests] == ["Whole.", "Text 1 is here."]
        assert model.store is not None
        assert [one.error for one in model.store.failures()] == ["CutOff"]


def test_answers_that_came_are_kept_though_a_cap_is_reached_by_them(
    server: QuirkServer, tmp_path: Path
) -> None:
    server.behave = giving(99)
    requests = [ask(sample=sample) for sample in range(5)]
    path = tmp_path / "calls.sqlite"
    with open_model("tiny", server.url, store=path, caps=Caps(calls=2)) as model:
        draw_together(model, requests)
        assert [model.complete(one).text for one in requests] == [
            f"Text {n} is here." for n in range(5)
        ]
        with pytest.raises(LimitReached):
            draw_together(model, [ask("More.", sample=sample) for sample in range(2)])
    assert len(server.calls) == 1


def test_who_asks_for_one_that_is_being_drawn_waits_for_it(
    server: QuirkServer, tmp_path: Path
) -> None:
    begun = threading.Event()
    whole = giving(99)

    def behave(body: dict[str, Any]) -> Answer:
        begun.set()
        time.sleep(0.2)
        return whole(body)

    server.behave = behave
    requests = [ask(sample=sample) for sample in range(3)]
    with opened(server, tmp_path / "calls.sqlite") as model:
        drawing = threading.Thread(target=draw_together, args=(model, requests))
        drawing.start()
        begun.wait(10)
        assert model.complete(requests[2]).text == "Text 2 is here."
        drawing.join()
    assert len(server.calls) == 1


def test_without_a_store_or_a_server_nothing_is_drawn_ahead(server: QuirkServer) -> None:
    requests = [ask(sample=sample) for sample in range(2)]
    with open_model("tiny", server.url) as model:
        draw_together(model, requests)
    assert server.calls == []


def drafted(server: QuirkServer, path: Path, method: str) -> tuple[list[str], int]:
    """The keys that a summary rests on, and how many calls it made."""
    with opened(server, path) as model, recording() as uses:
        author = Author(model=model)
        by = maker(parse_recipe(f"sts.none.direct.{method}"), 0, author, drafting=Drafting())
        summarize(event(2), f"sts.none.direct.{method}", by=by)
        return [one.key for one in uses], model.totals.calls


def rating_too(most: int) -> Behaviour:
    whole = giving(most)

    def behave(body: dict[str, Any]) -> Answer:
        return Answer(reply("4")) if "grammar" in body else whole(body)

    return behave


@pytest.mark.parametrize("most", [1, 99], ids=["one at a time", "together"])
def test_a_rerank_says_which_calls_it_rests_on_and_more_drafts_buy_only_what_is_new(
    server: QuirkServer, tmp_path: Path, most: int
) -> None:
    server.behave = rating_too(most)
    path = tmp_path / "calls.sqlite"
    keys, calls = drafted(server, path, "rerank-3")
    assert len(keys) == len(set(keys)) == calls == 3 + 3 * 2
    again, calls = drafted(server, path, "rerank-3")
    assert (again, calls) == (keys, 0)
    more, calls = drafted(server, path, "rerank-5")
    assert set(keys) < set(more)
    assert calls == 2 + 2 * 2


def test_the_default_is_nine_drafts_by_both_proxies_of_the_paper() -> None:
    settings = Drafts()
    assert (settings.n, settings.proxies) == (9, ("llm-coverage", "llm-faithfulness"))
    assert (settings.rounds, settings.agents, settings.joint) == (3, 3, "mean")
    assert Rerank(objectives=()).n == 9
    assert isinstance(Completion(text="x").tokens, tuple)
