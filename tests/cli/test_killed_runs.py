"""kill -9 at any moment: the same command goes on, pays no stored call again, ends the same."""

import json
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

KILLS = 10
SECONDS_A_CALL = 0.05


class Server(ThreadingHTTPServer):
    """An OpenAI-compatible server whose answer depends on the question alone; counts questions."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.asked: Counter[str] = Counter()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Answering(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": "m", "object": "model"}]})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        asked = json.loads(body)
        self.server.asked[json.dumps(asked["messages"], sort_keys=True)] += 1
        time.sleep(SECONDS_A_CALL)
        content = answer(asked["messages"][-1]["content"])
        self._send(
            {
                "id": "1", "object": "chat.completion", "created": 1, "model": "m",
                "choices": [{"index": 0, "finish_reason": "stop",
                             "message": {"role": "assistant", "content": content}}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
            }
        )  # fmt: skip

    def _send(self, reply: object) -> None:
        content = json.dumps(reply).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            pass  # the client was killed

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def answer(question: str) -> str:
    if "Compare the reports" in question:
        return '{"issues": []}'
    if "Now settle the conflicts" in question:
        return '{"strategies": []}'
    if "Write one summary" in question:
        return f"The bridge at Vale fell; {len(question)} people watched the rescue there."
    return json.dumps({"sentences": [f"The bridge at Vale fell before {len(question)} people."]})


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running
        running.shutdown()


def command(documents: Path, server: Server, out: Path) -> list[str | Path]:
    return [
        sys.executable, "-c", "import sys; from globesumm.cli import main; sys.exit(main())",
        "summarize", documents, "--model", "m", "--base-url", server.address, "--at-once", "1",
        "--out", out,
    ]  # fmt: skip


def test_a_run_killed_ten_times_ends_as_an_undisturbed_one_and_repeats_no_stored_call(
    tmp_path: Path, server: Server
) -> None:
    documents = tmp_path / "event.jsonl"
    documents.write_text(
        "".join(
            json.dumps({"id": str(day), "language": "fr", "published": f"2023-09-{day:02}T10:00Z",
                        "text": f"Le pont de Vale est tombé devant {day * 7} personnes."}) + "\n"
            for day in range(1, 9)
        )
    )  # fmt: skip
    whole = subprocess.run(
        command(documents, server, tmp_path / "whole"), capture_output=True, check=False
    )
    assert whole.returncode == 0, whole.stderr
    undisturbed = Counter(server.asked)
    server.asked.clear()
    draw = random.Random(7)
    started = time.monotonic()
    subprocess.run(command(documents, server, tmp_path / "timing"), capture_output=True, check=True)
    lasts = time.monotonic() - started
    server.asked.clear()
    for _ in range(KILLS):
        with subprocess.Popen(
            command(documents, server, tmp_path / "killed"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as running:
            time.sleep(draw.uniform(0.3, 0.8) * lasts)
            running.kill()
    last = subprocess.run(
        command(documents, server, tmp_path / "killed"), capture_output=True, check=False
    )
    assert last.returncode == 0, last.stderr
    assert server.asked.keys() == undisturbed.keys()
    # A call in flight when its process died was not stored; every other one was paid once.
    assert server.asked.total() <= undisturbed.total() + KILLS
    for path in sorted((tmp_path / "whole").rglob("*.json*")):
        twin = tmp_path / "killed" / path.relative_to(tmp_path / "whole")
        if path.name == "run.json":
            ours, theirs = json.loads(path.read_text()), json.loads(twin.read_text())
            assert ours["settings"] == theirs["settings"]
        else:
            assert twin.read_bytes() == path.read_bytes()
    assert not list((tmp_path / "killed").rglob("*.part"))
