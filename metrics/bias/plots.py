"""Pictures of a language-bias report: bars with intervals, and a heat map of several systems.

Drawn with matplotlib, which is optional.  The same report gives the same bytes.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from globesumm.errors import UsageError
from metrics.bias.controlled import Preferences
from metrics.bias.report import LEVEL, BiasReport, LanguageRow
from metrics.figures import figure

_TIER_COLOURS = {5: "#1b4f72", 4: "#2874a6", 3: "#5dade2", 2: "#a9cce3", 1: "#d4e6f1", 0: "#eaf2f8"}
_NO_TIER = "#bfbfbf"


def bar_plot(report: BiasReport, path: Path) -> None:
    """Normalized score of each language with its interval, highest first; PNG or SVG by suffix.

    Bars are coloured by resource tier and marked where the controlled test found a difference.
    A dashed line shows the equal share.  Raises `UsageError` where nothing was scored.
    """
    rows = [row for row in report.rows if row.norm.value is not None]
    if not rows:
        raise UsageError(
            f"{report.system}: no language has a score, so there is nothing to draw: "
            "leave out its plot"
        )
    rows.sort(key=lambda row: (-(row.norm.value or 0.0), row.language))
    values = [row.norm.value or 0.0 for row in rows]
    with figure(path, width=max(4.0, 1.5 + 0.42 * len(rows)), height=4.2) as axes:
        colours = [_colour(row) for row in rows]
        axes.bar(range(len(rows)), values, color=colours, edgecolor="#333333", linewidth=0.6)
        for place, (row, value) in enumerate(zip(rows, values, strict=True)):
            if row.norm_interval:
                low, high = row.norm_interval
                error = [[max(0.0, value - low)], [max(0.0, high - value)]]
                axes.errorbar(place, value, yerr=error, color="#222222", capsize=2.5, linewidth=1)
            mark = {"drawn on more": "▲", "drawn on less": "▼"}.get(row.finding)
            if mark:
                top = max(value, row.norm_interval[1] if row.norm_interval else value)
                axes.text(place, top, mark, ha="center", va="bottom", fontsize=8)
        axes.axhline(1 / len(rows), linestyle="--", color="#888888", linewidth=0.9)
        axes.set_xticks(range(len(rows)))
        axes.set_xticklabels([f"{row.language}\n{row.documents}" for row in rows], fontsize=8)
        axes.set_xlabel("language and its number of documents")
        axes.set_ylabel("normalized score")
        axes.set_title(report.system, fontsize=10)
        axes.set_ylim(bottom=0)
        axes.margins(x=0.02, y=0.12)
        _tier_legend(axes, rows)


def heat_map(reports: Sequence[BiasReport], path: Path) -> None:
    """Normalized scores, a row a system and a column a language; PNG or SVG by suffix.

    A cell without a score is hatched.  Raises `UsageError` where nothing was scored.
    """
    import numpy as np

    languages = sorted({row.language for report in reports for row in report.rows})
    values = np.full((len(reports), len(languages)), np.nan)
    for place, report in enumerate(reports):
        for row in report.rows:
            if row.norm.value is not None:
                values[place, languages.index(row.language)] = row.norm.value
    if not np.isfinite(values).any():
        raise UsageError(
            "no language has a score in any system: there is nothing to draw, so leave out the plot"
        )
    size = (2.5 + 0.5 * len(languages), 1.6 + 0.45 * len(reports))
    with figure(path, width=size[0], height=size[1]) as axes:
        axes.set_facecolor("#ffffff")
        axes.patch.set(hatch="////", edgecolor="#bbbbbb")
        shown = np.ma.masked_invalid(values)
        image = axes.imshow(shown, cmap="viridis", vmin=0, aspect="auto")
        highest = float(np.nanmax(values))
        for place, column in zip(*np.nonzero(np.isfinite(values)), strict=True):
            value = float(values[place, column])
            colour = "#ffffff" if value < 0.6 * highest else "#000000"
            axes.text(
                column,
                place,
                f"{100 * value:.1f}",
                ha="center",
                va="center",
                fontsize=7,
                color=colour,
            )
        axes.set_xticks(range(len(languages)), languages, fontsize=8)
        axes.set_yticks(range(len(reports)), [report.system for report in reports], fontsize=8)
        axes.figure.colorbar(image, ax=axes, label="normalized score")


def preference_plot(system: str, found: Preferences, path: Path) -> None:
    """The controlled test: points more kept of reports told in each language, with intervals.

    Filled where the difference stands up to the test, hollow where it does not; PNG or SVG by
    suffix.  Raises `UsageError` where nothing was measured.
    """
    rows = [(one, one.difference) for one in found.effects.languages if one.difference is not None]
    if not rows:
        raise UsageError(
            f"{system}: the controlled test measured nothing to draw: leave out its plot"
        )
    rows.sort(key=lambda row: (-(row[1] or 0.0), row[0].language))
    with figure(path, width=max(4.0, 1.5 + 0.42 * len(rows)), height=3.8) as axes:
        axes.axhline(0, linestyle="--", color="#888888", linewidth=0.9)
        for place, (one, difference) in enumerate(rows):
            value = 100 * (difference or 0.0)
            if one.low is not None and one.high is not None:
                axes.plot([place, place], [100 * one.low, 100 * one.high], color="#222222", lw=1)
            shown = one.p_adjusted is not None and one.p_adjusted < LEVEL
            face = "#1b4f72" if shown else "#ffffff"
            axes.plot([place], [value], marker="o", mfc=face, mec="#1b4f72", ls="none")
        axes.set_xticks(range(len(rows)))
        axes.set_xticklabels([f"{one.language}\n{one.n}" for one, _ in rows], fontsize=8)
        axes.set_xlabel("language and how often a report was told in it")
        axes.set_ylabel("points more kept")
        axes.set_title(f"{system}, controlled test", fontsize=10)
        axes.margins(x=0.06, y=0.12)


def _colour(row: LanguageRow) -> str:
    return _NO_TIER if row.tier is None else _TIER_COLOURS[row.tier]


def _tier_legend(axes: Any, rows: Sequence[LanguageRow]) -> None:
    patch: Any = import_module("matplotlib.patches").Patch

    held = sorted({row.tier for row in rows if row.tier is not None}, reverse=True)
    patches = [patch(color=_TIER_COLOURS[tier], label=f"tier {tier}") for tier in held]
    if any(row.tier is None for row in rows):
        patches.append(patch(color=_NO_TIER, label="no tier"))
    axes.legend(handles=patches, fontsize=7, frameon=False, loc="upper right")
