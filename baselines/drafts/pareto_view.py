"""The Pareto view of drafts: a table that names the dominated ones, and a picture."""

from collections.abc import Mapping
from pathlib import Path

from baselines.drafts.base import Choice
from baselines.drafts.pareto import Standing, standings
from globesumm.finite import shown
from metrics.base import Better, Measured
from metrics.figures import figure
from metrics.printed import MISSING, Table

_FRONT, _BEHIND, _TAKEN = "#1b4f72", "#b0b7bd", "#c0392b"


def standings_of(choice: Choice, better: Mapping[str, Better]) -> list[Standing]:
    """Fronts of the drafts of a choice by every proxy that scored them."""
    numbers = [one.number for one in choice.scored]
    values = {
        name: [Measured(one.values.get(name)) for one in choice.scored]
        for name in better
        if any(name in one.values for one in choice.scored)
    }
    return standings(numbers, values, better)


def pareto_table(choice: Choice, better: Mapping[str, Better]) -> Table:
    """One row a draft: its value on each proxy, the joint value, its front, who dominates it."""
    names = list(better)
    heads = ["draft", *(f"{n} {better[n].arrow}" for n in names), "joint ↑", "rank", "front"]
    told = {one.number: one for one in standings_of(choice, better)}
    rows = []
    for one in choice.scored:
        standing = told[one.number]
        mark = f"{one.number} (taken)" if one.number == choice.chosen else str(one.number)
        behind = f"dominated by {', '.join(map(str, standing.dominated_by))}"
        rows.append(
            (
                mark,
                *(_shown(one.values.get(name)) for name in names),
                _shown(one.joint),
                MISSING if one.rank is None else str(one.rank),
                f"{standing.front}: {behind}" if standing.dominated_by else str(standing.front),
            )
        )
    header = tuple(heads)
    return Table(header, tuple(rows), choice.notes, header, tuple(rows))


def better_of(choice: Choice) -> dict[str, Better]:
    """Which way each proxy of a stored choice points, by the names of metrics' columns.

    Redundancy alone points down; what no metric is called by (a rating, a balance) points up.
    """
    from metrics.registry import known_columns

    known = known_columns()
    names = dict.fromkeys(name for one in choice.scored for name in one.values)
    return {name: known[name].better if name in known else Better.HIGHER for name in names}


def pareto_plot(choice: Choice, better: Mapping[str, Better], path: Path) -> Path:
    """One line a draft across all proxies, each from its worst (below) to its best value (above).

    Drafts that nothing dominates are dark, the one taken is red and thick, dominated ones are
    grey; a cross below the axis is a draft without a value there.  Raises `MissingPackage`
    without matplotlib.
    """
    names = list(better)
    told = {one.number: one for one in standings_of(choice, better)}
    ends = {name: _ends(choice, name) for name in names}
    with figure(path, width=max(5.0, 1.9 * len(names)), height=4.2) as axes:
        for one in choice.scored:
            taken = one.number == choice.chosen
            behind = bool(told[one.number].dominated_by)
            colour = _TAKEN if taken else _BEHIND if behind else _FRONT
            heights = [_height(one.values.get(n), ends[n], better[n]) for n in names]
            known = [(x, y) for x, y in enumerate(heights) if y is not None]
            lost = [x for x, y in enumerate(heights) if y is None]
            label = f"draft {one.number}{' (taken)' if taken else ' (dominated)' if behind else ''}"
            axes.plot(
                [x for x, _ in known],
                [y for _, y in known],
                marker="o",
                color=colour,
                linewidth=2.6 if taken else 1.2,
                zorder=3 if taken else 1 if behind else 2,
                label=label,
            )
            axes.plot(lost, [_UNSCORED] * len(lost), "x", color=colour)
        axes.set_xticks(
            range(len(names)), [_axis(name, ends[name], better[name]) for name in names]
        )
        axes.set_yticks([_UNSCORED, 0, 1], ["no value", "worst", "best"])
        axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return path


_UNSCORED = -0.15


def _ends(choice: Choice, name: str) -> tuple[float, float] | None:
    """The least and greatest value of a proxy; None where no draft has one."""
    known = [value for one in choice.scored if (value := one.values.get(name)) is not None]
    return (min(known), max(known)) if known else None


def _height(value: float | None, ends: tuple[float, float] | None, better: Better) -> float | None:
    if value is None or ends is None:
        return None
    low, high = ends
    place = 0.5 if high == low else (value - low) / (high - low)
    return 1 - place if better is Better.LOWER else place


def _axis(name: str, ends: tuple[float, float] | None, better: Better) -> str:
    told = "no value" if ends is None else f"{shown(ends[0], 3)} to {shown(ends[1], 3)}"
    return f"{name} {better.arrow}\n{told}"


def _shown(value: float | None) -> str:
    return MISSING if value is None else shown(value, 3)
