"""A labelling project served by a process of its own, and a person who speaks to it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

from annotation.labels.assignment import assign
from annotation.labels.people import agree, introduce, make_links
from annotation.labels.project import Project, Settings
from annotation.labels.server.app import application
from annotation.labels.server.visit import CONSENT
from annotation.labels.store import Store
from annotation.labels.values import Annotator, Item

ROOT = Path(__file__).resolve().parents[2]


def note_fact(store: Store, name: str, value: str) -> None:
    """Write a fact, as one written by another version or process would lie there."""
    with store.writing() as connection:
        connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))


def project_of(
    folder: Path, items: Iterable[Item], names: str = "ada ben", **settings: Any
) -> Project:
    """A project in which everybody called in `names` has agreed and read the definitions."""
    people = tuple(Annotator(name=name, adjudicator=name == "eve") for name in names.split())
    everyone = Settings(annotators=people, **settings)
    project = Project.create(folder, everyone)
    given = list(items)
    project.store.add_items(given)
    make_links(project)
    assign(project)
    for one in everyone.annotators:
        agree(project.store, one.name, everyone.consent or CONSENT)
        for kind in {item.kind for item in given}:
            introduce(project.store, one.name, kind)
    return project


@dataclass
class Server:
    """The process, where it listens, and each annotator's link."""

    process: subprocess.Popen[str]
    links: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return next(iter(self.links.values())).partition("/a/")[0]

    def kill(self) -> None:
        """End it as a machine that loses its power would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def start(project: Project, port: int = 0) -> Server:
    """`globesumm label serve` of `project`; returns once it listens."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "globesumm", "label", "serve", str(project.folder)),
            *("--port", str(port)),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    links: dict[str, str] = {}
    assert process.stdout
    while len(links) < len(project.annotators):
        line = process.stdout.readline()
        if not line:
            message = process.stderr.read() if process.stderr else ""
            raise AssertionError(f"the server did not start: {message}")
        name, _, link = line.strip().split("\t")
        links[name] = link
    return Server(process, links)


@contextmanager
def serving_apart(project: Project) -> Iterator[Server]:
    """The server of `project` as a process, ended at the end."""
    server = start(project)
    try:
        yield server
    finally:
        server.kill()
        for stream in (server.process.stdout, server.process.stderr):
            if stream:
                stream.close()


@contextmanager
def serving(project: Project) -> Iterator["Links"]:
    """The same pages from a thread of this process, which is there at once."""
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    config = uvicorn.Config(
        application(project, ["127.0.0.1"]), log_level="warning", access_log=False,
        server_header=False, timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        links = make_links(project)
        yield Links(address, {name: f"{address}/a/{token}/" for name, token in links.items()})
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()


@dataclass(frozen=True)
class Links:
    """Where a server listens, and each annotator's link."""

    address: str
    links: Mapping[str, str]


@dataclass(frozen=True)
class Reply:
    """What came back; redirects are followed."""

    status: int
    text: str
    headers: Mapping[str, str]
    address: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


def ask(address: str, content: object = None, headers: Mapping[str, str] | None = None) -> Reply:
    """GET, or with `content` POST it as JSON."""
    data = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(address, data=data, headers=dict(headers or {}))
    if data is not None:
        request.add_header("content-type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return Reply(reply.status, reply.read().decode(), dict(reply.headers), reply.url)
    except urllib.error.HTTPError as error:
        return Reply(error.code, error.read().decode(), dict(error.headers), error.url or address)


def ticket_in(page: str) -> str:
    """The ticket on an item's page."""
    found = re.search(r'data-ticket="([^"]+)"', page)
    assert found, page[:2000]
    return unescape(found[1])


def answer_in(page: str) -> Any:
    """The answer that an item's page is filled in with."""
    found = re.search(r'data-answer="([^"]*)"', page)
    assert found
    return json.loads(unescape(found[1]))
