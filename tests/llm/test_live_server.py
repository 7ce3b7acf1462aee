"""A real llama.cpp server with a real small model, over real HTTP."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from globesumm.llm.backends import open_model
from globesumm.llm.errors import ContextOverrun, CutOff
from globesumm.llm.request import Completion, canonical_json
from tests.live import llama_server
from tests.llm.conftest import ask

pytestmark = pytest.mark.slow

LIST = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "string"}, "maxItems": 3}},
    "required": ["items"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("server"), 2048) as url:
        yield url


def test_a_real_server_answers_and_the_store_keeps_it(live: str, tmp_path: Path) -> None:
    request = ask("What is the capital of France?", model="smollm2", max_tokens=60)
    store = tmp_path / "calls.sqlite"
    with open_model("smollm2", live, store=store) as model:
        first = model.complete(request)
        assert "France" in first.text  # wired up; what a model of this size knows is no matter
        assert first.usage is not None
        assert model.totals.tokens == (first.usage.prompt_tokens or 0) + (
            first.usage.completion_tokens or 0
        )
    with open_model("smollm2", live, store=store) as model:
        assert model.complete(request) == first
        assert (model.totals.calls, model.totals.hits) == (0, 1)
    with open_model("smollm2", live) as model:
        assert model.complete(request).text == first.text


def test_a_real_servers_schema_is_found_out_and_kept(live: str) -> None:
    import json

    request = ask(
        "Name three colours as a JSON list.", model="smollm2", max_tokens=80,
        schema=canonical_json(LIST),
    )  # fmt: skip
    with open_model("smollm2", live) as model:
        completion = model.complete(request)
    assert isinstance(json.loads(completion.text)["items"], list)
    assert completion.notes == ("schema sent with json_object: json_schema was refused",)


def test_a_real_servers_limits_have_their_names(live: str) -> None:
    requests = [
        ask("Tell a long story.", model="smollm2", max_tokens=4),
        ask("word " * 4000, model="smollm2", max_tokens=10),
        ask("Say yes.", model="smollm2", max_tokens=40, temperature=0.8, seed=3, stop=("zzz",)),
    ]
    with open_model("smollm2", live, most_at_once=3) as model:
        cut, over, whole = model.complete_all(requests)
    assert isinstance(cut, CutOff)
    assert cut.completion is not None
    assert isinstance(over, ContextOverrun)
    assert over.window == 2048
    assert isinstance(whole, Completion | CutOff)
