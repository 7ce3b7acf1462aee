"""What the shard runner costs beside a bare process pool, and whether it grows with its input.

``python tests/benchmarks/bench_shards.py`` prints a Markdown table: for a stage that writes a
small file, the processor seconds of all processes and the wall-clock time a shard, the peak
memory of the process that runs it, each in a process of its own, and the ratio to the bare pool
(`concurrent.futures.ProcessPoolExecutor` writing the same files under their final names).  The
runner forces each result and its counts to the disk; "of which forced" is what that costs alone.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from globesumm.shards import Shard, run_stage

SHARDS = (500, 5000)
CONTENT = b"row\n" * 1000


def write(shard: Shard, part: Path) -> Mapping[str, int]:
    part.write_bytes(CONTENT)
    return {"rows": 1000}


def shards(count: int) -> Iterator[Shard]:
    for number in range(count):
        yield Shard(f"{number:08d}.gkg.csv", f"http://data.example/{number:08d}.gkg.csv.zip")


def runner(count: int, folder: Path, workers: int) -> None:
    outcome = run_stage(
        write, shards(count), folder, suffix=".tsv", workers=workers, progress_name="shards"
    )
    if outcome.counts != {"rows": 1000 * count}:
        raise SystemExit(f"counted {outcome.counts}")


def bare_write(name: str) -> None:
    Path(name).write_bytes(CONTENT)


def bare(count: int, folder: Path) -> None:
    folder.mkdir()
    names = [str(folder / f"{shard.name}.tsv") for shard in shards(count)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for _ in pool.map(bare_write, names):
            pass


def forced(count: int, folder: Path) -> None:
    """Two files a shard written, forced to the disk and renamed; nothing else."""
    folder.mkdir()
    handle = os.open(folder, os.O_RDONLY)
    for number in range(count):
        for content in (CONTENT, b"{}"):
            with (folder / "part").open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            (folder / "part").replace(folder / f"{number}.{len(content)}")
        os.fsync(handle)


WAYS: Mapping[str, Callable[[int, Path], None]] = {
    "bare pool, 2 processes": bare,
    "runner, 2 processes": lambda count, folder: runner(count, folder, 2),
    "runner, this process": lambda count, folder: runner(count, folder, 1),
    "of which forced to the disk": forced,
    "runner, everything there already": lambda count, folder: runner(count, folder, 1),
}


def one(way: str, count: int, folder: Path) -> None:
    """Run `way` in this process and print what it took, as JSON."""
    before, began = _processor_seconds(), time.perf_counter()
    WAYS[way](count, folder)
    wall = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    used = _processor_seconds() - before
    print(json.dumps({"wall": wall, "processor": used, "peak": peak}))


def _processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    usages = [resource.getrusage(kind) for kind in kinds]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measured(way: str, count: int, folder: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", way, str(count), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--one", nargs=3, metavar=("WAY", "COUNT", "FOLDER"))
    parser.add_argument("--shards", type=int, nargs="+", default=SHARDS)
    options = parser.parse_args()
    if options.one:
        way, count, folder = options.one
        one(way, int(count), Path(folder))
        return
    print("| way | shards | processor ms a shard | × bare | wall ms a shard | peak MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for count in options.shards:
        with tempfile.TemporaryDirectory() as scratch:
            base = 0.0
            for way in WAYS:
                there = way.endswith("already")
                name = "runner, this process" if there else way
                found = measured(way, count, Path(scratch) / name.replace(" ", "-"))
                each = 1000 * found["processor"] / count
                base = base or each
                print(
                    f"| {way} | {count:,} | {each:.2f} | {each / base:.1f} "
                    f"| {1000 * found['wall'] / count:.2f} | {found['peak']:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
