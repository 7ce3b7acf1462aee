"""The findings as a table, and what the paper's sentences say beyond their tables."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from baselines.tables.findings import ERROR_RATE, Found, Verdict
from baselines.tables.grid_table import percent
from baselines.tables.stated import Contrast, Elsewhere, Share, expected_of, known
from metrics.printed import MISSING, Table
from metrics.tables import bare

HEADS = ("finding", "section", "model", "measure")


def findings_table(found: Sequence[Found], notes: Sequence[str] = ()) -> Table:
    """A row for each finding, model and measure: both sides, difference, test and verdict."""
    sections = {one.id: one.section for one in _all()}
    every, found = found, _together(found)
    held = [(one, one.evidence) for one in found]
    return Table(
        header=(*HEADS, "verdict", "left", "right", "left − right", "p Holm", "n of N", "because"),
        rows=tuple(
            (
                one.id,
                sections[one.id],
                one.model or "any",
                one.measure or "any",
                one.verdict.value,
                *(_shown(value) for value in (seen.left, seen.right)),
                _difference(one),
                MISSING if one.p_adjusted is None else f"{one.p_adjusted:.4f}",
                MISSING if seen.n is None else f"{seen.n}/{seen.expected}",
                "; ".join(part for part in (one.why, _pairs(one)) if part) or "test",
            )
            for one, seen in held
        ),
        notes=(*_claims(every), *overstatements(found), *notes, _told(found)),
        number_header=(
            *HEADS,
            *("verdict", "left", "right", "difference", "low", "high"),
            *("p_bootstrap", "p_permutation", "p_holm", "n", "expected", "pairs", "of_pairs"),
        ),
        numbers=tuple(
            (
                one.id,
                sections[one.id],
                one.model,
                one.measure,
                one.verdict.value,
                *(
                    bare(value, scale=100)
                    for value in (seen.left, seen.right, seen.difference, seen.low, seen.high)
                ),
                *(bare(p) for p in (seen.p_bootstrap, seen.p_permutation, one.p_adjusted)),
                *("" if count is None else str(count) for count in (seen.n, seen.expected)),
                str(seen.pairs),
                str(seen.of_pairs),
            )
            for one, seen in held
        ),
        named=5,
        rules=frozenset(
            place
            for place in range(1, len(found))
            if sections[found[place].id] != sections[found[place - 1].id]
        ),
    )


def _together(found: Sequence[Found]) -> list[Found]:
    """`found` with the rows of one finding that cannot be computed for one reason in one row."""
    groups: dict[tuple[object, ...], list[Found]] = {}
    for place, one in enumerate(found):
        none = one.verdict is Verdict.NONE
        groups.setdefault((one.id, one.why) if none else (place,), []).append(one)
    return [
        replace(
            held[0],
            model=", ".join(dict.fromkeys(one.model for one in held)),
            measure=", ".join(dict.fromkeys(one.measure for one in held)),
        )
        for held in groups.values()
    ]


def overstatements(found: Iterable[Found]) -> list[str]:
    """For each finding that does not hold throughout: where the numbers say otherwise."""
    notes = []
    for stated in _all():
        wrong = [one for one in found if one.id == stated.id and one.verdict is Verdict.FAILS]
        if wrong:
            told = "; ".join(f"{one.model} {one.measure} {_right_to_left(one)}" for one in wrong)
            notes.append(f"{stated.id} ({stated.section}) says more than the numbers: {told}")
    return notes


def _right_to_left(found: Found) -> str:
    """What going from the right side to the left one does, in the metric's own direction."""
    seen = found.evidence
    if seen.left is None or seen.right is None:
        return found.why or ""
    gain = (seen.difference or 0.0) * (
        1 if found.column and found.column.better == "higher" else -1
    )
    way = "better" if gain > 0 else "worse"
    return f"{percent(seen.right)} → {percent(seen.left)} ({way})"


def _sides(name: str) -> str:
    for one in (*known().contrasts, *known().trends):
        if one.id == name:
            return f" [{one.left} {expected_of(name)} than {one.right}]"
    return ""


def _claims(found: Sequence[Found]) -> list[str]:
    """Each finding in words, and how often which verdict was given."""
    notes = []
    for stated in _all():
        verdicts = [one.verdict for one in found if one.id == stated.id]
        counts = {verdict: verdicts.count(verdict) for verdict in Verdict if verdict in verdicts}
        told = ", ".join(f"{verdict.value} {count}" for verdict, count in counts.items())
        notes.append(f"{stated.id}: {stated.claim}{_sides(stated.id)}: {told}")
    return notes


def _told(found: Sequence[Found]) -> str:
    tests = sum(one.evidence.p_permutation is not None for one in found)
    if not any(one.evidence.difference is not None for one in found):
        return "no finding can be computed from these cells"
    if not tests:
        return "no values by event, so no test: the sign of the printed means decides"
    return (
        f"paired by event, [95 % bootstrap interval], sign-flip test, Holm over all {tests} tests; "
        f"decided where p is below {ERROR_RATE:g}"
    )


def _shown(value: float | None) -> str:
    return MISSING if value is None else percent(value)


def _difference(found: Found) -> str:
    seen = found.evidence
    if seen.difference is None:
        return MISSING
    bounds = ""
    if seen.low is not None and seen.high is not None:
        bounds = f" [{percent(seen.low)}, {percent(seen.high)}]"
    return f"{percent(seen.difference)}{bounds}"


def _pairs(found: Found) -> str | None:
    seen = found.evidence
    if not seen.pairs or seen.pairs == seen.of_pairs:
        return None
    return f"{seen.pairs} of {seen.of_pairs} pairs of cells"


def _all() -> list[Contrast | Share | Elsewhere]:
    held = known()
    return [*held.contrasts, *held.trends, *held.shares, *held.elsewhere]
