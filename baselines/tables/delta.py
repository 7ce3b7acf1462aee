"""A run beside the paper's Tables 5 and 6, with everything that differs said in each line."""

from dataclasses import dataclass

from baselines.tables.estimates import Estimate, of_cell
from baselines.tables.grid_table import percent
from baselines.tables.layouts import layout
from baselines.tables.measures import MEASURES, standing
from baselines.tables.paper import DOCUMENTS, EVENTS, paper
from baselines.tables.results import Results, Who, indexed
from globesumm.languages import GLOBESUMM
from globesumm.values import Recipe
from metrics.printed import MISSING, Table
from metrics.tables import bare

PAPERS_METRICS = {
    "R-L": "ROUGE-L, tokens and stemming unstated",
    "Red": "BERTScore of deberta-xlarge-mnli, rescaled",
    "NIC": "entailment by t5_xxl_true_nli_mixture",
    "CRE": "gpt-3.5-turbo as judge, conflicts of GPT-4's last five rounds",
}
"""What the paper says of its measures (4.2 and C.2)."""

FAMILIES = {
    "gpt-3.5": "GPT-3.5-turbo-16k",
    "vicuna": "Vicuna-7b-v1.5-16k",
    "chatglm": "Chatglm3-6b-32k",
}
"""What a model of the paper's is called elsewhere, to the paper's name."""

GLOBESUMM_SET = frozenset(GLOBESUMM)

USUAL = "GPT-3.5-turbo-16k"
"""Whom a model is held against that the paper does not know: the one of both tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a run is made on and with, as far as it can differ from the paper's.

    `languages` are those of its documents; `decoding` in words.
    """

    events: int
    documents: int
    languages: frozenset[str]
    decoding: str
    max_words: int | None = None


def delta_table(results: Results, setting: Setting) -> Table:
    """A line for each cell of Tables 5 and 6 and model of the run.

    A model that the paper used is held against itself, another against `USUAL`.  Cells that the
    run lacks stand there too.
    """
    rows: list[tuple[str, ...]] = []
    numbers: list[tuple[str, ...]] = []
    cells = indexed(results.cells)
    models = results.models() or [Who(model="")]
    for table, measure, recipe, theirs in _printed():
        for who in models:
            counterpart = _counterpart(who)
            if counterpart not in theirs:
                continue  # Table 6 is of one model alone.
            column = standing(measure, results)
            mine = (
                of_cell(cells.get((recipe, who, column.name), []))
                if column
                else Estimate(mean=None, why="not computed")
            )
            value = theirs[counterpart]
            apart = None if mine.mean is None else mine.mean - value
            names = (str(table), str(recipe), measure, counterpart, who.model or "(no model)")
            rows.append(
                (
                    *names,
                    percent(value),
                    _shown(mine),
                    MISSING if apart is None else f"{'+' if apart > 0 else ''}{percent(apart)}",
                    _differs(measure, who, counterpart, setting, mine),
                )
            )
            figures = (bare(one, scale=100) for one in (value, mine.mean, mine.low, mine.high))
            counts = ("" if one is None else str(one) for one in (mine.n, mine.expected))
            numbers.append(
                (*names, *figures, bare(apart, scale=100), *counts, mine.signature or "")
            )
    return Table(
        header=(
            *("table", "recipe", "measure", "paper's model", "this model"),
            *("paper", "here", "here − paper", "what differs"),
        ),
        rows=tuple(rows),
        notes=(
            "no line is a replication: what differs is said in each",
            f"the paper: {EVENTS} events of its test split, 26 languages, decoding and n unstated",
            *(f"{name} there: {said}" for name, said in PAPERS_METRICS.items()),
        ),
        number_header=(
            *("table", "recipe", "measure", "paper_model", "model"),
            *("paper", "mean", "low", "high", "difference", "n", "expected", "signature"),
        ),
        numbers=tuple(numbers),
        named=5,
    )


def _printed() -> list[tuple[int, str, Recipe, dict[str, float]]]:
    """(table, measure, recipe, the paper's value by model), each cell of both tables once."""
    found = []
    for table in (5, 6):
        cells = indexed(paper(table).cells)
        whos = paper(table).who
        for measure in layout(table).measures:
            for recipe in layout(table).recipes():
                if table == 6 and recipe.pipeline == "kis-clp":
                    continue  # Table 5 holds these cells too.
                column = MEASURES[measure][0]
                values = {
                    who.model: held[0].mean
                    for who in whos
                    if (held := cells.get((recipe, who, column)))
                }
                known = {model: value for model, value in values.items() if value is not None}
                found.append((table, measure, recipe, known))
    return found


def _counterpart(who: Who) -> str:
    named = (paper for part, paper in FAMILIES.items() if part in who.model.casefold())
    return next(named, USUAL)


def _shown(mine: Estimate) -> str:
    if mine.mean is None:
        return MISSING
    bounds = (
        f" [{percent(mine.low)}, {percent(mine.high)}]"
        if mine.low is not None and mine.high is not None
        else ""
    )
    return f"{percent(mine.mean)}{bounds} ({mine.n}/{mine.expected})"


def _differs(measure: str, who: Who, counterpart: str, setting: Setting, mine: Estimate) -> str:
    """Model, events, languages, decoding and metric of this line, against the paper's."""
    missing = GLOBESUMM_SET - setting.languages
    other = setting.languages - GLOBESUMM_SET
    languages = f"{len(setting.languages)} languages for 26"
    if other:
        languages += f" (also {', '.join(sorted(other))})"
    parts = [
        f"model {who.model or 'none'} for {counterpart}",
        f"{setting.events} events for {EVENTS}",
        f"{setting.documents} documents for {DOCUMENTS}",
        languages if missing or other else "the same 26 languages",
        f"written in {who.target}" + (" for en" if who.target != "en" else ""),
        f"decoding {setting.decoding}, there unstated",
    ]
    if setting.max_words:
        parts.append(f"at most {setting.max_words} words, there unstated")
    scored = f"{measure} by {mine.signature}" if mine.signature else f"no {measure} ({mine.why})"
    return "; ".join([*parts, scored])
