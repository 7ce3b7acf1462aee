"""Workers and whole runs that are killed, interrupted or started twice."""

import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from globesumm.shards import Shard, run_stage
from tests.shards import stages
from tests.shards.conftest import Check, alive

ROOT = Path(__file__).resolve().parents[2]


def driver(folder: Path, notes: Path, *, count: int, workers: int, seconds: float) -> "Process":
    notes.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tests.shards.driver", str(folder), str(notes)]
    return subprocess.Popen(
        [*command, str(count), str(workers), str(seconds)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


Process = subprocess.Popen[str]


def wait_for(notes: Path, count: int) -> None:
    """Until the stage has been called `count` times."""
    deadline = time.monotonic() + 60
    while len(list(notes.iterdir())) < count:
        assert time.monotonic() < deadline, "the driver did not begin"
        time.sleep(0.01)


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
