"""The same shards on a Dask cluster of separate processes, workers killed under way."""

import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from globesumm.errors import MissingPackage, UsageError
from globesumm.interrupting import Stopping
from globesumm.shards import Outcome, Shard, Stage, run_stage
from globesumm.shards.attempt import Made, attempt
from globesumm.shards.cluster import connect, on_cluster
from globesumm.shards.folder import ShardFolder
from tests.shards import stages
from tests.shards.conftest import Check, driver, wait_for
from tests.shards.dask_cluster import cluster, running_scheduler, worker_pids

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with cluster(tmp_path_factory.mktemp("dask") / "cluster", 2) as running:
        yield running


def run(stage: Stage, shards: list[Shard], folder: Path, at: str) -> Outcome:
    return run_stage(stage, shards, folder, suffix=".tsv", cluster=at, progress_name="shards")


def test_a_cluster_makes_what_one_process_makes(
    tmp_path: Path, address: str, is_whole: Check
) -> None:
    shards = stages.shards(20)
    here = run_stage(
        stages.write, shards, tmp_path / "here", suffix=".tsv", workers=1, progress_name="shards"
    )
    there = run(stages.write, shards, tmp_path / "there", address)
    assert there == here
    is_whole(tmp_path / "there", shards)
    again = run(stages.write, shards, tmp_path / "there", address)
    assert (again.done, again.reused, again.counts) == (0, 20, here.counts)


@pytest.mark.slow
def test_a_worker_killed_half_way_changes_nothing_in_the_output(
    tmp_path: Path, address: str, is_whole: Check
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    shards = stages.shards(16)
    (victim, _) = worker_pids(address)

    def kill_half_way() -> None:
        while len(list(notes.iterdir())) < 8:
            time.sleep(0.02)
        os.kill(victim, signal.SIGKILL)

    killer = Thread(target=kill_half_way)
    killer.start()
    stage = partial(stages.note_slowly, notes=notes, seconds=0.4)
    outcome = run(stage, shards, tmp_path / "out", address)
    killer.join()
    assert victim not in worker_pids(address)
    assert (outcome.done, outcome.failed) == (16, ())
    assert outcome.counts["rows"] == 16 * stages.LINES
    # What ran on the killed worker ran twice, and nothing else did.
    assert len(list(notes.iterdir())) <= 16 + 1
    is_whole(tmp_path / "out", shards)


@pytest.mark.slow
def test_a_shard_that_kills_every_worker_is_named_on_a_cluster_too(
    tmp_path: Path, address: str
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    shards = stages.shards(6)
    stage = partial(stages.dies, notes=notes, victims=frozenset({shards[2].name}), times=99)
    outcome = run(stage, shards, tmp_path / "out", address)
    (failure,) = outcome.failed
    assert (failure.shard, failure.kind, failure.attempts) == (shards[2].name, "WorkerKilled", 3)
    assert outcome.done == 5


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False])
def test_a_shard_whose_worker_died_between_its_end_and_the_asking_is_had_all_the_same(
    tmp_path: Path, address: str, is_whole: Check, *, kept: bool
) -> None:
    # Dask then says "lost" or "pending" of what had ended, and runs it again.
    shards = stages.shards(2)  # as many as one worker is given at once, should the other be dead
    folder = ShardFolder(tmp_path / "out", ".tsv")
    (tmp_path / "out").mkdir()
    with folder.alone(None):
        results = on_cluster(
            partial(attempt, stages.write, folder), iter(shards), address, Stopping()
        )
        had = [next(results)]
        deadline = time.monotonic() + 60
        while any(folder.counts(shard.name) is None for shard in shards):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(0.5)  # for the ends to reach the client, so that it counts them as ended
        if not kept:
            for shard in shards:
                if shard.name != had[0].shard:
                    folder.result(shard.name).unlink()
        for pid in worker_pids(address):
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.5)
        had += results
    assert sorted(result.shard for result in had) == sorted(shard.name for shard in shards)
    assert all(isinstance(result, Made) for result in had)
    is_whole(tmp_path / "out", shards)


@pytest.mark.slow
def test_a_failed_shard_on_a_cluster_is_named_and_tried_again(
    tmp_path: Path, address: str, is_whole: Check
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    shards = [*stages.shards(3), Shard("odd", "bad file")]
    stage = partial(stages.fails, notes=notes)
    outcome = run(stage, shards, tmp_path / "out", address)
    assert [(it.shard, it.message) for it in outcome.failed] == [("odd", "bad file: no zip file")]
    (notes / "mended").touch()
    assert run(stage, shards, tmp_path / "out", address).done == 1
    is_whole(tmp_path / "out", shards)


@pytest.mark.slow
def test_what_no_shard_can_survive_ends_the_run_on_a_cluster(tmp_path: Path, address: str) -> None:
    with pytest.raises(UsageError, match="pyarrow"):
        run(stages.lacks_a_package, stages.shards(30), tmp_path, address)


@pytest.mark.slow
def test_workers_that_lack_the_stage_are_said_to(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "only_here"
    module.mkdir()
    (module / "stage_only_here.py").write_text(
        "def stage(shard, part):\n    part.write_bytes(b'')\n    return {}\n"
    )
    monkeypatch.syspath_prepend(module)
    import stage_only_here  # type: ignore[import-not-found]

    with pytest.raises(UsageError, match="workers need this version of globesumm"):
        run(stage_only_here.stage, stages.shards(2), tmp_path / "out", address)


@pytest.mark.slow
def test_a_folder_that_workers_do_not_see_is_refused_and_nothing_is_written(
    tmp_path: Path, address: str
) -> None:
    from globesumm.shards.attempt import Refused, attempt
    from globesumm.shards.folder import ShardFolder

    unseen = ShardFolder(tmp_path / "not-shared", ".tsv")
    with connect(address) as client:
        result = client.submit(partial(attempt, stages.write, unseen), Shard("a", "")).result()
    assert isinstance(result, Refused)
    assert "every worker shares" in result.message
    assert not (tmp_path / "not-shared").exists()


@pytest.mark.slow
def test_a_lost_scheduler_is_said_and_the_same_command_goes_on(
    tmp_path: Path, address: str, is_whole: Check
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    shards = stages.shards(12)
    stage = partial(stages.note_slowly, notes=notes, seconds=0.3)
    with cluster(tmp_path / "doomed", 1) as doomed:

        def kill() -> None:
            while len(list(notes.iterdir())) < 4:
                time.sleep(0.02)
            with connect(doomed) as client:
                pid: int = client.run_on_scheduler(os.getpid)
            os.kill(pid, signal.SIGKILL)

        killer = Thread(target=kill)
        killer.start()
        with pytest.raises(UsageError, match="was lost"):
            run(stage, shards, tmp_path / "out", doomed)
        killer.join()
    outcome = run(stage, shards, tmp_path / "out", address)
    assert outcome.reused >= 3
    assert outcome.shards == outcome.done + outcome.reused == 12
    is_whole(tmp_path / "out", shards)


def test_a_scheduler_that_is_gone_when_asked_for_its_workers_is_said_to_be_lost(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed.comm import CommClosedError

    def gone(_placed: object) -> int:
        raise CommClosedError("stream is closed")

    monkeypatch.setattr("globesumm.shards.cluster._Placed._room", gone)
    with pytest.raises(UsageError, match="was lost"):
        run(stages.write, stages.shards(2), tmp_path / "out", address)


@pytest.mark.slow
def test_a_killed_client_loses_doubles_and_tears_nothing_though_workers_go_on(
    tmp_path: Path, address: str, is_whole: Check
) -> None:
    folder, notes = tmp_path / "out", tmp_path / "notes"
    for kill in range(4):
        process = driver(folder, notes, count=60, workers=address, seconds=0.5)
        wait_for(notes, len(list(notes.iterdir())) + 2 + kill)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    process = driver(folder, notes, count=60, workers=address, seconds=0.01)
    out, err = process.communicate()
    assert process.returncode == 0, err
    done, reused, failed, counts = out.split(maxsplit=3)
    assert (int(done) + int(reused), failed) == (60, "0")
    assert f"'rows': {60 * stages.LINES}" in counts
    is_whole(folder, stages.shards(60))


@pytest.mark.slow
def test_ctrl_c_on_a_cluster_lets_what_was_given_out_finish(
    tmp_path: Path, address: str, is_whole: Check
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    stage = partial(stages.note_slowly, notes=notes, seconds=0.3)

    def interrupt() -> None:
        while not list(notes.iterdir()):
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        run(stage, stages.shards(30), tmp_path / "out", address)
    made = len(list((tmp_path / "out").glob("*.tsv")))
    assert made == len(list(notes.iterdir())) < 10
    assert run(stages.write, stages.shards(30), tmp_path / "out", address).reused == made
    is_whole(tmp_path / "out", stages.shards(30))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("tcp://127.0.0.1:1", "no Dask scheduler answers"),
        ("localhost", "names no cluster"),
        ("", "names no cluster"),
        ("file:/nowhere/scheduler.json", "no scheduler file"),
        ("nonsense://x", "no Dask scheduler answers"),
    ],
)
def test_a_cluster_that_cannot_be_reached_is_refused_by_name(
    tmp_path: Path, name: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("globesumm.shards.cluster.SECONDS_TO_CONNECT", 1)
    with pytest.raises(UsageError, match=says):
        run(stages.write, stages.shards(1), tmp_path, name)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", None])
def test_what_is_no_scheduler_is_said_to_be_none_whatever_it_answers(
    tmp_path: Path, answer: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("globesumm.shards.cluster.SECONDS_TO_CONNECT", 1)
    taken: list[socket.socket] = []

    def serve(server: socket.socket) -> None:
        while True:
            taken.append(server.accept()[0])
            if answer is not None:
                taken[-1].sendall(answer)
                taken[-1].close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=serve, args=(server,), daemon=True).start()
        name = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(UsageError, match="no Dask scheduler answers"):
            run(stages.write, stages.shards(1), tmp_path, name)


@pytest.mark.slow
def test_a_cluster_without_workers_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("globesumm.shards.cluster.SECONDS_TO_CONNECT", 2)
    with (
        running_scheduler(tmp_path / "alone") as address,
        pytest.raises(UsageError, match="has no workers"),
    ):
        run(stages.write, stages.shards(1), tmp_path / "out", address)


@pytest.mark.parametrize(
    ("package", "name"), [("distributed", "tcp://127.0.0.1:1"), ("dask_jobqueue", "slurm:cpu")]
)
def test_a_missing_package_is_named_with_its_extra(
    tmp_path: Path, package: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackage, match=r"globesumm\[cluster\]"):
        run(stages.write, stages.shards(1), tmp_path, name)
