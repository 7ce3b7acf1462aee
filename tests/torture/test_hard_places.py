"""Disks, clocks, locks, stores and old folders: one clear line or a right result, for each verb."""

import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")

from globesumm.cli import main
from globesumm.runs import alone
from globesumm.shards import only_here
from tests.torture.cases import CASES, Case, Place
from tests.torture.forking import Commands
from tests.torture.killing import files, placed

pytestmark = pytest.mark.slow

ALL = bool(os.environ.get("GLOBESUMM_TORTURE"))
"""Whether every verb is tried, which takes minutes; else the few whose ways of writing differ."""

WITH_MODEL = ("summarize", "facts", *(("annotate", "grid", "perspective", "score") if ALL else ()))
FROM_THE_WEB = ("gdelt", *(("fetch", "portal") if ALL else ()))
LATER = 2 * 86_400


class Tried:
    """One verb in a folder of its own, run in this process, with what an undisturbed run leaves."""

    def __init__(self, name: str, place: Place, capsys: pytest.CaptureFixture[str]) -> None:
        self.case: Case = CASES[name]
        self.place, self._capsys = place, capsys
        place.models.says = self.case.says
        place.models.seconds = 0.0
        self.command = self.case.prepare(place)

    def run(self, out: Path) -> int:
        self._capsys.readouterr()
        status = main(self.command(out))
        self.said = self._capsys.readouterr().err
        return status

    def files(self, out: Path) -> dict[str, str]:
        return files(self.case, out)

    def refused(self, out: Path) -> str:
        """The last line that is said by a command that must end with status 2."""
        assert self.run(out) == 2, self.said[-2000:]
        assert "Traceback" not in self.said
        last = self.said.strip().splitlines()[-1]
        assert last.startswith("globesumm: ")
        return last


@pytest.fixture
def tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[[str], Tried]]:
    with placed(tmp_path / "place", seconds=0.0) as place:

        def one(name: str) -> Tried:
            for package in CASES[name].needs:
                if not importlib.util.find_spec(package):
                    pytest.skip(f"{package} is not installed")
            return Tried(name, place, capsys)

        yield one


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with very little room."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(place)]
    mounted = subprocess.run(command, check=False, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"no file system may be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def remount(disk: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(disk)], check=True)


def fill(disk: Path) -> Path:
    """A file that leaves `disk` no room at all."""
    ballast = disk / "ballast"
    handle = os.open(ballast, os.O_WRONLY | os.O_CREAT)
    with suppress(OSError):
        while os.write(handle, b"x" * 4096):
            pass
    os.close(handle)
    return ballast


@pytest.mark.parametrize("name", [*WITH_MODEL, *FROM_THE_WEB])
def test_a_disk_that_is_full_is_said_in_one_line_and_what_came_before_is_gone_on_from(
    name: str, tried: Callable[[str], Tried], disk: Path, tmp_path: Path
) -> None:
    one = tried(name)
    whole, out = tmp_path / "calm" / "out", disk / "out"
    whole.parent.mkdir()
    status = one.run(whole)
    if name == "score":
        one.command(out)
    ballast = fill(disk)
    last = one.refused(out)
    assert "space" in last or "room" in last or "full" in last
    ballast.unlink()
    assert one.run(out) == status, one.said[-1500:]
    assert one.files(out) == one.files(whole)


@pytest.mark.parametrize("name", [*WITH_MODEL, *FROM_THE_WEB])
def test_a_folder_that_cannot_be_written_is_said_in_one_line(
    name: str, tried: Callable[[str], Tried], disk: Path
) -> None:
    one, out = tried(name), disk / "out"
    if name == "score":
        one.command(out)
    remount(disk, "ro")
    last = one.refused(out)
    assert "ead-only" in last or "cannot be written" in last or "cannot be opened" in last
    assert str(disk) in last


@pytest.mark.parametrize("name", [*WITH_MODEL, *FROM_THE_WEB])
def test_a_second_process_is_refused_and_changes_nothing(
    name: str, tried: Callable[[str], Tried], tmp_path: Path
) -> None:
    one, out = tried(name), tmp_path / "out"
    assert one.run(out) in (0, 1)
    before = one.files(out)
    hold = only_here if name in FROM_THE_WEB else alone
    with hold(out / "results" if name == "fetch" else out):
        last = one.refused(out)
    assert "another process" in last
    assert one.files(out) == before


@pytest.mark.parametrize("name", [*WITH_MODEL, *FROM_THE_WEB])
def test_a_clock_that_was_set_back_after_a_kill_changes_no_result(
    name: str, tried: Callable[[str], Tried], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a process whose clock was set back, every file and record is of the future."""
    one, whole, out = tried(name), tmp_path / "calm" / "out", tmp_path / "out"
    whole.parent.mkdir()
    one.place.models.seconds = 0.01
    status = one.run(whole)
    killed(one, out, tmp_path)
    then = time.time() + LATER
    for path in out.rglob("*"):
        os.utime(path, (then, then))
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() - LATER)
    assert one.run(out) == status, one.said[-1500:]
    assert one.files(out) == one.files(whole)


def killed(one: Tried, out: Path, folder: Path) -> None:
    """The command in a process of its own, killed when a good part of it is done."""
    with Commands(folder) as commands:
        spare = out.parent / "spare"
        # The first one also imports what the second finds imported.
        lasts = commands.run(one.command(spare)).seconds
        shutil.rmtree(spare)
        commands.run(one.command(out), kill_after=lasts / 4)


@pytest.mark.parametrize("name", WITH_MODEL)
@pytest.mark.parametrize("lost", [1, 700] if ALL else [700])
def test_a_store_with_a_torn_last_record_costs_that_record_alone(
    name: str, lost: int, tried: Callable[[str], Tried], tmp_path: Path
) -> None:
    one, whole, out = tried(name), tmp_path / "calm" / "out", tmp_path / "out"
    whole.parent.mkdir()
    one.place.models.seconds = 0.01
    status = one.run(whole)
    killed(one, out, tmp_path)
    for log in out.rglob("*.sqlite-wal"):
        content = log.read_bytes()
        log.write_bytes(content[: max(0, len(content) - lost)])
    assert one.run(out) == status, one.said[-1500:]
    assert one.files(out) == one.files(whole)


def facts_of_an_old_version(out: Path) -> None:
    for path in out.rglob("run.json"):
        record = json.loads(path.read_text("utf-8"))
        record["facts"] = {"globesumm": "0.0.1", "python": "3.8.0"}
        path.write_text(json.dumps(record), "utf-8")


def another_form(out: Path) -> None:
    for path in out.rglob("run.json"):
        path.write_text('{"recipe": "crs", "version": 0}', "utf-8")


def another_store(out: Path) -> None:
    [path] = out.glob("calls.sqlite")
    base = sqlite3.connect(path)
    base.execute("PRAGMA user_version = 99")
    base.commit()
    base.close()


@pytest.mark.parametrize("name", sorted({*WITH_MODEL} - {"score"}))
@pytest.mark.parametrize("aged", [facts_of_an_old_version, another_form, another_store])
def test_the_folder_of_another_version_is_gone_on_from_or_refused_in_one_line(
    name: str, aged: Callable[[Path], None], tried: Callable[[str], Tried], tmp_path: Path
) -> None:
    one, out = tried(name), tmp_path / "out"
    status = one.run(out)
    whole = one.files(out)
    if aged is another_form and not list(out.rglob("run.json")):
        pytest.skip("this verb keeps no run.json")
    if aged is another_store and not (out / "calls.sqlite").exists():
        pytest.skip("this verb keeps its calls elsewhere")
    aged(out)
    if aged is facts_of_an_old_version:
        one.place.forget()
        assert one.run(out) == status
        assert one.files(out) == whole
        assert one.place.models.asked == []
    else:
        last = one.refused(out)
        assert "run.json" in last if aged is another_form else "format 99" in last
