"""The chain with its bulk stages on a Dask cluster, one of whose workers is killed under way."""

import os
import signal
import time
from pathlib import Path
from threading import Thread

import pytest

pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")
pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("mwparserfromhell", reason="needs the extra 'retrieval'")
pytest.importorskip("distributed", reason="needs the extra 'cluster'")

from globesumm.cli.main import run
from tests.events.world import World
from tests.retrieval.mirror.web_server import Mirror
from tests.shards.dask_cluster import cluster, worker_pids

FILES = ("queries", "candidates", "unsearched", "verdicts", "decisions", "left-out", "events")


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_builds_what_one_process_builds(tmp_path: Path) -> None:
    with Mirror() as mirror, cluster(tmp_path / "cluster", 2) as address:
        world = World(mirror)
        world.serve(quake=False, days=("20230909", "20230909"))
        config = world.config(
            tmp_path / "mine.toml", {"candidates": "k = 2\ndays_before = 0\ndays_after = 0"}
        )
        here, there = tmp_path / "here", tmp_path / "there"
        assert run(["events", str(config), "--out", str(here), "--workers", "1"]) == 0
        victim = worker_pids(address)[0]

        def kill_under_way() -> None:
            until = time.monotonic() + 120
            while len(list((there / "gdelt" / "gkg").glob("*.jsonl"))) < 20:
                if time.monotonic() > until:
                    return
                time.sleep(0.02)
            os.kill(victim, signal.SIGKILL)

        killer = Thread(target=kill_under_way)
        killer.start()
        assert run(["events", str(config), "--out", str(there), "--cluster", address]) == 0
        killer.join()
        assert victim not in worker_pids(address)
    for name in FILES:
        file = f"{name}.jsonl"
        assert (there / file).read_text("utf-8") == (here / file).read_text("utf-8"), file
