"""What a folder of results must look like, whatever happened to the runs that made it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from globesumm.shards import Shard
from tests.shards.stages import content

ROOT = Path(__file__).resolve().parents[2]
Check = Callable[[Path, list[Shard]], None]


@pytest.fixture
def is_whole() -> Check:
    return check_whole


def check_whole(folder: Path, wanted: list[Shard]) -> None:
    """Every shard's result is there once, whole, with its counts; nothing else is."""
    results = {path.name: path.read_bytes() for path in folder.glob("*.tsv")}
    assert results == {f"{shard.name}.tsv": content(shard) for shard in wanted}
    counted = {path.name for path in (folder / "_counts").iterdir()}
    assert counted == {f"{shard.name}.json" for shard in wanted}
    allowed = {"_counts", "_failures", ".lock", "_stage"}
    assert {path.name for path in folder.iterdir()} - set(results) <= allowed
    assert not list((folder / "_failures").glob("*"))


def alive(pid: int) -> bool:
    """Whether a process runs; one that waits for its parent to look at it does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def driver(
    folder: Path, notes: Path, *, count: int, workers: int | str, seconds: float
) -> subprocess.Popen[str]:
    """The program `tests.shards.driver` under way; `workers` may be the name of a cluster."""
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


def wait_for(notes: Path, count: int) -> None:
    """Until the stage has been called `count` times."""
    deadline = time.monotonic() + 60
    while len(list(notes.iterdir())) < count:
        assert time.monotonic() < deadline, "the driver did not begin"
        time.sleep(0.01)
