"""Cells of a run as logs of Inspect (``inspect_ai``), which ``inspect view`` opens.

One log a cell, one sample a prefix of an event: input, reference summaries, summary, scores with
their signatures, requests and their tokens, errors.  Means stand over the last prefixes, as in
every table here.  What is unscored is Inspect's own unscored value, with the reason; it counts
in ``unscored_samples`` and never as 0.

Source: https://inspect.aisi.org.uk/eval-logs.html (log format of inspect_ai 0.3).
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.exports.inspect_calls import Calls, usage_sum
from baselines.exports.outputs import Cell, Output
from baselines.exports.sources import input_text, sound
from baselines.tables.results import CellResult
from globesumm import __version__
from globesumm.errors import MissingPackage
from globesumm.runs import Run, digest, file_name
from globesumm.unfinished import place_beside
from globesumm.values import Event, Issue, RunRecord

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample, EvalScore
    from inspect_ai.scorer import Score

SUFFIX = ".eval"


def write_logs(
    cells: Sequence[Cell], events: Sequence[Event], out: Path, *, prefixes: bool = True
) -> Iterator[Path]:
    """Write a log for each of `cells` into `out`, and give its path; one there is replaced.

    Raises `MissingPackage` without inspect_ai.
    """
    _installed()
    from inspect_ai.log import write_eval_log

    out.mkdir(parents=True, exist_ok=True)
    for cell in cells:
        path = out / f"{cell.name}{SUFFIX}"
        log = log_of(cell, events, prefixes=prefixes)
        log.location = str(path)
        # Under a name that Inspect takes for no log, should it be left by a kill.
        with place_beside(path) as part:
            write_eval_log(log, part, format="eval")
            part.chmod(0o644)
            part.replace(path)
        yield path


def log_of(cell: Cell, events: Sequence[Event], *, prefixes: bool = True) -> "EvalLog":
    """The cell as a log in memory; all its samples are held at once.

    Requests that several cells share count in each.
    """
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalResults, EvalSpec, EvalStats

    outputs = list(cell.outputs(events, prefixes=prefixes))
    by_id = {event.id: event for event in events}
    record = _record(cell)
    started = record.facts.get("started", "1970-01-01T00:00:00+00:00")
    calls = Calls(cell.store)
    try:
        samples = [_sample(cell, by_id[one.event], one, calls) for one in outputs]
    finally:
        calls.close()
    last = [one for one in outputs if one.last]
    done = sum(one.text is not None for one in last)
    part = cell.portion.part
    identity = digest([record.settings, cell.name, str(cell.recipe)])
    scores = _results(cell, last)
    return EvalLog(
        version=2,
        status=_status(last),
        eval=EvalSpec(
            eval_id=f"e{identity}",
            run_id=f"r{digest([record.settings])}",
            task_id=f"t{identity}",
            created=started,
            task=f"globesumm/{cell.recipe}",
            task_display_name=str(cell.recipe),
            task_args={"recipe": str(cell.recipe), "target": part.target, "repeat": part.repeat},
            dataset=EvalDataset(
                name=sound(cell.folder.name),
                samples=len(samples),
                sample_ids=[sample.id for sample in samples],
                shuffled=False,
            ),
            model=sound(part.model or "none"),
            config=EvalConfig(epochs=1),
            packages={"globesumm": __version__, "inspect_ai": metadata.version("inspect_ai")},
            metadata=sound({"settings": record.settings, "made with": record.facts}),
        ),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=sum(one.text is not None for one in outputs),
            scores=scores,
            metadata={
                "events": len(last),
                "events summarized": done,
                "means over": "the last prefix of each event",
            },
        ),
        stats=EvalStats(
            started_at=started,
            completed_at=_ended(cell) or started,
            model_usage=usage_sum(sample.model_usage for sample in samples),
        ),
        samples=samples,
    )


def _installed() -> None:
    try:
        metadata.version("inspect_ai")
    except metadata.PackageNotFoundError:
        raise MissingPackage("inspect_ai", "a log for Inspect", "inspect") from None


def _record(cell: Cell) -> RunRecord:
    """The settings and facts of the cell's own run; of the whole grid where it was not begun."""
    return (cell.portion.run or Run(cell.folder)).record()


def _ended(cell: Cell) -> str | None:
    """When the last of the cell's summaries was written, as its file says; None without any."""
    run = cell.portion.run
    folder = run.folder / "summaries" / file_name(str(cell.recipe)) if run else None
    times = [path.stat().st_mtime for path in folder.glob("*.json")] if folder else []
    return datetime.fromtimestamp(max(times), UTC).isoformat(timespec="seconds") if times else None


def _status(last: Sequence[Output]) -> Any:
    """Whole, stopped on the way (an event was not begun), or with nothing but failures."""
    if any(one.text is None and one.failure is None for one in last):
        return "cancelled"
    return "success" if any(one.text is not None for one in last) else "error"


def _sample(cell: Cell, event: Event, one: Output, calls: Calls) -> "EvalSample":
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput

    asked = sound(input_text(event, one.documents, one.documents if one.last else one.added))
    noted = calls.of(one.uses)
    output, said = ModelOutput(model=cell.portion.part.model or "none"), []
    if one.text is not None:
        text = sound(one.text)
        output = ModelOutput.from_content(output.model, text)
        said = [ChatMessageAssistant(content=text, source="generate")]
    error = sound(one.failure.reason) if one.failure else None
    return EvalSample(
        id=sound(one.id),
        epoch=1,
        input=asked,
        target=sound(list(event.references)) if one.last else "",
        messages=[ChatMessageUser(content=asked, source="input"), *said],
        output=output,
        scores={sound(name): _score(score) for name, score in one.scores.items()} or None,
        metadata=sound(_about(event, one) | noted.about),
        model_usage=noted.usage,
        events=noted.events,
        error=EvalError(message=error, traceback=error, traceback_ansi=error) if error else None,
    )


def _score(score: Any) -> "Score":
    from inspect_ai.scorer import Score

    about = {"signature": sound(score.signature)}
    if score.value is None:
        reason = sound(score.note or "no reason given")
        return Score.unscored(reason=reason, explanation=reason, metadata=about)
    return Score(value=score.value, explanation=sound(score.note), metadata=about)


def _about(event: Event, one: Output) -> dict[str, Any]:
    covered = [doc for doc in event.documents if doc.id in set(one.documents)]
    return {
        "event": event.id,
        "category": event.category,
        "round": one.round,
        "documents": list(one.documents),
        "added": list(one.added),
        "languages": sorted({doc.language for doc in covered}),
        "notes": list(one.notes),
        "issues": [_issue(issue) for issue in one.issues],
    } | ({"not summarized": one.reason} if one.reason else {})


def _issue(issue: Issue) -> dict[str, Any]:
    return {
        "kind": issue.kind.value,
        "cause": issue.cause.value if issue.cause else None,
        "differs": issue.differs,
        "statements": [f"{one.document}, sentence {one.index}" for one in issue.statements],
    }


def _results(cell: Cell, last: Sequence[Output]) -> "list[EvalScore]":
    """The cell's means with n of N, and what nothing could be scored of."""
    found = {one.metric: _metric(one) for one in cell.results if one.n is not None}
    for output in last:
        for name, score in output.scores.items():
            if name not in found:
                found[name] = _unscored(name, score.signature, len(last), score.note)
    return list(found.values())


def _metric(one: CellResult) -> "EvalScore":
    from inspect_ai.log import EvalMetric, EvalScore

    n, expected = one.n or 0, one.expected or 0
    figures: Mapping[str, float | None] = {"mean": one.mean, "low": one.low, "high": one.high}
    return EvalScore(
        name=sound(one.metric),
        scorer=sound(one.metric),
        scored_samples=n,
        unscored_samples=expected - n,
        metrics={
            name: EvalMetric(name=name, value=value)
            for name, value in figures.items()
            if value is not None
        },
        metadata=sound(
            {"signature": one.signature, "n": f"{n} of {expected}"}
            | ({"unscored": dict(one.reasons)} if one.reasons else {})
        ),
    )


def _unscored(name: str, signature: str, expected: int, note: str | None) -> "EvalScore":
    from inspect_ai.log import EvalScore

    return EvalScore(
        name=sound(name),
        scorer=sound(name),
        scored_samples=0,
        unscored_samples=expected,
        metadata=sound(
            {"signature": signature, "n": f"0 of {expected}"}
            | {"unscored": {note or "no reason given": expected}}
        ),
    )
