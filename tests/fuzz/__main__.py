"""``python -m tests.fuzz --inputs 1000000``: every target of the table at length.

Inputs are mutated in two ways.  With atheris (the extra ``fuzz``; not on every Python) the first
100,000 of a target, ``--by-coverage``, are guided by the branches they reach, and those that
reached new ones are kept in ``.fuzz/``.  The others are these and the seeds edited by chance,
which tries many times as many a second.  The counts of both are kept, and the same command goes
on from there until each target has had as many as asked; ``--seconds`` ends a target's sitting
before.  An input that breaks a target is printed, and belongs into ``tests/fuzz/found.json``.
"""

import argparse
import importlib.util
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from tests.fuzz.by_chance import last_tried
from tests.fuzz.tally import Tally, Way
from tests.fuzz.targets import TARGETS, describe

KEPT = Path(".fuzz")


@dataclass(frozen=True)
class Tried:
    """How many inputs a target has had, in each way."""

    by_coverage: int
    by_chance: int

    @property
    def inputs(self) -> int:
        return self.by_coverage + self.by_chance

    def __str__(self) -> str:
        return f"{self.inputs:,} inputs, {self.by_coverage:,} of them by coverage"


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="a target, in all (1000000)")
    parser.add_argument(
        "--by-coverage", type=int, default=100_000, help="so many of them, the first (100000)"
    )
    parser.add_argument("--seconds", type=int, default=0, help="a target, at most, in this sitting")
    parser.add_argument("--only", help="targets, comma-separated")
    parser.add_argument("--so-far", action="store_true", help="only say how many were tried")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else list(TARGETS)
    guided = min(options.by_coverage, options.inputs)
    if importlib.util.find_spec("atheris") is None:
        guided = 0
        print("atheris is not installed: all inputs are by chance")
    failed = []
    for name in wanted:
        if options.so_far:
            print(f"{name}: {tried(name)}")
            continue
        fault = sitting(name, options.inputs, guided, options.seconds)
        if fault:
            failed.append(name)
            print(f"{name} FAILED: {fault}", flush=True)
    return 1 if failed else 0


def folder_of(name: str) -> Path:
    return KEPT / re.sub(r"\W+", "-", name)


def tried(name: str) -> Tried:
    return Tried(_count(name, "by-coverage"), _count(name, "by-chance"))


def _count(name: str, way: Way) -> int:
    tally = Tally(folder_of(name), way)
    try:
        return tally.count
    finally:
        tally.close()


def sitting(name: str, inputs: int, guided: int, seconds: int) -> str | None:
    """Go on until `name` had some `inputs`, `guided` of them by coverage; what broke it, if any.

    What a second brought is printed for each way, and how long the rest would take by it.
    """
    kept = folder_of(name)
    for folder in (kept / "corpus", kept / "found"):
        folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(TARGETS[name].seeds()):
        (kept / "corpus" / f"seed-{number}").write_bytes(content)
    until = time.monotonic() + seconds
    fault = None
    for way, goal in (("by coverage", guided), ("by chance", inputs)):
        before = tried(name)
        had = before.by_coverage if way == "by coverage" else before.inputs
        left = min(goal - had, inputs - before.inputs)
        most = max(1, round(until - time.monotonic())) if seconds else 0
        if fault or (seconds and time.monotonic() >= until):
            break
        if left <= 0:
            continue
        began = time.monotonic()
        fault = (by_coverage if way == "by coverage" else by_chance)(name, left, most)
        now, took = tried(name), time.monotonic() - began
        new = now.inputs - before.inputs
        each = took / new if new else 0.0
        rest = timedelta(seconds=round(each * (inputs - now.inputs)))
        print(
            f"{name}: {now}; {new:,} {way} in {took:.0f} s, {1000 * each:.3f} ms each"
            + (f", the rest would take {rest} so" if rest else ""),
            flush=True,
        )
    return fault


def by_coverage(name: str, inputs: int, seconds: int) -> str | None:
    """Try some `inputs` more by coverage; what broke the target, if anything did."""
    kept = folder_of(name)
    runs = inputs + len(list((kept / "corpus").iterdir()))
    limits = [f"-runs={runs}", *([f"-max_total_time={seconds}"] if seconds else [])]
    return _outcome(
        kept,
        ["tests.fuzz.by_coverage", name, str(kept), *limits, f"-artifact_prefix={kept}/found/",
         "-timeout=60", "-rss_limit_mb=4096", "-verbosity=0"],
    )  # fmt: skip


def by_chance(name: str, inputs: int, seconds: int) -> str | None:
    """The same by chance."""
    kept = folder_of(name)
    return _outcome(kept, ["tests.fuzz.by_chance", name, str(kept), str(inputs), str(seconds)])


def _outcome(kept: Path, module: list[str]) -> str | None:
    ended = subprocess.run(
        [sys.executable, "-m", *module],
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if ended.returncode == 0:
        return None
    found = re.findall(r"Test unit written to (\S+)", ended.stderr)
    told = ended.stdout.partition("Uncaught Python exception")[2] or ended.stderr
    broke = [Path(one).read_bytes() for one in found] or [last_tried(kept) or b""]
    return f"{told[-2500:]}\n{[describe(one) for one in broke]} {found} {ended.returncode}"


if __name__ == "__main__":
    sys.exit(main())
