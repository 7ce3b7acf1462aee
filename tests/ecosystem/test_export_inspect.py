"""A run's cells as Inspect's logs, read by Inspect's own reader."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from baselines.grid.uses import write_uses
from globesumm.cli import main
from globesumm.llm.call_store import CallStore
from globesumm.llm.recording import Use
from globesumm.llm.request import Completion, Decoding, Message, Request, Usage
from globesumm.runs import Run
from tests.report.made_run import RECIPE, full_run

pytest.importorskip("inspect_ai", reason="the extra 'inspect' is not installed")

ASKED = Request(
    model="some-model",
    messages=(Message("system", "Be brief."), Message("user", "What happened?")),
    decoding=Decoding(max_tokens=99),
)
UNCOUNTED = replace(ASKED, sample=1)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    made = full_run(tmp_path_factory.mktemp("inspect") / "run")
    store = CallStore(made.folder / "calls.sqlite")
    usage = Usage(prompt_tokens=120, completion_tokens=30, cached_tokens=20)
    store.put(ASKED, Completion(text="A quake.", usage=usage, seconds=1.5))
    store.put(UNCOUNTED, Completion(text="A quake.", finish="length"))
    store.close()
    uses = [
        Use(ASKED.key, "kis"),
        Use(UNCOUNTED.key, "clp", "again"),
        Use("0" * 64, "merge", answered=False),
    ]
    write_uses(made, RECIPE, "e1", uses)
    return made


@pytest.fixture(scope="module")
def logs(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    from inspect_ai.log import list_eval_logs, read_eval_log

    out = tmp_path_factory.mktemp("inspect") / "logs"
    assert main(["export", str(run.folder), "--to", "inspect", "--out", str(out)]) == 1
    listed = list_eval_logs(str(out))
    assert sorted(path.name for path in out.iterdir()) == sorted(
        Path(one.name).name for one in listed
    )
    read = [read_eval_log(one) for one in listed]
    return {log.eval.task_display_name or "": log for log in read}


def test_each_cell_is_a_log_of_its_own_with_its_settings(logs: Mapping[str, Any], run: Run) -> None:
    assert set(logs) == {RECIPE, "crs.none.lead"}
    spec = logs[RECIPE].eval
    assert spec.model == "some-model"
    assert spec.task_args == {"recipe": RECIPE, "target": "en", "repeat": 0}
    assert spec.metadata["settings"] == run.record().settings


def test_samples_are_the_prefixes_of_events(logs: Mapping[str, Any], run: Run) -> None:
    samples = {sample.id: sample for sample in logs[RECIPE].samples}
    for summary in run.summaries():
        for one in summary.rounds[:-1]:
            sample = samples[f"{summary.event}#{one.index}"]
            assert sample.output.completion == one.summary
            assert sample.metadata["added"] == list(one.added)
            assert sample.target == ""
        last = samples[summary.event]
        assert last.output.completion == summary.text
        assert list(last.target) == ["296 people died."]
        event = next(event for event in run.events() if event.id == summary.event)
        assert all(document.text in last.input for document in event.documents)
    assert len(samples) == sum(len(summary.rounds) for summary in run.summaries())


def test_a_summary_that_failed_is_an_errored_sample_and_counts(logs: Mapping[str, Any]) -> None:
    log = logs["crs.none.lead"]
    assert log.status == "error"
    assert [sample.error.message for sample in log.samples] == ["cut off", "cut off"]
    (rouge,) = (one for one in log.results.scores if one.name == "rouge1")
    assert (rouge.scored_samples, rouge.unscored_samples, rouge.metrics) == (0, 2, {})
    assert sum(rouge.metadata["unscored"].values()) == 2


def test_what_is_unscored_is_inspects_unscored_with_the_reason(logs: Mapping[str, Any]) -> None:
    log = logs[RECIPE]
    scores = {sample.id: sample.scores for sample in log.samples if sample.id == "e1"}["e1"]
    assert math.isnan(scores["nic"].value)
    assert scores["nic"].reason == "needs a model"
    assert scores["rouge1"].value == 0.001
    assert scores["rouge1"].metadata["signature"] == "rouge|v:1"
    found = {one.name: one for one in log.results.scores}
    assert (found["nic"].scored_samples, found["nic"].unscored_samples) == (0, 2)
    assert found["nic"].metrics == {}
    assert found["rouge1"].metrics["mean"].value == pytest.approx(0.0015)
    assert found["rouge1"].metadata["n"] == "2 of 2"


def test_requests_are_the_transcript_and_tokens_are_never_made_up(
    logs: Mapping[str, Any],
) -> None:
    (sample,) = (sample for sample in logs[RECIPE].samples if sample.id == "e1")
    asked = [event for event in sample.events if event.event == "model"]
    assert [event.role for event in asked] == ["kis", "clp"]
    assert [message.content for message in asked[0].input] == ["Be brief.", "What happened?"]
    assert asked[0].output.completion == "A quake."
    assert asked[0].config.max_tokens == 99
    assert asked[1].output.stop_reason == "max_tokens"
    used = sample.model_usage["some-model"]
    assert (used.input_tokens, used.output_tokens, used.total_tokens) == (120, 30, 150)
    assert sample.metadata["calls"] == {
        "requests": 3,
        "requests answered": 2,
        "requests without a count of tokens": 2,
    }
    assert logs[RECIPE].stats.model_usage["some-model"].total_tokens == 150


def test_the_same_export_again_replaces_its_logs_and_last_leaves_one_sample_an_event(
    run: Run, tmp_path: Path
) -> None:
    from inspect_ai.log import read_eval_log

    command = ["export", str(run.folder), "--to", "inspect", "--out", str(tmp_path)]
    for more in ([], ["--last", "--recipe", RECIPE]):
        main([*command, *more])
    (path,) = tmp_path.glob(f"*{RECIPE}.eval")
    log = read_eval_log(str(path))
    assert [sample.id for sample in log.samples or ()] == ["e1", "e2"]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_log_that_is_still_being_written_is_none_to_inspect(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import inspect_ai.log

    write, seen = inspect_ai.log.write_eval_log, []

    def watched(log: Any, location: Any, **settings: Any) -> None:
        write(log, location, **settings)
        seen.append(inspect_ai.log.list_eval_logs(str(tmp_path)))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(inspect_ai.log, "write_eval_log", watched)
    asked = ["export", str(run.folder), "--to", "inspect", "--out", str(tmp_path)]
    assert main(asked) == 2
    assert seen == [[]]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "said", ["\ud800 lone", "\x1b[31mred\x00", "<script>alert(1)</script>", "=cmd()|x", "\u202eab"]
)
def test_texts_that_nobody_here_wrote_pass_as_texts(said: str, tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    made = full_run(tmp_path / "run", said, events=1)
    command = ["export", str(made.folder), "--to", "inspect", "--recipe", RECIPE]
    assert main([*command, "--out", str(tmp_path / "logs")]) == 0
    (path,) = (tmp_path / "logs").iterdir()
    log = read_eval_log(str(path))
    shown = said.replace("\ud800", "\ufffd")
    assert log.samples is not None
    assert log.samples[-1].output.completion.startswith(shown)
