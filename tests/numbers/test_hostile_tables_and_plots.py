"""Every table in every form, and every plot, of any set of numbers: drawn, or said why not."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from baselines.drafts.base import Choice
from baselines.drafts.base import Scored as ScoredDraft
from baselines.drafts.pareto_view import pareto_plot, pareto_table
from baselines.ledger.figures import Course, Point, draw
from baselines.tables import drafts as draft_tables
from baselines.tables import plots as grid_plots
from baselines.tables.causes import Causes, CauseShare
from baselines.tables.comparing import KINDS, Compared
from baselines.tables.costs import Call, CellCost, Costs, Spent
from baselines.tables.estimates import average, difference
from baselines.tables.results import Results
from baselines.tables.slices import Sliced
from globesumm.finite import is_number
from globesumm.report.drawing import Measure, bars
from globesumm.report.tables import SHOWN, shown
from globesumm.values import ConflictCause, Document, Event
from metrics.abstractiveness import COVERAGE, DENSITY
from metrics.base import Better, Measured
from metrics.bias import plots as bias_plots
from metrics.bias.controlled import Kept, Preferences, preferences
from metrics.bias.effects import Effect
from metrics.bias.report import BiasReport, LanguageRow
from metrics.bias.tables import preferences_table, report_table, side_by_side
from metrics.facts import groups
from metrics.facts import plots as fact_plots
from metrics.facts.formula import COLUMNS
from metrics.facts.leaderboard import Cell, Row
from metrics.facts.leaderboard import table as board_table
from metrics.ranking import Scored, Settings, rank, score_table
from metrics.ranking.plots import draw_ranking
from metrics.style import draw_coverage_density, style_table
from retrieval.dataset.plots import plot as data_set_plots
from retrieval.dataset.statistics import Statistics
from tests.numbers.hostile import REFUSALS, SETS, Set, assert_sound, known, outcome, quiet
from tests.tables.conftest import made_results

ROOT = Path(__file__).resolve().parents[2]
USED = ("empty", "unscored", "one", "all equal", "zeros of both signs", "mixture", "large apart",
        "tiny and one", "not a number among others")  # fmt: skip
EVENT = Event(
    id="event-00",
    description="A ferry sank.",
    documents=(Document(id="a", text="A ferry sank.", language="en"),),
)
RECIPES = ("crs.none.direct", "sts.none.direct", "crs.none.direct.rerank")


def results_of(values: Set) -> Results:
    """Two models by three recipes, each cell's events with the set's values."""
    return _results_of(tuple(values) or (None,))


@cache
def _results_of(held: tuple[float | None, ...]) -> Results:
    return made_results(
        RECIPES, ("a", "b"), lambda *given: held[given[3] % len(held)], events=len(held),
        metrics=("rougeL", "red"),
    )  # fmt: skip


def _count(value: float | None) -> int | None:
    return int(abs(value)) if value is not None and is_number(value) else None


def costs_of(values: Set) -> Costs:
    """What each cell spent, with the set's values as tokens, money and seconds."""
    calls = [
        (
            1 / (place + 1),
            Call(
                model="a",
                prompt_tokens=_count(value),
                completion_tokens=_count(value),
                cost=None if value is None else abs(value),
                seconds=value and abs(value),
            ),
        )
        for place, value in enumerate(values)
    ]
    spent = Spent.of(calls)
    grid = results_of([0.5])
    cells = tuple(
        CellCost(recipe=recipe, who=who, summaries=1, noted=1, alone=spent, share=spent)
        for recipe in grid.recipes
        for who in grid.who
    )
    return Costs(
        cells=cells, nobody=spent, stored=spent, failed=0, lost=0, currency="EUR",
        unpriced_models=(),
    )  # fmt: skip


def sliced_of(values: Set) -> list[Sliced]:
    grid = results_of(values)
    return [
        Sliced(recipe=recipe, who=who, slice=size, cells={"rougeL": grid.of(recipe, who, "rougeL")})
        for recipe in grid.recipes
        for who in grid.who
        for size in ("2", "3")
    ]  # fmt: skip


class Held(Compared):
    """A run whose scores and costs are the set's, and of which no file is read."""

    def __init__(self, values: Set) -> None:
        self.folder, self.experiment = Path("nowhere"), None
        self.__dict__ |= {
            "results": results_of(values),
            "costs": costs_of(values),
            "causes": (None, "no verdict"),
            "prefixes": sliced_of(values),
            "events": [EVENT],
            "portions": [],
        }

    def _recorded_decoding(self) -> str:
        return "temperature 0"


def ranking_of(values: Set) -> Any:
    rows = [
        Scored(method=method, document=f"d{place}", score=value)
        for method, some in (("a", values), ("b", values[::-1]))
        for place, value in enumerate(some)
    ]
    return rank(score_table(rows), Settings(bootstrap=20))


def board_of(values: Set) -> list[Row]:
    return [
        Row(
            system=f"s{place}",
            cells={
                (scenario, column.name): Cell(value=value, n=1, expected=2)
                for scenario in ("news", "mail")
                for column in COLUMNS
            },
            thinking=value and abs(value),
            thinking_in={} if value is None else {"news": abs(value), "mail": 1.0},
        )
        for place, value in enumerate(values)
    ]


def bias_of(values: Set) -> BiasReport:
    rows = tuple(
        LanguageRow(
            language=code, tier=place % 6, documents=1, expected=2, events=1,
            score=Measured(value, "" if value is not None else "nothing"),
            score_interval=None if value is None else (value, value),
            norm=Measured(value, "nothing"),
            norm_interval=None if value is None else (value, value),
            corrected=Measured(value),
            plain=Effect(language=code, difference=value),
            controlled=Effect(language=code, difference=value, low=value, high=value),
            finding="no difference found",
        )
        for place, (code, value) in enumerate(zip(("de", "en", "fr", "it"), values, strict=False))
    )  # fmt: skip
    return BiasReport(
        system="s", signature="language-bias|v:1", rows=rows, p_plain=None, p_controlled=None,
        judged=1, expected=2, reasons=(), notes=(),
    )  # fmt: skip


def kept_of(values: Set) -> Preferences:
    """Tellings of two reports in four languages, of which the set's shares were kept."""
    return preferences(
        [
            Kept(
                event="e", draw=place // 8, report=f"r{place // 4 % 2}",
                language=("de", "en", "fr", "it")[place % 4],
                share=value, reason=None if value is not None else "not judged",
            )
            for place, value in enumerate([*values, *values[::-1]] * 3)
        ],
        permutations=20,
        resamples=20,
    )  # fmt: skip


def causes_of(values: Set) -> Causes:
    """Of each cause the set's counts of errors among those of two models, one without any."""
    errors = [_count(value) for value in values]
    total = sum(one or 0 for one in errors)
    return Causes(
        shares=tuple(
            CauseShare(
                cause=cause,
                share=None if count is None or not total else count / total,
                counts={"a": (count or 0, total), "b": (0, 0)},
            )
            for cause, count in zip((*ConflictCause, None), errors, strict=False)
        ),
        counts={"a": (), "b": ()},
        judged=len(known(values)),
        expected=len(values),
    )


def choice_of(values: Set) -> Choice:
    scored = tuple(
        ScoredDraft(number=place, values={"red": value, "rougeL": value}, notes={})
        for place, value in enumerate(values)
    )
    return Choice(chosen=0 if values else None, rule="pareto", scored=scored)


def style_of(values: Set) -> list[Scored]:
    return [
        Scored(method="a", document=f"d{place}", score=value, metric=metric, signature=metric)
        for metric in (COVERAGE, DENSITY)
        for place, value in enumerate(values)
    ]  # fmt: skip


def course_of(values: Set) -> Course:
    begin = datetime(2023, 9, 9, tzinfo=UTC)
    points = tuple(
        Point(
            time=begin + timedelta(hours=place), figure=Decimal(repr(value)), outlet="o",
            language="en",
        )
        for place, value in enumerate(known(values))
    )  # fmt: skip
    return Course(entry=1, about="killed", points=points, told=((begin, Decimal(3)),))


def statistics_of(values: Set) -> Statistics:
    made = Statistics(counter="words")
    for place, value in enumerate(known(values)):
        count = int(min(abs(value), 10**15))  # documents that somebody could have
        made.languages["de"] += count
        made.event_months[f"2023-{place % 12 + 1:02}"] += count
    return made


BETTER = {"red": Better.LOWER, "rougeL": Better.HIGHER}
TABLES: dict[str, Callable[[Set], Any]] = {
    "leaderboard": lambda s: board_table(board_of(s)),
    "groups": lambda s: groups.table(groups.groups(board_of(s))),
    "pareto": lambda s: pareto_table(choice_of(s), BETTER),
    "style": lambda s: style_table(style_of(s)),
    "language bias": lambda s: report_table(bias_of(s)),
    "languages side by side": lambda s: side_by_side([bias_of(s), bias_of(s[::-1])]),
    "controlled test": lambda s: preferences_table(kept_of(s)),
}

PLOTS: dict[str, list[Callable[[Set, Path], Any]]] = {
    "metrics/facts/plots.py": [lambda s, p: fact_plots.draw_plots(board_of(s), p.parent)],
    "metrics/ranking/plots.py": [lambda s, p: draw_ranking(ranking_of(s), p)],
    "metrics/bias/plots.py": [
        lambda s, p: bias_plots.bar_plot(bias_of(s), p),
        lambda s, p: bias_plots.heat_map([bias_of(s), bias_of(s[::-1])], p),
        lambda s, p: bias_plots.preference_plot("s", kept_of(s), p),
    ],
    "metrics/style.py": [lambda s, p: draw_coverage_density(style_of(s), p)],
    "baselines/tables/plots.py": [
        lambda s, p: grid_plots.cost_plot(results_of(s), costs_of(s), results_of(s).columns[0], p),
        lambda s, p: grid_plots.prefix_plot(sliced_of(s), results_of(s).columns[0], p),
        lambda s, p: grid_plots.causes_plot(causes_of(s), p),
    ],
    "baselines/tables/drafts.py": [
        lambda s, p: draft_tables.sweep_plot(
            results_of(s), costs_of(s), results_of(s).columns[0], p
        ),
    ],
    "baselines/ledger/figures.py": [lambda s, p: draw(course_of(s), p)],
    "baselines/drafts/pareto_view.py": [lambda s, p: pareto_plot(choice_of(s), BETTER, p)],
    "retrieval/dataset/plots.py": [lambda s, p: data_set_plots(statistics_of(s), p.parent)],
}
"""Every module that draws, and its pictures."""


def test_every_module_that_draws_is_tried() -> None:
    imports = r"^from metrics\.figures import .*\bfigure\b|matplotlib\.backends"
    frame = re.compile(imports, re.MULTILINE)
    drawing = {
        file.relative_to(ROOT).as_posix()
        for package in ("globesumm", "metrics", "baselines", "annotation", "retrieval")
        for file in (ROOT / package).rglob("*.py")
        if frame.search(file.read_text(encoding="utf-8"))
    }
    assert drawing - {"metrics/figures.py"} == set(PLOTS)


def in_every_form(table: Any) -> list[str]:
    return [table.text(), table.markdown(), table.latex(), table.tsv()]


@pytest.mark.parametrize("name", KINDS)
def test_a_table_of_a_comparison_has_numbers_or_gaps_in_every_form(name: str) -> None:
    assert set(SHOWN) <= set(KINDS)
    for what in USED:

        def make(values: Set = SETS[what]) -> Any:
            kind = KINDS[name]
            made = (kind.detailed or kind.make)(Held(values))
            return [made.header, made.rows, in_every_form(made), shown(name, kind.about, made)]

        try:
            outcome(make)
        except BaseException as error:
            error.add_note(f"{name} of {what}")
            raise


@pytest.mark.parametrize("name", TABLES)
def test_any_other_table_has_numbers_or_gaps_in_every_form(name: str) -> None:
    for what, values in SETS.items():
        try:
            outcome(lambda values=values: in_every_form(TABLES[name](values)))  # type: ignore[misc]
        except BaseException as error:
            error.add_note(f"{name} of {what}")
            raise


DRAWN = ("unscored", "mixture", "large apart", "tiny and one", "not a number among others")


@pytest.mark.slow
@pytest.mark.parametrize("name", PLOTS)
def test_a_picture_is_drawn_or_it_is_said_why_not(name: str, tmp_path: Path) -> None:
    for number, what in enumerate(DRAWN):
        for place, picture in enumerate(PLOTS[name]):
            folder = tmp_path / f"{number}-{place}"
            folder.mkdir()
            with quiet():
                try:
                    said = picture(SETS[what], folder / "p.svg")
                except REFUSALS as error:
                    said = str(error)
                except BaseException as error:
                    error.add_note(f"{name} of {what}")
                    raise
            drawn = [path for path in folder.iterdir() if path.suffix in {".svg", ".png"}]
            assert drawn or said, f"{name} of {what}: nothing drawn and nothing said"
            for path in drawn:
                assert path.stat().st_size > 500
                if path.suffix == ".svg":
                    lengths = re.findall(
                        r'(?:x|y|width|height|d|points)="([^"]*)"', path.read_text()
                    )
                    assert not any(re.search(r"\b(nan|inf)\b", one) for one in lengths)


def test_bars_of_a_report_have_widths_for_any_number() -> None:
    for values in SETS.values():
        held = [abs(value) for value in known(values)]
        outcome(lambda held=held: bars([Measure(name="a", value=v, low=v, high=v) for v in held]))  # type: ignore[misc]


def test_sums_of_cells_are_numbers_or_say_why_there_is_none() -> None:
    for values in SETS.values():

        def sums(values: Set = values) -> Any:
            grid = results_of(values)
            cells = {str(r): grid.of(r, grid.who[0], "rougeL") for r in grid.recipes}
            others = {f"{r} b": grid.of(r, grid.who[1], "rougeL") for r in grid.recipes}
            return [average(cells), difference(cells, others)]

        found = outcome(sums)
        if not isinstance(found, Exception):
            assert all(one.mean is not None or one.why for one in found)


def test_costs_are_sums_or_say_what_is_not_known() -> None:
    for values in SETS.values():
        outcome(lambda values=values: costs_of(values))  # type: ignore[misc]
    assert_sound(costs_of([None, 0.0, 2**53 + 1]))


def test_calls_a_summary_are_known_of_every_cell_or_of_none() -> None:
    for what, values in SETS.items():
        spent = outcome(lambda values=values: costs_of(values))  # type: ignore[misc]
        if isinstance(spent, Exception):
            continue
        found = draft_tables.calls_a_summary(spent)
        assert len(found) == len(spent.cells), what
        outcome(lambda found=found: list(found.values()))  # type: ignore[misc]
        unknown = replace(spent, cells=tuple(replace(one, noted=0) for one in spent.cells))
        assert draft_tables.calls_a_summary(unknown) == {}
