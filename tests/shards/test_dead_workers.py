"""Workers and whole runs that are killed, interrupted or started twice."""

import os
import random
import signal
import time
from functools import partial
from pathlib import Path

import pytest

from globesumm.shards import Shard, run_stage
from tests.shards import stages
from tests.shards.conftest import Check, alive, driver, wait_for


def test_a_killed_worker_costs_nothing_but_its_shards_second_try(
    tmp_path: Path, is_whole: Check
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    shards = stages.shards(12)
    victims = frozenset({shards[0].name, shards[5].name})
    stage = partial(stages.dies, notes=notes, victims=victims, times=2)
    outcome = run_stage(
        stage, shards, tmp_path / "out", suffix=".tsv", workers=2, progress_name="shards"
    )
    assert (outcome.done, outcome.failed) == (12, ())
    assert outcome.counts["rows"] == 12 * stages.LINES
    assert len(list(notes.iterdir())) == 4
    is_whole(tmp_path / "out", shards)


def test_a_shard_that_kills_every_worker_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    shards = stages.shards(6)
    stage = partial(stages.dies, notes=notes, victims=frozenset({shards[2].name}), times=99)
    outcome = run_stage(
        stage, shards, tmp_path / "out", suffix=".tsv", workers=2, progress_name="shards"
    )
    assert outcome.done == 5
    (failure,) = outcome.failed
    assert (failure.shard, failure.kind, failure.attempts) == (shards[2].name, "WorkerKilled", 3)
    assert "signal 9 3 times" in failure.message
    assert len(list(notes.iterdir())) == 3


def test_a_shard_that_never_ends_is_stopped_and_named(tmp_path: Path) -> None:
    shards = [Shard("stuck", "bad"), *stages.shards(3)]
    outcome = run_stage(
        stages.never_ends, shards, tmp_path,
        suffix=".tsv", workers=1, progress_name="shards", seconds_per_shard=0.5,
    )  # fmt: skip
    assert outcome.done == 3
    (failure,) = outcome.failed
    assert (failure.shard, failure.kind) == ("stuck", "TimedOut")


def kill_and_resume(tmp_path: Path, kills: int, is_whole: Check) -> None:
    """Kill the run's process group at random moments, then let it finish."""
    chance, count, folder, notes = (
        random.Random(7),
        10 * kills,
        tmp_path / "out",
        tmp_path / "notes",
    )
    for _ in range(kills):
        process = driver(folder, notes, count=count, workers=2, seconds=0.1)
        wait_for(notes, len(list(notes.iterdir())) + 1)
        time.sleep(chance.uniform(0, 0.5))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    calls = len(list(notes.iterdir()))
    process = driver(folder, notes, count=count, workers=2, seconds=0.01)
    out, err = process.communicate()
    assert process.returncode == 0, err
    done, reused, failed, *counts = out.split(maxsplit=3)
    assert int(done) + int(reused) == count
    assert reused != "0"
    assert failed == "0"
    assert f"'rows': {count * stages.LINES}" in counts[0]
    # Each kill costs at most the two shards that ran.
    assert calls + int(done) <= count + 2 * kills
    is_whole(folder, stages.shards(count))


def test_five_kills_lose_double_and_tear_nothing(tmp_path: Path, is_whole: Check) -> None:
    kill_and_resume(tmp_path, 5, is_whole)


@pytest.mark.slow
def test_fifty_kills_lose_double_and_tear_nothing(tmp_path: Path, is_whole: Check) -> None:
    kill_and_resume(tmp_path, 50, is_whole)


def test_workers_leave_when_their_parent_alone_is_killed(tmp_path: Path, is_whole: Check) -> None:
    folder, notes = tmp_path / "out", tmp_path / "notes"
    process = driver(folder, notes, count=4, workers=2, seconds=30)
    wait_for(notes, 2)
    workers = {int(path.name.split(".")[-2]) for path in notes.iterdir()}
    assert all(alive(pid) for pid in workers)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 10
    while any(alive(pid) for pid in workers):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.05)
    process = driver(folder, notes, count=4, workers=2, seconds=0)
    assert process.communicate()[0].startswith("4 0 0")
    is_whole(folder, stages.shards(4))


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_lets_what_runs_finish_and_the_same_command_goes_on(
    tmp_path: Path, workers: int, is_whole: Check
) -> None:
    folder, notes = tmp_path / "out", tmp_path / "notes"
    process = driver(folder, notes, count=8, workers=workers, seconds=1)
    wait_for(notes, workers)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert "finishing the shards that run" in err
    assert len(list(folder.glob("*.tsv"))) == len(list(notes.iterdir())) == workers
    process = driver(folder, notes, count=8, workers=workers, seconds=0)
    assert process.communicate()[0].startswith(f"{8 - workers} {workers} 0")
    is_whole(folder, stages.shards(8))


@pytest.mark.parametrize("milliseconds", [0, 50, 150, 300])
def test_ctrl_c_while_workers_start_is_an_interrupt_and_no_error(
    tmp_path: Path, milliseconds: int
) -> None:
    folder, notes = tmp_path / "out", tmp_path / "notes"
    process = driver(folder, notes, count=8, workers=2, seconds=0.1)
    while not (folder / "_partial").exists():
        time.sleep(0.001)
    time.sleep(milliseconds / 1000)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert len(list(folder.glob("*.tsv"))) == len(list(notes.iterdir()))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_second_ctrl_c_stops_at_once(tmp_path: Path, workers: int) -> None:
    folder, notes = tmp_path / "out", tmp_path / "notes"
    process = driver(folder, notes, count=4, workers=workers, seconds=60)
    wait_for(notes, workers)
    began = time.monotonic()
    while process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.3)
        assert time.monotonic() - began < 20
    process.communicate()
    assert process.returncode == 130
    assert not list(folder.glob("*.tsv"))
    assert not (folder / "_partial").exists()


def test_a_second_process_on_one_folder_is_refused(tmp_path: Path, is_whole: Check) -> None:
    folder, notes = tmp_path / "out", tmp_path / "notes"
    first = driver(folder, notes, count=2, workers=1, seconds=2)
    wait_for(notes, 1)
    second = driver(folder, notes, count=2, workers=1, seconds=2)
    _, err = second.communicate()
    assert second.returncode == 2
    assert "another process is working in" in err
    assert first.communicate()[0].startswith("2 0 0")
    assert len(list(notes.iterdir())) == 2
    is_whole(folder, stages.shards(2))
