"""The chain on a Dask cluster of two hosts, one of which dies under way.

The hosts are network namespaces (see `tests.shards.two_hosts`): addresses, process numbers, host
names and local disks of their own, and only the folder of results is shared.  The sources are the
local mirror at the bridge's address, which is private; the workers may fetch from it because the
config's ``connect_to`` names that one place, and from no other private address.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import pytest

pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")
pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("mwparserfromhell", reason="needs the extra 'retrieval'")
pytest.importorskip("distributed", reason="needs the extra 'cluster'")

from globesumm.cli.main import run
from globesumm.shards.cluster import connect
from tests.events.world import World
from tests.lying import lying
from tests.retrieval.mirror.web_server import Mirror
from tests.shards.two_hosts import Host, Network, cluster_of, lacking, network

pytestmark = pytest.mark.slow

FAST = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s"}
"""After so long without a sign a host counts as lost; Dask's own setting is 30 s."""

GDELT, PAGES = "gdelt", "pages"


@dataclass
class Undisturbed:
    """What one process made of the world, and the hosts that see the same world."""

    hosts: Network
    mirror: Mirror
    config: Path
    results: dict[str, bytes]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Undisturbed]:
    if reason := lacking():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("undisturbed")
    with network() as hosts, Mirror(listen=hosts.address) as mirror:
        world = World(mirror)
        world.serve(quake=False, days=("20230909", "20230909"))
        config = world.config(
            folder / "mine.toml", {"candidates": "k = 2\ndays_before = 0\ndays_after = 0"}
        )
        assert run(["events", str(config), "--out", str(folder / "out"), "--workers", "1"]) == 0
        yield Undisturbed(hosts, mirror, config, results(folder / "out"))


def killed(host: Host) -> None:
    """Its processes end, and its system still says so to the others; then it is gone."""
    assert host.kill() >= 2
    host.unplug()


def power_lost(host: Host) -> None:
    """It falls silent: nobody is told anything."""
    host.unplug()
    assert host.kill() >= 2


def under_way(out: Path, mirror: Mirror, stage: str) -> Callable[[], bool]:
    """Whether the work of `stage` has begun and is not done."""
    if stage == GDELT:
        return lambda: len(lying(out / "gdelt" / "gkg", "*.jsonl")) >= 20
    return lambda: any(seen.host.endswith(".example") for seen in list(mirror.requests))


@pytest.mark.parametrize(("stage", "dies"), [(GDELT, killed), (PAGES, power_lost)])
def test_a_cluster_of_two_hosts_one_of_which_dies_builds_what_one_machine_builds(
    tmp_path: Path, undisturbed: Undisturbed, stage: str, dies: Callable[[Host], None]
) -> None:
    hosts, mirror, out = undisturbed.hosts, undisturbed.mirror, tmp_path / "out"
    mirror.forget()
    if stage == PAGES:
        # Newspapers take their time, so that the host dies while it waits for them.
        mirror.fault("/flood-*", "slow")
    died: list[str] = []
    with cluster_of(hosts, tmp_path / "cluster", **FAST) as address:
        assert len(workers(address)) == 2

        def strike() -> None:
            is_time, until = under_way(out, mirror, stage), time.monotonic() + 120
            while not is_time():
                if time.monotonic() > until:
                    return
                time.sleep(0.02)
            victim = at_work(hosts, mirror, stage)
            dies(victim)
            died.append(victim.address)

        killer = Thread(target=strike)
        killer.start()
        command = ["events", str(undisturbed.config), "--out", str(out), "--cluster", address]
        assert run(command) == 0
        killer.join()
        assert len(died) == 1
        assert not set(died) & workers(address)
    mirror.mend()
    assert results(out) == undisturbed.results


def workers(address: str) -> set[str]:
    """The addresses of the hosts that work now."""
    with connect(address) as client:
        return {worker.split("//")[1].rpartition(":")[0] for worker in client.nthreads()}


def at_work(hosts: Network, mirror: Mirror, stage: str) -> Host:
    if stage == GDELT:
        return hosts.hosts[0]
    peers = [seen.peer for seen in list(mirror.requests) if seen.host.endswith(".example")]
    return next(host for host in hosts.hosts if host.address == peers[0])


def results(out: Path) -> dict[str, bytes]:
    """Every file of results, by its path; not stored pages, whose records hold times and ids."""
    top = [path for path in out.glob("*.jsonl") if path.name != "queries.jsonl"]
    tables = [*(out / "gdelt").rglob("*.jsonl"), *(out / "pages").glob("*.jsonl")]
    found = {str(path.relative_to(out)): path.read_bytes() for path in [*top, *tables]}
    assert {"events.jsonl", "pages/documents.jsonl"} <= found.keys()
    assert len([name for name in found if name.startswith("gdelt/gkg")]) == 2 * 96
    return found
