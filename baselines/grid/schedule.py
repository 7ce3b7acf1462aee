"""In which order summaries are made: the longest chain of calls first, and as many as it takes.

Jobs are drawn one by one, so that a grid of any size needs no list of them.  A part (one model)
gets its next job only while few of its calls wait for a slot; all that are begun beyond that
would take memory and help nobody.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotation.pipelines import RECURRENT, steps_of
from annotation.schemas import count_rounds
from baselines.drafts.planned import chain_of
from baselines.grid.cells import Cell, Part
from baselines.grid.event_file import EventFile
from baselines.recipes import SCHEMAS, needs_model
from globesumm.config import Drafts
from globesumm.llm.work import Load
from globesumm.values import Recipe

THREADS_A_CALL = 4
"""Jobs begun for each call that may be in flight, at most, those that wait for others' included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Calls of one summary that must come one after the other: before the rounds, and in each."""

    before: int = 0
    rounds: int = 1
    of_round: int = 0

    def left(self, rounds_done: int) -> int:
        """Calls still to come when so many rounds are done."""
        before = 0 if rounds_done else self.before
        return before + (self.rounds - rounds_done) * self.of_round


def chain(recipe: Recipe, documents: int, drafts: Drafts | None = None) -> Chain:
    """The chain of `recipe` on an event of so many documents, if no answer is asked for twice.

    `drafts` are the settings of a recipe that draws them.
    """
    rounds = count_rounds(SCHEMAS[recipe.schema].run, documents)
    if not needs_model(recipe):
        return Chain(rounds=rounds)
    pipeline, prompting = steps_of(recipe)
    carried = pipeline.carry if recipe.schema in RECURRENT else ()
    drawn = chain_of(recipe.drafts, drafts or Drafts()) if recipe.drafts else 1
    return Chain(
        before=len(pipeline.prepare),
        rounds=rounds,
        of_round=len(prompting.steps) - 1 + drawn + len(carried),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One summary to be made."""

    cell: Cell
    event: str
    chain: Chain


def by_length(
    chosen: Sequence[Cell], events: EventFile, drafts: Drafts | None = None
) -> Iterator[Planned]:
    """Every summary of the cells `chosen`, longest chain first, drawn as they are wanted."""
    sizes = events.by_size()

    def of(cell: Cell) -> Iterator[Planned]:
        for event in sizes:
            length = chain(cell.recipe, events.documents(event), drafts)
            yield Planned(cell=cell, event=event, chain=length)

    return heapq.merge(*map(of, chosen), key=lambda one: -one.chain.left(0))


@dataclass(slots=True, kw_only=True)
class Stream:
    """The jobs of one part that were not begun yet."""

    part: Part
    jobs: Iterator[Planned]
    load: Load
    active: int = 0
    following: Planned | None = None
    ended: bool = False

    def look(self) -> Planned | None:
        """The next job, which stays."""
        if self.following is None and not self.ended:
            self.following = next(self.jobs, None)
            self.ended = self.following is None
        return self.following

    def take(self) -> Planned:
        """The next job, which goes."""
        job = self.following
        if job is None:
            raise LookupError("look first")
        self.following = None
        self.active += 1
        return job


def ready(at_once: int) -> int:
    """How many calls are to wait for slots, so that a slot never waits for a call."""
    return 4 + at_once // 4


class Admission:
    """Which part gets its next job, and when."""

    def __init__(self, streams: Sequence[Stream], at_once: int) -> None:
        self.streams = streams
        self._most = THREADS_A_CALL * at_once
        self._ready = ready(at_once)
        # A server that keeps its calls waiting holds back its own models' jobs and no others.
        models = {stream.part.model for stream in streams}
        self._busy = at_once + (1 + len(models)) * self._ready

    @property
    def active(self) -> int:
        return sum(stream.active for stream in self.streams)

    def following(self) -> Stream | None:
        """The part whose next job is to be begun now: of those with few calls waiting, the one
        with the longest chain; None while there is enough to do.
        """
        active = self.active
        joined = sum(stream.load.joined for stream in self.streams)
        if active >= self._most or active - joined >= self._busy:
            return None
        best: tuple[int, Stream] | None = None
        for stream in self.streams:
            if not self._wants(stream):
                continue
            job = stream.look()
            if job is None:
                continue
            length = job.chain.left(0)
            if best is None or length > best[0]:
                best = (length, stream)
        return best[1] if best else None

    def ended(self) -> bool:
        """Whether every job was begun and is done."""
        return not self.active and all(stream.look() is None for stream in self.streams)

    def _wants(self, stream: Stream) -> bool:
        if stream.part.model is None:
            # No call to wait for: only the processor is busy, and one at a time keeps it so.
            return not any(one.active for one in self.streams if one.part.model is None)
        return stream.load.waiting < self._ready
