"""Carry out an experiment in a run folder: every event by every recipe, then the scores.

What is done is never done again: a summary's file means that it is finished, so the same
command goes on where it was stopped.  One event that fails is recorded with its reason and the
rest goes on.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from baselines.recipes import PROMPTINGS, parse_recipe
from baselines.summarize import summarize
from globesumm.config import Experiment
from globesumm.errors import GlobeSummError
from globesumm.languages import UNKNOWN
from globesumm.runs import Run, Setting, digest
from globesumm.values import Event, Rejected, Score
from metrics.base import Candidate, Metric
from metrics.needs_model import NEEDS_MODEL, NeedsModel
from metrics.registry import metrics
from metrics.scoring import candidates_of, score_all

Track = Callable[[Iterable[tuple[Event, str]], str, int], Iterator[tuple[Event, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one call did: summaries made now, already there, and failed."""

    made: int
    kept: int
    failed: int


def settings(experiment: Experiment, events: Sequence[Event]) -> dict[str, Setting]:
    """What decides a run's summaries; the metrics do not, so they may change later."""
    recipes = [parse_recipe(name) for name in experiment.recipes]
    makers = [PROMPTINGS[recipe.prompting].make(experiment.seed)[1] for recipe in recipes]
    return {
        "recipes": " ".join(map(str, recipes)),
        "models": " ".join(dict.fromkeys(makers)),
        "target": experiment.target,
        "max_words": experiment.max_words,
        "seed": experiment.seed,
        "events": len(events),
        "data": digest(events),
    }


def carry_out(run: Run, experiment: Experiment, track: Track | None = None) -> Outcome:
    """Summarize every event of `run` by every recipe of `experiment` that is not done yet."""
    jobs = [(event, name) for name in experiment.recipes for event in run.events()]
    waiting = [
        (event, name)
        for event, name in jobs
        if not run.summary_path(str(parse_recipe(name)), event.id).exists()
    ]
    failed = 0
    merges = {
        name: PROMPTINGS[parse_recipe(name).prompting].make(experiment.seed)
        for name in dict.fromkeys(name for _, name in waiting)
    }
    steps = track(waiting, "summaries", len(waiting)) if track else iter(waiting)
    for event, name in steps:
        try:
            run.write_summary(
                summarize(
                    event,
                    name,
                    target=experiment.target,
                    max_words=experiment.max_words,
                    seed=experiment.seed,
                    merge=merges[name],
                )
            )
        except GlobeSummError as error:
            run.write_failure(str(parse_recipe(name)), event.id, str(error))
            failed += 1
    return Outcome(made=len(waiting) - failed, kept=len(jobs) - len(waiting), failed=failed)


def candidates(run: Run) -> list[Candidate]:
    """The final summary of every event and recipe, with what it may be held against."""
    events = {event.id: event for event in run.events()}
    return [
        one
        for summary in run.summaries()
        for one in candidates_of(summary, events.get(summary.event))
    ]


def score(run: Run, names: Iterable[str]) -> list[Score]:
    """Score every final summary of `run` and write the scores; failed summaries are unscored.

    Metrics that need a model are listed beside the others, unscored, with what they need, so
    that a table never looks complete without them.
    """
    rows: list[Metric | NeedsModel] = [*metrics(",".join(names)), *NEEDS_MODEL]
    scores = score_all(rows, candidates(run))
    for failure in run.failures():
        absent, reason = _without_text(failure)
        # A failed summary stays in every denominator.
        scores += [replace(one, value=None, note=reason) for one in score_all(rows, [absent])]
    run.write_scores(scores)
    return scores


def _without_text(failure: Rejected) -> tuple[Candidate, str]:
    """The candidate that a failed summary would have been, and why it is not there."""
    recipe, _, event = failure.where.partition(" on ")
    absent = Candidate(id=event, text="", language=UNKNOWN, event=event, recipe=recipe)
    return absent, f"no summary: {failure.reason}"
