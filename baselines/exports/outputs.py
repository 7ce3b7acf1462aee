"""What a run's cells put out, event by event and round by round, with what is known of each.

A cell is one recipe by one model in one language at one repeat; a grid has many, a run of
``globesumm summarize`` or ``globesumm annotate`` has one for each of its recipes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from baselines.grid.uses import read_uses
from baselines.tables.portions import Portion, portions
from baselines.tables.reading import UNMADE, results_of
from baselines.tables.results import CellResult
from globesumm.errors import UsageError
from globesumm.llm.recording import Use
from globesumm.records import read_record
from globesumm.runs import Failure, Run
from globesumm.values import Event, Issue, Recipe, Score, Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """The summary of one prefix of one event, or why there is none.

    `id` is the one that its scores have: the event's, with ``#<round>`` before the last.
    `documents` are the ids covered, oldest first, `added` those new in this round.  `text` is
    None where nothing was made, and then `failure` says why (None: not begun).  `scores` are
    by metric.  `uses` are the requests that the whole summary rests on, kept on the last round
    (None: not noted).
    """

    id: str
    event: str
    last: bool
    round: int | None = None
    documents: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    text: str | None = None
    failure: Failure | None = None
    notes: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()
    scores: Mapping[str, Score] = field(default_factory=dict)
    uses: tuple[Use, ...] | None = None

    @property
    def reason(self) -> str | None:
        """Why there is no text; None where there is one."""
        if self.text is not None:
            return None
        return self.failure.reason if self.failure else UNMADE


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a run or grid in `folder`; `results` are its metrics over all events."""

    folder: Path
    portion: Portion
    recipe: Recipe
    results: tuple[CellResult, ...]

    @property
    def name(self) -> str:
        """Unique within the run and safe as a file's name."""
        return f"{self.portion.part.name}--{self.recipe}"

    @property
    def store(self) -> Path:
        """Where calls to models were kept, if there were any."""
        return self.folder / "calls.sqlite"

    def outputs(self, events: Sequence[Event], *, prefixes: bool = True) -> Iterator[Output]:
        """What the cell made of each event: every prefix, or the last alone."""
        run = self.portion.run
        held: dict[str, dict[str, Score]] = {}
        for score in run.scores() if run else ():
            if score.recipe == str(self.recipe):
                held.setdefault(score.id, {})[score.metric] = score
        for event in events:
            for found in _of_event(run, str(self.recipe), event, prefixes=prefixes):
                yield replace(found, scores=held.get(found.id, {}))


def cells_of(folder: Path) -> tuple[list[Cell], list[Event]]:
    """The cells of the run or grid in `folder`, and its events with their texts.

    Raises `UsageError` where there is no run, and for one that holds no summaries by recipes.
    """
    found = portions(folder)
    if not any(one.recipes for one in found):
        raise UsageError(
            f"{folder} holds no summaries of events by recipes: name the --out of globesumm "
            "summarize, grid, annotate or brief"
        )
    folder = folder.resolve()
    events = _events(folder, found)
    results = results_of(found, [event.id for event in events], folder.name)
    cells = [
        Cell(
            folder=folder,
            portion=portion,
            recipe=recipe,
            results=tuple(
                one
                for column in results.columns
                for one in results.of(recipe, portion.who, column.name)
                if one.repeat == portion.part.repeat
            ),
        )
        for portion in found
        for recipe in portion.recipes
    ]
    return cells, events


def _events(folder: Path, found: Sequence[Portion]) -> list[Event]:
    runs = [Run(folder), *(one.run for one in found if one.run is not None)]
    paths = dict.fromkeys(run.events_path for run in runs if run.events_path.is_file())
    by_id = {event.id: event for path in paths for event in Run(path.parent).events()}
    return list(by_id.values())


def _of_event(run: Run | None, recipe: str, event: Event, *, prefixes: bool) -> Iterator[Output]:
    made = run.summary_path(recipe, event.id) if run else None
    if run is None or made is None or not made.exists():
        failed = run.failure_path(recipe, event.id) if run else None
        yield Output(
            id=event.id,
            event=event.id,
            last=True,
            documents=tuple(one.id for one in event.documents),
            failure=read_record(failed, Failure) if failed and failed.exists() else None,
            uses=read_uses(run, recipe, event.id) if run else None,
        )
        return
    summary = read_record(made, Summary)
    for one in summary.rounds if prefixes else summary.rounds[-1:]:
        last = one is summary.rounds[-1]
        yield Output(
            id=event.id if last else f"{event.id}#{one.index}",
            event=event.id,
            last=last,
            round=one.index,
            documents=one.documents,
            added=one.added,
            text=summary.text if last else one.summary,
            notes=(*one.notes, *(summary.notes if last else ())),
            issues=one.issues,
            uses=read_uses(run, recipe, event.id) if last else None,
        )
