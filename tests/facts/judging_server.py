"""The judge that follows rules, behind HTTP, so that a process that asks it can be killed."""

import json
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from globesumm.llm.request import Message, Request
from tests.facts.rule_judge import RuleJudge


class JudgingServer(ThreadingHTTPServer):
    """Counts by their messages the questions that arrived, and takes `seconds` for each."""

    daemon_threads = True

    def __init__(self, seconds: float = 0.01) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.judge, self.seconds = RuleJudge(), seconds
        self.asked: Counter[str] = Counter()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Answering(BaseHTTPRequestHandler):
    server: JudgingServer

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": "rules", "object": "model"}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked[json.dumps(asked["messages"], sort_keys=True)] += 1
        time.sleep(self.server.seconds)
        messages = tuple(Message(one["role"], one["content"]) for one in asked["messages"])
        said = self.server.judge.complete(Request(model="rules", messages=messages))
        choice = {"index": 0, "finish_reason": "stop"}
        choice |= {"message": {"role": "assistant", "content": said.text}}
        whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "rules"}
        self._send(whole | {"choices": [choice]})

    def _send(self, reply: object) -> None:
        content = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
