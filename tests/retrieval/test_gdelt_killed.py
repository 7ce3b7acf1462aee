"""``globesumm gdelt`` when workers or the command itself die under way."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from globesumm.cli import main
from tests.retrieval.mirror.web_server import Mirror

ROOT = Path(__file__).resolve().parents[2]
WINDOW = ("--from", "2023-06-01T00:00", "--to", "2023-06-01T02:45")


def arguments(mirror: Mirror, out: Path) -> list[str]:
    return ["gdelt", *WINDOW, "--base", mirror.gdelt.base, "--out", str(out), "--wait", "0"]


def filled(mirror: Mirror) -> None:
    mirror.gdelt.fill("20230601000000", slots=12, products=["gkg"])


def output(out: Path) -> dict[str, bytes]:
    paths = [
        *(out / "gkg").glob("*.jsonl"),
        *(out / "gkg" / "_counts").glob("*"),
        out / "slots.jsonl",
    ]
    return {str(path.relative_to(out)): path.read_bytes() for path in paths}


def when(happened: Callable[[], bool], then: Callable[[], None]) -> Thread:
    def wait() -> None:
        deadline = time.monotonic() + 60
        while not happened() and time.monotonic() < deadline:
            time.sleep(0.02)
        then()

    thread = Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.slow
def test_a_killed_command_goes_on_and_fetches_nothing_twice(mirror: Mirror, tmp_path: Path) -> None:
    filled(mirror)
    assert main([*arguments(mirror, tmp_path / "whole"), "--workers", "1"]) == 0
    mirror.forget()
    code = "import sys; from globesumm.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *arguments(mirror, tmp_path / "g"), "--workers", "2"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    for kill in range(3):
        at = len(mirror.asked("/gdeltv2/2")) + 4 + kill
        process = subprocess.Popen(
            command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True
        )

        def has_begun(at: int = at) -> bool:
            return len(mirror.asked("/gdeltv2/2")) >= at

        def die(pid: int = process.pid) -> None:
            os.killpg(pid, signal.SIGKILL)

        when(has_begun, die).join()
        process.wait(30)
    before = len(list((tmp_path / "g" / "gkg").glob("*.jsonl")))
    assert 0 < before < 24
    assert main([*arguments(mirror, tmp_path / "g"), "--workers", "1"]) == 0
    assert output(tmp_path / "g") == output(tmp_path / "whole")
    asked = mirror.asked("/gdeltv2/2")
    # What was under way when its worker was killed is asked for again, and nothing else is.
    assert len(asked) <= 24 + 3 * 2
    assert not list((tmp_path / "g" / "gkg" / "_partial").glob("*/*"))


@pytest.mark.slow
def test_a_cluster_whose_worker_is_killed_makes_the_same_tables(
    mirror: Mirror, tmp_path: Path
) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed")
    from tests.shards.dask_cluster import cluster, worker_pids

    filled(mirror)
    assert main([*arguments(mirror, tmp_path / "whole"), "--workers", "1"]) == 0
    mirror.forget()
    mirror.fault("*.gkg.csv.zip", "slow", times=8)
    with cluster(tmp_path / "cluster", 2) as address:
        victim, _ = worker_pids(address)
        killer = when(
            lambda: len(mirror.asked("/gdeltv2/2")) >= 6, lambda: os.kill(victim, signal.SIGKILL)
        )
        assert main([*arguments(mirror, tmp_path / "g"), "--cluster", address]) == 0
        killer.join()
    assert output(tmp_path / "g") == output(tmp_path / "whole")
