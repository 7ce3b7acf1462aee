"""The same shards on a Dask cluster, which may be SLURM jobs; the cluster only places them."""

import asyncio
import json
import uuid
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from globesumm.errors import MissingPackage, UsageError
from globesumm.interrupting import Stopping
from globesumm.progress import say
from globesumm.shards.attempt import Attempt, Made, Result
from globesumm.shards.folder import ShardFolder
from globesumm.shards.slurm import is_slurm, slurm_cluster
from globesumm.shards.slurm import settings as slurm_settings
from globesumm.shards.stage import Shard, ShardFailure

if TYPE_CHECKING:
    from distributed import Client

SECONDS_TO_CONNECT = 30
SHARDS_PER_THREAD = 2
"""How many shards each thread of the cluster holds: one runs, one waits."""


def on_cluster(
    call: Attempt, shards: Iterator[Shard], cluster: str, stopping: Stopping
) -> Generator[Result, None, None]:
    """Results as they come from the cluster that `cluster` names (see `connect`).

    A shard whose worker died goes to another worker, as often as the scheduler's setting
    ``distributed.scheduler.allowed-failures`` says (3 more times if unset).
    """
    with connect(cluster) as client:
        try:
            yield from _Placed(client, call, cluster, stopping).results(shards)
        except (OSError, CancelledError) as error:
            # Any question to the scheduler may be the one that finds it gone.
            raise _lost(cluster) from error


@contextmanager
def connect(cluster: str) -> Iterator["Client"]:
    """A client of the named cluster.

    ``tcp://host:port`` (or ``tls://``) is the address of a running scheduler, ``file:PATH`` the
    scheduler file it wrote, ``slurm:…`` one SLURM job a worker (see `globesumm.shards.slurm`).
    Raises `MissingPackage`, or `UsageError` if the cluster cannot be reached or has no workers.
    """
    check_address(cluster)
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingPackage("distributed", "placing shards on a cluster", "cluster") from error
    address: dict[str, Any]
    with ExitStack() as stack:
        if is_slurm(cluster):
            address = {"address": stack.enter_context(slurm_cluster(cluster))}
        elif cluster.startswith("file:"):
            address = {"scheduler_file": cluster.removeprefix("file:")}
        else:
            address = {"address": cluster}
        try:
            with ThreadPoolExecutor(1) as thread:
                # A caller may have an event loop of its own, as notebooks do.
                thread.submit(asyncio.run, _answers(_scheduler(address))).result()
            client = Client(**address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except Exception as error:
            # What is no scheduler may answer anything: a dashboard's HTTP reads as a length of
            # exabytes, which is a MemoryError.
            reason = str(error) or type(error).__name__
            raise UsageError(
                f"no Dask scheduler answers at {cluster}: {reason} (its port is not the "
                "dashboard's; its version and Dask's settings must be those here)"
            ) from error
        stack.callback(client.close)
        _wait_for_workers(client, cluster)
        yield client


def _scheduler(address: Mapping[str, Any]) -> str:
    """The scheduler's address, which a cluster knows, or which stands in the file it wrote."""
    if "address" in address:
        return str(getattr(address["address"], "scheduler_address", address["address"]))
    return str(json.loads(Path(address["scheduler_file"]).read_text("utf-8"))["address"])


async def _answers(where: str) -> None:
    """Raise unless a Dask server answers in `SECONDS_TO_CONNECT`.

    `Client` waits for ever on one that takes the connection and then says nothing.
    """
    from distributed import comm
    from distributed.security import Security

    async with asyncio.timeout(SECONDS_TO_CONNECT):
        opened = await comm.connect(where, **Security().get_connection_args("client"))
    opened.abort()


def check_address(cluster: str) -> None:
    """Raise `UsageError` where `cluster` cannot name a cluster, without asking anyone."""
    if is_slurm(cluster):
        slurm_settings(cluster)
    elif cluster.startswith("file:"):
        # A client would wait for a file that is not there, and never end.
        path = cluster.removeprefix("file:")
        if not Path(path).is_file():
            raise UsageError(
                f"{path}: no scheduler file (`dask scheduler --scheduler-file` writes it)"
            )
    elif "://" not in cluster:
        raise UsageError(
            f"{cluster!r} names no cluster: give tcp://HOST:PORT, file:SCHEDULER_FILE "
            "or slurm:QUEUE,jobs=N"
        )


def _wait_for_workers(client: "Client", cluster: str) -> None:
    """A queue may keep jobs waiting for hours; a running cluster has its workers now."""
    if client.nthreads():
        return
    say(f"waiting for workers of {cluster}")
    try:
        client.wait_for_workers(1, timeout=None if is_slurm(cluster) else SECONDS_TO_CONNECT)
    except TimeoutError as error:
        raise UsageError(
            f"the cluster at {cluster} has no workers: start some with "
            f"`dask worker {cluster} --nthreads 1`"
        ) from error


class _Placed:
    """Shards given out and not yet back; never more than the workers can hold."""

    def __init__(self, client: "Client", call: Attempt, name: str, stopping: Stopping) -> None:
        self.client, self.call, self.name, self.stopping = client, call, name, stopping

    def results(self, shards: Iterator[Shard]) -> Generator[Result, None, None]:
        """Each shard's result; those that were on a worker when it died too often come last, alone.

        Dask blames whatever a dead worker held, so a shard that only waited there is blamed for
        its neighbour; alone on the cluster, the one that kills is the one that is named.
        """
        suspects: list[Shard] = []
        for shard, future in self._placed(shards, None):
            if _killed(future):
                suspects.append(shard)
            else:
                yield self._result(shard, future)
        for shard, future in self._placed(iter(suspects), 1):
            yield self._result(shard, future)

    def _placed(
        self, shards: Iterator[Shard], most: int | None
    ) -> Generator[tuple[Shard, Any], None, None]:
        from distributed import as_completed

        out: dict[str, Shard] = {}
        coming: Any = as_completed(loop=self.client.loop)
        # Tasks of one key are one task to Dask, and an earlier one's end may be remembered there.
        turn = uuid.uuid4().hex[:12]
        while True:
            while not self.stopping.asked and len(out) < (most or self._room()):
                shard = next(shards, None)
                if shard is None:
                    break
                key = f"{shard.name}-{turn}"
                out[key] = shard
                coming.add(self.client.submit(self.call, shard, key=key, pure=False))
            if not out:
                return
            future = next(coming)
            yield out.pop(future.key), future

    def _room(self) -> int:
        """Workers come and go, so it is asked each time; one shard waits when there is none."""
        threads: dict[str, int] = self.client.nthreads()
        return max(1, SHARDS_PER_THREAD * sum(threads.values()))

    def _result(self, shard: Shard, future: Any) -> Result:
        if future.status == "cancelled":
            raise _lost(self.name)
        error = future.exception() if future.status == "error" else None
        if error is None:
            # The folder tells it as well as the worker, which may be dead by now: asking a dead
            # one takes half a minute, after which the task is run again.
            kept: ShardFolder = self.call.args[1]
            counts = kept.counts(shard.name)
            if counts is not None:
                return Made(shard.name, counts)
            # Where the worker died after the end, Dask has forgotten it and runs the shard anew.
            try:
                result: Result = future.result()
            except _worker_killed() as killed:
                error = killed
            else:
                return result
        if isinstance(error, _worker_killed()):
            times = error.allowed_failures + 1
            message = f"its worker was killed {times} times (out of memory?)"
            return ShardFailure(
                shard=shard.name, kind="WorkerKilled", message=message, attempts=times
            )
        # What a stage raises comes back as a value: this is the cluster itself.
        raise UsageError(
            f"the cluster at {self.name} cannot run the stage ({type(error).__name__}: {error}): "
            "its workers need this version of globesumm and of Python"
        )


def _lost(cluster: str) -> UsageError:
    return UsageError(
        f"the cluster at {cluster} was lost; what is done is kept, and the same command goes on "
        "from there"
    )


def _killed(future: Any) -> bool:
    """Whether so many workers died with this shard that Dask gave it up."""
    return future.status == "error" and isinstance(future.exception(), _worker_killed())


def _worker_killed() -> Any:
    from distributed import KilledWorker

    return KilledWorker
