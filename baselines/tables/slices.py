"""Scores by what the paper leaves open: languages of the event, length of the prefix, dates."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from baselines.tables.estimates import Estimate, of_cell
from baselines.tables.grid_table import Head, Line, grid_table
from baselines.tables.results import CellResult, Results, Who, indexed
from globesumm.values import Event, Recipe
from metrics.aggregate import interval, mean
from metrics.printed import Table
from metrics.tables import title

BEFORE, AFTER, UNKNOWN = "on or before", "after", "unknown"
"""An event's day against the last day of a model's training data, as its makers state it."""


def restricted(cell: CellResult, events: Iterable[str]) -> CellResult:
    """`cell` over some of its events alone; those without a value stay in the count."""
    items = {event: cell.items.get(event) for event in sorted(events) if event in cell.items}
    values = sorted(value for value in items.values() if value is not None)
    low, high = interval(values)
    return replace(
        cell, items=items, mean=mean(values), low=low, high=high, n=len(values),
        expected=len(items), reasons=(),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Sliced:
    """One row to come: a cell, the slice's name, and the repeats of each metric in it."""

    recipe: Recipe
    who: Who
    slice: str
    cells: Mapping[str, Sequence[CellResult]]


def sliced_table(
    results: Results, rows: Sequence[Sliced], by: str, notes: Sequence[str] = ()
) -> Table:
    """A row for each cell and slice with interval and n of N."""
    lines = [
        Line(
            names=(str(row.recipe), who_label(row.who, results), row.slice),
            values=tuple(_value(row.cells.get(column.name, [])) for column in results.columns),
            rivals="",
        )
        for row in rows
    ]
    return grid_table(
        ("recipe", "model", by),
        [Head(title=title(column), column=column) for column in results.columns],
        lines,
        signatures={column.name: results.signatures(column.name) for column in results.columns},
        notes=notes,
        intervals=True,
        rules=[
            place
            for place in range(1, len(rows))
            if (rows[place].recipe, rows[place].who)
            != (rows[place - 1].recipe, rows[place - 1].who)
        ],
    )


def _value(cells: Sequence[CellResult]) -> Estimate:
    return of_cell(cells) if cells else Estimate(mean=None, why="not computed")


def who_label(who: Who, results: Results) -> str:
    """A writer as rows name it, with the language where there are several."""
    several = len({one.target for one in results.who}) > 1
    return f"{who.label} in {who.target}" if several else who.label


def languages_table(results: Results, events: Sequence[Event]) -> Table:
    """Scores by the number of languages in which an event is told."""
    groups: dict[int, set[str]] = {}
    for event in events:
        groups.setdefault(len({one.language for one in event.documents}), set()).add(event.id)
    return sliced_table(
        results,
        _split(results, {str(count): groups[count] for count in sorted(groups)}),
        "languages",
        notes=("events in more languages tend to have more documents: neither alone is the cause",),
    )


def _split(results: Results, groups: Mapping[str, set[str]]) -> list[Sliced]:
    cells = indexed(results.cells)
    return [
        Sliced(
            recipe=recipe,
            who=who,
            slice=name,
            cells={
                column.name: [
                    restricted(one, chosen) for one in cells.get((recipe, who, column.name), [])
                ]
                for column in results.columns
            },
        )
        for who in results.who
        for recipe in results.recipes
        if (recipe, who) in results.asked
        for name, chosen in groups.items()
    ]


def contamination_table(
    results: Results, events: Sequence[Event], cutoffs: Mapping[str, date | None]
) -> Table:
    """Scores of each cell split by whether the event lies before its model's training cutoff.

    `cutoffs` are by model, None where its makers state none.  Events of a day that is unknown, and
    all events of a model whose cutoff is unknown, are a group of their own.
    """
    days = {event.id: day_of(event) for event in events}
    rows: list[Sliced] = []
    notes = []
    for who in results.models():
        cutoff = cutoffs.get(who.model)
        groups: dict[str, set[str]] = {BEFORE: set(), AFTER: set(), UNKNOWN: set()}
        for event, (day, _) in days.items():
            groups[_group(day, cutoff)].add(event)
        counts = ", ".join(f"{len(held)} {name}" for name, held in groups.items())
        stated = f"cutoff {cutoff}" if cutoff else "no stated cutoff"
        notes.append(f"{who_label(who, results)}: {stated}; events {counts}")
        one = replace(results, who=(who,), asked=frozenset(a for a in results.asked if a[1] == who))
        named = {f"{name} ({len(held)})": held for name, held in groups.items() if held}
        rows += _split(one, named)
    inferred = sum(stood for _, stood in days.values())
    if inferred:
        notes.append(f"{inferred} events without a date are dated by their first report")
    if not results.models():
        notes.append("no recipe here takes a model, so nothing can be contaminated")
    notes.append(
        "an event before the cutoff may have been seen in training, one after it cannot have been "
        "if the stated day is right"
    )
    return sliced_table(results, rows, "event and cutoff", notes)


def day_of(event: Event) -> tuple[date | None, bool]:
    """The day of an event, and whether its first report had to stand in for it."""
    if event.date is not None:
        return event.date.date(), False
    known = [one.published for one in event.documents if one.published is not None]
    return (min(known).date(), True) if known else (None, False)


def _group(day: date | None, cutoff: date | None) -> str:
    if day is None or cutoff is None:
        return UNKNOWN
    return BEFORE if day <= cutoff else AFTER
