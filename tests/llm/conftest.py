"""A local server that behaves as real ones do, fault by fault, and models that talk to it."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from globesumm.llm.openai_compatible import OpenAICompatible
from globesumm.llm.request import Decoding, Message, Request


def reply(text: str = "Whole.", **changes: Any) -> dict[str, Any]:
    """A chat completion as a well-behaved server gives it, with `changes` at the top level."""
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "tiny",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
    }
    return body | changes


def choice(finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}


class Answer:
    """What the server does with one call: status, JSON or text body, headers, or a fault."""

    def __init__(
        self,
        body: Any = None,
        status: int = 200,
        *,
        headers: dict[str, str] | None = None,
        kind: str = "application/json",
        fault: str | None = None,
        wait: float = 0.0,
    ) -> None:
        text = body if isinstance(body, str) else json.dumps(reply() if body is None else body)
        self.content, self.status, self.headers = text.encode(), status, headers or {}
        self.kind, self.fault, self.wait = kind, fault, wait


Behaviour = Callable[[dict[str, Any]], Answer]


class QuirkServer:
    """An HTTP server on 127.0.0.1; `behave` decides each chat completion, `calls` keeps bodies."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.models: Any = {"data": [{"id": "tiny"}, {"id": "small"}]}
        self.behave: Behaviour = lambda _: Answer()
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any) -> None:
                pass

            def do_GET(self) -> None:
                if server.models is None:
                    self.give(Answer("404 page not found", 404, kind="text/plain"))
                else:
                    self.give(Answer(server.models))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with server._lock:
                    server.calls.append(body)
                    server.headers.append(dict(self.headers))
                    server._now += 1
                    server.most_at_once = max(server.most_at_once, server._now)
                try:
                    self.give(server.behave(body))
                finally:
                    with server._lock:
                        server._now -= 1

            def give(self, answer: Answer) -> None:
                time.sleep(answer.wait)
                if answer.fault == "reset":
                    self.close_connection = True
                    self.connection.close()
                    return
                self.send_response(answer.status)
                self.send_header("content-type", answer.kind)
                self.send_header("content-length", str(len(answer.content)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if answer.fault == "cut":
                    self.wfile.write(answer.content[: len(answer.content) // 2])
                    self.wfile.flush()
                    self.close_connection = True
                    self.connection.close()
                elif answer.fault == "trickle":
                    for byte in answer.content:
                        self.wfile.write(bytes([byte]))
                        self.wfile.flush()
                        time.sleep(0.05)
                else:
                    self.wfile.write(answer.content)

            def handle(self) -> None:
                try:
                    super().handle()
                except (OSError, ValueError):
                    self.close_connection = True

            def finish(self) -> None:
                try:
                    super().finish()
                except (OSError, ValueError):
                    self.close_connection = True

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def replies(self, *answers: Answer) -> None:
        """Give these one after the other, the last one for ever."""
        left = list(answers)
        self.behave = lambda _: left.pop(0) if len(left) > 1 else left[0]

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[QuirkServer]:
    running = QuirkServer()
    yield running
    running.stop()


@pytest.fixture
def model(server: QuirkServer) -> Iterator[OpenAICompatible]:
    backend = OpenAICompatible("tiny", server.url, timeout_seconds=5)
    yield backend
    backend.close()


def ask(text: str = "Say something.", **changes: Any) -> Request:
    """A request with `changes` to it or to its decoding."""
    names = {"temperature", "top_p", "max_tokens", "seed", "stop", "reasoning"}
    decoding = Decoding(**{k: v for k, v in changes.items() if k in names})
    rest = {k: v for k, v in changes.items() if k not in names}
    return Request(
        model=rest.pop("model", "tiny"),
        messages=rest.pop("messages", (Message("user", text),)),
        decoding=decoding,
        **rest,
    )
