"""kill -9 at drawn moments, over and over, until what is left is compared with a calm run."""

import hashlib
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from globesumm.llm.call_store import CallStore
from tests.grid.conftest import asked_of
from tests.retrieval.mirror.web_server import Mirror
from tests.torture.asked_server import AskedServer
from tests.torture.forking import Commands, Ended
from tests.torture.place import Case, Place

MOST_IN_A_CHAIN = 12
"""Kills of one run before it may end."""

TEMPORARY = ("*.part", "*.tmp", "*_partial/*", "*.sqlite-journal")


@dataclass(frozen=True, kw_only=True)
class Figures:
    """`kills` that hit a run at work, in `runs` that were each ended and compared.

    `calm` requests make an undisturbed run; `again` were made once more, which a kill while they
    were under way explains.
    """

    kills: int
    runs: int
    calm: int
    again: int


def torture(case: Case, place: Place, commands: Commands, kills: int, seed: int) -> Figures:
    """Kill `case` `kills` times; an AssertionError where anything is lost, bought twice or left.

    The moments are drawn evenly over the time that the undisturbed command took; a run goes on,
    from where it was killed, until it ends, and is then compared, and the next begins.
    """
    place.models.says = case.says
    command = case.prepare(place)
    out, drawn = place.folder / "out", random.Random(seed)
    commands.run(command(out))
    whole, lasts, calm = _undisturbed(case, place, commands)
    killed = runs = again = 0
    while killed < kills:
        shutil.rmtree(out)
        place.forget()
        kept: set[str] = set()
        chain = 0
        while True:
            may_end = killed >= kills or chain >= MOST_IN_A_CHAIN
            began = len(place.models.asked)
            moment = None if may_end else drawn.uniform(0, lasts)
            ended = commands.run(command(out), kill_after=moment)
            twice = kept & set(place.models.asked[began:])
            assert not twice, f"{len(twice)} stored calls were made again after kill {chain}"
            if not ended.killed:
                break
            killed, chain = killed + 1, chain + 1
            # What is asked in several samples looks the same each time; its sum is bounded below.
            kept |= {one for one in stored(out) if calm[one] == 1}
        assert ended.status == whole.status, f"after {chain} kills: {ended.said[-2000:]}"
        _compare(whole.files, files(case, out), chain)
        assert case.results(out) == whole.results
        asked = Counter(place.asked())
        if not case.batched:
            assert asked.keys() == calm.keys(), _differing(asked.keys(), calm.keys())
        more = asked.total() - calm.total()
        assert more <= chain * case.at_once, f"{more} requests more after {chain} kills"
        again, runs = again + max(0, more), runs + 1
    return Figures(kills=killed, runs=runs, calm=calm.total(), again=again)


@dataclass(frozen=True, kw_only=True)
class Whole:
    """What an undisturbed run leaves."""

    status: int
    files: dict[str, str]
    results: object


def _undisturbed(case: Case, place: Place, commands: Commands) -> tuple[Whole, float, Counter[str]]:
    out = place.folder / "out"
    shutil.rmtree(out)
    command = case.prepare(place)
    command(out)
    place.forget()
    ended: Ended = commands.run(command(out))
    assert ended.status in (0, 1), ended.said[-2000:]
    whole = Whole(status=ended.status, files=files(case, out), results=case.results(out))
    assert whole.files or whole.results
    assert not left_over(out)
    return whole, ended.seconds, Counter(place.asked())


def files(case: Case, out: Path) -> dict[str, str]:
    """Every file but those aside, with a digest of its bytes; of call stores what they hold."""
    digests = {}
    for path in sorted(out.rglob("*")):
        name = path.relative_to(out).as_posix()
        if not path.is_file():
            continue
        if path.name == "calls.sqlite":
            digests[name] = repr(sorted(stored(path.parent, deep=False)))
        elif not any(fnmatchcase(name, pattern) for pattern in case.aside):
            digests[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return digests | dict.fromkeys(left_over(out), "left over")


def left_over(out: Path) -> list[str]:
    """Temporary files, which a finished run has none of, also in folders that are kept aside."""
    names = [path.relative_to(out).as_posix() for path in out.rglob("*")]
    return sorted(n for n in names if any(fnmatchcase(n, pattern) for pattern in TEMPORARY))


def stored(out: Path, *, deep: bool = True) -> set[str]:
    """What the server was asked for each answer that is on the disk in a call store."""
    found: set[str] = set()
    for path in out.glob("**/calls.sqlite" if deep else "calls.sqlite"):
        # Looked at in a copy: opening a store mends it, which is the resumed run's own work.
        with copied(path) as copy:
            try:
                store = CallStore(copy)
                found |= {asked_of(call.request) for call in store.answers()}
                store.close()
            except sqlite3.Error:  # killed before it had tables
                continue
    return found


@contextmanager
def copied(path: Path) -> Iterator[Path]:
    folder = path.parent.parent / f"{path.parent.name}-looked-at"
    folder.mkdir(exist_ok=True)
    for one in path.parent.glob(f"{path.name}*"):
        if not one.name.endswith("-shm"):
            shutil.copy(one, folder)
    try:
        yield folder / path.name
    finally:
        shutil.rmtree(folder)


def _compare(whole: dict[str, str], cut: dict[str, str], kills: int) -> None:
    names = sorted(name for name in whole.keys() | cut.keys() if whole.get(name) != cut.get(name))
    assert not names, f"after {kills} kills other than undisturbed: {names[:10]}"


def _differing(one: object, other: object) -> str:
    assert isinstance(one, type({}.keys()))
    assert isinstance(other, type({}.keys()))
    return f"asked besides: {sorted(one - other)[:3]}; not asked: {sorted(other - one)[:3]}"


@contextmanager
def placed(folder: Path, seconds: float = 0.01) -> Iterator[Place]:
    """A folder and the two servers, for one case."""
    folder.mkdir(parents=True, exist_ok=True)
    models = AskedServer(seconds)
    with Mirror() as mirror:
        yield Place(folder, models, mirror)
    models.shutdown()
    models.server_close()
