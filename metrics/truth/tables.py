"""The check as tables: metrics beside one another, and models behind the judged ones.

The layouts are those of the perspective paper's tables 2 and 7, with what we add to the right.
"""

from collections.abc import Sequence

from globesumm.finite import counted
from metrics.base import Better
from metrics.printed import MISSING, Table
from metrics.tables import bare
from metrics.truth.agreement import HELD, Measure
from metrics.truth.check import Checked
from metrics.truth.known import TRUTHS


def check_table(rows: Sequence[Checked], about: Sequence[str] = ()) -> Table:
    """A row a metric's column (and model); rows in which nothing was scored stand below it."""
    scored = [row for row in rows if row.n]
    models = any(row.model for row in scored)
    head = ("metric", *(("model",) if models else ()), "ρ", "winrate", "ρ", "winrate", *HELD)
    shown = [_measures(row) for row in scored]
    named = 2 if models else 1
    return Table(
        header=(*head, "orders rightly", "n of N"),
        rows=tuple(
            (
                label(row),
                *((row.model or "",) if models else ()),
                *map(_cell, measures),
                row.verdict,
                f"{row.n}/{row.expected}",
            )
            for row, measures in zip(scored, shown, strict=True)
        ),
        notes=(*about, *_said(rows)),
        number_header=(
            *("group", "metric", "column", "better", "model", "n", "expected"),
            *(
                f"{name}{end}"
                for name in (
                    *(f"{truth}_{kind}" for truth in TRUTHS for kind in ("rho", "winrate")),
                    *HELD,
                )
                for end in ("", "_low", "_high")
            ),
            "orders_rightly",
        ),
        numbers=tuple(
            (
                *(row.group, row.metric, row.column, str(row.better), row.model or ""),
                *(str(row.n), str(row.expected)),
                *(bare(v) for one in measures for v in (one.value, one.low, one.high)),
                row.verdict,
            )
            for row, measures in zip(scored, shown, strict=True)
        ),
        named=named,
        groups=(("coverage", 2), ("faithfulness", 2), ("only", len(HELD)), ("", 2)),
        best=frozenset(_best(shown, named)),
    )


def label(row: Checked) -> str:
    """The column's name with its arrow, after the metric's where it does not begin so."""
    arrow = Better(row.better).arrow
    if row.column.startswith(row.metric) or row.metric in ("rouge", "abstractiveness", "length"):
        return f"{row.column} {arrow}"
    return f"{row.metric}: {row.column} {arrow}"


def _measures(row: Checked) -> list[Measure]:
    by_truth = [one for truth in TRUTHS for one in (row.spearman[truth], row.winrate[truth])]
    return [*by_truth, *(row.held[name] for name in HELD)]


def _cell(one: Measure) -> str:
    if one.value is None:
        return MISSING
    bounds = f" [{one.low:z.2f}, {one.high:z.2f}]" if one.low is not None else ""
    return f"{one.value:z.2f}{bounds}"


def _best(rows: Sequence[Sequence[Measure]], named: int) -> list[tuple[int, int]]:
    found = []
    for place in range(len(rows[0]) if len(rows) > 1 else 0):
        column = [row[place].value for row in rows]
        known = [round(value, 2) for value in column if value is not None]
        found += [
            (line, named + place)
            for line, value in enumerate(column)
            if value is not None and round(value, 2) == max(known)
        ]
    return found


def _said(rows: Sequence[Checked]) -> list[str]:
    """Why cells are missing, and which metrics scored nothing or not all."""
    notes: dict[str, list[str]] = {}
    for row in rows:
        if row.reasons:
            missed = row.expected - row.n
            share = "nothing scored" if not row.n else f"{missed} of {row.expected} not scored"
            more = (
                f" (and {counted(len(row.reasons) - 1, 'other reason')})"
                if len(row.reasons) > 1
                else ""
            )
            notes.setdefault(f"{share}: {row.reasons[0][0]}{more}", []).append(label(row))
        for one in _measures(row):
            if row.n and one.note:
                held = notes.setdefault(one.note, [])
                if label(row) not in held:
                    held.append(label(row))
    return [f"{', '.join(names)}: {reason}" for reason, names in notes.items()]
