"""Make the summaries of a grid: each request once, the longest chains first, what failed kept.

What is done is never done again: a summary's file means that it is finished, and the call store
holds every answer that was bought, so a grid goes on wherever it was stopped.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue

from annotation.threads import THREADS
from baselines.grid.cells import Cell, parts
from baselines.grid.failures import UNNAMED, Tally
from baselines.grid.folder import GridFolder
from baselines.grid.live import State, Watch
from baselines.grid.making import Makers, Making
from baselines.grid.schedule import THREADS_A_CALL, Admission, Planned, Stream, by_length, ready
from baselines.grid.threads import Threads
from globesumm.config import Experiment
from globesumm.errors import UsageError
from globesumm.interrupting import Stopping, finishing_on_interrupt
from globesumm.llm.errors import LimitReached, Stopped
from globesumm.llm.work import CURRENT, Job, Load, Work
from globesumm.records import read_record
from globesumm.runs import Failure

_SECONDS_BETWEEN_LOOKS = 0.25
_MOMENT = 0.005
_NOTICE = (
    "finishing the calls in flight, so that what they cost is kept; Ctrl-C once more ends at once"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one call of `carry_out` did, in summaries.

    `made` now, `kept` from before, `failed` now or before (and not taken up again), `skipped`
    because their event has no text or no reference that they need, `left` because the run was
    `stopped`: why, or None where everything was reached.  They add up to all.  `kinds` counts
    failures and the skipped by kind; `interrupted` says that it was the user who stopped it.
    """

    made: int
    kept: int
    failed: int
    skipped: int
    left: int
    stopped: str | None = None
    interrupted: bool = False
    kinds: Mapping[str, int] = field(default_factory=dict)


def carry_out(
    folder: GridFolder,
    experiment: Experiment,
    chosen: Sequence[Cell],
    makers: Makers,
    *,
    watch: Watch | None = None,
    retry_failed: bool = False,
) -> Outcome:
    """Summarize every event of `folder` by every cell of `chosen` that is not done yet.

    `makers` says what carries a cell out; it is asked once for each.  A summary that fails is
    recorded with kind, prompt and raw answer and the rest goes on, until there are too many
    (`experiment.limits`); those recorded earlier are left alone unless `retry_failed`.  An event
    without text has its summaries recorded as missing.  A cap and Ctrl-C begin no further call,
    let those in flight end, and return what was done; the same call then goes on.

    Raises what concerns all summaries alike, once the calls in flight have ended: no server or
    key (`UsageError`), a folder that cannot be written (`UsageError`), a damaged file of the
    folder (`DataError`).  Hold `GridFolder.alone` around it.
    """
    with finishing_on_interrupt(_NOTICE) as stopping:
        grid = _Grid(folder, experiment, chosen, makers, watch, retry_failed=retry_failed)
        return grid.run(stopping)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    """How one job ended: made (no failure), failed, or with an error that concerns all."""

    stream: Stream
    job: Job
    failure: Failure | None = None
    error: BaseException | None = None


class _Grid:
    """One run of `carry_out`; all but `_begin` and what it calls is done by one thread."""

    def __init__(
        self,
        folder: GridFolder,
        experiment: Experiment,
        chosen: Sequence[Cell],
        makers: Makers,
        watch: Watch | None,
        *,
        retry_failed: bool,
    ) -> None:
        self._folder, self._experiment, self._watch = folder, experiment, watch
        folder.sweep()
        self._events = folder.events()
        self._runs = {part: folder.part(part) for part in parts(chosen)}
        self._making = Making(experiment, self._events, self._runs, makers)
        self._retry_failed = retry_failed
        self._total = len(chosen) * len(self._events)
        at_once = experiment.limits.at_once
        self._work, self._tally = Work(), Tally(experiment.limits)
        self._wake = threading.Event()
        self._ended: SimpleQueue[_Ended] = SimpleQueue()
        self._jobs = Threads(THREADS_A_CALL * at_once + 1, "summary")
        # Of each model its own, or those that wait for one server would keep others from theirs.
        self._stages = {
            part.model: Threads(THREADS_A_CALL * at_once, "stage") for part in self._runs
        }
        streams = [
            Stream(
                part=part,
                jobs=by_length(
                    [cell for cell in chosen if cell.part == part], self._events, experiment.drafts
                ),
                load=Load(self._wake.set, ready(at_once)),
            )
            for part in self._runs
        ]
        self._admission = Admission(streams, at_once)
        self._made = self._kept = self._free_made = 0
        self._free_left = sum(cell.part.model is None for cell in chosen) * len(self._events)
        self._active: set[Job] = set()
        self._error: BaseException | None = None
        self._began = self._shown = time.monotonic()

    def run(self, stopping: Stopping) -> Outcome:
        try:
            while True:
                self._stop_where_asked(stopping)
                self._admit(stopping)
                self._collect()
                over = self._work.stopped is not None and not self._admission.active
                if over or self._admission.ended():
                    break
                self._show()
                self._wake.wait(_SECONDS_BETWEEN_LOOKS)
                # What happens within a moment is looked at once.
                time.sleep(_MOMENT)
                self._wake.clear()
            self._count_rest()
        finally:
            self._work.stop("the run has ended")
            for threads in (self._jobs, *self._stages.values()):
                threads.shutdown(cancel_futures=True)
            if self._watch:
                self._watch.end(self._state())
        if self._error is not None:
            raise self._error
        return self._outcome(interrupted=stopping.asked)

    def _stop_where_asked(self, stopping: Stopping) -> None:
        seconds = self._experiment.limits.seconds
        if stopping.asked:
            self._stop("stopped by Ctrl-C: repeat the command to go on")
        elif seconds is not None and time.monotonic() - self._began >= seconds:
            # The meter stops calls that begin; this also ends waits for a server that is busy.
            self._stop(
                f"the cap of {seconds:g} seconds is reached: what is finished is kept; raise the "
                "cap and repeat the command to go on"
            )

    def _stop(self, reason: str) -> None:
        """Begin nothing more; the calls in flight come back, which may take a while."""
        if self._work.stopped is None and self._watch:
            self._watch.say(f"stopping: {reason}")
        self._work.stop(reason)

    def _admit(self, stopping: Stopping) -> None:
        """Begin jobs until enough wait for slots."""
        while self._work.stopped is None and not stopping.asked:
            stream = self._admission.following()
            if stream is None:
                return
            planned = stream.take()
            if self._is_done(planned):
                stream.active -= 1
                self._free_left -= stream.part.model is None
                self._show()
                continue
            job = Job(self._work, stream.load, planned.chain.left(0))
            self._active.add(job)
            context = copy_context()
            context.run(CURRENT.set, job)
            context.run(THREADS.set, self._stages[stream.part.model])
            self._jobs.submit(partial(context.run, self._begin, planned, stream, job))

    def _count_rest(self) -> None:
        """Tell what was done before from what is left, where the run was stopped."""
        for stream in self._admission.streams:
            while stream.look() is not None:
                self._is_done(stream.take())

    def _is_done(self, planned: Planned) -> bool:
        """Whether there is a summary, or a failure that is not to be taken up again."""
        run, recipe = self._runs[planned.cell.part], str(planned.cell.recipe)
        if run.summary_path(recipe, planned.event).exists():
            self._kept += 1
            self._tally.finished += 1
            return True
        path = run.failure_path(recipe, planned.event)
        if self._retry_failed or not path.exists():
            return False
        self._tally.kinds[read_record(path, Failure).kind or UNNAMED] += 1
        self._stop_at_too_many()
        return True

    def _collect(self) -> None:
        """Count the jobs that ended."""
        while True:
            try:
                ended = self._ended.get_nowait()
            except Empty:
                return
            ended.stream.active -= 1
            self._active.discard(ended.job)
            free = ended.stream.part.model is None
            self._free_left -= free
            self._free_made += free and ended.error is None
            if ended.failure is not None:
                self._tally.kinds[ended.failure.kind or UNNAMED] += 1
                if self._watch:
                    self._watch.failed(ended.failure)
                self._stop_at_too_many()
            elif ended.error is None:
                self._made += 1
                self._tally.finished += 1
            elif isinstance(ended.error, LimitReached):
                self._stop(str(ended.error))
            elif not isinstance(ended.error, Stopped):
                self._error = self._error or ended.error
                self._stop(str(ended.error))

    def _stop_at_too_many(self) -> None:
        reason = self._tally.too_many()
        if reason is not None:
            self._stop(reason)

    def _begin(self, planned: Planned, stream: Stream, job: Job) -> None:
        """One job, in a thread of its own; tells the main thread how it ended."""
        failed: Failure | None = None
        error: BaseException | None = None
        try:
            failed = self._making.make(planned, job)
        except OSError as problem:
            place = problem.filename or self._folder.path
            error = UsageError(
                f"{place} cannot be written or read ({problem.strerror or problem}): what is "
                "finished is kept; free some space or correct its rights and repeat the command"
            )
        except BaseException as problem:  # noqa: BLE001  (raised in the main thread)
            error = problem
        finally:
            job.calls()
            self._ended.put(_Ended(stream=stream, job=job, failure=failed, error=error))
            self._wake.set()

    def _show(self) -> None:
        now = time.monotonic()
        if self._watch and now - self._shown >= _SECONDS_BETWEEN_LOOKS:
            self._shown = now
            self._watch.show(self._state())

    def _state(self) -> State:
        return State(
            total=self._total,
            done=self._made + self._kept,
            failures=dict(self._tally.kinds),
            active=min(len(self._active), self._experiment.limits.at_once),
            longest=max((job.remaining for job in self._active), default=0),
            free_left=self._free_left,
            free_made=self._free_made,
        )

    def _outcome(self, *, interrupted: bool) -> Outcome:
        skipped, failed = self._tally.skipped, self._tally.failed
        left = self._total - self._made - self._kept - failed - skipped
        return Outcome(
            made=self._made,
            kept=self._kept,
            failed=failed,
            skipped=skipped,
            left=left,
            stopped=self._work.stopped if left else None,
            interrupted=interrupted,
            kinds=dict(self._tally.kinds),
        )
