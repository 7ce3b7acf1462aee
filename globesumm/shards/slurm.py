"""Workers as SLURM jobs, through dask-jobqueue."""

import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from globesumm.errors import MissingPackage, UnknownName, UsageError
from globesumm.progress import say

if TYPE_CHECKING:
    from dask_jobqueue import SLURMCluster

SETTINGS: Mapping[str, Callable[[str], Any]] = {
    "queue": str,
    "account": str,
    "jobs": int,
    "cores": int,
    "memory": str,
    "walltime": str,
    "interface": str,
    "log_directory": str,
    "local_directory": str,
}
"""What may be stated after ``slurm:``; the rest comes from dask-jobqueue's own configuration."""

_DEFAULTS: Mapping[str, Any] = {"jobs": 1, "cores": 1, "memory": "4GB"}


def is_slurm(cluster: str) -> bool:
    return cluster == "slurm" or cluster.startswith("slurm:")


def settings(cluster: str) -> dict[str, Any]:
    """What ``slurm:queue=cpu,jobs=20,cores=4,memory=16GB,walltime=04:00:00`` states.

    A first word without ``=`` is the queue (SLURM's partition).  Raises `UnknownName` for a
    setting that is not in `SETTINGS`, `UsageError` for a value that cannot be.
    """
    found = dict(_DEFAULTS)
    stated = cluster.removeprefix("slurm").removeprefix(":")
    for number, part in enumerate(filter(None, stated.split(","))):
        name, equals, value = part.partition("=")
        if not equals and number == 0:
            name, value = "queue", part
        if name not in SETTINGS:
            raise UnknownName("setting", name, SETTINGS, f"{cluster!r}")
        try:
            found[name] = SETTINGS[name](value)
        except ValueError as error:
            raise UsageError(
                f"{cluster!r}: {name} is a whole number, not {value!r}: give one"
            ) from error
        if not value:
            raise UsageError(f"{cluster!r}: {name} is empty: give a value")
        if isinstance(found[name], int) and found[name] < 1:
            raise UsageError(f"{cluster!r}: {name} must be 1 or more, not {value}")
    return found


@contextmanager
def slurm_cluster(cluster: str) -> Iterator["SLURMCluster"]:
    """A scheduler in this process and one SLURM job a worker, cancelled when the block ends.

    Each job has one process for each of its cores, since a stage holds the interpreter.
    Raises `MissingPackage`; `UsageError` if SLURM's commands are not there or refuse the job.
    """
    try:
        from dask_jobqueue import SLURMCluster
    except ImportError as error:
        raise MissingPackage("dask-jobqueue", "placing shards on SLURM", "cluster") from error
    stated = settings(cluster)
    jobs = stated.pop("jobs")
    try:
        workers = SLURMCluster(processes=stated["cores"], **stated)
    except (ValueError, RuntimeError, OSError) as error:
        raise UsageError(f"{cluster!r}: {error}") from error
    with workers:
        _check(cluster, workers.job_script())
        say(f"asking SLURM for {jobs} jobs")
        # A job that ends, at its wall time say, is asked for again.
        workers.adapt(minimum_jobs=jobs, maximum_jobs=jobs)
        yield workers


def _check(cluster: str, script: str) -> None:
    """Let SLURM say now what it would refuse: dask-jobqueue logs a refusal and waits for ever."""
    program = shutil.which("sbatch")
    if program is None:
        raise UsageError(
            f"{cluster!r}: SLURM's command sbatch is not on this machine: start this where jobs "
            "are submitted, or leave out --cluster"
        )
    asked = subprocess.run(  # noqa: S603  # a program found on the path, and no shell
        [program, "--test-only"], input=script, capture_output=True, text=True, check=False
    )
    if asked.returncode:
        said = (asked.stderr or asked.stdout).strip()
        raise UsageError(f"{cluster!r}: SLURM refuses the job: {said}: correct what it names")
