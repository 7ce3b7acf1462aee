"""``python -m tests.fuzz --inputs 1000000``: every target of the table at length.

With atheris (the extra ``fuzz``; not on every Python) the inputs are mutated by coverage, and
without it drawn by hypothesis.  Inputs that reached new code are kept in ``.fuzz/``, and the next
run goes on from them.
An input that breaks a target is printed, and belongs into ``tests/fuzz/found.json``.
"""

import argparse
import importlib.util
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.fuzz.targets import TARGETS, Target, carry_out, describe

KEPT = Path(".fuzz")


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="a target (1000000)")
    parser.add_argument("--seconds", type=int, default=0, help="a target, at most")
    parser.add_argument("--whole", action="store_true", help="as many for the slow ones too")
    parser.add_argument("--only", help="targets, comma-separated")
    parser.add_argument("--drawn", action="store_true", help="by hypothesis, not by coverage")
    options = parser.parse_args()
    by_coverage = not options.drawn and importlib.util.find_spec("atheris") is not None
    print(f"inputs are {'mutated by coverage' if by_coverage else 'drawn by hypothesis'}")
    failed = []
    for name in options.only.split(",") if options.only else TARGETS:
        share = 1.0 if options.whole else TARGETS[name].share
        inputs = max(1, int(options.inputs * share))
        began = time.monotonic()
        done, fault = (mutated if by_coverage else drawn)(name, inputs, options.seconds)
        print(f"{name}: {done} inputs in {time.monotonic() - began:.0f} s", flush=True)
        if fault:
            failed.append(name)
            print(f"{name} FAILED: {fault}", flush=True)
    return 1 if failed else 0


def mutated(name: str, inputs: int, seconds: int) -> tuple[int, str | None]:
    """Inputs that were tried by coverage, and what broke the target."""
    kept = KEPT / re.sub(r"\W+", "-", name)
    corpus, crashes = kept / "corpus", kept / "found"
    for folder in (corpus, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(TARGETS[name].seeds()):
        (corpus / f"seed-{number}").write_bytes(content)
    limits = [f"-runs={inputs}", *([f"-max_total_time={seconds}"] if seconds else [])]
    ended = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.by_coverage", name, str(corpus), *limits,
         f"-artifact_prefix={crashes}/", "-timeout=60", "-rss_limit_mb=4096", "-max_len=20000",
         "-print_final_stats=1", "-verbosity=0"],
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    count = re.search(r"number_of_executed_units:\s*(\d+)", ended.stderr)
    done = int(count[1]) if count else 0
    if ended.returncode == 0:
        return done, None
    found = re.findall(r"Test unit written to (\S+)", ended.stderr)
    told = ended.stdout.partition("Uncaught Python exception")[2] or ended.stderr
    broke = [describe(Path(one).read_bytes()) for one in found]
    return done, f"{told[-2500:]}\n{broke} {found}"


def drawn(name: str, inputs: int, seconds: int) -> tuple[int, str | None]:
    """The same without coverage."""
    from hypothesis import Phase, given, settings
    from hypothesis import strategies as st

    from tests.fuzz.changes import changed

    target: Target = TARGETS[name]
    seeds = target.seeds()
    until = time.monotonic() + seconds if seconds else float("inf")
    done = 0

    @settings(max_examples=500, database=None, phases=[Phase.generate])
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        nonlocal done
        content = data.draw(changed(target, seeds))
        done += 1
        try:
            carry_out(target, content)
        except Exception as error:
            error.add_note(describe(content))
            raise

    while done < inputs and time.monotonic() < until:
        try:
            tried()
        except Exception as error:  # noqa: BLE001  # it is what is looked for
            return done, f"{error!r} {getattr(error, '__notes__', '')}"
    return done, None


if __name__ == "__main__":
    sys.exit(main())
