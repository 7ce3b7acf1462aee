"""Killed, interrupted and out of space: nothing is lost, bought twice or half-written."""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from baselines.experiment import score
from baselines.grid.carry_out import carry_out
from globesumm.config import Experiment, Limits
from globesumm.errors import UsageError
from globesumm.llm.call_store import CallStore
from globesumm.values import Event
from tests.grid.conftest import (
    Server,
    answering,
    asked_of,
    contents,
    event,
    experiment,
    opened,
    scripted,
)

FORK = multiprocessing.get_context("fork")
"""A child begins where the test is, with everything imported, so that kills hit the work."""


def with_reference(one: Event) -> Event:
    return replace(one, references=("The ferry sank near the coast. Nine people are missing.",))


def work(path: Path, setup: Experiment, events: Sequence[Event] = ()) -> None:
    with opened(path, setup, events, timeout_seconds=60) as grid:
        carry_out(grid.folder, setup, grid.cells, grid.makers)


def scored(path: Path) -> dict[str, bytes]:
    """The files of the parts of a grid, its scores included."""
    with opened(path, experiment(url="http://127.0.0.1:9/v1")) as grid:
        for part in grid.folder.parts().values():
            score(part, ["rouge"])
    return contents(path)


def stored(path: Path) -> set[str]:
    """What the server was asked for each answer that is on the disk."""
    if not path.exists():
        return set()
    store = CallStore(path)
    try:
        return {asked_of(call.request) for call in store.answers()}
    finally:
        store.close()


def kill_and_resume(tmp_path: Path, kills: int, most: int, server: Server) -> None:
    setup = experiment(url=server.url)
    events = [with_reference(event(number, 4 + number)) for number in range(3)]
    path, drawn = tmp_path / "killed", random.Random(7)
    with opened(path, setup, events):
        pass
    bought: list[tuple[int, set[str]]] = []
    for _ in range(kills):
        process = FORK.Process(target=work, args=(path, setup))
        before = len(server.asked)
        process.start()
        # The start takes as long as the machine is busy; the moment is drawn in calls.
        enough = before + drawn.randint(1, most)
        while process.is_alive() and len(server.asked) < enough:
            time.sleep(0.002)
        time.sleep(drawn.uniform(0, 0.05))
        process.kill()
        process.join()
        bought.append((len(server.asked), stored(path / "calls.sqlite")))
    assert bought[-1][1], "no call was ever finished before a kill"
    work(path, setup)
    asked = server.asked
    for arrived, answers in bought:
        assert not answers & set(asked[arrived:]), "a stored call was made again"
    with answering(tmp_path / "quiet.log") as quiet:
        calm = experiment(url=quiet.url)
        work(tmp_path / "calm", calm, events)
        assert len(quiet.asked) == len(set(asked))
    assert scored(path) == scored(tmp_path / "calm")
    assert not list(path.rglob("*.part"))


def test_four_kills_change_nothing_and_repeat_no_stored_call(
    tmp_path: Path, answering_server: Server
) -> None:
    kill_and_resume(tmp_path, 4, 40, answering_server)


@pytest.mark.slow
def test_fifty_kills_change_nothing_and_repeat_no_stored_call(tmp_path: Path) -> None:
    with answering(tmp_path / "server.log", 0.02, 0.15) as server:
        kill_and_resume(tmp_path, 50, 12, server)


def interrupted(path: Path, setup: Experiment, events: Sequence[Event]) -> None:
    # As in a terminal, not with whatever handler the tests' own process has.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with opened(path, setup, events, timeout_seconds=60) as grid:
        outcome = carry_out(grid.folder, setup, grid.cells, grid.makers)
    os._exit(10 if outcome.interrupted and outcome.left else 11)


def started(server: Server, calls: int) -> None:
    deadline = time.monotonic() + 30
    while len(server.asked) < calls:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_ctrl_c_lets_the_calls_in_flight_end_and_keeps_them(tmp_path: Path) -> None:
    with answering(tmp_path / "server.log", 0.2, 0.4) as server:
        setup = experiment(url=server.url)
        path, events = tmp_path / "grid", [event(0, 3), event(1, 3)]
        process = FORK.Process(target=interrupted, args=(path, setup, events))
        process.start()
        assert process.pid is not None
        started(server, 12)
        os.kill(process.pid, signal.SIGINT)
        process.join(20)
        assert process.exitcode == 10
        assert stored(path / "calls.sqlite") == set(server.asked)
        work(path, setup)
        assert len(server.asked) == len(set(server.asked))


def test_a_second_ctrl_c_ends_at_once(tmp_path: Path) -> None:
    with answering(tmp_path / "server.log", 30, 30) as server:
        setup = experiment(url=server.url)
        process = FORK.Process(target=interrupted, args=(tmp_path / "g", setup, [event(0, 4)]))
        process.start()
        assert process.pid is not None
        started(server, 4)
        os.kill(process.pid, signal.SIGINT)
        time.sleep(1)
        assert process.is_alive()
        os.kill(process.pid, signal.SIGINT)
        process.join(10)
        assert process.exitcode == 1  # the traceback of KeyboardInterrupt; the command tells it
        work_again = experiment(limits=Limits(at_once=4))
        with opened(tmp_path / "g", work_again, backend=scripted) as grid:
            assert carry_out(grid.folder, work_again, grid.cells, grid.makers).left == 0


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with half a mebibyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(place)],
        check=False,
        capture_output=True,
        text=True,
    )
    if mounted.returncode:
        pytest.skip(f"no file system may be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_full_disk_stops_with_advice_and_nothing_is_half_written(
    tiny_disk: Path, tmp_path: Path, *, elsewhere: bool
) -> None:
    setup, events = experiment(limits=Limits(at_once=4)), [event(n, 4) for n in range(20)]
    # Once it is the call store that cannot grow, once the summaries beside it.
    store = tmp_path / "calls.sqlite" if elsewhere else None
    with opened(tiny_disk / "grid", setup, events, backend=scripted, store=store) as grid:
        with pytest.raises(UsageError, match="free some space"):
            carry_out(grid.folder, setup, grid.cells, grid.makers)
        left = list((tiny_disk / "grid" / "parts").rglob("*"))
    for file in left:
        if file.suffix == ".json":
            json.loads(file.read_text())
    assert not [file for file in left if file.suffix == ".part"]
    subprocess.run(["mount", "-o", "remount,size=64m", str(tiny_disk)], check=True)
    with opened(tiny_disk / "grid", setup, backend=scripted, store=store) as grid:
        outcome = carry_out(grid.folder, setup, grid.cells, grid.makers)
        assert (outcome.left, outcome.failed) == (0, 0)
    with opened(tmp_path / "calm", setup, events, backend=scripted) as grid:
        carry_out(grid.folder, setup, grid.cells, grid.makers)
    assert contents(tiny_disk / "grid") == contents(tmp_path / "calm")
