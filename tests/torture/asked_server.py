"""A scripted OpenAI-compatible server that counts, by content, the requests that arrived."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from globesumm.llm.request import Message, Request
from tests.annotate.test_annotate_kills import answered
from tests.facts.rule_judge import RuleJudge
from tests.grid.answering_server import answer, of_body

Answer = Callable[[dict[str, Any]], str]


def of_the_method(body: dict[str, Any]) -> str:
    """Other words for each question, and a conflict that is settled in each round."""
    return answered(body["messages"][-1]["content"])


def of_the_grid(body: dict[str, Any]) -> str:
    return answer(body)


def of_the_judge(body: dict[str, Any]) -> str:
    messages = tuple(Message(one["role"], one["content"]) for one in body["messages"])
    return RuleJudge().complete(Request(model=body["model"], messages=messages)).text


class AskedServer(ThreadingHTTPServer):
    """`asked` holds the digest of each request that arrived, in order; `says` answers them."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, seconds: float = 0.01) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.says: Answer = of_the_grid
        self.seconds = seconds
        self.asked: list[str] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_: object) -> None:
        """A client that was killed is no news."""


class _Answering(BaseHTTPRequestHandler):
    server: AskedServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": "m", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(of_body(body))
        time.sleep(self.server.seconds)
        message = {"role": "assistant", "content": self.server.says(body)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        whole = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
        self._send(whole | {"choices": [choice], "usage": usage})

    def _send(self, reply: object) -> None:
        content = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
