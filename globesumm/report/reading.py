"""A run folder as the report reads it: the run itself, or every part of a grid."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from baselines.citations import Citation, read_citations
from globesumm.errors import DataError
from globesumm.records import AGAIN, read_own_records, read_record
from globesumm.runs import PARTS, Failure, Run, file_name
from globesumm.values import Event, Rejected, Score, Summary

Key = tuple[str, str]
"""(event, recipe)"""


@dataclass(frozen=True)
class Part:
    """A run folder with summaries; `name` is empty where it is the whole run."""

    name: str
    run: Run

    @cached_property
    def recipes(self) -> tuple[str, ...]:
        """The recipes asked for, then others of which there are summaries."""
        asked = str(self.run.record().settings.get("recipes") or "").split()
        known = {file_name(recipe) for recipe in asked}
        folder = self.run.folder / "summaries"
        held = sorted(path.name for path in folder.glob("*") if path.is_dir())
        return (*dict.fromkeys(asked), *(name for name in held if name not in known))

    def label(self, recipe: str) -> str:
        """How a summary of this part is named."""
        return f"{recipe}, {self.name}" if self.name else recipe

    def summaries(self, event: str) -> Iterator[Summary]:
        """What is finished of an event; raises `DataError` for a file that is broken."""
        for recipe in self.recipes:
            path = self.run.summary_path(recipe, event)
            if not path.exists():
                continue
            try:
                summary = read_record(path, Summary)
            except DataError as error:
                raise DataError(f"{error}; {AGAIN}") from error
            if path != self.run.summary_path(summary.recipe, summary.event):
                raise DataError(
                    f"{path}: holds the summary of {summary.event!r} by {summary.recipe}; {AGAIN}"
                )
            yield summary


def scores_of(run: Run) -> Mapping[str, list[Score]]:
    """The scores kept in the run folder, by event, or the candidate's id where none was named."""
    found: dict[str, list[Score]] = {}
    for one in run.scores():
        found.setdefault(one.event or one.id, []).append(one)
    return found


def failures_of(run: Run) -> Mapping[str, list[Failure]]:
    """The failures kept in the run folder, by event."""
    found: dict[str, list[Failure]] = {}
    for one in run.failures():
        found.setdefault(one.event, []).append(one)
    return found


def rejected_of(run: Run) -> Mapping[str, list[Rejected]]:
    """What could not be read, by nothing."""
    return {"": run.rejected()}


def citations_of(run: Run) -> Mapping[Key, list[Citation]]:
    """The citations kept in the run folder, by (event, recipe)."""
    found: dict[Key, list[Citation]] = {}
    for one in read_citations(run):
        found.setdefault((one.event, one.recipe), []).append(one)
    return found


def parts_of(folder: Path) -> tuple[Part, ...]:
    """The parts of a grid in the order of their names, or the one run."""
    within = sorted((folder / PARTS).glob("*/run.json"))
    if within:
        return tuple(Part(path.parent.name, Run(path.parent)) for path in within)
    return (Part("", Run(folder)),)


def events_of(run: Run) -> Iterator[Event]:
    """The events one by one; all together may be more than memory holds."""
    if run.events_path.is_file():
        yield from read_own_records(run.events_path, Event)
