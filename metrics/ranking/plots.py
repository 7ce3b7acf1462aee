"""A picture of a ranking: every method's ability with its interval, best on top."""

from pathlib import Path

from globesumm.errors import UsageError
from metrics.figures import figure
from metrics.printed import one_line
from metrics.ranking.rank import Ranking

_COLOURS = ("#1b4f72", "#b9770e", "#1e8449", "#7b241c", "#5b2c6f", "#424949")
_LONGEST_NAME = 40


def draw_ranking(ranking: Ranking, *paths: Path) -> None:
    """Dots with 95 % intervals, a colour a group, as PNG or SVG.

    Raises `MissingPackage` without matplotlib, `UsageError` for another suffix or where no method
    has an ability.
    """
    rows = [row for row in ranking.rows if row.ability is not None]
    if not rows:
        raise UsageError("no method has an ability: there is nothing to draw; leave out --plot")
    with figure(*paths, width=7, height=1.2 + 0.35 * len(rows)) as axes:
        for place, row in enumerate(rows):
            colour = _COLOURS[(row.group - 1) % len(_COLOURS)]
            if row.low is not None and row.high is not None:
                axes.plot([row.low, row.high], [place, place], color=colour, linewidth=2)
            axes.plot([row.ability], [place], "o", color=colour)
        axes.axvline(0, color="#aaaaaa", linewidth=0.8, zorder=0)
        axes.set_yticks(range(len(rows)))
        axes.set_yticklabels([one_line(row.method)[:_LONGEST_NAME] for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel("ability (logits; 0 is the mean of the methods)")
        axes.spines[["top", "right"]].set_visible(False)
