"""One summary of a grid, made and kept; what fails is kept as a failure."""

import threading
from collections.abc import Callable, Mapping

from baselines.grid.cells import Cell, Part
from baselines.grid.event_file import EventFile
from baselines.grid.failures import failure, no_text
from baselines.grid.schedule import Planned
from baselines.grid.uses import write_uses
from baselines.recipes import Maker
from baselines.summarize import summarize
from globesumm.config import Experiment
from globesumm.errors import UsageError
from globesumm.llm.recording import recording
from globesumm.llm.work import Job
from globesumm.runs import Failure, Run

Makers = Callable[[Cell], Maker]


class Making:
    """Makes summaries; called from many threads."""

    def __init__(
        self,
        experiment: Experiment,
        events: EventFile,
        runs: Mapping[Part, Run],
        makers: Makers,
    ) -> None:
        self._max_words, self._events, self._runs = experiment.max_words, events, runs
        self._makers = makers
        self._found: dict[Cell, Maker] = {}
        self._lock = threading.Lock()

    def make(self, planned: Planned, job: Job) -> Failure | None:
        """Make one summary and keep it; or keep its failure, and return that.

        Raises what concerns all summaries (`UsageError`, `OSError`, `MemoryError`).
        """
        job.work.raise_if_stopped()
        cell, run = planned.cell, self._runs[planned.cell.part]
        recipe = str(cell.recipe)

        def progress(done: int, _: int) -> None:
            job.remaining = planned.chain.left(done)

        with self._events.held(planned.event) as held:
            if not any(passage.sentences for passage in held.passages):
                return _kept(run, no_text(recipe, held.event))
            maker = self._maker(cell)
            with recording() as uses:
                try:
                    summary = summarize(
                        held.event,
                        cell.recipe,
                        target=cell.part.target,
                        max_words=self._max_words,
                        seed=cell.part.seed,
                        progress=progress,
                        by=maker,
                        given=held.passages,
                    )
                except (UsageError, OSError, MemoryError):
                    raise
                except Exception as error:  # noqa: BLE001  (whatever it is, it is kept by name)
                    write_uses(run, recipe, planned.event, uses)
                    return _kept(run, failure(recipe, planned.event, error))
        write_uses(run, recipe, planned.event, uses)
        run.write_summary(summary)
        return None

    def _maker(self, cell: Cell) -> Maker:
        """What carries `cell` out, asked for once; models may be opened for it."""
        with self._lock:
            if cell not in self._found:
                self._found[cell] = self._makers(cell)
            return self._found[cell]


def _kept(run: Run, failed: Failure) -> Failure:
    run.write_failure(failed)
    return failed
