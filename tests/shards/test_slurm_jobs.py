"""The SLURM jobs that are written, and a run on a stand-in for SLURM's commands.

There is no SLURM on the machines that run these tests: `sbatch` and `scancel` here are small
programs that start a job script as a process and stop it.
"""

import os
import re
import signal
import sys
import time
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from globesumm.errors import UnknownName, UsageError
from globesumm.shards import run_stage
from globesumm.shards.slurm import settings, slurm_cluster
from tests.shards import stages
from tests.shards.conftest import Check, alive

pytest.importorskip("dask_jobqueue")

ROOT = Path(__file__).resolve().parents[2]

SBATCH = f"""#!{sys.executable}
import os, pathlib, shutil, subprocess, sys
spool = pathlib.Path(os.environ["SPOOL"])
if "--test-only" in sys.argv:
    script = sys.stdin.read()
    (spool / "tested").write_text(script)
    sys.exit("allocation failure: Invalid partition" if "-p nowhere" in script else 0)
number = str(len(list(spool.glob("*.sh"))) + 1)
script = spool / f"{{number}}.sh"
shutil.copy(sys.argv[-1], script)
with open(spool / f"{{number}}.log", "wb") as log:
    job = subprocess.Popen(["bash", script], stdout=log, stderr=log, start_new_session=True)
(spool / f"{{number}}.pid").write_text(str(job.pid))
print(f"Submitted batch job {{number}}")
"""
SCANCEL = f"""#!{sys.executable}
import contextlib, os, pathlib, signal, sys
for number in sys.argv[1:]:
    pid = int((pathlib.Path(os.environ["SPOOL"]) / f"{{number}}.pid").read_text())
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
"""


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """SLURM's commands, first on the path; job scripts and their logs land in this folder."""
    commands, spool = tmp_path / "bin", tmp_path / "spool"
    for folder in (commands, spool):
        folder.mkdir()
    for name, program in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (commands / name).write_text(program)
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("SPOOL", str(spool))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return spool


def test_the_job_asks_for_what_was_stated(spool: Path) -> None:
    name = "slurm:cpu,jobs=3,cores=4,memory=16GB,walltime=04:00:00,account=news"
    with slurm_cluster(name) as cluster:
        script = cluster.job_script()
        for _ in range(100):
            if len(list(spool.glob("*.pid"))) == 3:
                break
            time.sleep(0.1)
    asked = set(re.findall(r"^#SBATCH (.*)$", script, re.MULTILINE))
    assert asked >= {"-p cpu", "-A news", "-n 1", "--cpus-per-task=4", "-t 04:00:00"}
    assert any(re.fullmatch(r"--mem=1[56]G", it) for it in asked)
    (command,) = [line for line in script.splitlines() if "distributed.cli.dask_worker" in line]
    assert command.startswith(sys.executable)
    # One process for each core: stages are Python, which runs one thread at a time.
    assert "--nthreads 1 " in command
    assert "--nworkers 4 " in command
    assert "--nanny " in command
    assert len(list(spool.glob("*.sh"))) == 3


def test_little_stated_is_one_job_of_one_core(spool: Path) -> None:
    assert settings("slurm") == settings("slurm:") == {"jobs": 1, "cores": 1, "memory": "4GB"}
    assert settings("slurm:gpu")["queue"] == settings("slurm:queue=gpu")["queue"] == "gpu"
    with slurm_cluster("slurm") as cluster:
        assert "--nthreads 1" in cluster.job_script()


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("slurm:qeue=cpu", UnknownName, "did you mean 'queue'"),
        ("slurm:cpu,jobs=many", UsageError, "jobs is a whole number"),
        ("slurm:cpu,jobs=0", UsageError, "jobs"),
        ("slurm:cpu,jobs=-2", UsageError, "jobs"),
        ("slurm:queue=", UsageError, "queue is empty"),
        ("slurm:cpu,memory=plenty", UsageError, "plenty"),
        ("slurm:cpu,gpu", UnknownName, "gpu"),
        ("slurm:nowhere", UsageError, "SLURM refuses the job: allocation failure: Invalid"),
    ],
)
def test_what_slurm_cannot_be_asked_for_is_refused_by_name(
    spool: Path, name: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says), slurm_cluster(name):
        pass


def test_a_machine_without_slurm_is_said_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="sbatch is not on this machine"):
        run_stage(
            stages.write, stages.shards(1), tmp_path / "out",
            suffix=".tsv", cluster="slurm:cpu", progress_name="shards",
        )  # fmt: skip


@pytest.mark.slow
def test_a_job_that_ends_half_way_is_asked_for_again_and_nothing_changes(
    spool: Path, tmp_path: Path, is_whole: Check
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    shards = stages.shards(10)

    def end_the_job() -> None:
        while len(list(notes.iterdir())) < 3:
            time.sleep(0.05)
        os.killpg(int((spool / "1.pid").read_text()), signal.SIGKILL)

    killer = Thread(target=end_the_job)
    killer.start()
    outcome = run_stage(
        partial(stages.note_slowly, notes=notes, seconds=0.4), shards, tmp_path / "out",
        suffix=".tsv", cluster="slurm:cpu,memory=1GB", progress_name="shards",
    )  # fmt: skip
    killer.join()
    assert (outcome.done, outcome.failed) == (10, ())
    assert len(list(spool.glob("*.pid"))) == 2
    is_whole(tmp_path / "out", shards)


@pytest.mark.slow
def test_two_jobs_make_what_one_process_makes_and_are_cancelled(
    spool: Path, tmp_path: Path, is_whole: Check
) -> None:
    shards = stages.shards(12)
    outcome = run_stage(
        stages.write, shards, tmp_path / "out",
        suffix=".tsv", cluster="slurm:cpu,jobs=2,memory=1GB", progress_name="shards",
    )  # fmt: skip
    assert (outcome.done, outcome.failed) == (12, ())
    is_whole(tmp_path / "out", shards)
    jobs = [int(path.read_text()) for path in spool.glob("*.pid")]
    # The first may have done everything before the second has begun.
    assert 1 <= len(jobs) <= 2
    deadline = time.monotonic() + 10
    while any(alive(pid) for pid in jobs):
        assert time.monotonic() < deadline, "a job outlived the run"
        time.sleep(0.05)
