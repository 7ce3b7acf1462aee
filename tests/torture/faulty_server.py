"""The server of `tests.grid.test_grid_faults` in a process of its own, whose memory is its own."""

import multiprocessing
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from tests.grid.test_grid_faults import Faulty
from tests.llm.conftest import QuirkServer


class _Forgetful(list[dict[str, Any]]):
    """What the server was sent, which nobody asks for here."""

    def append(self, _: dict[str, Any]) -> None:
        """Keep nothing."""


class Apart:
    """`url` of the server, and what it has `seen` so far: answers, and faults by name."""

    def __init__(self, url: str, line: "Connection[Any, Any]") -> None:
        self.url, self._line = url, line

    def seen(self) -> Counter[str]:
        self._line.send("seen")
        return Counter(self._line.recv())


@contextmanager
def faulty_server(share: float = 0.3) -> Iterator[Apart]:
    """A server that behaves as one of the faults in `share` of the calls, until the block ends."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, share), daemon=True)
    process.start()
    there.close()
    try:
        yield Apart(here.recv(), here)
    finally:
        here.close()
        process.join(30)


def _serve(line: "Connection[Any, Any]", share: float) -> None:
    server = QuirkServer()
    server.calls, server.headers = _Forgetful(), _Forgetful()
    server.behave = faulty = Faulty(share)
    line.send(server.url)
    try:
        while line.recv():
            line.send(dict(faulty.seen))
    except EOFError:
        server.stop()
