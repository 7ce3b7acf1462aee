"""What is written for other tools: on a full disk, twice at once, and killed on the way."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from globesumm.cli import main
from tests.labels.served import ROOT
from tests.report.made_run import full_run
from tests.torture.cases import documents
from tests.torture.small_disk import fill, small_disk

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Export:
    """A command from its inputs and `--out`, and the packages it needs.

    One that `makes_room` takes away what it made before, so that no two states of labels mix.
    """

    command: Callable[[Path, Path], list[str]]
    needs: tuple[str, ...] = ()
    makes_room: bool = False


def of_run(*words: str) -> Callable[[Path, Path], list[str]]:
    verb, *more = words
    return lambda inputs, out: [verb, str(inputs / "run"), *more, "--out", str(out)]


def of_labels(*words: str) -> Callable[[Path, Path], list[str]]:
    verb, *more = words
    return lambda inputs, out: ["label", verb, str(inputs / "labels"), *more, "--out", str(out)]


EXPORTS = {
    "inspect": Export(of_run("export", "--to", "inspect"), needs=("inspect_ai",)),
    "datasets": Export(of_run("export", "--to", "datasets"), needs=("pyarrow",)),
    "report": Export(of_run("report")),
    "labels": Export(of_labels("export", "--format", "jsonl")),
    "labels as a table": Export(of_labels("export", "--format", "csv")),
    "labels for label studio": Export(of_labels("export", "--format", "label-studio")),
    "pages read": Export(
        lambda inputs, out: ["read", str(inputs / "texts"), "--language", "fr", "--out", str(out)]
    ),
    "documents without copies": Export(
        lambda inputs, out: ["duplicates", str(inputs / "event.jsonl"), "--out", str(out)]
    ),
    "clusters": Export(
        lambda inputs, out: [
            "cluster",
            str(inputs / "event.jsonl"),
            "--encoder",
            "hashed-ngrams",
            "--out",
            str(out),
        ]
    ),
    "results of labels": Export(of_labels("results"), makes_room=True),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with something in every part, and a labelling project with labels."""
    from tests.label_results.test_label_verbs import marked, unmarked

    folder = tmp_path_factory.mktemp("inputs")
    full_run(folder / "run")
    documents(folder)
    (folder / "texts").mkdir()
    for name in ("a", "b"):
        text = f"Le pont de Vale est tombé devant {name} personnes, et la rivière est fermée.\n" * 3
        (folder / "texts" / f"{name}.txt").write_text(text, encoding="utf-8")
    marked(unmarked(folder / "labels"))
    return folder


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as place:
        yield place


@pytest.fixture(params=EXPORTS)
def export(request: pytest.FixtureRequest) -> Export:
    one = EXPORTS[request.param]
    for package in one.needs:
        if not importlib.util.find_spec(package):
            pytest.skip(f"{package} is not installed")
    return one


def contents(folder: Path) -> dict[str, bytes]:
    """Logs of Inspect are zip files, which hold times."""
    return {
        str(path.relative_to(folder)): b"" if path.suffix == ".eval" else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def started(command: list[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "globesumm", *command],
        cwd=ROOT, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_on_a_full_disk_one_line_says_so_and_what_was_there_stays_whole(
    export: Export, inputs: Path, disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = export.command(inputs, disk / "made" / "out")
    assert main(command) in {0, 1}
    before = contents(disk / "made")
    ballast = fill(disk)
    capsys.readouterr()
    if main(command) == 2:
        said = capsys.readouterr().err
        assert "Traceback" not in said
        assert any(word in said.splitlines()[-1] for word in ("space", "room", "full")), said
        # Where several files are written, what is there is each whole, of this time or the last.
        assert contents(disk / "made").items() <= before.items()
    else:
        # What it made before was taken away first, which left it the room.
        assert export.makes_room
        assert contents(disk / "made") == before
    ballast.unlink()
    assert main(command) in {0, 1}
    assert contents(disk / "made") == before


def test_two_at_once_leave_what_one_leaves(export: Export, inputs: Path, tmp_path: Path) -> None:
    assert main(export.command(inputs, tmp_path / "calm" / "out")) in {0, 1}
    command = export.command(inputs, tmp_path / "both" / "out")
    both = [started(command) for _ in range(2)]
    for one in both:
        said = one.communicate(timeout=300)[1]
        assert one.returncode in {0, 1}, said
    assert contents(tmp_path / "both") == contents(tmp_path / "calm")


def test_after_a_kill_at_any_moment_the_same_command_leaves_nothing_half_written(
    export: Export, inputs: Path, tmp_path: Path
) -> None:
    assert main(export.command(inputs, tmp_path / "calm" / "out")) in {0, 1}
    out = tmp_path / "killed" / "out"
    command = export.command(inputs, out)
    begun = time.monotonic()
    whole = started(command)
    whole.communicate(timeout=300)
    seconds = time.monotonic() - begun
    for share in (0.7, 0.8, 0.9):
        victim = started(command)
        time.sleep(seconds * share)
        os.kill(victim.pid, signal.SIGKILL)
        victim.communicate(timeout=60)
    assert main(command) in {0, 1}
    assert contents(tmp_path / "killed") == contents(tmp_path / "calm")
