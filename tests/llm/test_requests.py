"""What decides an answer, and that its key never changes by accident."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.errors import UsageError
from globesumm.llm.request import Completion, Decoding, Message, Request, Usage, canonical_json
from globesumm.llm.thinking import split_thinking
from globesumm.records import from_json, to_json

PLAIN = Request(model="m", messages=(Message("user", "hé"),), decoding=Decoding(max_tokens=5))
FULL = Request(
    model="org/model",
    messages=(Message("system", "Be brief."), Message("user", "你好"), Message("assistant", "")),
    decoding=Decoding(
        temperature=0.7, top_p=0.9, max_tokens=9, seed=3, stop=("END",), reasoning="low"
    ),
    sample=2,
    schema=canonical_json({"type": "object"}),
)


def test_the_key_of_a_request_is_the_one_that_stored_calls_have() -> None:
    assert PLAIN.key == "27e66e51fc25ed9e1d8b8569d56360b18959a875d741b1a776d6322a23728352"
    assert FULL.key == "1b879d821d5a35614df7b4750d780a527e7486ed37e1dd507ef9a948b56205a0"


@pytest.mark.parametrize(
    "changed",
    [
        replace(FULL, model="other"),
        replace(FULL, messages=FULL.messages[:2]),
        replace(FULL, messages=(Message("user", "Be brief."), *FULL.messages[1:])),
        replace(FULL, sample=3),
        replace(FULL, schema=None),
        replace(FULL, schema=None, grammar='root ::= "a"'),
        replace(FULL, decoding=replace(FULL.decoding, temperature=0.0)),
        replace(FULL, decoding=replace(FULL.decoding, temperature=None)),
        replace(FULL, decoding=replace(FULL.decoding, top_p=None)),
        replace(FULL, decoding=replace(FULL.decoding, max_tokens=10)),
        replace(FULL, decoding=replace(FULL.decoding, seed=None)),
        replace(FULL, decoding=replace(FULL.decoding, stop=())),
        replace(FULL, decoding=replace(FULL.decoding, reasoning=512)),
        replace(FULL, decoding=replace(FULL.decoding, reasoning="off")),
    ],
)
def test_every_part_of_a_request_changes_its_key(changed: Request) -> None:
    assert changed.key != FULL.key


def test_a_whole_number_and_a_decimal_of_one_temperature_are_one_request() -> None:
    assert Decoding(temperature=0) == Decoding(temperature=0.0)
    assert replace(PLAIN, decoding=Decoding(temperature=0, max_tokens=5)).key == PLAIN.key


@pytest.mark.parametrize(
    "fields",
    [
        {"temperature": -1}, {"temperature": float("nan")}, {"temperature": "hot"},
        {"temperature": True}, {"temperature": 10**400}, {"top_p": 0}, {"top_p": 1.5},
        {"max_tokens": 0}, {"max_tokens": 2.5}, {"max_tokens": True}, {"seed": "a"},
        {"stop": "END"}, {"stop": ("",)}, {"stop": (1,)}, {"reasoning": "hard"},
        {"reasoning": 0}, {"reasoning": True}, {"reasoning": 1.5},
    ],
)  # fmt: skip
def test_a_setting_out_of_range_is_refused_by_name(fields: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(fields))):
        Decoding(**fields)


def test_a_request_without_messages_or_with_two_forms_is_refused() -> None:
    with pytest.raises(UsageError, match="message"):
        Request(model="m", messages=())
    with pytest.raises(UsageError, match="not both"):
        replace(FULL, grammar="root ::= x")
    with pytest.raises(UsageError, match="canonical_json"):
        replace(FULL, schema="{broken")


def test_samples_take_seeds_of_their_own() -> None:
    assert [replace(FULL, sample=n).seed for n in range(3)] == [3, 4, 5]
    assert replace(FULL, decoding=Decoding(seed=None)).seed is None


@given(st.text(st.characters(), max_size=40), st.floats(0, 2), st.integers(0, 9))
def test_requests_and_completions_survive_the_trip_to_disk(
    text: str, temperature: float, sample: int
) -> None:
    request = replace(
        PLAIN,
        messages=(Message("user", text),),
        decoding=Decoding(temperature=temperature),
        sample=sample,
    )
    assert from_json(Request, to_json(request)) == request
    completion = Completion(text=text, usage=Usage(prompt_tokens=1), notes=(text,))
    assert from_json(Completion, to_json(completion)) == completion


def test_a_lone_surrogate_in_a_message_has_a_key_and_survives() -> None:
    request = replace(PLAIN, messages=(Message("user", "a\ud800b"),))
    assert len(request.key) == 64
    assert from_json(Request, to_json(request)) == request


@pytest.mark.parametrize(
    ("raw", "answer", "reasoning"),
    [
        ("Plain.", "Plain.", None),
        ("<think>\nHm.\n</think>\n\nYes.", "Yes.", "Hm."),
        ("<Thinking>Hm.</Thinking>Yes.", "Yes.", "Hm."),
        ("[THINK]Hm.[/THINK]Yes.", "Yes.", "Hm."),
        ("Hm, so.\n</think>\nYes.", "Yes.", "Hm, so."),
        ("<think>a</think><think>b</think>Yes.", "Yes.", "a\n\nb"),
        ("<think></think>Yes.", "Yes.", None),
        ("They say <think>this</think> now.", "They say <think>this</think> now.", None),
    ],
)
def test_reasoning_in_the_text_is_kept_apart(raw: str, answer: str, reasoning: str | None) -> None:
    assert split_thinking(raw) == (answer, reasoning, True)


def test_reasoning_that_never_ends_leaves_no_answer() -> None:
    assert split_thinking("<think>Hm, and then") == ("", "Hm, and then", False)
