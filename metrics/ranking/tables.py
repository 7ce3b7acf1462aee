"""Rankings as tables: methods, and methods against one another."""

from collections.abc import Sequence

from metrics.printed import MISSING, Table
from metrics.ranking.rank import Ranked, Ranking
from metrics.tables import bare, span


def rank_table(ranking: Ranking, about: Sequence[str] = ()) -> Table:
    """A row a method, best first; `about` stands first below it."""
    several = len({row.group for row in ranking.rows}) > 1
    head = ("method", *(("group",) if several else ()), "rank", "ability", "first", "won", "n of N")
    rows = tuple(
        (
            row.method,
            *((str(row.group),) if several else ()),
            _place(row),
            span(row.ability, row.low, row.high, scale=1),
            MISSING if row.first is None else f"{100 * row.first:.0f} %",
            MISSING if row.winrate is None else f"{100 * row.winrate:.1f} %",
            f"{row.n}/{row.expected}",
        )
        for row in ranking.rows
    )
    missing = dict.fromkeys(f"{row.method}: {row.note}" for row in ranking.rows if row.note)
    numbers = ("ability", "low", "high", "mean", "first", "winrate")
    return Table(
        header=head,
        rows=rows,
        notes=(*about, *ranking.notes, *missing),
        number_header=(
            "method",
            "group",
            "rank",
            "rank_low",
            "rank_high",
            *numbers,
            "n",
            "expected",
        ),
        numbers=tuple(
            (
                row.method,
                str(row.group),
                *("" if one is None else f"{one:.0f}" for one in _bounds(row)),
                *(bare(one) for one in (row.ability, row.low, row.high, row.mean)),
                *(bare(one) for one in (row.first, row.winrate)),
                str(row.n),
                str(row.expected),
            )
            for row in ranking.rows
        ),
    )


def pairs_table(ranking: Ranking) -> Table:
    """The share of comparisons that the method of a row won against that of a column."""
    names = [row.method for row in ranking.rows]
    won: dict[tuple[str, str], float | None] = {}
    for pair in ranking.pairs:
        won[pair.left, pair.right] = pair.winrate
        won[pair.right, pair.left] = None if pair.winrate is None else 1 - pair.winrate
    return Table(
        header=("won against", *names),
        rows=tuple(
            (one, *(_share(won.get((one, two)), one == two) for two in names)) for one in names
        ),
        notes=("per cent of the comparisons of the two, ties half",),
        number_header=("won_against", *names),
        numbers=tuple(
            (one, *(bare(won.get((one, two)), scale=100) for two in names)) for one in names
        ),
    )


def _share(value: float | None, itself: bool) -> str:
    if itself:
        return ""
    return MISSING if value is None else f"{100 * value:.1f}"


def _bounds(row: Ranked) -> tuple[float | None, ...]:
    return row.rank, row.rank_low, row.rank_high


def _place(row: Ranked) -> str:
    if row.rank is None:
        return MISSING
    if row.rank_low is None or row.rank_high is None:
        return str(row.rank)
    return f"{row.rank} [{row.rank_low:.0f}, {row.rank_high:.0f}]"
