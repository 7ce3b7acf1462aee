"""Running a stage over shards: what is done is reused, what fails is named, the rest goes on."""

import os
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.interrupting import Stopping, finishing_on_interrupt
from globesumm.progress import say, track
from globesumm.runs import Setting
from globesumm.shards.attempt import Attempt, Made, Refused, Result, attempt
from globesumm.shards.folder import ShardFolder
from globesumm.shards.processes import Limits, in_processes
from globesumm.shards.stage import Outcome, Shard, ShardFailure, Stage

ATTEMPTS = 3
"""How often a shard is tried whose worker process is killed (by the system, out of memory)."""

MOST_SAID = 50
"""Failed shards that are named on stderr; every one is in the folder and in the outcome."""

_NOTICE = "finishing the shards that run; Ctrl-C once more stops at once"


def run_stage(
    stage: Stage,
    shards: Iterable[Shard],
    folder: Path,
    *,
    suffix: str,
    workers: int | None = None,
    cluster: str | None = None,
    progress_name: str,
    settings: Mapping[str, Setting] | None = None,
    seconds_per_shard: float | None = None,
) -> Outcome:
    """Make the result of every shard in `folder` that is not there yet; the same call resumes.

    `shards` may be lazy; of a sequence, which can be looked through twice, the progress line
    knows how much is left.  `suffix` ends the file names of results (".parquet").  `workers` is
    the number of processes (as many as there are processors where None; 1 works in this
    process); `cluster` places the shards on a Dask cluster instead (see
    `globesumm.shards.cluster.connect`).  `settings` are what decides the results besides the
    shards: a folder made with others is refused.  A shard that takes longer than
    `seconds_per_shard` is stopped and named as failed (not on a cluster).

    A shard that fails is recorded in `folder` with the reason and tried again by the next call.
    One whose worker is killed is tried `ATTEMPTS` times, after the others.  Ctrl-C lets what runs
    finish, then raises KeyboardInterrupt; a second one stops at once.

    Raises `UsageError` if another process works in the folder, if it cannot be written, or if
    the stage says with one that no shard can succeed.
    """
    check_place(workers, cluster)
    kept = ShardFolder(Path(folder).resolve(), suffix)
    call: Attempt = partial(attempt, stage, kept)
    tally = _Tally(kept)
    limits = Limits(workers or _processors(), ATTEMPTS, seconds_per_shard)
    with kept.alone(settings), finishing_on_interrupt(_NOTICE) as stopping:
        to_do, total = tally.to_do(shards)
        if cluster is not None:
            from globesumm.shards.cluster import on_cluster

            results = on_cluster(call, to_do, cluster, stopping)
        elif limits.processes == 1 and seconds_per_shard is None:
            results = _in_this_process(call, to_do, stopping)
        else:
            results = in_processes(call, to_do, limits, stopping)
        with closing(results):
            for result in track(results, progress_name, total):
                tally.add(result)
        stopping.raise_if_asked()
    return tally.outcome()


def check_place(workers: int | None, cluster: str | None) -> None:
    """Raise `UsageError` where shards cannot be worked so; said before anything is fetched."""
    if workers is not None and workers < 1:
        raise UsageError(f"{workers} workers can do nothing: state 1 or more")
    if cluster is not None:
        from globesumm.shards.cluster import check_address

        check_address(cluster)


def _in_this_process(
    call: Attempt, shards: Iterator[Shard], stopping: Stopping
) -> Generator[Result, None, None]:
    for shard in shards:
        if stopping.asked:
            return
        yield call(shard)


def _processors() -> int:
    """How many processors this process may use, which in a batch job are not all there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Tally:
    """Sums up what became of the shards, and passes on those that are still to do."""

    def __init__(self, kept: ShardFolder) -> None:
        self.kept = kept
        self.sums: Counter[str] = Counter()
        self.done = self.reused = 0
        self.failed: list[ShardFailure] = []
        self.names: set[str] = set()

    def to_do(self, shards: Iterable[Shard]) -> tuple[Iterator[Shard], int | None]:
        """The shards without a result, and how many they are where that can be known.

        What is done is taken out before the clock starts: it costs nothing, so counting it in
        would make the remaining time look short.
        """
        if not isinstance(shards, Sequence):
            return (shard for shard in shards if self._is_to_do(shard)), None
        wanted = bytearray(self._is_to_do(shard) for shard in shards)
        pairs = zip(shards, wanted, strict=True)
        return (shard for shard, is_wanted in pairs if is_wanted), sum(wanted)

    def _is_to_do(self, shard: Shard) -> bool:
        # Two names that differ in case alone are one file on some systems.
        folded = shard.name.casefold()
        if folded in self.names:
            message = "a second shard of this name was given; its source was not read"
            self.failed.append(
                ShardFailure(shard=shard.name, kind="DuplicateName", message=message, attempts=0)
            )
            return False
        self.names.add(folded)
        counts = self.kept.counts(shard.name)
        if counts is not None:
            self.sums.update(counts)
            self.reused += 1
            return False
        self.kept.discard(shard.name)
        return True

    def add(self, result: Result) -> None:
        match result:
            case Made():
                self.done += 1
                self.sums.update(result.counts)
            case ShardFailure():
                self.failed.append(result)
                self._say(result)
                self.kept.record(result.shard, result)
            case Refused():
                raise UsageError(result.message)

    def _say(self, failure: ShardFailure) -> None:
        """Failures show while they come; thousands, when a network is down, only in the folder."""
        if len(self.failed) <= MOST_SAID:
            say(f"{failure.where} failed: {failure.kind}: {failure.message}")
        elif len(self.failed) == MOST_SAID + 1:
            say(f"more shards fail; all are in {self.kept.failure_path('x').parent}")

    def outcome(self) -> Outcome:
        return Outcome(
            counts=dict(self.sums),
            done=self.done,
            reused=self.reused,
            failed=tuple(self.failed),
        )
