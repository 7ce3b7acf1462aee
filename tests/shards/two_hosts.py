"""Hosts of their own on this machine, and a Dask cluster over the network between them.

A host here is what Linux can make of one: a network namespace with an address of its own on a
bridge, a host name, process numbers from 1 on, and a disk (a tmpfs at the path that every host
has) that no other host sees.  The folder of results is what they share, as on a network file
system.  The scheduler runs outside all of them, at the bridge's address.

Needs root and the commands ``ip`` and ``unshare``; `lacking` says what is not there.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from globesumm.shards.cluster import connect
from tests.shards.dask_cluster import ENVIRONMENT, end, wait_for_file


def lacking() -> str | None:
    """Why hosts cannot be made here, None where they can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "network namespaces need Linux and root"
    for command in ("ip", "unshare"):
        if shutil.which(command) is None:
            return f"there is no command {command}"
    name = f"gs{os.getpid()}try"
    made = _ip("netns", "add", name, check=False)
    if made.returncode != 0:
        return f"no network namespace can be made: {made.stderr.strip()}"
    own = subprocess.run(
        [*_inside(name), "true"], capture_output=True, text=True, check=False
    )  # fmt: skip
    _ip("netns", "del", name)
    return None if own.returncode == 0 else f"no host can be made: {own.stderr.strip()}"


@dataclass
class Host:
    """A host by its network namespace; `cable` is its end at the bridge."""

    name: str
    address: str
    cable: str
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def plug_in(self) -> None:
        _ip("link", "set", self.cable, "up")

    def unplug(self) -> None:
        """Take its link down: nothing more comes from it or goes to it."""
        _ip("link", "set", self.cable, "down")

    def kill(self) -> int:
        """kill -9 every process of it at once; how many there were."""
        there = _ip("netns", "pids", self.name).stdout.split()
        for pid in there:
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        return len(there)


@dataclass
class Network:
    """The bridge's address, which every host reaches, and the hosts."""

    address: str
    hosts: list[Host]


@contextmanager
def network(count: int = 2) -> Iterator[Network]:
    """`count` hosts on one bridge, taken away at the end."""
    own = os.getpid()
    bridge, prefix = f"gs{own}br", f"10.{100 + own % 100}.{own // 100 % 250}"
    hosts = [
        Host(f"gs{own}{letter}", f"{prefix}.{number + 2}", f"gs{own}{letter}c")
        for number, letter in zip(range(count), "abcdefgh", strict=False)
    ]
    try:
        _ip("link", "add", bridge, "type", "bridge")
        _ip("addr", "add", f"{prefix}.1/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        for host in hosts:
            _connect(host, bridge)
        yield Network(f"{prefix}.1", hosts)
    finally:
        for host in hosts:
            _ip("netns", "del", host.name, check=False)
        _ip("link", "del", bridge, check=False)


def _connect(host: Host, bridge: str) -> None:
    _ip("netns", "add", host.name)
    _ip("link", "add", host.cable, "type", "veth", "peer", "name", "eth0", "netns", host.name)
    _ip("link", "set", host.cable, "master", bridge, "up")
    inside = ("-n", host.name)
    _ip(*inside, "addr", "add", f"{host.address}/24", "dev", "eth0")
    _ip(*inside, "link", "set", "eth0", "up")
    _ip(*inside, "link", "set", "lo", "up")


@contextmanager
def cluster_of(network: Network, folder: Path, **settings: str) -> Iterator[str]:
    """A scheduler at the bridge and a watched one-threaded worker a host; gives its address.

    `settings` go into the environment of all of them, as Dask's configuration takes them.
    """
    folder.mkdir()
    environment = ENVIRONMENT | settings
    file = folder / "scheduler.json"
    with (folder / "log.txt").open("ab") as log:
        scheduler = subprocess.Popen(
            [*_dask("scheduler"), "--no-dashboard", "--host", network.address, "--port", "0",
             "--scheduler-file", str(file)],
            cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        wait_for_file(file)
        address: str = json.loads(file.read_text())["address"]
        for host in network.hosts:
            host.plug_in()
            host.processes.append(_worker(host, address, folder, environment))
        with connect(address) as client:
            client.wait_for_workers(len(network.hosts), timeout=60)
        yield address
    finally:
        end(scheduler)
        for host in network.hosts:
            host.kill()
            for process in host.processes:
                end(process)
            host.processes.clear()


def _worker(
    host: Host, scheduler: str, folder: Path, environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    disk = folder / "disk"
    disk.mkdir(exist_ok=True)
    options = ("--nthreads", "1", "--no-dashboard", "--memory-limit", "0")
    worker = [*_dask("worker"), scheduler, *options, "--local-directory", str(disk)]
    script = 'hostname "$0" && mount -t tmpfs own "$1" && cd "$1" && shift && exec "$@"'
    with (folder / f"{host.name}.txt").open("ab") as log:
        return subprocess.Popen(
            [*_inside(host.name), "sh", "-c", script, host.name, str(disk), *worker],
            env=environment | {"TMPDIR": str(disk)}, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip


def _inside(name: str) -> list[str]:
    own = ("--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc")
    return ["ip", "netns", "exec", name, "unshare", *own]


def _dask(what: str) -> list[str]:
    return [sys.executable, "-m", f"distributed.cli.dask_{what}"]


def _ip(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=check)
