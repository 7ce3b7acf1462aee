"""Recipes and metrics as tasks of Inspect, carried out by Inspect itself."""

import math
from pathlib import Path
from typing import Any

import pytest

from globesumm.errors import UnknownName, UsageError
from globesumm.records import write_records
from globesumm.values import ConflictCause, Document, Event, Issue, IssueKind, Statement
from metrics.entailment.presets import open_entailer
from metrics.nic import Nic
from metrics.registry import metrics
from metrics.scoring import candidates_of, score_all
from tests.report.made_run import RECIPE, full_run

pytest.importorskip("inspect_ai", reason="the extra 'inspect' is not installed")


def event() -> Event:
    said = {"a": ("en", "At least 296 people died."), "b": ("he", "לפחות 632 בני אדם נהרגו.")}
    statements = tuple(
        Statement(document=name, index=1, language=language, text=text)
        for name, (language, text) in said.items()
    )
    return Event(
        id="quake",
        description="An earthquake",
        documents=tuple(
            Document(id=name, text=text, language=language)
            for name, (language, text) in said.items()
        ),
        references=("At least 296 people died.",),
        conflicts=(
            Issue(
                kind=IssueKind.CONFLICT,
                statements=statements,
                differs="number: 296 / 632",
                cause=ConflictCause.UPDATE,
            ),
        ),
    )


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / "events.jsonl"
    write_records(path, [event()])
    return path


def carried_out(task: Any, tmp_path: Path, **more: Any) -> Any:
    from inspect_ai import eval as evaluated

    (log,) = evaluated(
        task, log_dir=str(tmp_path / "logs"), display="none", log_realtime=False, **more
    )
    return log


def answering(text: str, stop: str = "stop") -> Any:
    """A provider of Inspect whose every answer is `text`.

    Inspect's own stand-in counts tokens with a table that it fetches.
    """
    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, get_model, modelapi

    class Answering(ModelAPI):
        async def generate(self, *_: Any, **__: Any) -> ModelOutput:
            given: Any = {"stop_reason": stop}
            made = ModelOutput.from_content(self.model_name, text, **given)
            made.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
            return made

    @modelapi(name="answering")
    def provider() -> Any:
        return Answering

    return get_model("answering/model", memoize=False)


def test_a_recipe_asks_inspects_model_and_our_metrics_score_it(
    events: Path, tmp_path: Path
) -> None:
    from globesumm.cli.inspect_tasks import summarize

    task = summarize(str(events), recipe="sts.none.direct", metrics="rouge")
    log = carried_out(task, tmp_path, model=answering("At least 296 people died."))
    assert log.status == "success", log.error
    (sample,) = log.samples
    assert sample.output.completion == "At least 296 people died."
    assert sample.scores["rouge1"].value == pytest.approx(1.0)
    assert sample.scores["rouge1"].metadata["signature"].startswith("rouge|")
    asked = [one for one in sample.events if one.event == "model"]
    assert asked
    assert any("לפחות 632" in text for text in sample.attachments.values())
    assert sample.store["summary"]["rounds"]
    assert log.stats.model_usage["answering/model"].total_tokens == 10
    (mean,) = (one for one in log.results.scores if one.name == "rouge1")
    assert mean.metrics["mean"].value == pytest.approx(1.0)


def test_a_recipe_without_a_model_asks_nothing(events: Path, tmp_path: Path) -> None:
    from globesumm.cli.inspect_tasks import summarize

    task = summarize(str(events), recipe="crs.none.lead", metrics="rouge,length")
    log = carried_out(task, tmp_path, model="none/none")
    (sample,) = log.samples
    assert not [one for one in sample.events if one.event == "model"]
    assert sample.output.completion


def test_what_cannot_be_scored_is_unscored_with_its_reason_and_counted(
    tmp_path: Path, events: Path
) -> None:
    from dataclasses import replace

    from globesumm.cli.inspect_tasks import summarize

    path = tmp_path / "two.jsonl"
    write_records(path, [event(), replace(event(), id="unsung", references=())])
    task = summarize(str(path), recipe="crs.none.lead", metrics="rouge")
    log = carried_out(task, tmp_path, model="none/none")
    scores = {sample.id: sample.scores["rouge1"] for sample in log.samples}
    assert math.isnan(scores["unsung"].value)
    assert "reference" in scores["unsung"].explanation
    (rouge,) = (one for one in log.results.scores if one.name == "rouge1")
    assert (rouge.scored_samples, rouge.unscored_samples) == (1, 1)
    assert rouge.metrics["mean"].value == pytest.approx(scores["quake"].value)


def test_conflicts_are_judged_by_the_model_of_the_role_judge(events: Path, tmp_path: Path) -> None:
    from globesumm.cli.inspect_tasks import summarize

    task = summarize(str(events), recipe="crs.none.lead", metrics="cre")
    judge = answering("no verdict at all")
    log = carried_out(task, tmp_path, model="none/none", model_roles={"judge": judge})
    (sample,) = log.samples
    # A judge whose answer is no verdict leaves the summary unscored; it is never a 0.
    assert math.isnan(sample.scores["cre"].value)
    asked = [one for one in sample.events if one.event == "model"]
    assert "296" in str(asked[0].input)
    assert "judge:answering" in sample.scores["cre"].metadata["signature"]


def test_a_provider_that_fails_is_an_error_of_the_sample(events: Path, tmp_path: Path) -> None:
    from globesumm.cli.inspect_tasks import summarize

    model = answering("No.", stop="content_filter")
    task = summarize(str(events), recipe="sts.none.direct", metrics="rouge")
    log = carried_out(task, tmp_path, model=model, fail_on_error=False)
    (sample,) = log.samples
    assert "stopped by a filter" in sample.error.message


def test_outputs_of_a_run_are_scored_without_a_model(tmp_path: Path) -> None:
    from globesumm.cli.inspect_tasks import outputs

    run = full_run(tmp_path / "run")
    task = outputs(str(run.folder), recipe=RECIPE, metrics="rouge,nic", entailer="lexical")
    log = carried_out(task, tmp_path, model="none/none")
    assert log.status == "success", log.error
    assert [sample.output.completion for sample in log.samples] == [
        summary.text for summary in run.summaries()
    ]
    texts = [
        candidates_of(summary, one)[-1]
        for summary, one in zip(run.summaries(), run.events(), strict=True)
    ]
    scored = score_all(metrics("rouge,nic", {"nic": Nic(open_entailer("lexical"))}), texts)
    for one in scored:
        (sample,) = (sample for sample in log.samples if sample.id == one.id)
        found = sample.scores[one.metric]
        assert found.metadata["signature"] == one.signature
        assert found.value == one.value if one.value is not None else found.reason == one.note


def test_a_log_of_ours_is_scored_again_by_inspect_alone(events: Path, tmp_path: Path) -> None:
    from inspect_ai import score

    from baselines.exports.inspect_eval import column_scorer
    from globesumm.cli.inspect_tasks import summarize

    task = summarize(str(events), recipe="crs.none.lead", metrics="length")
    log = carried_out(task, tmp_path, model="none/none")
    rouge = column_scorer("rouge", "rouge1", "en", None)
    again: Any = score(log, rouge, action="append", display="none")
    assert again.samples[0].scores["rouge1"].value > 0


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"recipe": "crs.none.leed"}, "did you mean 'crs.none.lead'"),
        ({"metrics": "rogue"}, "did you mean 'rouge'"),
        ({"metrics": "nic"}, "needs an entailer"),
        ({"target": "und"}, "no language to write in"),
        ({"events": "nowhere.jsonl"}, "nowhere.jsonl does not exist"),
    ],
)
def test_a_wrong_task_is_refused_before_anything_is_asked(
    wrong: dict[str, str], told: str, events: Path
) -> None:
    from globesumm.cli.inspect_tasks import summarize

    given: dict[str, Any] = {"events": str(events), "recipe": "crs.none.lead"}
    with pytest.raises((UsageError, UnknownName), match=told):
        summarize(**given | wrong)
