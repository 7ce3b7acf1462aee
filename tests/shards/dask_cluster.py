"""A Dask cluster of separate processes on this machine, as a user would start one."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from globesumm.shards.cluster import connect

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = os.environ | {
    "PYTHONPATH": str(ROOT),
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "2",
    "DASK_DISTRIBUTED__WORKER__DAEMON": "false",
}


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[str]:
    """A scheduler and one watched single-threaded worker process each; gives the address."""
    folder.mkdir()
    file = folder / "scheduler.json"
    processes = [start(folder, "scheduler", "--no-dashboard", "--host", "127.0.0.1", "--port", "0")]
    try:
        options = ("--nthreads", "1", "--no-dashboard", "--memory-limit", "0")
        processes += [start(folder, "worker", *options) for _ in range(workers)]
        with connect(f"file:{wait_for_file(file)}") as client:
            client.wait_for_workers(workers, timeout=60)
            address: str = client.scheduler.address
        yield address
    finally:
        for process in processes:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """A worker's watcher and the worker are one process group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)


def start(folder: Path, what: str, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "distributed.cli.dask_" + what]
    with (folder / "log.txt").open("ab") as log:
        return subprocess.Popen(
            [*command, "--scheduler-file", str(folder / "scheduler.json"), *options],
            cwd=folder, env=ENVIRONMENT, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip


def wait_for_file(path: Path) -> Path:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.05)
    return path


def worker_pids(address: str) -> list[int]:
    with connect(address) as client:
        return list(client.run(os.getpid).values())


@contextmanager
def running_scheduler(folder: Path) -> Iterator[str]:
    folder.mkdir()
    process = start(folder, "scheduler", "--no-dashboard", "--host", "127.0.0.1", "--port", "0")
    try:
        yield f"file:{wait_for_file(folder / 'scheduler.json')}"
    finally:
        end(process)
