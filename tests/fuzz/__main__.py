"""``python -m tests.fuzz --inputs 1000000``: every target of the table at length.

With atheris (the extra ``fuzz``; not on every Python) the inputs are mutated by coverage, and
without it drawn by hypothesis.  Inputs that reached new code are kept in ``.fuzz/`` with the count
of all that were tried, and the same command goes on from there until each target has had as many
as asked; ``--seconds`` ends a target's sitting before.
An input that breaks a target is printed, and belongs into ``tests/fuzz/found.json``.
"""

import argparse
import importlib.util
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.fuzz.tally import Tally
from tests.fuzz.targets import TARGETS, Target, carry_out, describe

KEPT = Path(".fuzz")


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="a target, in all (1000000)")
    parser.add_argument("--seconds", type=int, default=0, help="a target, at most, in this sitting")
    parser.add_argument("--only", help="targets, comma-separated")
    parser.add_argument("--drawn", action="store_true", help="by hypothesis, not by coverage")
    parser.add_argument("--so-far", action="store_true", help="only say how many were tried")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else list(TARGETS)
    if options.so_far:
        for name in wanted:
            print(f"{name}: {_tried(name):,} inputs")
        return 0
    by_coverage = not options.drawn and importlib.util.find_spec("atheris") is not None
    print(f"inputs are {'mutated by coverage' if by_coverage else 'drawn by hypothesis'}")
    failed = []
    for name in wanted:
        began, before = time.monotonic(), _tried(name)
        left = options.inputs - before
        fault = None
        if left > 0:
            fault = (mutated if by_coverage else drawn)(name, left, options.seconds)
        after, seconds = _tried(name), time.monotonic() - began
        print(f"{name}: {after:,} inputs, {after - before:,} in {seconds:.0f} s", flush=True)
        if fault:
            failed.append(name)
            print(f"{name} FAILED: {fault}", flush=True)
    return 1 if failed else 0


def folder_of(name: str) -> Path:
    return KEPT / re.sub(r"\W+", "-", name)


def _tried(name: str) -> int:
    tally = Tally(folder_of(name))
    try:
        return tally.count
    finally:
        tally.close()


def mutated(name: str, inputs: int, seconds: int) -> str | None:
    """Try some `inputs` more by coverage; what broke the target, if anything did."""
    kept = folder_of(name)
    corpus, crashes = kept / "corpus", kept / "found"
    for folder in (corpus, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(TARGETS[name].seeds()):
        (corpus / f"seed-{number}").write_bytes(content)
    runs = inputs + len(list(corpus.iterdir()))
    limits = [f"-runs={runs}", *([f"-max_total_time={seconds}"] if seconds else [])]
    ended = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.by_coverage", name, str(kept), *limits,
         f"-artifact_prefix={crashes}/", "-timeout=60", "-rss_limit_mb=4096", "-verbosity=0"],
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if ended.returncode == 0:
        return None
    found = re.findall(r"Test unit written to (\S+)", ended.stderr)
    told = ended.stdout.partition("Uncaught Python exception")[2] or ended.stderr
    broke = [describe(Path(one).read_bytes()) for one in found]
    return f"{told[-2500:]}\n{broke} {found}"


def drawn(name: str, inputs: int, seconds: int) -> str | None:
    """The same without coverage."""
    from hypothesis import Phase, given, settings
    from hypothesis import strategies as st

    from tests.fuzz.changes import changed

    target: Target = TARGETS[name]
    seeds = target.seeds()
    until = time.monotonic() + seconds if seconds else float("inf")
    tally = Tally(folder_of(name))
    enough = tally.count + inputs

    @settings(max_examples=500, database=None, phases=[Phase.generate])
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        content = data.draw(changed(target, seeds))
        tally.add()
        try:
            carry_out(target, content)
        except Exception as error:
            error.add_note(describe(content))
            raise

    while tally.count < enough and time.monotonic() < until:
        try:
            tried()
        except Exception as error:  # noqa: BLE001  # it is what is looked for
            return f"{error!r} {getattr(error, '__notes__', '')}"
    return None


if __name__ == "__main__":
    sys.exit(main())
