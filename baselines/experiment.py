"""Carry out an experiment in a run folder: every event by every recipe, then the scores.

What is done is never done again: a summary's file means that it is finished, so the same
command goes on where it was stopped.  One event that fails is recorded with its reason and the
rest goes on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from annotation.author import Author, StepError
from annotation.pipelines import references
from baselines.drafts.methods import PROMPTS
from baselines.drafts.writing import Drafted, drafted
from baselines.grid.uses import write_uses
from baselines.recipes import Drafting, maker, needs_model, parse_recipe
from baselines.summarize import summarize
from globesumm.config import Experiment
from globesumm.errors import GlobeSummError
from globesumm.languages import UNKNOWN
from globesumm.llm.errors import ModelError
from globesumm.llm.recording import Use, recording
from globesumm.records import read_own_records, to_json, write_records
from globesumm.runs import Failure, Run, Setting, digest
from globesumm.values import Event, Recipe, Score
from metrics.base import Candidate, Metric
from metrics.merging import NO_SUMMARY, merged, unscored
from metrics.needs_model import NEEDS_MODEL
from metrics.registry import metrics
from metrics.scoring import candidates_of, one_metric_a_column, score_all

Job = tuple[Event, Recipe]

Track = Callable[[Iterable[bool], str, int], Iterator[bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one call did: summaries made now, already there, and failed."""

    made: int
    kept: int
    failed: int


def settings(
    experiment: Experiment,
    events: Sequence[Event],
    author: Author | None = None,
    drafting: Drafting | None = None,
) -> dict[str, Setting]:
    """What decides a run's summaries; the metrics do not, so they may change later."""
    recipes = [parse_recipe(name) for name in experiment.recipes]
    decided: dict[str, Setting] = {
        "recipes": " ".join(map(str, recipes)),
        "models": " ".join(
            dict.fromkeys(
                maker(one, experiment.seed, author, drafting=drafting).name for one in recipes
            )
        ),
        "target": experiment.target,
        "max_words": experiment.max_words,
        "seed": experiment.seed,
        "events": len(events),
        "data": digest(events),
    }
    asked = [recipe for recipe in recipes if needs_model(recipe)]
    if author and asked:
        prompts = {name for one in asked for name in references(one, author).split()}
        if any(one.drafts for one in asked):
            prompts |= set(author.prompts.references(PROMPTS).split())
        decided |= {
            "prompts": " ".join(sorted(prompts)),
            "decoding": to_json(author.decoding),
            "structured": author.structured,
            "overrun": author.overrun,
            "sample": author.sample,
        }
        if author.bounds:
            decided["bounded"] = to_json(author.bounds)
        ways = [_drafted(one.drafts, author, drafting) for one in asked if one.drafts]
        if ways:
            decided["drafts"] = " | ".join(dict.fromkeys(one.signature for one in ways))
    return decided


def _drafted(name: str, author: Author, drafting: Drafting | None) -> Drafted:
    return drafted(name, author, drafting or Drafting())


def carry_out(
    run: Run,
    experiment: Experiment,
    track: Track | None = None,
    *,
    author: Author | None = None,
    at_once: int = 1,
    drafting: Drafting | None = None,
) -> Outcome:
    """Summarize every event of `run` by every recipe of `experiment` that is not done yet.

    `author` carries out the recipes that take a model, `at_once` summaries at a time, with drafts
    as `drafting` says; what needs no model is made one by one.  One event that fails is recorded
    with prompt and answer; an error that concerns them all (no server, no key, a cap reached)
    ends the call.
    """
    recipes = [parse_recipe(name) for name in experiment.recipes]
    jobs = [(event, recipe) for recipe in recipes for event in run.events()]
    waiting = [job for job in jobs if not run.summary_path(str(job[1]), job[0].id).exists()]
    makers = {
        recipe: maker(recipe, experiment.seed, author, drafting=drafting)
        for recipe in dict.fromkeys(recipe for _, recipe in waiting)
    }

    def one(job: tuple[Event, Recipe]) -> bool:
        event, recipe = job
        with recording() as uses:
            return kept(event, recipe, uses)

    def kept(event: Event, recipe: Recipe, uses: Sequence[Use]) -> bool:
        """What `uses` holds is noted before its summary or failure is."""
        try:
            made = summarize(
                event,
                recipe,
                target=experiment.target,
                max_words=experiment.max_words,
                seed=experiment.seed,
                by=makers[recipe],
            )
        except StepError as error:
            write_uses(run, str(recipe), event.id, uses)
            run.write_failure(
                Failure(
                    recipe=str(recipe),
                    event=event.id,
                    reason=str(error),
                    prompt=tuple((said.role, said.content) for said in error.messages),
                    answer=error.answer,
                )
            )
            return False
        except ModelError:
            # No key, no server, a cap reached: the next summary would meet it too.
            raise
        except GlobeSummError as error:
            write_uses(run, str(recipe), event.id, uses)
            run.write_failure(Failure(recipe=str(recipe), event=event.id, reason=str(error)))
            return False
        if needs_model(recipe):
            write_uses(run, str(recipe), event.id, uses)
        run.write_summary(made)
        return True

    results = _mapped(one, waiting, at_once if author else 1)
    done = list(track(results, "summaries", len(waiting)) if track else results)
    return Outcome(made=sum(done), kept=len(jobs) - len(waiting), failed=len(done) - sum(done))


def _mapped(one: Callable[[Job], bool], jobs: Sequence[Job], at_once: int) -> Iterator[bool]:
    """Whether each job was done, in order; the first error leaves what has not begun alone."""
    if at_once < 2:
        yield from map(one, jobs)
        return
    with ThreadPoolExecutor(at_once, thread_name_prefix="summary") as pool:
        try:
            yield from pool.map(one, jobs)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def candidates(run: Run, *, prefixes: bool = False) -> list[Candidate]:
    """The final summary of every event and recipe, with what it may be held against.

    With `prefixes` the summaries of all earlier rounds too.
    """
    events = {event.id: event for event in run.events()}
    return [
        one
        for summary in run.summaries()
        for one in candidates_of(summary, events.get(summary.event), prefixes=prefixes)
    ]


PREFIX_SCORES = "prefix-scores.jsonl"
"""Beside ``scores.jsonl`` in a run folder: the scores of the rounds before the last."""


def score(
    run: Run,
    names: Iterable[str],
    *,
    prefixes: bool = False,
    given: Mapping[str, Metric] | None = None,
) -> list[Score]:
    """Score every final summary of `run`, keep the scores, and return them.

    No summary is made, so new metrics cost no call to a model that summarizes.  Columns scored
    earlier stay in the file; one that is computed again is replaced whole.  With `prefixes`
    the rounds before the last are scored too and kept in `PREFIX_SCORES`.  Failed summaries are
    unscored.  Metrics that need a model are listed beside the others, unscored, with what they
    need, so that a table never looks complete without them; those that have it are `given`.
    """
    measures = metrics(",".join(names), given)
    one_metric_a_column(measures)
    texts = candidates(run, prefixes=prefixes)
    absent = [_without_text(failure) for failure in run.failures()]
    fresh = score_all(measures, texts)
    # A failed summary stays in every denominator.
    fresh += [
        unscored(candidate, column.name, str(metric.signature), reason)
        for metric in measures
        for column in metric.columns
        for candidate, reason in absent
    ]
    everything = [*texts, *(candidate for candidate, _ in absent)]
    finals = [one for one in everything if one.id == one.event]
    waiting = {(row.name, str(row.signature)) for row in NEEDS_MODEL}
    held = [one for one in run.scores() if (one.metric, one.signature) not in waiting]
    kept = merged(held, [one for one in fresh if one.id == one.event], finals)
    known = {one.metric for one in kept}
    listed = score_all([row for row in NEEDS_MODEL if row.name not in known], finals)
    run.write_scores([*kept, *listed])
    if prefixes:
        _keep_prefixes(run, fresh, everything)
    return [*fresh, *listed]


def _keep_prefixes(run: Run, fresh: Sequence[Score], texts: Sequence[Candidate]) -> None:
    path = run.folder / PREFIX_SCORES
    held = read_own_records(path, Score) if path.exists() else ()
    earlier = [one for one in texts if one.id != one.event]
    write_records(path, merged(held, [one for one in fresh if one.id != one.event], earlier))


def _without_text(failure: Failure) -> tuple[Candidate, str]:
    """The candidate that a failed summary would have been, and why it is not there."""
    absent = Candidate(
        id=failure.event,
        text="",
        language=UNKNOWN,
        event=failure.event,
        recipe=failure.recipe,
    )
    return absent, NO_SUMMARY + failure.reason
