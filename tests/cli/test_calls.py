"""``globesumm calls``: what a store holds, passing it on, and what goes when it is pruned."""

from collections import Counter
from pathlib import Path

import pytest

from baselines.grid.folder import GridFolder
from baselines.grid.uses import JUDGED_USES, write_judged_uses, write_uses
from globesumm.cli import main
from globesumm.finite import counted
from globesumm.llm.call_store import CallStore
from globesumm.llm.recording import Use
from globesumm.llm.request import Completion, Message, Request, Usage
from globesumm.runs import Run

USED = 2
"""Of each model so many answers are in use by the run."""


def request(number: int, model: str) -> Request:
    return Request(model=model, messages=(Message("user", f"question {number}"),))


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """A grid of two models with five answers and a failure each; two answers of each are in use."""
    folder = tmp_path / "run"
    GridFolder.start(folder, {})
    store = CallStore(folder / "calls.sqlite")
    for model in ("small", "large"):
        for number in range(5):
            usage = Usage(prompt_tokens=3, completion_tokens=1)
            store.put(request(number, model), Completion(text=f"answer {number}", usage=usage))
        store.put_failure(request(9, model), "Refused", "no")
    store.close()
    write_judged_uses(folder, {request(USED - 1, "small").key})
    for model in ("small", "large"):
        part = Run.start(folder / "parts" / model, {})
        # Of the second, whose summary is not finished, nothing is in use.
        for event, numbers in (("done", range(USED)), ("unfinished", range(USED, USED + 1))):
            write_uses(part, "crs", event, [Use(request(number, model).key) for number in numbers])
        (part.folder / "summaries" / "crs").mkdir(parents=True)
        (part.folder / "summaries" / "crs" / "done.json").write_text("{}")
    return folder


def left(folder: Path) -> dict[str, tuple[int, int]]:
    """Answers and failures by model."""
    store = CallStore(folder / "calls.sqlite", read_only=True)
    answers = Counter(call.request.model for call in store.answers())
    failures = Counter(call.request.model for call in store.failures())
    store.close()
    return {model: (answers[model], failures[model]) for model in ("small", "large")}


@pytest.mark.parametrize(
    ("asked", "small", "large"),
    [
        (["--unused"], (2, 1), (2, 1)),
        (["--unused", "--model", "small"], (2, 1), (5, 1)),
        (["--failures"], (5, 0), (5, 0)),
        (["--failures", "--model", "small"], (5, 0), (5, 1)),
        (["--model", "small"], (0, 0), (5, 1)),
        (["--unused", "--failures", "--model", "small"], (2, 0), (5, 1)),
        (["--unused", "--failures"], (2, 0), (2, 0)),
        (["--model", "nobody"], (5, 1), (5, 1)),
    ],
)
def test_pruning_takes_what_was_named_and_the_dry_run_told_it(
    run_folder: Path,
    capsys: pytest.CaptureFixture[str],
    asked: list[str],
    small: tuple[int, int],
    large: tuple[int, int],
) -> None:
    """Answers were paid for: a model named beside --unused narrows what goes, and no more goes."""
    assert main(["calls", "prune", str(run_folder), *asked, "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert left(run_folder) == {"small": (5, 1), "large": (5, 1)}
    assert main(["calls", "prune", str(run_folder), *asked]) == 0
    assert left(run_folder) == {"small": small, "large": large}
    answers, failures = 10 - small[0] - large[0], 2 - small[1] - large[1]
    assert (
        f"would delete {counted(answers, 'answer')} and {counted(failures, 'failed call')} of"
        in told
    )


def test_a_store_passed_on_and_merged_twice_holds_the_same(
    run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exported, copy = tmp_path / "calls.jsonl", tmp_path / "copy"
    copy.mkdir()
    assert main(["calls", "export", str(run_folder), "--to", str(exported)]) == 0
    for _ in range(2):
        assert main(["calls", "merge", str(copy), str(exported), str(run_folder)]) == 0
    assert left(copy) == left(run_folder)
    capsys.readouterr()
    for folder in (run_folder, copy):
        assert main(["calls", "list", str(folder)]) == 0
    heads, *rows = capsys.readouterr().out.splitlines()
    assert heads.split() == ["model", "answers", "failures", "tokens", "in", "tokens", "out",
                             "uncounted"]  # fmt: skip
    assert [row.split() for row in rows if row != heads] == [
        ["large", "5", "1", "15", "5", "0"],
        ["small", "5", "1", "15", "5", "0"],
    ] * 2


def test_nothing_goes_as_unused_where_it_is_not_known_what_is_used(
    run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The calls of a single run, and of a grid of which a note is lost, may all be wanted."""
    (run_folder / "parts" / "large" / "uses" / "crs" / "done.json").unlink()
    assert main(["calls", "prune", str(run_folder), "--unused"]) == 2
    assert "does not say which calls this summary rests on" in capsys.readouterr().err
    (run_folder / JUDGED_USES).unlink()
    (run_folder / "parts" / "large" / "summaries" / "crs" / "done.json").unlink()
    assert main(["calls", "prune", str(run_folder), "--unused"]) == 2
    assert "which calls the scores rest on" in capsys.readouterr().err
    single = tmp_path / "single"
    Run.start(single, {})
    (run_folder / "calls.sqlite").rename(single / "calls.sqlite")
    assert main(["calls", "prune", str(single), "--unused"]) == 2
    assert "goes with the run folder of a grid" in capsys.readouterr().err
    assert left(single) == {"small": (5, 1), "large": (5, 1)}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list"], "required: STORE (see"),
        (["list", "nowhere"], "no call store there"),
        (["list", "run", "more"], "takes one store"),
        (["export", "run"], "needs --to"),
        (["merge", "run"], "at least one store to take from"),
        (["merge", "run", "run/calls.sqlite"], "is the store to merge into"),
        (["prune", "run"], "needs what is to go"),
        (["prune", "run/calls.sqlite", "--unused"], "goes with a run folder"),
        (["prune", "empty", "--failures"], "empty is empty"),
        (["prune", "notes.txt", "--failures"], "not a database"),
        (["merge", "notes.txt", "run"], "not a database"),
    ],
)
def test_what_cannot_be_done_is_told_and_nothing_is_touched(
    run_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(run_folder.parent)
    Path("empty").touch()
    Path("notes.txt").write_text("buy milk\n")
    assert main(["calls", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert (Path("empty").read_bytes(), Path("notes.txt").read_text()) == (b"", "buy milk\n")
    assert left(run_folder) == {"small": (5, 1), "large": (5, 1)}
