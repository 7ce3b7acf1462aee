"""How methods write: length, novel n-grams and extractive fragments side by side, and a picture.

The layouts are those of the perspective paper's table 6 and supplement; values are not times 100.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.finite import numbers, shown
from metrics.abstractiveness import COVERAGE, DENSITY
from metrics.aggregate import one_signature
from metrics.figures import figure
from metrics.printed import MISSING, Table, one_line
from metrics.ranking.scores import Scored
from metrics.tables import bare

ARROWS = {
    "words": "",
    "compression": "",
    "novel1": " ↑",
    "novel2": " ↑",
    "novel3": " ↑",
    "novel4": " ↑",
    COVERAGE: " ↓",
    DENSITY: " ↓",
}
"""The columns in order; arrows point to the more abstractive."""

_COLOURS = ("#1b4f72", "#b9770e", "#1e8449", "#7b241c", "#5b2c6f", "#424949")
_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation (population) of `n` of `expected` values; None of nothing."""

    mean: float | None
    deviation: float | None
    n: int
    expected: int

    @classmethod
    def of(cls, values: Sequence[float | None]) -> "Spread":
        known = numbers(value for value in values if value is not None)
        if not known:
            return cls(None, None, 0, len(values))
        mean = math.fsum(known) / len(known)
        square = math.fsum((value - mean) ** 2 for value in known) / len(known)
        return cls(mean, math.sqrt(square), len(known), len(values))

    def __str__(self) -> str:
        """``0.930 ± 0.104 (100/100)``."""
        if self.mean is None or self.deviation is None:
            return f"{MISSING} ({self.n}/{self.expected})"
        return f"{shown(self.mean, 3)} ± {shown(self.deviation, 3)} ({self.n}/{self.expected})"


def style_table(scored: Iterable[Scored], about: Sequence[str] = ()) -> Table:
    """A row a method, mean ± standard deviation of each column that is there.

    Raises `UsageError` where no column of `ARROWS` is, or one has two signatures.
    """
    rows = _by_method(scored)
    columns = [name for name in ARROWS if any(name in held for held in rows.values())]
    if not columns:
        raise UsageError(
            f"none of {', '.join(ARROWS)} is there: globesumm score --metrics "
            "abstractiveness,length makes them"
        )
    notes = [
        f"{name}: {one_signature(name, signatures)}"
        for name in columns
        if (
            signatures := [
                s.signature for h in rows.values() for s in h.get(name, ()) if s.signature
            ]
        )
    ]
    reasons = dict.fromkeys(
        f"{method}, {name}: {one.note}"
        for method, held in rows.items()
        for name in columns
        for one in held.get(name, ())
        if one.score is None
    )
    spreads = {
        method: [Spread.of([one.score for one in held.get(name, ())]) for name in columns]
        for method, held in rows.items()
    }
    return Table(
        header=("method", *(name + ARROWS[name] for name in columns)),
        rows=tuple((method, *map(str, held)) for method, held in spreads.items()),
        notes=(*about, *notes, *reasons),
        number_header=(
            "method",
            *(f"{name}{end}" for name in columns for end in ("", "_sd", "_n", "_expected")),
        ),
        numbers=tuple(
            (
                method,
                *(
                    text
                    for one in held
                    for text in (bare(one.mean), bare(one.deviation), str(one.n), str(one.expected))
                ),
            )
            for method, held in spreads.items()
        ),
    )


def draw_coverage_density(scored: Iterable[Scored], *paths: Path) -> None:
    """Density over coverage of every text, a panel a method, as PNG or SVG (Grusky et al., 2018).

    A cross marks the means.  Raises `MissingPackage` without matplotlib, `UsageError` where no
    text has both.
    """
    points = {
        method: _pairs(held.get(COVERAGE, ()), held.get(DENSITY, ()))
        for method, held in _by_method(scored).items()
    }
    points = {method: held for method, held in points.items() if held}
    if not points:
        raise UsageError(
            f"no text has both {COVERAGE} and {DENSITY}: there is nothing to draw; "
            "score abstractiveness first"
        )
    across = min(3, len(points))
    down = math.ceil(len(points) / across)
    top = max(density for held in points.values() for _, density in held)
    with figure(*paths, width=0.6 + 2.6 * across, height=0.6 + 2.4 * down) as axes:
        drawn = axes.figure
        axes.remove()
        grid = drawn.subplots(down, across, sharex=True, sharey=True, squeeze=False)
        for place, panel in enumerate(grid.flat):
            if place >= len(points):
                panel.set_visible(False)
                continue
            method, held = list(points.items())[place]
            colour = _COLOURS[place % len(_COLOURS)]
            xs, ys = zip(*held, strict=True)
            panel.scatter(xs, ys, s=10, alpha=0.5, color=colour, linewidths=0)
            panel.plot(
                [math.fsum(xs) / len(xs)], [math.fsum(ys) / len(ys)], "k+", markersize=9, mew=1.5
            )
            panel.set_title(f"{one_line(method)[:_LONGEST_NAME]} (n = {len(held)})", fontsize=9)
            panel.set_xlim(-0.02, 1.02)
            panel.set_ylim(-0.03 * max(top, 1), 1.05 * max(top, 1))
        drawn.supxlabel("extractive fragment coverage", fontsize=9)
        drawn.supylabel("extractive fragment density", fontsize=9)


def _by_method(scored: Iterable[Scored]) -> Mapping[str, dict[str, list[Scored]]]:
    found: dict[str, dict[str, list[Scored]]] = {}
    for one in scored:
        if one.metric in ARROWS:
            found.setdefault(one.method, {}).setdefault(one.metric, []).append(one)
    return found


def _pairs(coverage: Sequence[Scored], density: Sequence[Scored]) -> list[tuple[float, float]]:
    dense = {one.document: one.score for one in density}
    return [
        (one.score, other)
        for one in coverage
        if one.score is not None and (other := dense.get(one.document)) is not None
    ]
