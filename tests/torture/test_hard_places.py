"""Disks, clocks, locks, stores and old folders: one clear line or a right result, for each verb."""

import importlib.util
import json
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")

from filelock import FileLock

from globesumm.cli import main
from tests.torture.cases import CASES
from tests.torture.forking import Commands
from tests.torture.killing import files, placed, stored
from tests.torture.place import Case, Place
from tests.torture.small_disk import fill, remount, small_disk

pytestmark = pytest.mark.slow

ALL = bool(os.environ.get("GLOBESUMM_TORTURE"))

SHORT = {
    "full disk": ("annotate", "grid", "gdelt"),
    "disk that runs full": ("annotate",),
    "read-only folder": ("summarize", "facts", "gdelt"),
    "second process": ("summarize", "facts", "gdelt"),
    "clock set back": ("summarize", "grid", "gdelt"),
    "torn store": ("summarize", "annotate"),
    "another version": ("annotate", "facts", "perspective", "fetch", "portal"),
}
"""The verbs that each accident befalls in a short run; GLOBESUMM_TORTURE=1 has it befall all."""

LATER = 2 * 86_400

OF_CALLS = re.compile(r"(.*/)?calls\.sqlite|plots/cost-.*")


def verbs(accident: str) -> list[str]:
    return [*(CASES if ALL else SHORT[accident])]


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

    def undisturbed(self, out: Path, whole: Path) -> int:
        """Carry it out in `out`, whose path some records name, and move what it leaves away."""
        self.begin(out)
        status = self.run(out)
        whole.parent.mkdir(exist_ok=True)
        shutil.copytree(out, whole)
        shutil.rmtree(out)
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

    def begin(self, out: Path) -> None:
        """What lies in `out` before the command that is tried is begun."""
        self.command(out)

    def ends_as(self, whole: Path, status: int, out: Path) -> None:
        """The command goes on in `out`, and all there is then as in the undisturbed `whole`."""
        assert self.run(out) == status, self.said[-1500:]
        assert self.files(out) == self.files(whole)
        assert self.case.results(out) == self.case.results(whole)


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
    with small_disk(tmp_path / "disk") as place:
        yield place


@pytest.mark.parametrize("name", verbs("full disk"))
def test_a_disk_that_is_full_is_said_in_one_line_and_what_came_before_is_gone_on_from(
    name: str, tried: Callable[[str], Tried], disk: Path, tmp_path: Path
) -> None:
    one = tried(name)
    whole, out = tmp_path / "calm" / "out", disk / "out"
    status = one.undisturbed(out, whole)
    one.begin(out)
    ballast = fill(disk)
    last = one.refused(out)
    assert "space" in last or "room" in last or "full" in last
    ballast.unlink()
    one.ends_as(whole, status, out)


@pytest.mark.parametrize("name", verbs("disk that runs full"))
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8] if ALL else [0.5])
def test_a_disk_that_runs_full_on_the_way_loses_nothing_that_is_said_to_be_there(
    name: str, share: float, tried: Callable[[str], Tried], disk: Path, tmp_path: Path
) -> None:
    one = tried(name)
    whole, out = tmp_path / "calm" / "out", disk / "out"
    status = one.undisturbed(out, whole)
    needed = sum(path.stat().st_size for path in whole.rglob("*") if path.is_file())
    one.begin(out)
    ballast = fill(disk)
    os.truncate(ballast, ballast.stat().st_size - int(share * needed))
    if one.run(out) == 2:
        last = one.said.strip().splitlines()[-1]
        assert "Traceback" not in one.said
        assert last.startswith("globesumm: ")
        assert "space" in last or "room" in last or "full" in last
    else:
        assert one.files(out) == one.files(whole), one.said[-1500:]
    ballast.unlink()
    one.ends_as(whole, status, out)


@pytest.mark.parametrize("name", verbs("read-only folder"))
def test_a_folder_that_cannot_be_written_is_said_in_one_line(
    name: str, tried: Callable[[str], Tried], disk: Path
) -> None:
    one, out = tried(name), disk / "out"
    one.begin(out)
    remount(disk, "ro")
    last = one.refused(out)
    assert "ead-only" in last or "cannot be written" in last or "cannot be opened" in last
    assert str(disk) in last


@pytest.mark.parametrize("name", verbs("second process"))
def test_a_second_process_is_refused_and_changes_nothing(
    name: str, tried: Callable[[str], Tried], tmp_path: Path
) -> None:
    one, out = tried(name), tmp_path / "out"
    assert one.run(out) in (0, 1)
    before = one.files(out)
    locks = sorted(out.rglob("*.lock"))
    assert locks
    with ExitStack() as held:
        for path in locks:
            held.enter_context(FileLock(path).acquire(timeout=0))
        last = one.refused(out)
    assert "another process" in last
    assert one.files(out) == before


@pytest.mark.parametrize("name", verbs("clock set back"))
def test_a_clock_that_was_set_back_after_a_kill_changes_no_result(
    name: str, tried: Callable[[str], Tried], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a process whose clock was set back, every file and record is of the future."""
    one, whole, out = tried(name), tmp_path / "calm" / "out", tmp_path / "out"
    one.place.models.seconds = 0.01
    status = one.undisturbed(out, whole)
    killed(one, out, tmp_path)
    then = time.time() + LATER
    for path in out.rglob("*"):
        os.utime(path, (then, then))
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() - LATER)
    one.ends_as(whole, status, out)


def killed(one: Tried, out: Path, folder: Path, stores: tuple[str, ...] = ()) -> list[Path]:
    """The command in a process of its own, killed when a good part of it is done.

    With `stores` (patterns) it is killed at a moment when one of them holds something; these are
    returned.
    """
    with Commands(folder) as commands:
        spare = out.parent / "spare"
        # The first one also imports what the second finds imported.
        commands.run(one.command(spare))
        shutil.rmtree(spare)
        lasts = commands.run(one.command(spare)).seconds
        moment = lasts * (0.5 if stores else 0.25)
        for _ in range(12):
            for begun in (spare, out):
                shutil.rmtree(begun, ignore_errors=True)
            holding = (out, stores) if stores else None
            ended = commands.run(one.command(out), kill_after=moment, holding=holding)
            found = [path for pattern in stores for path in out.glob(pattern)]
            if not stores or (ended.killed and any(path.stat().st_size for path in found)):
                return found
            moment *= 0.7  # the store was let go before, or in the moment it was looked at
    raise AssertionError(f"it never held a store: {stores}")


@pytest.mark.parametrize("name", verbs("torn store"))
@pytest.mark.parametrize("lost", [1, 700] if ALL else [700])
def test_a_store_with_a_torn_last_record_costs_that_record_alone(
    name: str, lost: int, tried: Callable[[str], Tried], tmp_path: Path
) -> None:
    one, whole, out = tried(name), tmp_path / "calm" / "out", tmp_path / "out"
    if not one.case.stores:
        pytest.skip("this verb writes whole files alone, and nothing to the end of one")
    one.place.models.seconds = 0.05
    status = one.undisturbed(out, whole)
    for store in killed(one, out, tmp_path, one.case.stores):
        content = store.read_bytes()
        store.write_bytes(content[: max(0, len(content) - lost)])
    assert one.run(out) == status, one.said[-1500:]
    # A call whose work was finished and kept before is not bought again for the store's sake.
    lacking = stored(whole) - stored(out)
    assert stored(out) <= stored(whole)
    assert len(lacking) <= one.case.at_once
    assert without_calls(one.files(out)) == without_calls(one.files(whole))


def without_calls(held: dict[str, str]) -> dict[str, str]:
    """The files that a call missing from the store leaves as they were: it is in no cost either."""
    return {name: one for name, one in held.items() if not OF_CALLS.fullmatch(name)}


def facts_of_an_old_version(_: Case, out: Path) -> int:
    """Another version and another Python, by the records of runs."""
    found = list(out.rglob("run.json"))
    for path in found:
        record = json.loads(path.read_text("utf-8"))
        record["facts"] = {"globesumm": "0.0.1", "python": "3.8.0"}
        path.write_text(json.dumps(record), "utf-8")
    return len(found)


def another_form(case: Case, out: Path) -> int:
    """Records that are JSON and have other fields."""
    found = [path for pattern in case.records for path in out.glob(pattern)]
    for path in found:
        path.write_text('{"recipe": "crs", "version": 0}', "utf-8")
    return len(found)


def another_store(_: Case, out: Path) -> int:
    """A call store in a format that is not known here."""
    return of_format(out, 99)


def of_format(out: Path, version: int) -> int:
    found = list(out.rglob("calls.sqlite"))
    for path in found:
        base = sqlite3.connect(path)
        base.execute(f"PRAGMA user_version = {version}")
        base.commit()
        base.close()
    return len(found)


Aged = Callable[[Case, Path], int]

AGED: dict[Aged, str] = {
    facts_of_an_old_version: "this verb keeps no run.json",
    another_form: "this verb keeps no record of how its folder was made",
    another_store: "this verb keeps no calls",
}


@pytest.mark.parametrize("name", verbs("another version"))
@pytest.mark.parametrize("aged", AGED)
def test_the_folder_of_another_version_is_gone_on_from_or_refused_in_one_line(
    name: str, aged: Aged, tried: Callable[[str], Tried], tmp_path: Path
) -> None:
    one, out, whole = tried(name), tmp_path / "out", tmp_path / "calm" / "out"
    status = one.run(out)
    whole.parent.mkdir()
    shutil.copytree(out, whole)
    if not aged(one.case, out):
        pytest.skip(AGED[aged])
    one.place.forget()
    if aged is facts_of_an_old_version:
        one.ends_as(whole, status, out)
        assert one.place.models.asked == []
    elif aged is another_store and one.run(out) != status:
        assert "format 99" in one.refused(out)
    elif aged is another_store:
        # What is done, and asks nothing, may leave its store unopened.
        assert one.place.models.asked == []
        of_format(out, 1)
        assert one.files(out) == one.files(whole)
        assert one.case.results(out) == one.case.results(whole)
    elif one.run(out) == 2:
        last = one.said.strip().splitlines()[-1]
        assert "Traceback" not in one.said
        assert last.startswith("globesumm: ")
        assert any(Path(pattern).name in last for pattern in one.case.records) or str(out) in last
    else:
        one.ends_as(whole, status, out)
