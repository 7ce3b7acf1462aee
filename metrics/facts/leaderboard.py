"""Systems by scenarios: the three scores, their averages, and how much each system varies.

A system's overall score is the mean over its scenarios' means, so that a scenario with many
sources weighs no more (the paper has 300 of each, where this is the mean over sources).  Its
deviation is that of its scenarios' means (population, figure 5).
"""

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from globesumm.errors import DataError, cannot_read
from globesumm.finite import numbers, shown
from metrics.facts.formula import COLUMNS
from metrics.facts.records import Candidate
from metrics.facts.verdicts import Verdicts
from metrics.printed import MISSING, Table

NAMES = tuple(column.name for column in COLUMNS)
UNSTATED = "(not stated)"
OVERALL = "overall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What kind of model a system is; None where it is not known."""

    reasoning: str | None = None
    size: str | None = None
    weights: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The mean of one score in one scenario, 0 to 1; `n` of `expected` summaries were scored."""

    value: float | None
    n: int | None = None
    expected: int | None = None

    def __post_init__(self) -> None:
        numbers(() if self.value is None else (self.value,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One system: (scenario, score) to its cell, and mean thinking tokens where recorded.

    `thinking` is the mean over summaries, `thinking_in` that of each scenario.  `printed` are
    overall scores that somebody else computed; `overall` is ours without them.
    """

    system: str
    cells: Mapping[tuple[str, str], Cell]
    traits: Traits = field(default_factory=Traits)
    printed: Mapping[str, float] = field(default_factory=dict)
    thinking: float | None = None
    thinking_in: Mapping[str, float] = field(default_factory=dict)

    @property
    def scenarios(self) -> list[str]:
        return list(dict.fromkeys(scenario for scenario, _ in self.cells))

    def computed(self, name: str) -> float | None:
        """The mean over scenarios; None where one of them has no value."""
        values = [self.cells[scenario, name].value for scenario in self.scenarios]
        known = [value for value in values if value is not None]
        return math.fsum(known) / len(known) if known and len(known) == len(values) else None

    def overall(self, name: str) -> float | None:
        return self.printed.get(name, self.computed(name))

    def deviation(self, name: str) -> float | None:
        """Standard deviation of the scenarios' means; None below two or with a gap."""
        mean = self.computed(name)
        if mean is None or len(self.scenarios) < 2:
            return None
        squares = [((self.cells[s, name].value or 0.0) - mean) ** 2 for s in self.scenarios]
        return math.sqrt(math.fsum(squares) / len(squares))


def board(
    verdicts: Iterable[Verdicts],
    traits: Mapping[str, Traits] | None = None,
    summaries: Iterable[Candidate] = (),
) -> list[Row]:
    """A row for each system, highest mean of the overall scores first."""
    held: dict[str, dict[tuple[str, str], list[float | None]]] = {}
    scenario_of: dict[str, str] = {}
    for one in verdicts:
        scenario_of.setdefault(one.id, one.scenario or UNSTATED)
        mine = held.setdefault(one.system or UNSTATED, {})
        for name, measured in one.measured().items():
            mine.setdefault((one.scenario or UNSTATED, name), []).append(measured.value)
    thinking: dict[str, dict[str, list[int]]] = {}
    for summary in summaries:
        # Summaries that were not judged say nothing of what the judged ones cost.
        if summary.thinking_tokens is not None and summary.id in scenario_of:
            spent = thinking.setdefault(summary.system, {})
            spent.setdefault(scenario_of[summary.id], []).append(summary.thinking_tokens)
    rows = [
        Row(
            system=system,
            cells={key: _cell(values) for key, values in sorted(cells.items())},
            traits=(traits or {}).get(system, Traits()),
            thinking=_average([n for some in thinking.get(system, {}).values() for n in some]),
            thinking_in={
                scenario: math.fsum(some) / len(some)
                for scenario, some in sorted(thinking.get(system, {}).items())
            },
        )
        for system, cells in held.items()
    ]
    return sorted(rows, key=lambda row: (-_rank(row), row.system))


def published() -> list[Row]:
    """Table 4 of OmniCSEval as rows, in print order; the traits are those of its table 8."""
    cells: dict[str, dict[tuple[str, str], Cell]] = {}
    printed: dict[str, dict[str, float]] = {}
    traits: dict[str, Traits] = {}
    content = (files("metrics") / "data" / "omnicseval_results.tsv").read_text(encoding="utf-8")
    for line in csv.DictReader(content.splitlines(), delimiter="\t"):
        system = line["system"]
        traits[system] = Traits(
            reasoning=line["reasoning"], size=line["size"], weights=line["weights"]
        )
        for name in NAMES:
            value = float(line[name]) / 100
            if line["scenario"] == OVERALL:
                printed.setdefault(system, {})[name] = value
            else:
                cells.setdefault(system, {})[line["scenario"], name] = Cell(value=value)
    return [
        Row(system=system, cells=held, traits=traits[system], printed=printed[system])
        for system, held in cells.items()
    ]


def read_traits(path: Path) -> dict[str, Traits]:
    """A TSV file with the columns system, reasoning (yes, no), size (large, small), weights
    (open, proprietary); empty where not known.
    """
    try:
        lines = list(
            csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines(), delimiter="\t")
        )
    except OSError as error:
        raise DataError(cannot_read(path, error)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: not TSV ({error}): correct it there") from error
    if lines and not {"system", "reasoning", "size", "weights"} <= lines[0].keys():
        raise DataError(f"{path}: the columns system, reasoning, size and weights are needed")
    return {
        line["system"]: Traits(
            reasoning=line["reasoning"] or None,
            size=line["size"] or None,
            weights=line["weights"] or None,
        )
        for line in lines
    }


def table(rows: Sequence[Row]) -> Table:
    """Completeness / conciseness / faithfulness of each system in each scenario, times 100."""
    scenarios = list(dict.fromkeys(s for row in rows for s in row.scenarios))
    thinking = any(row.thinking is not None for row in rows)
    header = ["system", *scenarios, OVERALL, "deviation", *(["thinking"] if thinking else [])]
    lines, figures, gaps = [], [], []
    for row in rows:
        by_scenario = [
            [row.cells.get((scenario, name), Cell(value=None)) for name in NAMES]
            for scenario in scenarios
        ]
        overall = [row.overall(name) for name in NAMES]
        deviation = [row.deviation(name) for name in NAMES]
        tokens = [MISSING if row.thinking is None else shown(row.thinking, 0)] if thinking else []
        cells = [_three([cell.value for cell in held]) for held in by_scenario]
        lines.append((row.system, *cells, _three(overall), _three(deviation), *tokens))
        values = [cell.value for held in by_scenario for cell in held] + overall + deviation
        figures.append((row.system, *map(_bare, values), *tokens))
        gaps += [
            f"{row.system}, {scenario}, {name}: {cell.n} of {cell.expected} scored"
            for scenario, held in zip(scenarios, by_scenario, strict=True)
            for name, cell in zip(NAMES, held, strict=True)
            if cell.n is not None and cell.n != cell.expected
        ]
    best = {
        (place, len(scenarios) + 1)
        for place, row in enumerate(rows)
        if any(
            row.overall(name) is not None
            and row.overall(name) == max(r.overall(name) or 0.0 for r in rows)
            for name in NAMES
        )
    }
    ends = [f"{s}_{name}" for s in (*scenarios, OVERALL, "deviation") for name in NAMES]
    return Table(
        header=tuple(header),
        rows=tuple(lines),
        notes=(
            "completeness / conciseness / faithfulness, times 100",
            "overall: mean over scenarios; deviation: standard deviation of the scenarios' means",
            "in bold: best in one of the three",
            *gaps,
        ),
        number_header=("system", *ends, *(["thinking"] if thinking else [])),
        numbers=tuple(figures),
        best=frozenset(best),
    )


def _cell(values: Sequence[float | None]) -> Cell:
    known = [value for value in values if value is not None]
    mean = math.fsum(known) / len(known) if known else None
    return Cell(value=mean, n=len(known), expected=len(values))


def _average(values: Sequence[int]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _rank(row: Row) -> float:
    return math.fsum(row.overall(name) or 0.0 for name in NAMES)


def _three(values: Sequence[float | None]) -> str:
    return " / ".join(MISSING if value is None else shown(100 * value, 1) for value in values)


def _bare(value: float | None) -> str:
    return "" if value is None else shown(100 * value, 4)
