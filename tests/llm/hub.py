"""A model hub on this machine: what its client asks of models, revisions and files."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Hub:
    """Models by name; each commit is a folder, and a revision (a branch, a tag) stands for one."""

    def __init__(self) -> None:
        self.commits: dict[tuple[str, str], Path] = {}
        self.revisions: dict[tuple[str, str], str] = {}
        self.asked: list[str] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                hub.answer(self, body=False)

            def do_GET(self) -> None:
                hub.answer(self, body=True)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def add(self, name: str, folder: Path, *revisions: str) -> str:
        """Commit the files of `folder`; returns the commit that `revisions` stand for from now."""
        files = sorted(path for path in folder.iterdir() if path.is_file())
        content = b"".join(path.name.encode() + path.read_bytes() for path in files)
        commit = hashlib.sha1(content).hexdigest()
        self.commits[name, commit] = folder
        self.revisions |= {(name, one): commit for one in (commit, *revisions)}
        return commit

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, asked: BaseHTTPRequestHandler, *, body: bool) -> None:
        path = asked.path.partition("?")[0].strip("/")
        self.asked.append(path)
        if path.startswith("api/models/"):
            kind = "/tree/" if "/tree/" in path else "/revision/"
            name, _, revision = path.removeprefix("api/models/").partition(kind)
            revision, _, inside = revision.partition("/")
            commit = self.revisions.get((name, revision or "main"))
            held = self.commits.get((name, commit or ""))
            if held is None:
                return self._say(asked, 404, b"{}", {"X-Error-Code": "RevisionNotFound"}, body)
            if inside:  # no model here has folders
                return self._say(asked, 404, b"{}", {"X-Error-Code": "EntryNotFound"}, body)
            files = sorted(held.iterdir())
            if kind == "/tree/":
                rows = [
                    {"type": "file", "path": one.name, "size": one.stat().st_size, "oid": one.name}
                    for one in files
                ]
                return self._say(asked, 200, json.dumps(rows).encode(), {}, body)
            names = [{"rfilename": one.name} for one in files]
            told = {"id": name, "sha": commit, "siblings": names, "private": False, "tags": []}
            return self._say(asked, 200, json.dumps(told).encode(), {}, body)
        name, _, rest = path.partition("/resolve/")
        revision, _, file = rest.partition("/")
        commit = self.revisions.get((name, revision))
        held = self.commits.get((name, commit or ""))
        if held is None:
            return self._say(asked, 404, b"", {"X-Error-Code": "RevisionNotFound"}, body)
        about = {"X-Repo-Commit": str(commit)}
        if not (held / file).is_file():
            about["X-Error-Code"] = "EntryNotFound"
            return self._say(asked, 404, b"", about, body)
        content = (held / file).read_bytes()
        about["ETag"] = f'"{hashlib.sha1(content).hexdigest()}"'
        return self._say(asked, 200, content, about, body)

    @staticmethod
    def _say(
        asked: BaseHTTPRequestHandler,
        status: int,
        content: bytes,
        more: dict[str, str],
        body: bool,
    ) -> None:
        asked.send_response(status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(content))}
        for name, value in (headers | more).items():
            asked.send_header(name, value)
        asked.end_headers()
        if body:
            asked.wfile.write(content)
