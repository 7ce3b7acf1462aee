"""Two rounds on a toy model: what was learnt holds on sides not trained on, killed or not."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from baselines.preference.record import RoundRecord
from globesumm.cli.main import run as globesumm
from globesumm.llm.backends import open_model
from globesumm.llm.errors import CutOff
from globesumm.llm.request import Completion, Decoding, Message, Request
from globesumm.records import read_record
from globesumm.runs import Run
from tests.lying import lying
from tests.preference.conftest import WORDS, Config

pytest.importorskip("trl", reason="preference tuning needs the extra tuning")
pytest.importorskip("peft", reason="preference tuning needs the extra tuning")

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Finished:
    config: Path
    out: Path
    said: str

    def round(self, number: int) -> RoundRecord:
        return read_record(self.out / f"round-{number:02d}" / "round.json", RoundRecord)

    def model(self, number: int) -> Path:
        return self.out / f"round-{number:02d}" / "model"


@pytest.fixture(scope="module")
def finished(config: Config, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("undisturbed")
    path = config(folder, score="true", final='["rerank-rouge"]')
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        assert globesumm(["prefer", str(path), "--out", str(folder / "run")]) == 0
    return Finished(path, folder / "run", said.getvalue())


def command(path: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*arguments(path, out), *more],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )


def arguments(path: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", "globesumm", "prefer", str(path), "--out", str(out)]


def environment() -> dict[str, str]:
    root = Path(__file__).resolve().parents[2]
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(root)}


def weights(folder: Path) -> bytes:
    return (folder / "adapter_model.safetensors").read_bytes()


def asked(name: str) -> list[str]:
    """Six draws, whole or not: how they begin is what differs."""
    with open_model(name) as model:
        requests = [
            Request(
                model=model.name,
                messages=(Message("user", "material river bridge words"),),
                decoding=Decoding(temperature=1.0, max_tokens=20, seed=seed),
            )
            for seed in range(6)
        ]
        outcomes = list(model.complete_all(requests))
    found = [one.completion if isinstance(one, CutOff) else one for one in outcomes]
    return [one.text for one in found if isinstance(one, Completion)]


def shared(texts: list[str]) -> float:
    """The share of words that reports have."""
    said = " ".join(texts).split()
    return sum(word in WORDS for word in said) / len(said)


def test_held_out_pairs_are_told_apart_better_after_two_rounds(finished: Finished) -> None:
    before, after = (finished.round(one).held_out.accuracy for one in (0, 2))
    assert before.pairs == after.pairs >= 24
    assert before.rewarded == 0.5
    assert after.rewarded is not None
    assert after.rewarded > 0.55
    assert after.margin is not None
    assert after.margin > 0


def test_drafts_of_sides_not_trained_on_are_rated_higher(finished: Finished) -> None:
    before, after = (finished.round(one).held_out.drafts for one in (0, 2))
    assert before is not None
    assert after is not None
    first, last = before.mean["rouge"], after.mean["rouge"]
    assert first is not None
    assert last is not None
    assert last > first + 0.02


def test_the_second_round_draws_from_what_the_first_made(finished: Finished) -> None:
    assert finished.round(1).drew == "toy"
    assert finished.round(2).drew == "toy+round-01"
    assert weights(finished.model(1)) != weights(finished.model(2))


def test_the_table_tells_every_round(finished: Finished) -> None:
    assert [line.split()[0] for line in finished.said.splitlines()[1:4]] == ["0", "1", "2"]
    assert "transformers:" in finished.said
    assert "{'loss'" not in finished.said


def test_the_tuned_model_summarizes_the_test_sides(finished: Finished) -> None:
    run = Run.open(finished.out / "after-round-02")
    made = run.summaries()
    assert {one.model for one in made} == {"toy+round-02"}
    assert {one.recipe.rpartition(".")[2] for one in made} == {"rerank-rouge"}
    assert len(made) == 4


@pytest.mark.parametrize("prefix", ["", "transformers:", "pine:"])
def test_the_adapter_serves_by_its_folder_and_answers_otherwise_than_its_base(
    finished: Finished, toy: Path, prefix: str
) -> None:
    base, tuned = asked(f"{prefix}{toy}"), asked(f"{prefix}{finished.model(2)}")
    assert len(base) == len(tuned) == 6
    assert tuned != base
    assert shared(tuned) > shared(base) + 0.1
    assert asked(f"{prefix}{finished.model(2)}") == tuned


def test_the_same_command_on_a_finished_run_trains_nothing(finished: Finished) -> None:
    before = {path: path.stat().st_mtime_ns for path in finished.out.glob("round-*/**/*")}
    status = globesumm(["prefer", str(finished.config), "--out", str(finished.out)])
    assert status == 0
    after = {path: path.stat().st_mtime_ns for path in finished.out.glob("round-*/**/*")}
    assert after == before


def test_a_run_with_another_beta_is_refused_by_the_setting_that_differs(
    finished: Finished, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = finished.config.read_text(encoding="utf-8")
    other = finished.config.with_name("other.toml")
    other.write_text(text.replace("[training]", "[training]\nbeta = 0.5"), encoding="utf-8")
    assert globesumm(["prefer", str(other), "--out", str(finished.out)]) == 2
    assert "training" in capsys.readouterr().err


def test_a_run_killed_while_drawing_and_while_training_ends_as_one_undisturbed(
    finished: Finished, config: Config, tmp_path: Path
) -> None:
    path, out = config(tmp_path / "killed", steps=2), tmp_path / "killed" / "run"
    checkpoint = out / "round-01" / "checkpoints"
    kill_when(path, out, (out / "calls.sqlite").exists)
    kill_when(path, out, lambda: bool(lying(checkpoint, "checkpoint-*/trainer_state.json")))
    left = sorted(checkpoint.glob("checkpoint-*"))
    assert left, "killed before the first checkpoint or after the last"
    (checkpoint / "checkpoint-9999").mkdir()  # as a kill in the middle of writing leaves one
    done = command(path, out, "--rounds", "1")
    assert done.returncode == 0, done.stderr
    again = Finished(path, out, done.stdout)
    first = again.round(1).trained
    assert first is not None
    assert first.resumed_from is not None
    assert weights(again.model(1)) == weights(finished.model(1))
    assert again.round(1).held_out.accuracy == finished.round(1).held_out.accuracy
    assert not checkpoint.exists()


def kill_when(path: Path, out: Path, reached: Callable[[], bool]) -> None:
    process = subprocess.Popen(
        arguments(path, out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            if reached():
                break
            time.sleep(0.005)
        assert process.poll() is None, "it ended before it could be killed"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
