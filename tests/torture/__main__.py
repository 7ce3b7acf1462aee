"""``python -m tests.torture --kills 200``: the crash matrix at length, a line of figures a verb."""

import argparse
import importlib.util
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.labels import test_labelling_kills
from tests.torture.cases import CASES
from tests.torture.forking import Commands
from tests.torture.killing import placed, torture

LABELS = "label serve"


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.torture", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="over all verbs (200)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="verbs, comma-separated")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else [*CASES, LABELS]
    # The tests of proxies and keys have their own say; here nothing may leave the machine.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    runnable = [name for name in wanted if name == LABELS or not missing(name)]
    for name in wanted:
        if name not in runnable:
            print(f"{name}: left out, {', '.join(missing(name))} is not installed")
    failed = total = 0
    for place, name in enumerate(runnable):
        kills = options.kills // len(runnable) + (place < options.kills % len(runnable))
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="globesumm-torture-") as folder:
            try:
                line = one(name, Path(folder), kills, options.seed)
                total += kills
            except Exception:  # noqa: BLE001  # the other verbs are tried all the same
                traceback.print_exc()
                line, failed = "FAILED", failed + 1
        print(f"{name}: {line} ({time.monotonic() - began:.0f} s)", flush=True)
    print(f"{total} kills in all, {failed} verbs failed")
    return 1 if failed else 0


def missing(name: str) -> list[str]:
    return [package for package in CASES[name].needs if not importlib.util.find_spec(package)]


def one(name: str, folder: Path, kills: int, seed: int) -> str:
    if name == LABELS:
        test_labelling_kills.KILLS, test_labelling_kills.ITEMS = kills, 6 * kills
        test_labelling_kills.test_every_acknowledged_label_is_there_once_however_often_the_server_is_killed(
            folder
        )
        return f"{kills} kills, {18 * kills} labels of three writers, each there once"
    with placed(folder / "place") as place, Commands(folder) as commands:
        figures = torture(CASES[name], place, commands, kills, seed)
    return (
        f"{figures.kills} kills in {figures.runs} runs, each ended as undisturbed; "
        f"{figures.calm} requests a run, {figures.again} under way at a kill made again"
    )


if __name__ == "__main__":
    sys.exit(main())
