"""Three people label at once while the server is killed again and again: no label is lost."""

import http.client
import json
import os
import threading
import time
import urllib.error
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from annotation.labels.store import Store
from tests.labels.sample_items import small
from tests.labels.served import Server, ask, project_of, start, ticket_in

ITEMS = int(os.environ.get("GLOBESUMM_LABEL_ITEMS", "40"))
KILLS = int(os.environ.get("GLOBESUMM_LABEL_KILLS", "3"))
"""The whole study has 300 items and 20 kills (docs/labelling.md says how to run it)."""

AWAY = (urllib.error.URLError, ConnectionError, TimeoutError, OSError, http.client.HTTPException)


class Scripted(threading.Thread):
    """Opens what is next, answers, sends until somebody acknowledges, and notes what was."""

    def __init__(self, link: str, everybody_done: threading.Event) -> None:
        super().__init__()
        self.link, self.stopped = link, everybody_done
        self.acknowledged: dict[str, dict[str, Any]] = {}
        self.errors: list[str] = []
        self.tries = 0

    def run(self) -> None:
        while not self.stopped.is_set():
            try:
                page = ask(self.link + "next")
            except AWAY:
                time.sleep(0.02)
                continue
            if page.address.rstrip("/") == self.link.rstrip("/"):
                return
            if "/item/" not in page.address:
                self.errors.append(f"{page.status} at {page.address}")
                return
            number = int(page.address.rpartition("/")[2])
            answer = {"supported": number % 3 == 0}
            self._send(
                number, {"ticket": ticket_in(page.text), "answer": answer, "note": f"n {number}"}
            )

    def _send(self, number: int, content: Mapping[str, Any]) -> None:
        while not self.stopped.is_set():
            self.tries += 1
            try:
                reply = ask(f"{self.link}item/{number}", content)
            except AWAY:
                time.sleep(0.02)
                continue
            if reply.status != 200:
                self.errors.append(f"item {number}: {reply.status} {reply.text}")
                return
            self.acknowledged[reply.json["kept"]] = dict(content)
            return


@pytest.mark.slow
def test_every_acknowledged_label_is_there_once_however_often_the_server_is_killed(
    tmp_path: Path,
) -> None:
    project = project_of(
        tmp_path / "p",
        [small(n) for n in range(ITEMS)],
        "ada ben cleo",
        batch=10_000,
        order="shuffled",
    )
    server = start(project)
    port = int(server.address.rpartition(":")[2])
    stop = threading.Event()
    people = [Scripted(link, stop) for link in server.links.values()]
    for one in people:
        one.start()
    killed = 0
    wanted = 3 * ITEMS
    while any(one.is_alive() for one in people):
        done = sum(len(one.acknowledged) for one in people)
        if killed < KILLS and done >= wanted * (killed + 1) // (KILLS + 1):
            # While requests are on their way.
            server.kill()
            killed += 1
            server = _again(project, port)
        time.sleep(0.005)
    server.kill()
    assert [error for one in people for error in one.errors] == []
    assert killed == KILLS
    found = {label.id: label for label in Store.open(project.store.path).labels(counting=False)}
    acknowledged = {token: said for one in people for token, said in one.acknowledged.items()}
    assert len(acknowledged) == wanted
    assert acknowledged.keys() == found.keys(), "each is there, and nothing that nobody knows of"
    for token, said in acknowledged.items():
        assert found[token].answer == said["answer"]
        assert found[token].note == said["note"]
    assert set(Counter((one.item, one.annotator) for one in found.values()).values()) == {1}
    assert all(one.counts for one in found.values())
    check = project.store.connection.execute("PRAGMA integrity_check").fetchone()[0]
    assert check == "ok"
    tries = sum(one.tries for one in people)
    print(json.dumps({"labels": wanted, "kills": killed, "tries": tries}))


def _again(project: Any, port: int) -> Server:
    for _ in range(50):
        try:
            return start(project, port)
        except AssertionError:
            time.sleep(0.1)
    raise AssertionError("the port did not become free")
