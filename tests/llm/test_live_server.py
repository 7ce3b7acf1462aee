"""A real llama.cpp server with a real small model, over real HTTP."""

import json
from pathlib import Path

import pytest

from globesumm.llm.backends import open_model
from globesumm.llm.errors import ContextOverrun, CutOff
from globesumm.llm.request import Completion, canonical_json
from tests.live import WEAK, WINDOW, Server, longest
from tests.llm.conftest import ask

pytestmark = pytest.mark.slow


def form(name: str, value: dict[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {name: value},
        "required": [name],
        "additionalProperties": False,
    }


WORD: dict[str, object] = {"type": "string", "pattern": "^[A-Za-z]{1,12}$"}
LIST = form("items", {"type": "array", "items": WORD, "minItems": 1, "maxItems": 3})
ENDLESS = form("story", {"type": "string", "pattern": "^[a-z]{400}$"})
"""Far too long for the few tokens that it is given, whatever stands in it."""


def test_a_real_server_answers_and_the_store_keeps_it(live_server: Server, tmp_path: Path) -> None:
    schema = form("capital", WORD)
    request = ask(
        "What is the capital of France?", model="smollm2", max_tokens=60,
        schema=canonical_json(schema),
    )  # fmt: skip
    assert longest(schema) < 60
    store = tmp_path / "calls.sqlite"
    with open_model("smollm2", live_server.url, store=store) as model:
        first = model.complete(request)
        assert json.loads(first.text)["capital"].isalpha()
        assert first.usage is not None
        prompt, answer = first.usage.prompt_tokens, first.usage.completion_tokens
        assert prompt is not None
        assert answer is not None
        assert prompt > 0
        assert 0 < answer < 60
        assert (model.totals.calls, model.totals.tokens) == (1, prompt + answer)
    with open_model("smollm2", live_server.url, store=store) as model:
        assert model.complete(request) == first
        assert (model.totals.calls, model.totals.hits) == (0, 1)
    with open_model("smollm2", live_server.url) as model:
        assert json.loads(model.complete(request).text)["capital"].isalpha()
        assert (model.totals.calls, model.totals.hits) == (1, 0)


def test_a_real_servers_schema_is_found_out_and_kept(live_server: Server) -> None:
    request = ask(
        "Name three colours as a JSON list.", model="smollm2", max_tokens=80,
        schema=canonical_json(LIST),
    )  # fmt: skip
    assert longest(LIST) < 80
    with open_model("smollm2", live_server.url) as model:
        completion = model.complete(request)
    items = json.loads(completion.text)["items"]
    assert 1 <= len(items) <= 3
    assert all(item.isalpha() and len(item) <= 12 for item in items)
    assert completion.notes == ("schema sent with json_object: json_schema was refused",)


def test_a_real_servers_limits_have_their_names(live_server: Server) -> None:
    endless = canonical_json(ENDLESS)
    requests = [
        ask("Tell a long story.", model="smollm2", max_tokens=8, schema=endless),
        ask("word " * 2 * WINDOW, model="smollm2", max_tokens=10),
        ask("Say yes.", model="smollm2", max_tokens=40, temperature=0.8, seed=3, stop=("zzz",)),
    ]
    with open_model("smollm2", live_server.url, most_at_once=3) as model:
        cut, over, free = model.complete_all(requests)
    assert isinstance(cut, CutOff)
    assert cut.completion is not None
    assert cut.completion.usage is not None
    assert cut.completion.usage.completion_tokens == 8
    assert isinstance(over, ContextOverrun)
    assert over.window == WINDOW
    # In free text the model ends where it will, if it does.
    assert isinstance(free, Completion) or WEAK.search(str(free))
