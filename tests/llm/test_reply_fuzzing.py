"""Whatever a server sends, it is a whole answer or a named error of one line."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.llm.errors import ModelError
from globesumm.llm.request import Completion
from globesumm.llm.server_replies import blamed, completion_from, error_from, retry_after
from globesumm.llm.thinking import split_thinking
from globesumm.llm.transport import Reply
from globesumm.records import from_json, to_json
from tests.llm.conftest import ask, reply

PLAIN: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("content", "refusal", "reasoning", "reasoning_content", "thinking"), PLAIN
    ),
)
CHOICES = st.fixed_dictionaries(
    {},
    optional={"message": MESSAGES | PLAIN, "text": PLAIN, "finish_reason": PLAIN | st.just("stop")},
)
REPLIES = st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(CHOICES | PLAIN, max_size=2) | PLAIN,
        "usage": st.dictionaries(
            st.sampled_from(
                ["prompt_tokens", "completion_tokens", "completion_tokens_details"]
            ),
            PLAIN,
        )
        | PLAIN,
        "model": PLAIN,
        "system_fingerprint": PLAIN,
        "error": PLAIN,
    },
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(REPLIES | st.builds(lambda c: reply(choices=[c]), CHOICES))
def test_a_reply_is_a_whole_answer_or_a_named_error(body: Any) -> None:
    completion, error = read(json.dumps(body))
    kept = completion if error is None else error.completion
    assert kept is None or from_json(Completion, to_json(kept)) == kept
    assert error is not None or (completion is not None and completion.text.strip())
    assert error is None or len(str(error).splitlines()) == 1


def read(text: str) -> tuple[Completion | None, ModelError | None]:
    try:
        return completion_from(text, ask(max_tokens=5), "http://x", ()), None
    except ModelError as error:
        return None, error


@settings(max_examples=200, deadline=None)
@given(
    st.integers(400, 599), st.text(max_size=300) | PLAIN.map(json.dumps) | REPLIES.map(json.dumps)
)
def test_every_error_reply_has_a_name_and_one_line(status: int, text: str) -> None:
    answer = Reply(status, text, {})
    error = error_from(answer, "http://x")
    assert isinstance(error, ModelError)
    assert len(str(error).splitlines()) == 1
    assert blamed(answer, {"seed": 0}) in (None, "seed")


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_wait_that_a_server_asks_for_is_bounded(after: str, date: str) -> None:
    wait = retry_after({"Retry-After": after, "date": date})
    assert wait is None or 0 <= wait <= 3600


@given(st.lists(st.sampled_from(["<think>", "</think>", "[THINK]", "[/THINK]", "a", "\n"])))
def test_taking_reasoning_apart_loses_no_word(parts: list[str]) -> None:
    text = "".join(parts)
    answer, reasoning, ended = split_thinking(text)
    assert (answer + (reasoning or "")).count("a") == text.count("a")
    assert ended or not answer
