"""A local server with the two endpoints of the Batch API, which can do each thing wrong."""

import json
import threading
from collections.abc import Callable
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Line = dict[str, Any]


def answered(line: Line, text: str) -> Line:
    """The output line of an input line that went well."""
    body = {
        "model": line["body"]["model"],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2},
    }
    return {
        "id": "r",
        "custom_id": line["custom_id"],
        "response": {"status_code": 200, "body": body},
        "error": None,
    }


def expired(line: Line) -> Line:
    error = {"code": "batch_expired", "message": "This request could not be executed in time."}
    return {"id": "r", "custom_id": line["custom_id"], "response": None, "error": error}


def refused(line: Line, status: int, message: str) -> Line:
    response = {"status_code": status, "body": {"error": {"message": message}}}
    return {"id": "r", "custom_id": line["custom_id"], "response": response, "error": None}


class BatchHouse:
    """Files and batches over HTTP on 127.0.0.1.

    `work` makes (status, output lines, error lines) of a batch's input lines; `looks` is how
    often a batch is asked after before it has ended; `refuse_next` HTTP statuses are given to
    the next calls; with `lose_reply` the next batch is made and the connection then dropped.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.batches: list[dict[str, Any]] = []
        self.calls: list[str] = []
        self.looks = 1
        self.refuse_next: list[int] = []
        self.lose_reply = False
        self.work: Callable[[list[Line]], tuple[str, list[Any], list[Any]]] = lambda lines: (
            "completed",
            [
                answered(line, f"answer to {line['body']['messages'][-1]['content']}")
                for line in lines
            ],
            [],
        )
        self._lock = threading.Lock()
        house = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any) -> None:
                pass

            def do_GET(self) -> None:
                self.give(*house.get(self.path.split("?")[0]))

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["content-length"]))
                kind = self.headers["content-type"]
                found = house.post(self.path, content, kind)
                if found is None:
                    self.close_connection = True
                    self.connection.close()
                    return
                self.give(*found)

            def give(self, status: int, body: Any) -> None:
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def get(self, path: str) -> tuple[int, Any]:
        with self._lock:
            self.calls.append(f"GET {path}")
            if self.refuse_next:
                return self.refuse_next.pop(0), {"error": {"message": "not now"}}
            if path == "/v1/batches":
                return 200, {"data": list(reversed(self.batches))}
            if path.startswith("/v1/files/"):
                return 200, self.files[path.split("/")[3]]
            batch = next(b for b in self.batches if path.endswith(str(b["id"])))
            self._look(batch)
            return 200, batch

    def post(self, path: str, content: bytes, kind: str) -> tuple[int, Any] | None:
        with self._lock:
            self.calls.append(f"POST {path}")
            if self.refuse_next:
                return self.refuse_next.pop(0), {"error": {"message": "not now"}}
            if path == "/v1/files":
                name = f"file-{len(self.files)}"
                self.files[name] = _uploaded(content, kind)
                return 200, {"id": name, "object": "file"}
            asked = json.loads(content)
            batch = {
                "id": f"batch-{len(self.batches)}",
                "status": "in_progress",
                "input_file_id": asked["input_file_id"],
                "metadata": asked.get("metadata"),
                "looks": self.looks,
            }
            self.batches.append(batch)
            if self.lose_reply:
                self.lose_reply = False
                return None
            return 200, batch

    def asked(self) -> list[str]:
        """The last message of every line of every batch."""
        return [
            json.loads(line)["body"]["messages"][-1]["content"]
            for batch in self.batches
            for line in self.files[batch["input_file_id"]].splitlines()
        ]

    def _look(self, batch: dict[str, Any]) -> None:
        if batch["status"] != "in_progress":
            return
        batch["looks"] -= 1
        if batch["looks"] > 0:
            return
        lines = [json.loads(one) for one in self.files[batch["input_file_id"]].splitlines()]
        batch["status"], output, errors = self.work(lines)
        for field, made in (("output_file_id", output), ("error_file_id", errors)):
            if made:
                name = f"file-{len(self.files)}"
                texts = [one if isinstance(one, str) else json.dumps(one) for one in made]
                self.files[name] = "\n".join(texts).encode() + b"\n"
                batch[field] = name


def _uploaded(content: bytes, kind: str) -> bytes:
    """The file in a multipart upload."""
    message = message_from_bytes(b"content-type: " + kind.encode() + b"\r\n\r\n" + content)
    for part in message.walk():
        if part.get_filename():
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            return payload
    raise AssertionError("no file was uploaded")
