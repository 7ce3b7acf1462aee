"""From estimates to a table: cells as text, the best in bold, unequal signatures marked apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from baselines.tables.estimates import Estimate
from metrics.base import Column, Signature
from metrics.printed import MISSING, Table
from metrics.tables import bare

LARGEST = 1e18
"""Means from which on two decimals say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One column of numbers: how it is headed, below which group, and what it holds.

    `column` tells which way is better (None: nothing was asked for that could stand here).
    """

    title: str
    column: Column | None
    group: str = ""

    @property
    def full(self) -> str:
        return f"{self.group} {self.title}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row: its names, its estimates, and which others it competes with for the best.

    Only rows of one `rivals` compete, and those without a name for it not at all.
    """

    names: tuple[str, ...]
    values: tuple[Estimate, ...]
    rivals: str = "all"


MARK = "§"
"""Before the number of a signature that differs from most others' of its metric."""


def grid_table(
    named: Sequence[str],
    heads: Sequence[Head],
    lines: Sequence[Line],
    *,
    signatures: Mapping[str, Sequence[str]],
    notes: Sequence[str] = (),
    intervals: bool = False,
    rules: Sequence[int] = (),
) -> Table:
    """A table of estimates in per cent.

    n of N stands in each cell where not all were scored, or with `intervals` in each; a value is
    never blank: one that is missing is a dash, and a note says which and why.  `signatures` are
    those of each metric, the leading one first; a cell with another bears its number, and only
    cells of one signature compete for bold.
    """
    body, best = [], set()
    for line in lines:
        cells = [
            _cell(value, head, signatures, intervals=intervals)
            for value, head in zip(line.values, heads, strict=True)
        ]
        body.append((*line.names, *cells))
    for number, head in enumerate(heads):
        for rivals in {line.rivals for line in lines if line.rivals}:
            held = {p: line.values[number] for p, line in enumerate(lines) if line.rivals == rivals}
            best |= {(row, len(named) + number) for row in _best(held, head)}
    groups: list[tuple[str, int]] = []
    for head in heads:
        if groups and groups[-1][0] == head.group:
            groups[-1] = (head.group, groups[-1][1] + 1)
        else:
            groups.append((head.group, 1))
    ends = ("", "_low", "_high", "_sd", "_n", "_expected", "_signature")
    return Table(
        header=(*named, *(head.title for head in heads)),
        rows=tuple(body),
        notes=(
            *notes,
            *_signature_notes(heads, signatures),
            *_counted(lines, heads, intervals=intervals),
            *_missing(lines, heads),
        ),
        number_header=(*named, *(head.full + end for head in heads for end in ends)),
        numbers=tuple(
            (*line.names, *(text for value in line.values for text in _numbers(value)))
            for line in lines
        ),
        named=len(named),
        groups=tuple(groups) if any(title for title, _ in groups) else (),
        best=frozenset(best),
        rules=frozenset(rules),
    )


def _cell(
    value: Estimate, head: Head, signatures: Mapping[str, Sequence[str]], *, intervals: bool
) -> str:
    if value.mean is None:
        return MISSING
    text = percent(value.mean)
    if value.sd is not None:
        text += f" ± {percent(value.sd)}"
    if intervals and value.low is not None and value.high is not None:
        text += f" [{percent(value.low)}, {percent(value.high)}]"
    if value.n is not None and (intervals or value.n != value.expected):
        text += f" ({value.n}/{value.expected})"
    known = signatures.get(head.column.name, ()) if head.column else ()
    if value.signature in known and known.index(value.signature):
        text += f" {MARK}{known.index(value.signature) + 1}"
    return text


def percent(value: float) -> str:
    """A fraction times 100 with two decimals, halves away from zero, as the paper rounds.

    An average of printed numbers often lies on a half, which binary fractions would miss.
    """
    if abs(value) >= LARGEST:  # no metric gives such a value, but a file may
        return f"{100 * value:.2e}"
    exact = Decimal(repr(round(100 * value, 9)))
    return str(exact.quantize(Decimal("0.01"), ROUND_HALF_UP) + 0)


def _best(held: Mapping[int, Estimate], head: Head) -> list[int]:
    """The rows with the best printed value, among those of the most frequent signature."""
    if head.column is None:
        return []
    groups: dict[str, dict[int, float]] = {}
    for row, value in held.items():
        if value.mean is not None:
            groups.setdefault(value.signature or "", {})[row] = float(percent(value.mean))
    if not groups:
        return []
    rows = groups[min(groups, key=lambda text: (-len(groups[text]), text))]
    if len(rows) < 2:
        return []
    top = max(rows.values()) if head.column.better == "higher" else min(rows.values())
    return [row for row, value in rows.items() if value == top]


def _numbers(value: Estimate) -> tuple[str, ...]:
    numbers = (bare(one, scale=100) for one in (value.mean, value.low, value.high, value.sd))
    counts = ("" if one is None else str(one) for one in (value.n, value.expected))
    return (*numbers, *counts, value.signature or "")


def _signature_notes(heads: Sequence[Head], signatures: Mapping[str, Sequence[str]]) -> list[str]:
    notes = []
    shown = {head.column.name: head.column for head in heads if head.column}
    for name, column in shown.items():
        known = signatures.get(name, ())
        if not known:
            continue
        notes.append(f"{name} {column.better.arrow}: {known[0]}")
        for number, other in enumerate(known[1:], 2):
            differing = Signature.parse(known[0]).differences(Signature.parse(other))
            notes.append(
                f"{MARK}{number} {name} was scored otherwise ({'; '.join(differing)}): not "
                "comparable with the rest of its column, and in no average with it"
            )
    return notes


def _counted(lines: Sequence[Line], heads: Sequence[Head], *, intervals: bool) -> list[str]:
    """What (n/N) beside a value means, and where bold compares means over unequal events."""
    counts = {
        (one.n, one.expected)
        for line in lines
        if line.rivals
        for one in line.values
        if one.n is not None and one.mean is not None
    }
    notes = []
    if intervals and any(one.low is not None for line in lines for one in line.values):
        notes.append("[95 % bootstrap interval over events] (scored/expected)")
    elif len(counts) == 1 and (same := next(iter(counts))) and same[0] == same[1]:
        notes.append(f"{same[0]} of {same[1]} scored in every cell that has a value")
    elif counts:
        notes.append("(scored/expected) stands where not all were scored")
    for number, head in enumerate(heads):
        shares = {
            (one.n, one.expected)
            for line in lines
            if line.rivals and (one := line.values[number]).mean is not None
        }
        if len(shares) > 1 and any(n != expected for n, expected in shares):
            notes.append(f"{head.full}: the cells' means are over unequal sets of events")
    if any(one.sd is not None for line in lines for one in line.values):
        notes.append("± standard deviation over the repeats (seeds)")
    return notes


def _missing(lines: Sequence[Line], heads: Sequence[Head]) -> list[str]:
    """Every value that is missing, or not over all events, is named with its reason.

    Those that share one share a note.
    """
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for line in lines:
        name = " ".join(part for part in line.names if part)
        for head, value in zip(heads, line.values, strict=True):
            if value.mean is None:
                told = [(MISSING, value.why or "no value")]
            else:
                told = [(f"{count} not scored:", reason) for reason, count in value.reasons]
            for key in told:
                groups.setdefault(key, {}).setdefault(head.full, []).append(name)
    notes = []
    for (mark, why), by_head in groups.items():
        # Columns that miss the same rows are told of together.
        merged: dict[tuple[str, ...], list[str]] = {}
        for head_name, rows in by_head.items():
            merged.setdefault(tuple(rows), []).append(head_name)
        for missed, names in merged.items():
            where = "every row" if len(missed) == len(lines) else "; ".join(missed)
            notes.append(f"{mark} {where} ({', '.join(names)}): {why}")
    return notes
