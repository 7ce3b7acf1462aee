"""Our recipes as a solver of Inspect, and our metrics as its scorers.

A sample is one event; it lies as plain data under ``event`` in the sample's metadata, so that a
log by itself is enough to score again (``inspect score``).  A scorer gives one column of a metric;
what cannot be scored is Inspect's unscored value with the reason.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from annotation.author import Author
from baselines.exports.inspect_model import InspectModel
from baselines.exports.sources import input_text, sound
from baselines.recipes import maker, needs_model, parse_recipe
from baselines.summarize import summarize as summarized
from globesumm.errors import UsageError
from globesumm.llm.request import Decoding, Model
from globesumm.llm.stored import Replay
from globesumm.records import from_plain, to_plain
from globesumm.values import Event, Summary
from metrics.base import Candidate, Metric
from metrics.registry import METRICS, metrics
from metrics.scoring import candidates_of

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import Score, Scorer, Target
    from inspect_ai.solver import Solver, TaskState

EVENT, SUMMARY = "event", "summary"
"""Where a sample's metadata holds its event, and its store the summary with its rounds."""

JUDGE = "judge"
"""The role of the model that judges: ``--model-role judge=NAME``."""


def sample_of(event: Event, summary: Summary | None = None) -> "Sample":
    """The event as a sample; `summary` is kept where there is one already."""
    from inspect_ai.dataset import Sample

    ids = [document.id for document in event.documents]
    held = {EVENT: to_plain(event)} | ({SUMMARY: to_plain(summary)} if summary else {})
    return Sample(
        id=sound(event.id),
        input=sound(input_text(event, ids, ids)),
        target=sound(list(event.references)) or "",
        metadata=sound(held),
    )


def recipe_solver(recipe: str, target: str, max_words: int, seed: int = 0) -> "Solver":
    """Carries out `recipe` on a sample's event with the model that Inspect was given."""
    from inspect_ai.solver import solver

    @solver(name="globesumm_recipe")
    def globesumm_recipe(recipe: str, target: str, max_words: int, seed: int) -> "Solver":
        async def solve(state: "TaskState", generate: Any) -> "TaskState":  # noqa: ARG001  # as Inspect calls it
            from anyio.to_thread import run_sync
            from inspect_ai.model import get_model

            event = from_plain(Event, state.metadata[EVENT], str(state.sample_id))
            chosen = parse_recipe(recipe)
            author = None
            if needs_model(chosen):
                decoding = Decoding(seed=seed)
                asked = InspectModel(get_model())
                author = Author(model=asked, decoding=decoding, structured=False)
            work = partial(
                summarized,
                event,
                chosen,
                target=target,
                max_words=max_words,
                seed=seed,
                by=maker(chosen, seed, author),
            )
            return _kept(state, await run_sync(work))

        return solve

    return globesumm_recipe(recipe, target, max_words, seed)


def kept_solver() -> "Solver":
    """Takes the summary that a sample holds already; no model is asked."""
    from inspect_ai.solver import solver

    @solver(name="globesumm_kept")
    def globesumm_kept() -> "Solver":
        async def solve(state: "TaskState", generate: Any) -> "TaskState":  # noqa: ARG001  # as Inspect calls it
            held = state.metadata[SUMMARY]
            return _kept(state, from_plain(Summary, held, str(state.sample_id)))

        return solve

    return globesumm_kept()


def _kept(state: "TaskState", summary: Summary) -> "TaskState":
    from inspect_ai.model import ModelOutput

    state.store.set(SUMMARY, sound(to_plain(summary)))
    state.output = ModelOutput.from_content(str(state.model), sound(summary.text))
    state.messages.append(state.output.message)
    return state


def scorers_of(names: str, target: str, entailer: str | None = None) -> "list[Scorer]":
    """A scorer for each column of the metrics in the comma-separated list `names`.

    Raises `UnknownName` for a metric nobody knows, and `UsageError` for one whose entailer is
    missing.
    """
    from metrics.scoring import one_metric_a_column

    wanted = list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    measures = [_measure(name, None, entailer) for name in wanted]
    one_metric_a_column(measures)
    return [
        column_scorer(name, column.name, target, entailer)
        for name, measure in zip(wanted, measures, strict=True)
        for column in measure.columns
    ]


def column_scorer(metric: str, column: str, language: str, entailer: str | None) -> "Scorer":
    """One column of one metric of ours as a scorer, averaged over what was scored.

    `language` is that of texts which none of our solvers made.
    """
    from inspect_ai.scorer import mean, scorer, stderr

    @scorer(metrics=[mean(), stderr()], name=column)
    def globesumm_metric(metric: str, column: str, language: str, entailer: str | None) -> "Scorer":
        async def score(state: "TaskState", target: "Target") -> "Score":  # noqa: ARG001  # as Inspect calls it
            from anyio.to_thread import run_sync
            from inspect_ai.model import get_model

            judge = None
            if _judged(metric, entailer):
                judge = InspectModel(get_model(role=JUDGE, required=True))
            event = from_plain(Event, state.metadata[EVENT], str(state.sample_id))
            measure = _measure(metric, judge, entailer, event)
            candidate = _candidate(state, event, language)
            found = await run_sync(partial(measure.score, [candidate]))
            return _as_score(found, column)

        return score

    return globesumm_metric(metric, column, language, entailer)


def _as_score(found: Sequence[Any], column: str) -> "Score":
    from inspect_ai.scorer import Score

    (one,) = (score for score in found if score.metric == column)
    about = {"signature": sound(one.signature)}
    if one.value is None:
        reason = sound(one.note or "no reason given")
        return Score.unscored(reason=reason, explanation=reason, metadata=about)
    return Score(value=one.value, explanation=sound(one.note), metadata=about)


def _candidate(state: "TaskState", event: Event, target: str) -> Candidate:
    """The summary with its sentences where our solver made it, else the text that there is."""
    held = state.store.get(SUMMARY)
    if held is not None:
        return candidates_of(from_plain(Summary, held, str(state.sample_id)), event)[-1]
    return Candidate(
        id=event.id,
        text=state.output.completion,
        language=target,
        references=event.references,
        reference_language=event.reference_language,
        documents=event.documents,
        event=event.id,
    )


def _judged(metric: str, entailer: str | None) -> bool:
    """Whether a metric asks a model that judges."""
    from metrics.judged import RATINGS

    entailed = metric in ("nic", "alignment") and entailer == JUDGE
    return entailed or metric == "cre" or metric in RATINGS


def _measure(
    name: str, judge: Model | None, entailer: str | None, event: Event | None = None
) -> Metric:
    """The metric of that name; without a judge it is made for its columns alone."""
    from metrics.cre import Cre
    from metrics.cre_conflicts import marked
    from metrics.entailment import LLMJudge
    from metrics.entailment.presets import open_entailer
    from metrics.judged import RATINGS, Alignment, Rating
    from metrics.nic import Nic

    if name in METRICS:
        return metrics(name)[0]
    asked: Model = judge or Replay("nobody")
    if name == "cre":
        return Cre(asked, {event.id: marked(event)} if event else {}, "marked")
    if name in RATINGS:
        return Rating(RATINGS[name], asked)
    if name in ("nic", "alignment"):
        if entailer is None:
            raise UsageError(
                f"{name} needs an entailer: give -T entailer=lexical, a preset, or {JUDGE} with "
                f"--model-role {JUDGE}=MODEL"
            )
        entails = LLMJudge(asked) if entailer == JUDGE else open_entailer(entailer)
        return Nic(entails) if name == "nic" else Alignment(entails)
    return metrics(name)[0]  # which says what is near
