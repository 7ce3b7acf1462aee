"""Small grids, a server in a process of its own, and what a finished folder holds."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from annotation.author import Author
from baselines.grid.cells import Cell, cells
from baselines.grid.folder import GridFolder
from baselines.recipes import Maker, maker, needs_model
from globesumm.config import Experiment, Limits, ModelRow
from globesumm.llm.backends import OpenedModel, open_model
from globesumm.llm.call_store import CallStore
from globesumm.llm.metered import Caps, Meter
from globesumm.llm.pool import Pool
from globesumm.llm.request import Decoding, Model, Request
from globesumm.llm.scripted import Scripted
from globesumm.values import Document, Event
from tests.grid.answering_server import answer, digest, latency
from tests.llm.conftest import QuirkServer

SERVER = Path(__file__).with_name("answering_server.py")
LANGUAGES = ("en", "fr", "de", "es")


def event(number: int, documents: int = 4, words: str = "The ferry sank near the coast.") -> Event:
    """An event of `documents` reports in four languages, unlike those of other numbers."""
    start = datetime(2023, 5, 1, tzinfo=UTC)
    return Event(
        id=f"event-{number}",
        description=f"ferry {number}",
        documents=tuple(
            Document(
                id=f"e{number}d{place}",
                text=f"{words} Report {place} on ferry {number}. Nine people are missing.",
                language=LANGUAGES[place % len(LANGUAGES)],
                published=start + timedelta(hours=place),
            )
            for place in range(documents)
        ),
    )


def experiment(*models: str, url: str | None = None, **changes: object) -> Experiment:
    """All recipes that take a model, by `models` at one server."""
    plain: dict[str, object] = {
        "recipes": (
            "sts.none.direct", "crs.none.direct", "sts.kis.protocol", "crs.kis.direct",
            "crs.kis-clp.protocol", "crs.translate-summarize.direct",
        ),
        "models": tuple(ModelRow(name=name, base_url=url) for name in models or ("tiny",)),
        "limits": Limits(at_once=8),
    }  # fmt: skip
    return Experiment(**(plain | changes))  # type: ignore[arg-type]


class Grid:
    """An experiment in a folder, with its models opened."""

    def __init__(
        self,
        folder: GridFolder,
        setup: Experiment,
        models: dict[str, OpenedModel],
        meter: Meter,
        decoding: Decoding,
    ) -> None:
        self.folder, self.setup, self.models, self.meter = folder, setup, models, meter
        self.decoding = decoding
        self.cells = cells(setup)

    def makers(self, cell: Cell) -> Maker:
        if not needs_model(cell.recipe):
            return maker(cell.recipe, cell.part.seed)
        assert cell.part.model is not None
        author = Author(model=self.models[cell.part.model], decoding=self.decoding)
        return maker(cell.recipe, cell.part.seed, author)


Backends = Callable[[ModelRow], Model]


@contextmanager
def opened(
    path: Path,
    setup: Experiment,
    events: Sequence[Event] = (),
    *,
    backend: Backends | None = None,
    store: Path | None = None,
    replay: bool = False,
    decoding: Decoding | None = None,
    **settings: Any,
) -> Iterator[Grid]:
    """`setup` in the folder `path`; `backend` makes the model of a row in place of a server."""
    folder = GridFolder.start(path, {"test": "grid"})
    if events:
        folder.write_events(events)
    limits = setup.limits
    calls = CallStore(store or folder.store, read_only=replay)
    caps = Caps(calls=limits.calls, tokens=limits.tokens)
    meter, pool = Meter(caps=caps, before=calls.totals()), Pool(limits.at_once)
    models = {
        row.name: open_model(
            backend(row) if backend else row.served,
            None if backend else row.base_url,
            store=calls,
            replay=replay,
            meter=meter,
            pool=pool,
            most_at_once=row.at_once,
            **settings,
        )
        for row in setup.models
    }
    try:
        yield Grid(folder, setup, models, meter, decoding or Decoding())
    finally:
        for model in models.values():
            model.close()
        calls.close()


def contents(path: Path) -> dict[str, bytes]:
    """Every file below the parts of a grid but `run.json`, which holds the time of its start."""
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted((path / "parts").rglob("*"))
        if file.is_file() and file.name != "run.json" and not file.name.startswith(".lock")
    }


def drawn(request: Request, least: float, most: float) -> float:
    """The seconds that the answering server draws for `request`."""
    return latency(asked_of(request), least, most)


def asked_of(request: Request) -> str:
    """The digest under which the answering server logs `request`."""
    messages = [{"role": one.role, "content": one.content} for one in request.messages]
    return digest(request.model, messages, request.seed)


class Server:
    """A running answering server; `asked` are the digests of the requests that arrived."""

    def __init__(self, url: str, log: Path) -> None:
        self.url, self.log = url, log

    @property
    def asked(self) -> list[str]:
        return [line.split()[1] for line in self.log.read_text().splitlines()]


@contextmanager
def answering(log: Path, least: float = 0.0, most: float = 0.0) -> Iterator[Server]:
    process = subprocess.Popen(
        [sys.executable, str(SERVER), "--log", str(log), "--seconds", str(least), str(most)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield Server(process.stdout.readline().strip(), log)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def answering_server(tmp_path: Path) -> Iterator[Server]:
    with answering(tmp_path / "server.log", 0.005, 0.03) as server:
        yield server


@pytest.fixture
def quirky() -> Iterator[QuirkServer]:
    """A server in this process whose every answer a test decides."""
    running = QuirkServer()
    yield running
    running.stop()


def scripted(row: ModelRow) -> Model:
    """A model in this process that answers as the answering server does."""

    def script(request: Request) -> str:
        return answer(body_of(request))

    return Scripted(script, row.served)


def body_of(request: Request) -> dict[str, Any]:
    """`request` as its body at a server, as far as answers depend on it."""
    messages = [{"role": one.role, "content": one.content} for one in request.messages]
    body = {"model": request.model, "messages": messages, "seed": request.seed}
    return body | ({"response_format": json.loads(request.schema)} if request.schema else {})
