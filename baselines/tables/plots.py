"""Pictures of a comparison: quality against cost, scores by prefix, conflict errors by cause."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import Any

from baselines.tables.causes import Causes
from baselines.tables.costs import Costs
from baselines.tables.estimates import Estimate, of_cell
from baselines.tables.overview import ORACLE
from baselines.tables.results import Results, Who, indexed
from baselines.tables.slices import Sliced, who_label
from globesumm.errors import UsageError
from globesumm.values import Recipe
from metrics.base import Better, Column
from metrics.figures import figure
from metrics.tables import title

COLOURS = ("#1b4f72", "#c0392b", "#1e8449", "#8e44ad", "#b9770e", "#117a65", "#5d6d7e", "#d35400")
MARKERS = {"sts": "s", "crs": "o"}
LABELLED = 8
"""Cells that are named in the picture at most: those no other cell beats in both ways."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One cell: what a summary of it costs alone, and its score in per cent."""

    recipe: Recipe
    who: Who
    cost: float
    score: float
    low: float | None
    high: float | None


def cost_points(results: Results, costs: Costs, column: Column) -> tuple[list[Point], str]:
    """The cells with a score and a known cost, and what their cost is in.

    Money where every price is known and something was paid, else tokens.
    """
    cells = indexed(results.cells)
    held = [one for one in costs.cells if one.noted and one.noted == one.summaries]
    priced = any(one.alone.cost for one in held) and not any(one.alone.unpriced for one in held)
    points = []
    for one in held:
        if not priced and one.alone.uncounted:
            continue
        score = of_cell(cells.get((one.recipe, one.who, column.name), []))
        if score.mean is None:
            continue
        tokens = one.alone.prompt_tokens + one.alone.completion_tokens
        points.append(
            Point(
                recipe=one.recipe,
                who=one.who,
                cost=(one.alone.cost if priced else tokens) / one.noted,
                score=100 * score.mean,
                low=None if score.low is None else 100 * score.low,
                high=None if score.high is None else 100 * score.high,
            )
        )
    return points, (costs.currency or "money") if priced else "tokens"


def front(points: Sequence[Point], better: Better) -> list[Point]:
    """The points that no other beats in cost and score at once, cheapest first."""
    sign = 1 if better == Better.HIGHER else -1
    found: list[Point] = []
    for point in sorted(points, key=lambda p: (p.cost, -sign * p.score, str(p.recipe))):
        if not found or sign * point.score > sign * found[-1].score:
            found.append(point)
    return found


def cost_plot(results: Results, costs: Costs, column: Column, *paths: Path) -> None:
    """Score against cost of a summary, a point a cell; the unbeaten ones joined and named.

    Colour is the model, form the schema, filled the protocol.  Raises `UsageError` where no
    cell has both.
    """
    points, unit = cost_points(results, costs, column)
    if not points:
        raise UsageError(f"{column.name}: no cell has a score and a known cost")
    colours = _colours([point.who for point in points])
    with figure(*paths, width=8.6, height=4.8) as axes:
        for point in points:
            colour = colours[point.who]
            if point.low is not None and point.high is not None:
                axes.plot(
                    [point.cost] * 2, [point.low, point.high], color=colour, lw=0.6, alpha=0.4
                )
            axes.plot(
                [point.cost],
                [point.score],
                marker=MARKERS.get(point.recipe.schema, "D") if point.who.model else "X",
                mfc=colour if point.recipe.prompting == "protocol" else "#ffffff",
                mec=colour,
                ms=6.5,
                ls="none",
            )
        best = front([p for p in points if p.recipe.prompting != ORACLE], column.better)
        axes.plot(
            [p.cost for p in best],
            [p.score for p in best],
            color="#999999",
            lw=0.9,
            ls="--",
            zorder=0,
        )
        _scaled(axes, [point.cost for point in points])
        axes.set_xlabel(f"cost of a summary, {unit}, all calls of the cell alone")
        axes.set_ylabel(f"{title(column)} (× 100)")
        axes.margins(x=0.08, y=0.12)
        _named(axes, best[-LABELLED:], column)
        _legend(axes, points, colours, results)


PIPELINE_COLOURS = {
    "none": "#5d6d7e",
    "translate-summarize": "#b9770e",
    "summarize-translate": "#8e44ad",
    "kis": "#1e8449",
    "kis-clp": "#c0392b",
}
PROMPTING_STYLES = {"direct": "-", "protocol": "--", "extractive": "-."}
LINE_MARKERS = ("o", "^", "s", "D", "v", "P")


def prefix_plot(rows: Sequence[Sliced], column: Column, *paths: Path) -> None:
    """Score by the number of documents covered, a line a recurrent cell.

    Colour is the pipeline, dashes the prompting, form the model; below each number of documents
    stands how many events have so many.  Raises `UsageError` where no cell has two prefixes
    with a score.
    """
    lines: dict[tuple[Recipe, Who], list[tuple[int, Estimate]]] = {}
    events: dict[int, int] = {}
    for row in rows:
        cells = row.cells.get(column.name, [])
        value = of_cell(cells)
        if value.mean is not None and row.recipe.schema != "sts":
            lines.setdefault((row.recipe, row.who), []).append((int(row.slice), value))
            events[int(row.slice)] = max(len(one.items) for one in cells)
    lines = {cell: held for cell, held in lines.items() if len(held) > 1}
    if not lines:
        raise UsageError(
            f"{column.name}: no cell has scores of two prefixes: score with --prefixes first"
        )
    marks = dict(zip(sorted({who for _, who in lines}), cycle(LINE_MARKERS), strict=False))
    with figure(*paths, width=8.6, height=4.6) as axes:
        for (recipe, who), held in sorted(lines.items(), key=_first):
            values = {count: 100 * (value.mean or 0.0) for count, value in held}
            span = range(min(values), max(values) + 1)
            axes.plot(
                [count for count in span if count in events],
                # Not a number breaks the line where nothing was scored.
                [values.get(count, math.nan) for count in span if count in events],
                color=PIPELINE_COLOURS.get(recipe.pipeline, "#000000"),
                ls=PROMPTING_STYLES.get(recipe.prompting, ":"),
                marker=marks[who],
                ms=3,
                lw=1.2,
                label=f"{recipe} {who.model}".strip(),
            )
        shown = sorted(events)
        axes.set_xticks(shown, [f"{count}\n{events[count]}" for count in shown], fontsize=8)
        axes.set_xlabel("documents covered by the summary; below: events that have so many")
        axes.set_ylabel(f"{title(column)} (× 100)")
        _beside(axes)


def causes_plot(found: Causes, *paths: Path) -> None:
    """Each cause's share of all errors, averaged over models, with the models as points."""
    rows = [one for one in found.shares if one.share is not None]
    if not rows:
        raise UsageError(
            "no conflict was handled wrongly, so there is nothing to draw: leave out this plot"
        )
    models = list(found.counts)
    with figure(*paths, width=6.4, height=3.8) as axes:
        axes.bar(
            range(len(rows)),
            [100 * (one.share or 0.0) for one in rows],
            color="#a9cce3",
            edgecolor="#333333",
            linewidth=0.6,
        )
        for number, model in enumerate(models):
            known = [
                (place, 100 * wrong / errors)
                for place, one in enumerate(rows)
                if (errors := one.counts[model][1]) and ((wrong := one.counts[model][0]) >= 0)
            ]
            aside = 0.12 * (number - (len(models) - 1) / 2)
            axes.plot(
                [place + aside for place, _ in known],
                [share for _, share in known],
                ls="none",
                marker="o",
                ms=4.5,
                color=COLOURS[number % len(COLOURS)],
                label=model,
            )
        axes.set_xticks(range(len(rows)), [str(one.cause or "not judged") for one in rows])
        axes.set_ylabel("share of all errors (%)")
        axes.set_ylim(bottom=0)
        _beside(axes)


def _first(item: tuple[tuple[Recipe, Who], object]) -> tuple[str, Who]:
    (recipe, who), _ = item
    return (str(recipe), who)


def _colours(who: Sequence[Who]) -> Mapping[Who, str]:
    return {
        one: COLOURS[place % len(COLOURS)] for place, one in enumerate(sorted(dict.fromkeys(who)))
    }


def _scaled(axes: Any, costs: Sequence[float]) -> None:
    """A logarithmic scale where costs span more than a decade; free cells keep a place at 0."""
    paid = [cost for cost in costs if cost > 0]
    if not paid or max(paid) <= 10 * min(paid):
        return
    if min(costs) > 0:
        axes.set_xscale("log")
    else:
        axes.set_xscale("symlog", linthresh=min(paid) / 2, linscale=0.3)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")


def _named(axes: Any, points: Sequence[Point], column: Column) -> None:
    up = column.better is Better.HIGHER
    for place, point in enumerate(points):
        axes.annotate(
            str(point.recipe),
            (point.cost, point.score),
            xytext=(-4, (7 if up else -7) + (9 if up else -9) * (place % 2)),
            textcoords="offset points",
            fontsize=6.5,
            ha="right" if place else "left",
            va="bottom" if up else "top",
        )


def _legend(
    axes: Any, points: Sequence[Point], colours: Mapping[Who, str], results: Results
) -> None:
    line: Any = import_module("matplotlib.lines").Line2D
    handles = [
        line([], [], ls="none", marker="o", mfc=colour, mec=colour, label=who_label(who, results))
        for who, colour in colours.items()
    ]
    grey = "#444444"
    schemas = {point.recipe.schema for point in points if point.who.model}
    handles += [
        line([], [], ls="none", marker=mark, mfc="#ffffff", mec=grey, label=schema.upper())
        for schema, mark in MARKERS.items()
        if schema in schemas
    ]
    if any(point.recipe.prompting == "protocol" for point in points):
        handles.append(line([], [], ls="none", marker="o", mfc=grey, mec=grey, label="protocol"))
    if any(not point.who.model for point in points):
        handles.append(
            line([], [], ls="none", marker="X", mfc="#ffffff", mec=grey, label="needs no model")
        )
    handles.append(line([], [], color="#999999", ls="--", label="beaten by none"))
    axes.legend(
        handles=handles, fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1)
    )


def _beside(axes: Any) -> None:
    axes.legend(fontsize=6.5, frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1))
