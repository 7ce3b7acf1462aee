"""Scores of a grid's parts, by plain metrics and by those that take a judge."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from baselines.drafts.proxies import judge_decoding
from baselines.experiment import PREFIX_SCORES, candidates, score
from baselines.grid.authors import library
from baselines.grid.same_judge import check_same_judge, chosen_by
from globesumm.config import Experiment, Judge
from globesumm.errors import UnknownName, UsageError
from globesumm.llm.request import Decoding, Model
from globesumm.runs import Run
from globesumm.values import Event
from metrics.base import Metric
from metrics.cre import Cre
from metrics.cre_conflicts import LAST_ROUNDS, Conflict, marked
from metrics.entailment import LLMJudge, Remembering
from metrics.entailment.base import Entailer
from metrics.entailment.presets import open_entailer
from metrics.judged import RATINGS, Alignment, Rating
from metrics.nic import Nic
from metrics.registry import metrics
from metrics.scoring import one_metric_a_column

VERDICTS = "verdicts.sqlite"
"""Beside the grid's call store: what entailers said, so that nothing is judged twice."""

ANNOTATED = "reference and conflicts are the published annotation's"
"""The note of an event whose standard conflicts are those of its annotation's last rounds."""

JUDGED = ("nic", "cre", *RATINGS, "alignment")
"""Metrics that take a judge."""

BY_MODEL = ("cre", *RATINGS)
"""Those of them that only a model judges; only an entailer judges alignment."""


def check_metrics(experiment: Experiment) -> None:
    """Refuse, before anything is asked, metrics that could not be scored afterwards.

    Raises `UnknownName`, and `UsageError` for a judge that cannot judge what it is to, or
    metrics that would put different values into one column.
    """
    for judge in experiment.judges:
        for name in judge.metrics:
            if name not in JUDGED:
                raise UnknownName("metric", name, JUDGED, where="[[judges]]")
            if name in BY_MODEL and judge.model is None:
                raise UsageError(f"[[judges]] {name} is judged by a model: name a row as its model")
            if name == "alignment" and judge.entailer is None:
                raise UsageError("[[judges]] alignment is judged by an entailer: name one")
            if judge.entailer is not None:
                _refuse_stand_in(name, judge)
    one_metric_a_column(_plain(experiment))
    check_same_judge(experiment)


def _refuse_stand_in(name: str, judge: Judge) -> None:
    # Opening an entailer loads nothing yet.
    entailer = open_entailer(judge.entailer or "", judge.weights)
    made: Metric = Alignment(entailer) if name == "alignment" else Nic(entailer)
    if made.name != name:
        raise UsageError(
            f"[[judges]] {judge.entailer} is a stand-in: name {made.name} among the metrics"
        )


def plain_names(experiment: Experiment) -> list[str]:
    """The metrics that take no judge, each once."""
    judged = judged_names(experiment)
    return [name for name in dict.fromkeys(experiment.metrics) if name not in judged]


def _plain(experiment: Experiment) -> list[Metric]:
    names = plain_names(experiment)
    return metrics(",".join(names)) if names else []


def judged_names(experiment: Experiment) -> list[str]:
    """The metrics that take one, whether they stand among `metrics` too or not."""
    return [name for judge in experiment.judges for name in judge.metrics]


def judged_metrics(
    experiment: Experiment,
    models: Mapping[str, Model],
    events: Iterable[Event],
    folder: Path,
    within: ExitStack,
    *,
    only: Collection[str] | None = None,
) -> dict[str, Metric]:
    """The metrics of the experiment's judges; verdicts of entailers are kept in `folder`.

    With `only` the metrics that these rows judge.
    """
    made: dict[str, Metric] = {}
    for judge in experiment.judges:
        if only is not None and judge.model not in only:
            continue
        for name in judge.metrics:
            if name == "cre":
                made[name] = _cre(experiment, judge, models, events)
            elif name in RATINGS:
                made[name] = _rating(experiment, judge, models, name)
            elif name == "alignment":
                made[name] = Alignment(_entailer(experiment, judge, models, folder, within))
            else:
                made[name] = Nic(_entailer(experiment, judge, models, folder, within))
    return made


def score_part(
    run: Run, experiment: Experiment, judged: Mapping[str, Metric], *, again: bool = False
) -> bool:
    """Score the summaries of one part; False where every score was there already, if not `again`.

    Judges see final summaries alone.
    """
    names = plain_names(experiment)
    measures = [*_plain(experiment), *judged.values()]
    if not again and _is_scored(run, measures, prefixes=experiment.prefixes):
        return False
    if names:
        score(run, names, prefixes=experiment.prefixes)
    if judged:
        score(run, list(judged), given=judged)
    return True


def _is_scored(run: Run, measures: Sequence[Metric], *, prefixes: bool) -> bool:
    """Whether each summary and failure has a score, or why there is none, by each metric.

    What a judge left unscored does not count: asked again, it may answer.
    """
    if prefixes and not (run.folder / PREFIX_SCORES).exists():
        return False
    done = [run.folder / "summaries", run.folder / "failures"]
    scores = run.folder / "scores.jsonl"
    if not scores.exists():
        return False
    held = {
        (one.event, one.recipe, one.metric, one.signature)
        for one in run.scores()
        if one.value is not None or one.metric not in JUDGED
    }
    newest = max((p.stat().st_mtime_ns for d in done for p in d.glob("*/*.json")), default=0)
    if newest > scores.stat().st_mtime_ns:
        return False
    texts = [(one.event, one.recipe) for one in candidates(run)]
    return all(
        (*text, column.name, str(metric.signature)) in held
        for text in texts
        for metric in measures
        for column in metric.columns
    )


def _cre(
    experiment: Experiment, judge: Judge, models: Mapping[str, Model], events: Iterable[Event]
) -> Cre:
    row = experiment.rows[judge.model or ""]
    standard: dict[str, tuple[Conflict, ...]] = {}
    sources: set[str] = set()
    for event in events:
        standard[event.id] = marked(event)
        if event.conflicts:
            annotated = ANNOTATED in event.notes
            sources.add(f"issues/{LAST_ROUNDS}" if annotated else "marked")
    return Cre(
        models[row.name],
        standard,
        "+".join(sorted(sources)) or "marked",
        decoding=Decoding(temperature=0.0, seed=0, reasoning=row.reasoning),
        most_at_once=experiment.limits.at_once,
    )


def _rating(experiment: Experiment, judge: Judge, models: Mapping[str, Model], name: str) -> Rating:
    row = experiment.rows[judge.model or ""]
    return Rating(
        RATINGS[name],
        models[row.name],
        prompts=library(experiment.prompts),
        decoding=judge_decoding(row.reasoning),
        weighted=judge.weighted,
        enforced=experiment.decoding.structured,
        most_at_once=experiment.limits.at_once,
        chosen_by=chosen_by(experiment, row, name),
    )


def _entailer(
    experiment: Experiment,
    judge: Judge,
    models: Mapping[str, Model],
    folder: Path,
    within: ExitStack,
) -> Entailer:
    if judge.entailer is None:
        # Its answers are in the call store already, by which it is also known what is used.
        return LLMJudge(models[judge.model or ""], most_at_once=experiment.limits.at_once)
    entailer = open_entailer(judge.entailer, judge.weights)
    return within.enter_context(Remembering(entailer, folder / VERDICTS))
