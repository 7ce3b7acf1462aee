"""A client of real servers: gets through each quirk and says so, or raises the named failure."""

import time
from typing import Any

import pytest

from globesumm.errors import UsageError
from globesumm.llm.errors import (
    BadAnswer,
    ConnectionLost,
    ContextOverrun,
    CutOff,
    KeyRefused,
    ModelError,
    QuotaSpent,
    RateLimited,
    Refused,
    RequestRefused,
    ServerDown,
    ServerFault,
    TimedOut,
    UnknownModel,
    WrongAddress,
)
from globesumm.llm.openai_compatible import OpenAICompatible
from globesumm.llm.request import Message, Usage, canonical_json
from tests.llm.conftest import Answer, QuirkServer, ask, choice, reply

SCHEMA = canonical_json({"type": "object", "properties": {}, "additionalProperties": False})


def error(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


def refusing(word: str, answer: Answer) -> Any:
    """A behaviour that gives `answer` wherever the body has the field `word`."""
    return lambda body: answer if word in body else Answer()


def test_an_answer_comes_back_with_usage_model_and_address(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    completion = model.complete(ask(max_tokens=9))
    assert completion.text == "Whole."
    assert completion.usage == Usage(prompt_tokens=12, completion_tokens=3)
    assert (completion.model, completion.server, completion.notes) == ("tiny", server.url, ())
    assert server.calls == [
        {
            "model": "tiny",
            "messages": [{"role": "user", "content": "Say something."}],
            "max_tokens": 9,
            "temperature": 0.0,
            "seed": 0,
        }
    ]


# What servers refuse, and how the request is said again.


def test_a_schema_that_makes_the_server_fail_is_sent_as_json_object(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    def llama_cpp(body: dict[str, Any]) -> Answer:
        if body["response_format"]["type"] == "json_schema":
            return Answer(error("[{'type': 'literal_error'}]", type="internal_server_error"), 500)
        return Answer(reply('{"items": []}'))

    server.behave = llama_cpp
    first = model.complete(ask(schema=SCHEMA))
    assert first.notes == ("schema sent with json_object: json_schema was refused",)
    assert len(server.calls) == 3  # the failure is tried once more: it might have passed
    assert server.calls[-1]["response_format"]["schema"] == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
    second = model.complete(ask("Again.", schema=SCHEMA))
    assert second.notes == first.notes
    assert len(server.calls) == 4  # what was learnt is remembered


def test_a_server_without_any_schema_gets_the_plain_request(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    server.behave = refusing(
        "response_format", Answer(error("Unknown parameter: 'response_format'."), 400)
    )
    notes = model.complete(ask(schema=SCHEMA)).notes
    assert "schema not enforced: the server refused json_schema and json_object" in notes
    assert "a schema was asked for, yet the answer is not JSON" in notes
    assert len(server.calls) == 3


def test_a_passing_fault_does_not_cost_a_schema_that_worked(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    server.replies(Answer(reply("{}")), Answer(error("boom"), 500), Answer(reply("{}")))
    model.complete(ask(schema=SCHEMA))
    with pytest.raises(ServerFault):
        model.complete(ask("Again.", schema=SCHEMA))
    assert model.complete(ask("Once more.", schema=SCHEMA)).notes == ()
    assert all(c["response_format"]["type"] == "json_schema" for c in server.calls)


def test_a_fault_that_no_form_of_a_schema_cures_costs_no_form(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    server.replies(Answer(error("out of order"), 500))
    with pytest.raises(ServerFault):
        model.complete(ask(schema=SCHEMA))
    server.replies(Answer(reply("{}")))
    assert model.complete(ask(schema=SCHEMA)).notes == ()


@pytest.mark.parametrize(
    ("asked", "field", "refusal", "note"),
    [
        ({"max_tokens": 5}, "max_tokens",
         error("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
               "'max_completion_tokens' instead.", param="max_tokens"),
         "token limit sent as max_completion_tokens: max_tokens was refused"),
        ({"temperature": 0}, "temperature",
         error("Unsupported value: 'temperature' does not support 0 with this model. Only the "
               "default (1) value is supported.", param="temperature", code="unsupported_value"),
         "temperature 0.0 refused by the server: its own setting was used"),
        ({"top_p": 0.5}, "top_p", error("top_p is not supported", param="top_p"),
         "top_p 0.5 refused by the server: its own setting was used"),
        ({"seed": 4}, "seed", error("Unrecognized request argument supplied: seed"),
         "seed 4 refused by the server: its own setting was used"),
        ({"stop": ("END",)}, "stop", error("'stop' is not supported with this model"),
         "stop ['END'] refused by the server: its own setting was used"),
        ({"reasoning": "low"}, "reasoning_effort",
         error("Unrecognized request argument supplied: reasoning_effort"),
         "reasoning 'low' refused by the server: its own setting was used"),
        ({"reasoning": "off"}, "reasoning_effort", error("reasoning_effort: input should be low"),
         "reasoning 'off' sent to the chat template alone"),
        ({"reasoning": 256}, "thinking_budget_tokens",
         {"detail": [{"loc": ["body", "thinking_budget_tokens"], "msg": "Extra inputs are not "
                                                                        "permitted"}]},
         "reasoning budget sent as thinking_token_budget alone"),
        ({"grammar": 'root ::= "a"'}, "structured_outputs", error("unknown: structured_outputs"),
         "grammar sent as 'grammar' alone"),
    ],
)  # fmt: skip
def test_a_refused_setting_is_said_another_way_and_noted(
    server: QuirkServer,
    model: OpenAICompatible,
    *,
    asked: dict[str, Any],
    field: str,
    refusal: dict[str, Any],
    note: str,
) -> None:
    server.behave = refusing(field, Answer(refusal, 400))
    completion = model.complete(ask(**asked))
    assert completion.notes == (note,)
    assert field in server.calls[0]
    assert field not in server.calls[1]
    assert len(server.calls) == 2
    assert "way 2" in model.facts()["restated"]


def test_a_model_without_system_messages_gets_them_in_the_first_user_message(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    def gemma(body: dict[str, Any]) -> Answer:
        if body["messages"][0]["role"] == "system":
            return Answer(error("System role not supported"), 400)
        return Answer()

    server.behave = gemma
    messages = (Message("system", "Be brief."), Message("user", "Hello."))
    assert "no system message" in model.complete(ask(messages=messages)).notes[0]
    assert server.calls[-1]["messages"] == [{"role": "user", "content": "Be brief.\n\nHello."}]


def test_several_refusals_in_a_row_are_all_worked_round(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    def strict(body: dict[str, Any]) -> Answer:
        for field in ("max_tokens", "temperature", "seed", "response_format"):
            if field in body:
                return Answer(error(f"Unsupported parameter: '{field}'", param=field), 400)
        return Answer()

    server.behave = strict
    assert len(model.complete(ask(max_tokens=5, schema=SCHEMA)).notes) == 5
    assert set(server.calls[-1]) == {"model", "messages", "max_completion_tokens"}


def test_samples_are_requests_of_their_own_and_n_is_never_sent(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    for sample in range(3):
        model.complete(ask(temperature=1, seed=7, sample=sample))
    assert [call["seed"] for call in server.calls] == [7, 8, 9]
    assert not any("n" in call or "stream" in call for call in server.calls)


def test_a_limit_that_the_server_ignores_is_noticed_and_said_another_way(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    used = {"prompt_tokens": 5, "completion_tokens": 50, "total_tokens": 55}
    server.replies(Answer(reply(usage=used)), Answer())
    assert "the server ignored the limit of 9 tokens" in model.complete(ask(max_tokens=9)).notes
    model.complete(ask("Again.", max_tokens=9))
    assert server.calls[1]["max_completion_tokens"] == 9


# What servers leave out or put elsewhere.


def test_a_missing_usage_is_none_and_noted(server: QuirkServer, model: OpenAICompatible) -> None:
    for usage in (None, {}, {"prompt_tokens": "many"}, "none", {"prompt_tokens": -1}):
        server.replies(Answer(reply(usage=usage)))
        completion = model.complete(ask())
        assert completion.usage is None
        assert completion.notes == ("no token usage was reported",)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking"])
def test_reasoning_in_a_field_is_kept_apart_with_its_tokens(
    server: QuirkServer, model: OpenAICompatible, field: str
) -> None:
    usage = {
        "prompt_tokens": 5,
        "completion_tokens": 40,
        "completion_tokens_details": {"reasoning_tokens": 30},
        "prompt_tokens_details": {"cached_tokens": 2},
    }
    body = reply(usage=usage) | choice(content="Yes.", **{field: "Hm."})
    server.replies(Answer(body))
    completion = model.complete(ask(reasoning=20))
    assert (completion.text, completion.reasoning) == ("Yes.", "Hm.")
    assert completion.usage == Usage(
        prompt_tokens=5, completion_tokens=40, reasoning_tokens=30, cached_tokens=2
    )
    assert completion.notes == ("reasoning took 30 tokens, more than its budget of 20",)


def test_reasoning_in_the_text_is_taken_out_of_it(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    server.replies(Answer(reply("<think>\nHm.\n</think>\n\nYes.")))
    completion = model.complete(ask())
    assert (completion.text, completion.reasoning) == ("Yes.", "Hm.")


def test_content_in_parts_and_old_style_text_are_read(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    parts = [
        {"type": "text", "text": "One "},
        {"type": "thinking"},
        {"type": "text", "text": "two"},
    ]
    server.replies(
        Answer(reply() | choice(content=parts)),
        Answer(reply() | {"choices": [{"text": "Old.", "finish_reason": "stop"}]}),
    )
    assert model.complete(ask()).text == "One two"
    assert model.complete(ask("Again.")).text == "Old."


# Answers that are not whole.


@pytest.mark.parametrize(
    ("body", "kind", "kept"),
    [
        (choice("length", content="Half a sen"), CutOff, "Half a sen"),
        (choice("max_tokens", content="Half"), CutOff, "Half"),
        (choice("content_filter", content="Some"), Refused, "Some"),
        (choice("stop", content=None, refusal="I can't help."), Refused, "I can't help."),
        (choice("stop", content=""), BadAnswer, ""),
        (choice("stop", content=" \n "), BadAnswer, " \n "),
        (choice("stop", content="<think>endless"), BadAnswer, ""),
        (choice("stop", content=None, reasoning="Only this."), BadAnswer, ""),
        (choice("tool_calls", content=None), BadAnswer, ""),
        (choice("error", content="x"), BadAnswer, "x"),
    ],
)
def test_an_answer_that_is_not_whole_is_a_named_error_that_keeps_it(
    server: QuirkServer,
    model: OpenAICompatible,
    *,
    body: dict[str, Any],
    kind: type[ModelError],
    kept: str,
) -> None:
    server.replies(Answer(reply() | body))
    with pytest.raises(kind) as caught:
        model.complete(ask())
    assert caught.value.completion is not None
    assert caught.value.completion.text == kept
    assert caught.value.completion.usage == Usage(prompt_tokens=12, completion_tokens=3)


def test_an_answer_without_a_finish_reason_is_cut_off_only_at_its_limit(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    server.replies(Answer(reply() | choice(None, content="Whole?")))
    assert "the server stated no finish reason" in model.complete(ask(max_tokens=9)).notes
    with pytest.raises(CutOff):
        model.complete(ask(max_tokens=3))


@pytest.mark.parametrize(
    "answer",
    [
        Answer("<html><body>Welcome</body></html>", kind="text/html"),
        Answer(""),
        Answer("null"),
        Answer("[" * 100_000),
        Answer(reply(choices=[])),
        Answer(reply(choices=None)),
        Answer(reply(choices=["text"])),
        Answer({"id": "x"}),
        Answer(reply() | {"choices": [{"finish_reason": "stop"}]}),
    ],
    ids=lambda answer: str(answer.content[:30]),
)
def test_a_reply_that_is_no_answer_is_named(
    server: QuirkServer, model: OpenAICompatible, answer: Answer
) -> None:
    server.replies(answer)
    with pytest.raises(BadAnswer) as caught:
        model.complete(ask())
    assert "\n" not in str(caught.value)


# Errors by name.

OVERRUNS = [
    (400, error("This model's maximum context length is 2048 tokens. However, you requested 2968 "
                "tokens (2952 in the messages, 16 in the completion).",
                code="context_length_exceeded"), 2968, 2048),
    (400, {"object": "error", "message": "This model's maximum context length is 16384 tokens. "
           "However, you requested 122946 tokens (112946 in the messages, 10000 in the "
           "completion).", "type": "BadRequestError", "code": 400}, 122946, 16384),
    (400, error("the request exceeds the available context size, try increasing it",
                type="exceed_context_size_error", n_prompt_tokens=1407, n_ctx=256), 1407, 256),
    (500, error("the request exceeds the available context size", code=500,
                type="exceed_context_size_error"), None, None),
    (400, error("prompt is too long: 210000 tokens > 200000 maximum"), None, None),
    (422, error("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens: "
                "input_tokens and max_new_tokens must be less"), None, None),
    (413, "Request Entity Too Large", None, None),
    (400, error("Please reduce the length of the messages."), None, None),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "tokens", "window"), OVERRUNS)
def test_a_prompt_past_the_window_is_recognised_in_every_servers_words(
    server: QuirkServer,
    model: OpenAICompatible,
    *,
    status: int,
    body: Any,
    tokens: int | None,
    window: int | None,
) -> None:
    server.replies(Answer(body, status))
    with pytest.raises(ContextOverrun) as caught:
        model.complete(ask(max_tokens=5))
    assert (caught.value.tokens, caught.value.window) == (tokens, window)
    assert len(server.calls) == 1


def test_a_prompt_that_the_server_shortened_in_silence_is_an_overrun(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    used = {"prompt_tokens": 4096, "completion_tokens": 3, "total_tokens": 4099}
    server.replies(Answer(reply(usage=used)))
    with pytest.raises(ContextOverrun, match="num_ctx"):
        model.complete(ask("word " * 20_000))
    assert model.complete(ask("word " * 4_000)).text == "Whole."


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, error("The model `tiny` does not exist or you do not have access to it.",
                    code="model_not_found")),
        (404, {"object": "error", "message": "The model `seed-oss` does not exist.", "code": 404}),
        (404, error('model "tiny" not found, try pulling it first', type="api_error")),
        (400, error("tiny is not a valid model ID")),
        (404, {"detail": "Not Found"}),
    ],
)  # fmt: skip
def test_an_unknown_model_gets_the_servers_list(
    server: QuirkServer, model: OpenAICompatible, status: int, body: Any
) -> None:
    server.models = {"data": [{"id": "llama3:8b"}, {"id": "tinyllama"}]}
    server.replies(Answer(body, status))
    with pytest.raises(UnknownModel, match=r"did you mean 'tinyllama'.*llama3:8b, tinyllama") as e:
        model.complete(ask())
    assert e.value.known == ("llama3:8b", "tinyllama")
    assert isinstance(e.value, UsageError)


def test_a_page_that_is_no_model_server_is_a_wrong_address(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    server.models = None
    server.replies(Answer("404 page not found", 404, kind="text/plain"))
    with pytest.raises(WrongAddress, match="/v1"):
        model.complete(ask())


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, error("Incorrect API key provided."), KeyRefused),
        (403, error("Forbidden"), KeyRefused),
        (429, error("You exceeded your current quota.", code="insufficient_quota"), QuotaSpent),
        (402, error("Insufficient credits"), QuotaSpent),
        (429, error("Rate limit reached"), RateLimited),
        (429, error("Request too large for tiny on tokens per min"), ContextOverrun),
        (400, error("The response was filtered", code="content_filter"), Refused),
        (403, error("Your input was flagged."), Refused),
        (400, error("max_tokens is too large: 99999.", param="max_tokens"), RequestRefused),
        (400, error("No good reason"), RequestRefused),
        (501, error("Not implemented"), RequestRefused),
        (500, "Internal Server Error", ServerFault),
        (503, error("Loading model"), ServerFault),
        (529, "overloaded", ServerFault),
        (408, "", ServerFault),
        (200, error("upstream failed", code=503), ServerFault),
        (200, {"error": "no more"}, ServerFault),
        (200, error("slow down", code=429), RateLimited),
    ],
)
def test_each_refusal_of_a_server_has_its_name(
    server: QuirkServer,
    model: OpenAICompatible,
    *,
    status: int,
    body: Any,
    kind: type[ModelError],
) -> None:
    server.replies(Answer(body, status))
    with pytest.raises(ModelError) as caught:
        model.complete(ask(max_tokens=5))
    assert type(caught.value) is kind
    assert server.url in str(caught.value)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": "Mon, 30 Nov 2026 10:00:30 GMT", "Date": "Mon, 30 Nov 2026 10:00:00 GMT"},
         30.0),
        ({"Retry-After": "Mon, 30 Nov 2020 10:00:30 GMT"}, 0.0),
        ({"Retry-After": "999999999"}, 3600.0),
        ({"Retry-After": "soon"}, None), ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None), ({"Retry-After": "inf"}, None), ({}, None),
    ],
)  # fmt: skip
def test_the_wait_that_a_server_asks_for_is_read(
    headers: dict[str, str], seconds: float | None
) -> None:
    from globesumm.llm.server_replies import retry_after

    assert retry_after(headers) == seconds


# Connections.


@pytest.mark.parametrize("fault", ["reset", "cut"])
def test_a_broken_connection_is_named(
    server: QuirkServer, model: OpenAICompatible, fault: str
) -> None:
    server.replies(Answer(fault=fault))
    with pytest.raises(ConnectionLost) as caught:
        model.complete(ask())
    assert caught.value.retryable


@pytest.mark.parametrize("answer", [Answer(wait=2), Answer(fault="trickle")])
def test_a_slow_server_is_given_up_in_time(server: QuirkServer, answer: Answer) -> None:
    model = OpenAICompatible("tiny", server.url, timeout_seconds=0.4)
    server.replies(answer)
    started = time.monotonic()
    with pytest.raises(TimedOut):
        model.complete(ask())
    assert time.monotonic() - started < 1.5
    model.close()


def test_a_reply_without_end_is_stopped(
    server: QuirkServer, model: OpenAICompatible, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("globesumm.llm.transport.LONGEST_REPLY", 10_000)
    server.replies(Answer(reply("x" * 100_000)))
    with pytest.raises(BadAnswer, match="longer than 10000 bytes"):
        model.complete(ask())
    server.replies(Answer("x" * 1_000_000, 500))
    with pytest.raises(ServerFault) as caught:
        model.complete(ask())
    assert len(str(caught.value)) < 500


def test_a_server_that_is_down_is_named_at_once_with_its_address() -> None:
    model = OpenAICompatible("tiny", "http://127.0.0.1:9/v1", timeout_seconds=5)
    started = time.monotonic()
    with pytest.raises(ServerDown, match=r"http://127.0.0.1:9/v1") as caught:
        model.complete(ask())
    assert time.monotonic() - started < 2
    assert not caught.value.retryable
    assert isinstance(caught.value, UsageError)


def test_a_server_that_answered_before_may_come_back(server: QuirkServer) -> None:
    model = OpenAICompatible("tiny", server.url, timeout_seconds=5)
    server.replies(Answer(headers={"Connection": "close"}))
    model.complete(ask())
    server.stop()
    with pytest.raises(ServerDown) as caught:
        model.complete(ask("Again."))
    assert caught.value.retryable


def test_lone_surrogates_and_nulls_in_a_prompt_reach_the_server_as_text(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    completion = model.complete(ask("a\ud800b\x00c"))
    assert server.calls[0]["messages"][0]["content"] == "a?b\x00c"
    assert completion.notes == ("lone surrogates in the prompt became '?'",)


def test_the_window_is_learnt_from_a_list_that_states_it(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    server.models = {"data": [{"id": "tiny", "max_model_len": 4096}, "odd", {"id": 3}]}
    assert model.context_window is None
    assert model.models() == ("tiny",)
    assert model.context_window == 4096


def test_a_server_without_a_list_has_no_models_to_name(
    server: QuirkServer, model: OpenAICompatible
) -> None:
    server.models = None
    assert model.models() == ()
