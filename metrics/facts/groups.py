"""Groups of systems on a leaderboard, and what the paper says of them held against the figures."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from globesumm.finite import counted, shown
from metrics.facts.leaderboard import NAMES, Row
from metrics.printed import MISSING, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Systems of one kind: mean overall scores and mean deviations, 0 to 1, by name of score."""

    name: str
    systems: int
    means: dict[str, float | None]
    deviations: dict[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A sentence of the paper in our words, whether the figures bear it out, and the figures."""

    said: str
    where: str
    holds: bool
    figures: str


def group(rows: Sequence[Row], name: str, **wanted: str) -> Group:
    """The rows whose traits are as `wanted` says."""
    mine = [r for r in rows if all(getattr(r.traits, key) == v for key, v in wanted.items())]
    return Group(
        name=name,
        systems=len(mine),
        means={score: _mean([row.overall(score) for row in mine]) for score in NAMES},
        deviations={score: _mean([row.deviation(score) for row in mine]) for score in NAMES},
    )


def groups(rows: Sequence[Row]) -> list[Group]:
    """Every group that has a system: reasoning by size, each trait by itself, and the weights
    within reasoning by size.
    """
    made = [
        group(rows, f"{size} {_kind(reasoning)}", reasoning=reasoning, size=size)
        for reasoning, size in product(("yes", "no"), ("large", "small"))
    ]
    made += [group(rows, _kind(reasoning), reasoning=reasoning) for reasoning in ("yes", "no")]
    made += [group(rows, size, size=size) for size in ("large", "small")]
    made += [group(rows, weights, weights=weights) for weights in ("proprietary", "open")]
    made += [
        group(
            rows,
            f"{size} {_kind(reasoning)}, {weights}",
            reasoning=reasoning,
            size=size,
            weights=weights,
        )
        for reasoning, size, weights in product(
            ("yes", "no"), ("large", "small"), ("proprietary", "open")
        )
    ]
    return [one for one in made if one.systems]


def table(found: Sequence[Group]) -> Table:
    """Means and deviations of the groups, times 100."""
    lines = tuple(
        (
            one.name,
            str(one.systems),
            *(_printed(one.means[name]) for name in NAMES),
            *(_printed(one.deviations[name]) for name in NAMES),
        )
        for one in found
    )
    header = ("group", "systems", *NAMES, *(f"{name} sd" for name in NAMES))
    return Table(
        header=header,
        rows=lines,
        notes=("means over systems, times 100; sd: mean deviation over scenarios",),
        number_header=header,
        numbers=lines,
        groups=(("", 1), ("overall", 3), ("over scenarios", 3)),
    )


def findings(rows: Sequence[Row]) -> list[Finding]:
    """What OmniCSEval says of its table 4, recomputed from the rows."""
    named = {one.name: one for one in groups(rows)}
    found = []
    for size in ("large", "small"):
        reasoning, instruction = named[f"{size} reasoning"], named[f"{size} instruction"]
        for score in ("completeness", "conciseness"):
            found += [
                _compared(
                    f"{size}: reasoning models lead instruction models in {score}", "4.1",
                    reasoning.means[score], instruction.means[score], lambda a, b: a > b,
                ),
                _compared(
                    f"{size}: reasoning models vary less over scenarios in {score}", "4.1, fig. 5",
                    reasoning.deviations[score], instruction.deviations[score],
                    lambda a, b: a < b,
                ),
            ]  # fmt: skip
        found.append(
            _compared(
                f"{size}: reasoning models do not gain faithfulness", "4.1",
                reasoning.means["faithfulness"], instruction.means["faithfulness"],
                lambda a, b: a <= b,
            )
        )  # fmt: skip
    small, large = named["small reasoning"], named["large instruction"]
    found += [
        _compared(
            f"small reasoning models {verb} large instruction models in {score}", "4.1, fig. 4",
            small.means[score], large.means[score], lambda a, b: a >= b,
        )
        for verb, score in (("match", "completeness"), ("surpass", "conciseness"))
    ]  # fmt: skip
    for kind, score in product(("reasoning", "instruction"), NAMES):
        one, other = named[f"large {kind}"], named[f"small {kind}"]
        found += [
            _compared(
                f"large {kind} models lead small ones in {score}", "4.1",
                one.means[score], other.means[score], lambda a, b: a > b,
            ),
            _compared(
                f"large {kind} models vary less over scenarios in {score}", "4.1, fig. 5",
                one.deviations[score], other.deviations[score], lambda a, b: a < b,
            ),
        ]  # fmt: skip
    for kind, size in product(("reasoning", "instruction"), ("large", "small")):
        found.append(
            _compared(
                f"{size} {kind}: proprietary models are the more faithful", "6",
                named[f"{size} {kind}, proprietary"].means["faithfulness"],
                named[f"{size} {kind}, open"].means["faithfulness"], lambda a, b: a > b,
            )
        )  # fmt: skip
    return [*found, *_of_scenarios(rows), *_of_the_weakest(rows)]


def _of_scenarios(rows: Sequence[Row]) -> list[Finding]:
    found = []
    for scenario, score in (("daily", "faithfulness"), ("meeting", "conciseness")):
        lowest = sum(
            min(row.scenarios, key=lambda s, row=row, score=score: row.cells[s, score].value or 0.0)  # type: ignore[misc]
            == scenario
            for row in rows
        )
        found.append(
            Finding(
                said=f"most systems have their lowest {score} in {scenario}",
                where="4.1",
                holds=2 * lowest > len(rows),
                figures=f"{lowest} of {counted(len(rows), 'system')}",
            )
        )
    return found


def _of_the_weakest(rows: Sequence[Row]) -> list[Finding]:
    """Table 11 and its text call GPT-4.1-nano the weakest small instruction model."""
    small = [r for r in rows if (r.traits.reasoning, r.traits.size) == ("no", "small")]
    nano = next((row for row in small if row.system == "GPT-4.1-nano"), None)
    if nano is None:
        return []
    found = []
    for score in NAMES:
        last = min(small, key=lambda row, score=score: row.overall(score) or 0.0)  # type: ignore[misc]
        found.append(
            Finding(
                said=f"GPT-4.1-nano is the small instruction model weakest in {score}",
                where="table 11, G",
                holds=last.system == nano.system,
                figures=f"{last.system} has {_printed(last.overall(score))}, "
                f"GPT-4.1-nano {_printed(nano.overall(score))}",
            )
        )
    return found


def misprints(rows: Sequence[Row], tolerance: float = 0.001) -> list[str]:
    """Printed overall scores further from the mean of their scenarios than rounding explains."""
    return [
        f"{row.system}, {score}: printed {_printed(printed)}, its scenarios give "
        f"{_printed(row.computed(score))}"
        for row in rows
        for score, printed in row.printed.items()
        if abs(printed - (row.computed(score) or 0.0)) > tolerance
    ]


def _compared(
    said: str,
    where: str,
    one: float | None,
    other: float | None,
    rule: Callable[[float, float], bool],
) -> Finding:
    known = one is not None and other is not None
    return Finding(
        said=said,
        where=where,
        holds=known and rule(float(one or 0), float(other or 0)),
        figures=f"{_printed(one, 2)} / {_printed(other, 2)}",
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None


def _printed(value: float | None, digits: int = 1) -> str:
    return MISSING if value is None else shown(100 * value, digits)


def _kind(reasoning: str) -> str:
    return "reasoning" if reasoning == "yes" else "instruction"
