"""Who carries out a grid's cells: the models of the experiment's rows, opened once for all."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from annotation.author import Author
from baselines.grid.cells import Cell
from baselines.recipes import Drafting, Maker, maker, needs_model
from globesumm.config import Experiment, ModelRow
from globesumm.errors import UsageError
from globesumm.llm.backends import OpenedModel, open_model
from globesumm.llm.call_store import CallStore
from globesumm.llm.metered import Caps, Meter, Price, Totals
from globesumm.llm.pool import Pool
from globesumm.llm.request import Decoding, Model
from globesumm.prompts import Library


class OpenedRows(Mapping[str, OpenedModel]):
    """Every row's model by its name, with the `meter` that counts for all of them.

    A model is opened when it is first asked for, since a finished grid needs neither keys nor
    weights.
    """

    def __init__(
        self,
        experiment: Experiment,
        within: ExitStack,
        store: CallStore | None,
        *,
        replay: bool,
    ) -> None:
        self._experiment, self._within, self._store = experiment, within, store
        self._replay = replay
        limits = experiment.limits
        priced = prices(experiment)
        caps = Caps(
            calls=limits.calls, tokens=limits.tokens, spend=limits.spend, seconds=limits.seconds
        )
        self.before = store.totals(priced) if store is not None else Totals()
        self.meter = Meter(prices=priced, caps=caps, before=self.before)
        self._pool = Pool(limits.at_once)
        self._opened: dict[str, OpenedModel] = {}
        self._lock = threading.RLock()

    def __getitem__(self, name: str) -> OpenedModel:
        row = self._experiment.rows[name]
        with self._lock:
            if name not in self._opened:
                self._opened[name] = self._within.enter_context(self._open(row))
            return self._opened[name]

    def _open(self, row: ModelRow) -> OpenedModel:
        return open_model(
            row.served,
            row.base_url,
            store=self._store,
            replay=self._replay,
            most_at_once=row.at_once,
            meter=self.meter,
            pool=self._pool,
            timeout_seconds=row.timeout_seconds,
            key_variable=row.key_variable,
            context_window=row.context,
            tokenizer=row.tokenizer,
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._experiment.rows)

    def __len__(self) -> int:
        return len(self._experiment.rows)


@contextmanager
def opened_models(
    experiment: Experiment, *, store: Path | None, replay: bool = False
) -> Iterator[OpenedRows]:
    """The models of all rows, helpers included, by the rows' names.

    They share one call store, one meter, so that the limits cover them together, and one pool,
    so that `limits.at_once` bounds the calls in flight over all servers.  With `replay` nothing
    but the store answers.
    """
    if replay and store is None:
        raise UsageError("a replay needs the call store of a run to answer from")
    with ExitStack() as within:
        calls = None if store is None else CallStore(store, read_only=replay)
        if calls is not None:
            within.callback(calls.close)
        yield OpenedRows(experiment, within, calls, replay=replay)


def prices(experiment: Experiment) -> dict[str, Price]:
    """What each model costs, by its name in requests; rows without a price are left out."""
    return {
        row.asked_as: Price(
            input_per_million=row.input_per_million,
            output_per_million=row.output_per_million,
            cached_input_per_million=row.cached_input_per_million,
        )
        for row in experiment.rows.values()
        if row.input_per_million is not None and row.output_per_million is not None
    }


def maker_of(experiment: Experiment, cell: Cell, models: Mapping[str, Model]) -> Maker:
    """What carries out `cell`.

    Where the experiment names a model for pre-steps, that model prepares for all others, once:
    with the experiment's own seed whatever a cell's repeat is.
    """
    if not needs_model(cell.recipe) or cell.part.model is None:
        return maker(cell.recipe, cell.part.seed)
    rows, pre = experiment.rows, experiment.presteps
    writing = author_of(experiment, rows[cell.part.model], models, cell.part.seed)
    drafting = drafting_of(experiment, models) if cell.recipe.drafts else None
    if pre.model is None:
        return maker(cell.recipe, cell.part.seed, writing, drafting=drafting)
    preparing = author_of(experiment, rows[pre.model], models, experiment.seed)
    return maker(
        cell.recipe,
        cell.part.seed,
        writing,
        preparing=preparing,
        carrying=preparing if pre.carries else None,
        drafting=drafting,
    )


def drafting_of(experiment: Experiment, models: Mapping[str, Model]) -> Drafting:
    """How drafts are drawn, and the judge that rates them where the experiment names one."""
    from baselines.drafts.proxies import Judging

    settings, most = experiment.drafts, experiment.limits.at_once
    if settings.judge is None:
        return Drafting(settings=settings, most_at_once=most)
    row = experiment.rows[settings.judge]
    judging = Judging(
        model=models[row.name],
        prompts=library(experiment.prompts),
        reasoning=row.reasoning,
        enforced=experiment.decoding.structured,
        most_at_once=most,
    )
    return Drafting(settings=settings, judging=judging, most_at_once=most)


def author_of(
    experiment: Experiment, row: ModelRow, models: Mapping[str, Model], seed: int
) -> Author:
    """The row's model with the experiment's prompts and decoding, drawn by `seed`."""
    return Author(
        model=models[row.name],
        prompts=library(experiment.prompts),
        decoding=decoding_of(experiment, row, seed),
        structured=experiment.decoding.structured,
        overrun=experiment.decoding.overrun,
        bounds=experiment.decoding.bounded,
    )


def decoding_of(experiment: Experiment, row: ModelRow, seed: int) -> Decoding:
    """How `row` is asked."""
    return Decoding(
        temperature=experiment.decoding.temperature,
        top_p=experiment.decoding.top_p,
        max_tokens=experiment.decoding.max_tokens,
        seed=seed,
        reasoning=row.reasoning,
    )


@cache
def library(folder: str | None) -> Library:
    """The prompts of the package, with those in `folder` in their place."""
    return Library(Path(folder)) if folder else Library()
