"""Pictures of a leaderboard: deviations over scenarios, and what thinking costs (figures 5 to 7).

Drawn with matplotlib, which is optional.  The same rows give the same bytes.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from globesumm.finite import LONG
from metrics.facts.leaderboard import NAMES, Row
from metrics.figures import figure

_COLOURS = {"completeness": "#1b4f72", "conciseness": "#b9770e", "faithfulness": "#1e8449"}
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
_MOST_POWERS = 8
_LONGEST_NAME = 40


def draw_plots(
    rows: Sequence[Row], folder: Path, scenarios: Sequence[str] = ()
) -> tuple[list[Path], list[str]]:
    """Every plot that the rows have data for, as PNG in `folder`, and why the others are not drawn.

    ``deviation.png`` is figure 5 of OmniCSEval, ``thinking_<score>.png`` figure 6 in one picture
    a score, ``thinking_by_scenario.png`` figure 7, its scenarios in the order of `scenarios` where
    named.  Raises `MissingPackage` without matplotlib.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn: list[Path] = []
    missing: list[str] = []

    def draw(name: str, wanted: str, held: Sequence[Row], plot: Callable[[Path], None]) -> None:
        if held:
            plot(folder / name)
            drawn.append(folder / name)
        else:
            missing.append(f"{name}: {wanted}")

    steady = [row for row in rows if any(row.deviation(name) is not None for name in NAMES)]
    draw(
        "deviation.png",
        "no system has scores in every one of two or more scenarios",
        steady,
        partial(_deviation_plot, steady),
    )
    for name in NAMES:
        thought = [r for r in rows if r.thinking is not None and r.overall(name) is not None]
        draw(
            f"thinking_{name}.png",
            "no system has both thinking tokens and this score",
            thought,
            partial(_thinking_plot, thought, name),
        )
    spread = [row for row in rows if row.thinking_in]
    draw(
        "thinking_by_scenario.png",
        "no thinking tokens are recorded",
        spread,
        partial(_scenario_plot, spread, scenarios),
    )
    return drawn, missing


def _deviation_plot(rows: Sequence[Row], path: Path) -> None:
    """Standard deviation over scenarios, a line a system, steadiest on top; reasoning models full.

    Systems are ordered by the mean of the deviations that they have.
    """

    def mean(row: Row) -> float:
        known = [d for name in NAMES if (d := row.deviation(name)) is not None]
        return sum(known) / len(known)

    ordered = sorted(rows, key=lambda row: (-mean(row), row.system))
    with figure(path, width=7.0, height=1.6 + 0.24 * len(ordered)) as axes:
        for name in NAMES:
            for place, row in enumerate(ordered):
                value = row.deviation(name)
                if value is not None:
                    full = row.traits.reasoning != "no"
                    axes.plot(
                        100 * value, place, "o", markersize=5.5, color=_COLOURS[name],
                        markerfacecolor=_COLOURS[name] if full else "white",
                    )  # fmt: skip
            axes.plot([], [], "o", color=_COLOURS[name], label=name)
        if any(row.traits.reasoning == "no" for row in ordered):
            axes.plot([], [], "o", color="#555555", markerfacecolor="white", label="instruction")
        axes.set_yticks(range(len(ordered)))
        axes.set_yticklabels([_short(row.system) for row in ordered], fontsize=8)
        axes.set_ylim(-0.7, len(ordered) - 0.3)
        axes.set_xlim(left=0)
        axes.set_xlabel("standard deviation over scenarios, times 100 (lower is steadier)")
        axes.grid(axis="both", color="#e4e4e4", linewidth=0.6)
        axes.set_axisbelow(True)
        _legend(axes)


def _thinking_plot(rows: Sequence[Row], name: str, path: Path) -> None:
    """The overall score against mean thinking tokens; the upper left thinks most cheaply."""
    spent = sorted(row.thinking or 0.0 for row in rows)
    with figure(path, width=7.0, height=4.6) as axes:
        for row in rows:
            value, tokens = row.overall(name), row.thinking
            if value is not None and tokens is not None:
                axes.plot(tokens, 100 * value, "o", color=_COLOURS[name], markersize=6)
                # The right half has its names on the left, so that none leaves the picture.
                inwards = len(rows) > 1 and tokens > spent[(len(rows) - 1) // 2]
                axes.annotate(
                    _short(row.system), (tokens, 100 * value), fontsize=8,
                    xytext=(-5 if inwards else 5, 4), textcoords="offset points",
                    ha="right" if inwards else "left",
                )  # fmt: skip
        _token_axis(axes, "x", spent)
        axes.set_xlabel("mean thinking tokens a summary")
        axes.set_ylabel(f"{name}, times 100")
        axes.margins(x=0.16, y=0.12)
        axes.grid(color="#e4e4e4", linewidth=0.6)
        axes.set_axisbelow(True)


def _scenario_plot(rows: Sequence[Row], scenarios: Sequence[str], path: Path) -> None:
    """Mean thinking tokens of each system in each scenario; a gap where none are recorded."""
    held = list(dict.fromkeys(name for row in rows for name in row.thinking_in))
    names = [name for name in dict.fromkeys(scenarios) if name in held]
    names += [name for name in held if name not in names]
    nothing = float("nan")
    with figure(path, width=max(6.0, 3.2 + 0.9 * len(names)), height=4.6) as axes:
        for place, row in enumerate(rows):
            axes.plot(
                range(len(names)), [row.thinking_in.get(name, nothing) for name in names],
                marker=_MARKS[place % len(_MARKS)], linewidth=1.2, markersize=5,
                color=f"C{place % 10}", label=_short(row.system),
            )  # fmt: skip
        _token_axis(axes, "y", [v for row in rows for v in row.thinking_in.values()])
        axes.set_xticks(range(len(names)))
        axes.set_xticklabels([_short(name) for name in names], fontsize=8, rotation=20, ha="right")
        axes.set_ylabel("mean thinking tokens a summary")
        axes.grid(axis="y", color="#e4e4e4", linewidth=0.6)
        axes.set_axisbelow(True)
        _legend(axes)


def _token_axis(axes: Any, which: str, values: Sequence[float]) -> None:
    """Tokens differ by orders of magnitude, but a logarithm has no place for none."""
    low, high = min(values), max(values)
    if not (low > 0 and high > 5 * low):
        return
    getattr(axes, f"set_{which}scale")("log")
    # The scale's own labels are formulas, which the frame does not typeset.
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    # Over many powers of ten some of them are enough, and hundreds of labels take minutes.
    between = max(1, len(powers) // _MOST_POWERS)
    ticks = [
        step * 10.0**power
        for power in powers[::between]
        for step in ((1, 2, 5) if between == 1 else (1,))
        if low / 2 <= step * 10.0**power <= high * 2
    ]
    getattr(axes, f"set_{which}ticks")(
        ticks, labels=[f"{tick:,.0f}" if 1 <= tick < LONG else f"{tick:g}" for tick in ticks]
    )
    axes.minorticks_off()


def _legend(axes: Any) -> None:
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)


def _short(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= _LONGEST_NAME else f"{line[: _LONGEST_NAME - 1]}…"
