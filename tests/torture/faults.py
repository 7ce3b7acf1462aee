"""``python -m tests.torture.faults --calls 10000``: a grid by a server that fails 3 times in 10."""

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from globesumm.llm.metered import Meter
from tests.grid.test_grid_faults import FAULTS, carry_out_with_faults
from tests.torture.faulty_server import faulty_server

CALLS_AN_EVENT = 34
"""What the grid's recipes ask of four documents, with what is asked again after a fault."""


@dataclass(frozen=True, kw_only=True)
class Figures:
    """`faults` of the `calls` went wrong, in `kinds` ways.

    `held` is this process's memory (MiB) by the calls that were over then; the server's is not in
    it.
    """

    calls: int
    faults: int
    kinds: int
    held: dict[int, float]

    @property
    def grown_mib(self) -> float:
        """Memory gained between the first and the last measure."""
        return list(self.held.values())[-1] - next(iter(self.held.values()))


@dataclass
class Watch:
    """Memory at each `every` calls of one grid."""

    every: int
    held: dict[int, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, meter: Meter) -> Iterator[None]:
        over = threading.Event()
        watching = threading.Thread(target=self._watch, args=(meter, over))
        watching.start()
        try:
            yield
        finally:
            over.set()
            watching.join()

    def _watch(self, meter: Meter, over: threading.Event) -> None:
        due, ended = self.every, False
        while not ended:
            ended = over.wait(0.05)
            calls = meter.totals.calls
            if calls >= due or ended:
                self.held[calls] = resident_mib()
                due = (calls // self.every + 1) * self.every


def carry_out_calls(folder: Path, calls: int, every: int | None = None) -> Figures:
    """At least `calls` calls; raises AssertionError where totals do not add up or one is unnamed.

    A first small grid imports and caches all; in the next one memory is measured at each `every`
    calls (a fifth of them) and at its end.
    """
    watch = Watch(every or max(1, calls // 5))
    _grid(folder / "first", 3, Watch(calls))
    seen = _grid(folder / "all", calls // CALLS_AN_EVENT + 1, watch)
    total = sum(seen.values())
    return Figures(
        calls=total,
        faults=total - seen["answer"],
        kinds=len(FAULTS.keys() & seen.keys()),
        held=watch.held,
    )


def _grid(folder: Path, events: int, watch: Watch) -> dict[str, int]:
    folder.mkdir()
    with faulty_server() as server:
        return carry_out_with_faults(folder, server.url, server.seen, events, watch)


def resident_mib() -> float:
    """Memory of this process that is held now, in MiB (Linux)."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.torture.faults", description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        figures = carry_out_calls(Path(folder), options.calls)
    print(f"{figures.calls} calls, {figures.faults} of them faulty in {figures.kinds} ways")
    for calls, held in figures.held.items():
        print(f"{calls} calls: {held:.1f} MiB")
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
