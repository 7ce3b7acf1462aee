"""Files that appear whole or not at all, and what a kill left of one is removed by the next."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from globesumm.errors import UsageError
from globesumm.runs import Run, alone
from globesumm.shards import only_here
from globesumm.unfinished import new_file, place_beside, sweep

FORK = multiprocessing.get_context("fork")


def write_slowly(path: Path, begun: Event) -> None:
    with new_file(path) as file:
        file.write(b"half")
        file.flush()
        begun.set()
        signal.pause()


def hold(path: Path, begun: Event) -> None:
    with place_beside(path):
        begun.set()
        signal.pause()


def left(folder: Path) -> list[str]:
    return sorted(path.name.split(".")[1] for path in folder.rglob(".*.part"))


@pytest.mark.parametrize("writing", [write_slowly, hold])
def test_what_a_killed_process_wrote_is_swept_and_what_a_live_one_writes_stays(
    tmp_path: Path, writing: Callable[[Path, Event], None]
) -> None:
    running = []
    for name in ("dead", "alive"):
        begun = FORK.Event()
        process = FORK.Process(target=writing, args=(tmp_path / "deep" / name, begun))
        process.start()
        assert begun.wait(20)
        running.append(process)
    dead, alive = running
    assert left(tmp_path) == ["alive", "dead"]
    dead.kill()
    dead.join()
    assert sweep(tmp_path) == 1
    assert left(tmp_path) == ["alive"]
    alive.kill()
    alive.join()
    assert sweep(tmp_path) == 1
    assert left(tmp_path) == []


@pytest.mark.parametrize("holding", [alone, only_here])
def test_a_process_that_takes_a_folder_for_itself_finds_no_leftovers(
    tmp_path: Path, holding: Callable[[Path], AbstractContextManager[None]]
) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / ".a.md.x7s1_bcd.part").write_text("half")
    others = [tmp_path / name for name in ("my.part", ".film.part", ".film.mkv.part", ".part")]
    for file in others:
        file.write_text("not of this package's making")
    with holding(tmp_path):
        assert not (tmp_path / "tables" / ".a.md.x7s1_bcd.part").exists()
    assert all(file.exists() for file in others)


def test_an_error_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")

    def fail() -> None:
        with new_file(path) as file:
            file.write(b"ne")
            raise OSError(28, "full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]
    assert path.read_text() == "old"


def test_a_file_swept_between_its_making_and_its_lock_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from globesumm import unfinished

    flock = unfinished.fcntl.flock
    made: list[Path] = []

    def swept_first(handle: int, how: int) -> None:
        if not made:
            [path] = tmp_path.glob(".*.part")
            path.unlink()
            made.append(path)
        flock(handle, how)

    monkeypatch.setattr(unfinished.fcntl, "flock", swept_first)
    with new_file(tmp_path / "a") as file:
        file.write(b"whole")
    assert made
    assert (tmp_path / "a").read_bytes() == b"whole"
    assert left(tmp_path) == []
    assert os.stat(tmp_path / "a").st_mode & 0o777 == 0o644  # noqa: PTH116


def test_a_run_killed_before_its_first_file_was_whole_begins_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / ".lock").touch()
    (folder / ".run.json.x7s1abcd.part").write_text('{"set')
    run = Run.start(folder, {"seed": 0})
    with run.alone():
        assert sorted(path.name for path in folder.iterdir()) == [".lock", "run.json"]
    (folder / "run.json").unlink()
    (folder / "notes.txt").touch()
    with pytest.raises(UsageError, match="not empty"):
        Run.start(folder, {"seed": 0})
