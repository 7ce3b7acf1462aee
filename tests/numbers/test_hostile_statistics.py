"""Every statistic of every set of numbers is a number, none with a reason, or refused in words."""

import ast
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.labels import highlighting
from annotation.labels.agreement import coefficients as labelled
from annotation.labels.agreement.ratings import from_matrix
from annotation.labels.results import decide
from baselines.drafts import debate
from baselines.drafts.base import Scored as ScoredDraft
from baselines.labels import tables as label_tables
from baselines.preference import pairs
from baselines.preference.settings import PairSettings
from baselines.studies import wilson
from globesumm.finite import is_number
from metrics import comparison, fragments, meta, permutation, tables
from metrics.aggregate import aggregate, interval, mean, resampled_means
from metrics.base import Better
from metrics.bias import formula as bias_formula
from metrics.facts import coefficients, sampling, statistics
from metrics.ranking import Scored, Settings, rank, score_table
from metrics.ranking.tables import pairs_table, rank_table
from metrics.style import Spread
from tests.numbers.hostile import NUMBERS, SETS, Set, array, known, outcome, quiet, scores

ROOT = Path(__file__).resolve().parents[2]
Compute = Callable[[Set], Any]
CHOICES: tuple[tuple[Better, meta.Ties], ...] = ((Better.HIGHER, "half"), (Better.LOWER, "skip"))


def turned(values: Set) -> Set:
    """The same numbers in another order, as what they are held against."""
    return [*values[1:], *values[:1]]


def judged(values: Set) -> list[meta.Judged]:
    return [
        meta.Judged(document=f"d{place % 2}", system=f"s{place % 3}", metric=one, truth=other)
        for place, (one, other) in enumerate(zip(values, turned(values), strict=True))
    ]


def compared(values: Set) -> Any:
    systems = {"a": scores(values, "a"), "b": scores(turned(values), "b")}
    return comparison.compare(systems, "rouge1", resamples=50)


def ranked(values: Set, wins: str = "documents") -> Any:
    rows = [
        Scored(method=method, document=f"d{place}", score=value)
        for method, some in (("a", values), ("b", turned(values)), ("c", values[:1]))
        for place, value in enumerate(some)
    ]
    found = rank(score_table(rows), Settings(bootstrap=20, wins=wins))  # type: ignore[arg-type]
    return found, rank_table(found).text(), pairs_table(found).tsv()


def drafts_of(values: Set) -> list[pairs.Rated]:
    """Drafts of which a rule joined the numbers, best first; what is none it left unranked."""
    joined = [value if value is not None and is_number(value) else None for value in values]
    best = sorted({value for value in joined if value is not None}, reverse=True)
    return [
        pairs.Rated(
            number=place,
            text=f"text {place}",
            scored=ScoredDraft(
                number=place,
                values={"red": value},
                joint=value,
                rank=None if value is None else best.index(value) + 1,
            ),
        )
        for place, value in enumerate(joined, start=1)
    ]


COVERED: dict[str, Compute] = {
    "metrics.aggregate.mean": lambda s: mean(known(s)),
    "metrics.aggregate.interval": lambda s: interval(known(s), resamples=50),
    "metrics.aggregate.resampled_means": lambda s: resampled_means(array(known(s)), 9, 0),
    "metrics.bias.formula.mean": lambda s: bias_formula.mean(known(s)),
    "metrics.comparison.paired_bootstrap": lambda s: comparison.paired_bootstrap(
        array(known(s)), 50, 0
    ),
    "metrics.comparison.holm": comparison.holm,
    "metrics.facts.coefficients.kendall_w": lambda s: coefficients.kendall_w(
        np.array([array(known(s)), array(known(turned(s)))])
    ),
    "metrics.facts.coefficients.krippendorff_alpha": lambda s: coefficients.krippendorff_alpha(
        np.array([array(s), array(turned(s))])
    ),
    "metrics.facts.coefficients.macro_f1": lambda s: coefficients.macro_f1(
        coefficients.confusion([bool(v) for v in s], [bool(v) for v in turned(s)])
    ),
    "metrics.facts.coefficients.balanced_accuracy": lambda s: coefficients.balanced_accuracy(
        coefficients.confusion([bool(v) for v in s], [bool(v) for v in turned(s)])
    ),
    "metrics.facts.coefficients.cohen_kappa": lambda s: coefficients.cohen_kappa(
        [bool(v) for v in s], [bool(v) for v in turned(s)]
    ),
    "metrics.facts.coefficients.confusion": lambda s: coefficients.confusion(
        [bool(v) for v in s], [v is None for v in s]
    ),
    "metrics.facts.sampling.jaccard": lambda s: sampling.jaccard(
        frozenset(map(str, s[:1])), frozenset(map(str, s[1:]))
    ),
    "metrics.facts.statistics.losslessness": lambda s: statistics.losslessness(
        " ".join(map(str, s)), [str(one) for one in s]
    ),
    "metrics.fragments.greedy": lambda s: [
        (found.coverage, found.density)
        for find in (fragments.greedy, fragments.longest)
        for found in [find([str(v) for v in s], [[str(v) for v in turned(s)]])]
        if s
    ],
    "metrics.meta.agreement": lambda s: [
        meta.agreement(judged(s), better=better, ties=ties, resamples=4) for better, ties in CHOICES
    ],
    "metrics.meta.correlation": lambda s: [
        meta.correlation(kind, array(known(s)), array(known(turned(s))))
        for kind in meta.CORRELATIONS
    ],
    "metrics.permutation.paired_permutation": lambda s: [
        permutation.paired_permutation(array(known(s) * times)) for times in (1, 6, 80)
    ],
    "metrics.permutation.at_least": lambda s: [
        bool(one) for one in permutation.at_least(array(known(s)), 0.5)
    ],
    "metrics.tables.span": lambda s: [
        tables.span(v, low, high, scale=scale)
        for scale in (1, 100)
        for v, low, high in zip(s, turned(s), turned(turned(s)), strict=True)
    ],
    "metrics.tables.bare": lambda s: [tables.bare(v, scale=x) for v in s for x in (1, 100)],
    "metrics.ranking.rank": lambda s: [ranked(s), ranked(s, "averages")],
    "metrics.style.Spread.of": Spread.of,
    "metrics.comparison.compare": compared,
    "metrics.aggregate.aggregate": lambda s: aggregate(scores(s), resamples=50),
    "annotation.labels.highlighting.quarter": lambda s: highlighting.quarter(
        known(s), [str(v) for v in known(s)], 3
    ),
    "annotation.labels.highlighting.top": lambda s: highlighting.top(known(s)),
    "annotation.labels.highlighting.ranked": lambda s: highlighting.ranked(known(s)),
    "baselines.labels.tables.bounded": lambda s: [
        label_tables.bounded(v, low, high)
        for v, low, high in zip(known(s), known(turned(s)), known(turned(s)), strict=True)
    ],
    "baselines.labels.tables.number": lambda s: [label_tables.number(v, 3) for v in s],
    "baselines.studies.wilson.wilson": lambda s: wilson.wilson(sum(bool(v) for v in s), len(s)),
    "annotation.labels.results.decide.decide": lambda s: [
        decide.decide({f"p{n}": v for n, v in enumerate(s)}, rule, asked=asked)
        for rule in decide.RULES
        for asked in (None, len(s) + 1)
    ],
    "baselines.preference.pairs.pair": lambda s: [
        pairs.pair("write", drafts_of(s), PairSettings(rule=rule, margin=margin))
        for rule in pairs.RULES
        for margin in (0.0, 0.25)
    ],
    "baselines.drafts.debate.agreements": lambda s: debate.agreements([str(v) for v in s], "en"),
}
"""By its name what is done with one set of numbers."""

ELSEWHERE = {
    "metrics.bias.controlled.sentences_drawn": "shares of sentences; no number comes in",
    "metrics.bias.formula.language_scores": "shares of counts; test_counts_and_shares",
    "metrics.bias.observations.positions": "places of documents; no number comes in",
    "metrics.entailment.presets.open_entailer": "opens a model; its threshold is tried there",
    "metrics.matching.nearest": "vectors of unit length; test_texts_and_judges",
    "metrics.published.average": "figures that are shipped",
    "metrics.ranking.notes.notes": "part of rank",
    "metrics.ranking.bradley_terry.abilities": "part of rank",
    "metrics.ranking.bradley_terry.has_maximum": "part of rank",
    "metrics.red_vectors.multilingual_e5": "vectors of texts; test_texts_and_judges",
    "annotation.labels.agreement.drift.alike": "answers of people; no number comes in",
    "annotation.labels.highlighting.similarities": "cosines of texts; no number comes in",
    "baselines.drafts.drawing.draft_decoding": "temperatures, which the settings bound",
    "baselines.tables.drafts.calls_a_summary": "test_tables_and_plots",
    "baselines.tables.estimates.resampled": "test_tables_and_plots",
    "baselines.tables.findings.size_of": "sizes of models that experiments state",
    "baselines.tables.pairs.by_event": "test_tables_and_plots",
}
"""Functions of numbers that are not tried here, and why."""

LOOKED_AT = ("metrics", "baselines/tables", "baselines/drafts", "baselines/labels",
             "baselines/studies/wilson.py", "annotation/labels")  # fmt: skip


def functions_of_numbers() -> Iterator[str]:
    """Every public function that takes many numbers or gives one."""
    for place in LOOKED_AT:
        path = ROOT / place
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                    continue
                given = [ast.unparse(a.annotation) for a in node.args.args if a.annotation]
                many = ("[float", "NDArray", "float |", "Floats", "Matrix")
                if any(word in one for one in given for word in many) or "float" in (
                    ast.unparse(node.returns) if node.returns else ""
                ):
                    yield f"{module}.{node.name}"


def test_every_function_of_numbers_is_tried_or_says_where_it_is() -> None:
    there = set(functions_of_numbers())
    missing = there - COVERED.keys() - ELSEWHERE.keys()
    assert not missing, f"add these to COVERED: {sorted(missing)}"
    assert not set(ELSEWHERE) & COVERED.keys()


@pytest.mark.parametrize("name", COVERED)
def test_any_set_of_numbers_gives_a_sound_result_or_is_refused_in_words(name: str) -> None:
    for what, values in SETS.items():
        try:
            outcome(lambda values=values: COVERED[name](values))  # type: ignore[misc]
        except BaseException as error:
            error.add_note(f"{name} of {what}: {values}")
            raise


@pytest.mark.parametrize("what", SETS)
def test_a_mean_lies_among_its_values_and_within_its_interval(what: str) -> None:
    found = outcome(lambda: aggregate(scores(SETS[what]), resamples=200))
    if isinstance(found, Exception):
        return
    for one in found:
        values = known(SETS[what])
        assert (one.n, one.expected) == (len(values), len(SETS[what]))
        assert (one.mean is None) == (not values)
        if one.mean is not None:
            room = 1e-9 * max(map(abs, values))
            assert min(values) - room <= one.mean <= max(values) + room
        if one.low is not None:
            assert min(values) <= one.low <= one.high <= max(values) or math.isclose(
                one.low, one.high
            )


@pytest.mark.parametrize("measure", labelled.MEASURES)
def test_every_measure_of_agreement_is_defined_or_says_why_not(measure: str) -> None:
    for what, values in SETS.items():
        for others in (turned(values), values, [None] * len(values)):
            rows = [list(pair) for pair in zip(values, others, strict=True)]

            def compute(rows: Any = rows) -> Any:
                return labelled.measured(from_matrix(rows), measure, resamples=20)

            found = outcome(compute)
            if isinstance(found, Exception):
                continue
            assert found.value is not None or found.note, what
            assert found.value is None or found.value <= 1 + 1e-12, what


@pytest.mark.parametrize("rule", decide.RULES)
def test_a_rule_of_decision_gives_an_answer_that_was_given_or_the_reason_why_none(
    rule: str,
) -> None:
    for what, values in SETS.items():
        votes = {f"p{place}": value for place, value in enumerate(values)}
        found = outcome(lambda votes=votes: decide.decide(votes, rule))  # type: ignore[misc]
        if isinstance(found, Exception):
            continue
        assert (found.answer is None) == bool(found.reason), what
        # The groups decide yes or no; every other rule gives one of the votes.
        assert found.answer is None or rule == "groups" or found.answer in values, what


@pytest.mark.parametrize("name", NUMBERS)
def test_no_score_holds_what_is_no_number(name: str) -> None:
    if abs(NUMBERS[name]) <= 1e100:
        (made,) = scores([NUMBERS[name]])
        assert made.value == NUMBERS[name]
    else:
        with quiet(), pytest.raises(ValueError, match=r"is no number up to 1e\+100"):
            scores([NUMBERS[name]])
