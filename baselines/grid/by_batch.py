"""What has no order in a grid, pre-steps and judging, through the Batch API of the models' servers.

A row with `batch` says that its server takes batches.  What they answer goes into the call store,
where the ordinary run finds it; what they could not answer, the ordinary run asks for.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from annotation.author import Author, StepError
from annotation.passages import passages
from annotation.pipelines import steps_of
from annotation.schemas import Context
from annotation.stages import stages
from baselines.experiment import candidates
from baselines.grid.authors import OpenedRows, author_of
from baselines.grid.cells import Cell
from baselines.grid.folder import GridFolder
from baselines.grid.scoring import judged_metrics
from baselines.recipes import needs_model
from globesumm.config import Experiment
from globesumm.llm.batch import Batches, batch_server, in_waves
from globesumm.llm.call_store import CallStore
from globesumm.llm.request import Model, Request

BATCHES = "batches"
"""The folder in the grid's run folder that holds what was handed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """What became of the calls handed over: `waiting` ones are still with their server.

    `stopped` says which cap kept some back, if one did.
    """

    waiting: int = 0
    stopped: str | None = None


class ByBatch:
    """The batches of one grid; without `wait` they are looked at once, and left for another day."""

    def __init__(
        self,
        folder: GridFolder,
        experiment: Experiment,
        models: OpenedRows,
        *,
        wait: bool = True,
        told: Callable[[str], None] = lambda _: None,
        poll_seconds: float = 60.0,
    ) -> None:
        self._folder, self._experiment, self._models = folder, experiment, models
        self._wait, self._told, self._poll = wait, told, poll_seconds

    def prepare(self, chosen: Sequence[Cell]) -> Handed:
        """The stages before the first merge, of every document of every event."""
        work = dict.fromkeys(self._preparing(chosen))
        rows = {row for row, *_ in work}

        def run(asked: Mapping[str, Model]) -> None:
            for row, target, pipeline, seed in work:
                author = author_of(self._experiment, self._experiment.rows[row], asked, seed)
                self._prepare_all(author, target, pipeline)

        return self._handed(rows, run)

    def judge(self) -> Handed:
        """The verdicts on every summary that is there."""
        judges = {judge.model for judge in self._experiment.judges if judge.model}
        rows = {name for name in judges if self._experiment.rows[name].batch}
        events = self._folder.events().values()

        def run(asked: Mapping[str, Model]) -> None:
            with ExitStack() as within:
                path = self._folder.path
                made = judged_metrics(self._experiment, asked, events, path, within, only=rows)
                for part in self._folder.parts().values():
                    texts = candidates(part)
                    for metric in made.values():
                        metric.measure(texts)

        return self._handed(rows, run)

    def _preparing(self, chosen: Sequence[Cell]) -> Iterator[tuple[str, str, tuple[str, ...], int]]:
        """(row, target, stages, seed) of what a row with `batch` prepares."""
        pre = self._experiment.presteps.model
        for cell in chosen:
            if not needs_model(cell.recipe) or cell.part.model is None:
                continue
            pipeline, _ = steps_of(cell.recipe)
            row = pre or cell.part.model
            seed = self._experiment.seed if pre else cell.part.seed
            if pipeline.prepare and self._experiment.rows[row].batch:
                yield row, cell.part.target, pipeline.prepare, seed

    def _prepare_all(self, author: Author, target: str, pipeline: tuple[str, ...]) -> None:
        through = stages(pipeline, author)
        for event in self._folder.events().values():
            context = Context(event=event, target=target, max_words=self._experiment.max_words)
            for passage in passages(event):
                # What waits ends this passage's way for now; what cannot be done at all is met
                # and recorded by the ordinary run.
                with suppress(StepError):
                    for stage in through:
                        passage = stage(passage, context)  # noqa: PLW2901

    def _handed(self, rows: set[str], work: Callable[[Mapping[str, Model]], None]) -> Handed:
        """Let `work` ask the models of `rows` by batch until it lacks no answer."""
        if not rows:
            return Handed()
        store = CallStore(self._folder.store)
        waiting, stopped = 0, None

        def answer(row: str, requests: Mapping[str, Request]) -> bool:
            nonlocal waiting, stopped
            model = self._models[row]
            progress = batches.answer(batch_server(model.backend), model.name, requests)
            waiting += progress.waiting
            stopped = stopped or progress.stopped
            return not progress.waiting and progress.stopped is None

        try:
            batches = Batches(
                self._folder.path / BATCHES,
                store,
                self._models.meter,
                wait=self._wait,
                poll_seconds=self._poll,
                told=self._told,
            )
            in_waves(work, {row: self._models[row] for row in rows}, store, answer)
        finally:
            store.close()
        return Handed(waiting=waiting, stopped=stopped)
