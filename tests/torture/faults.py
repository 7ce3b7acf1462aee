"""``python -m tests.torture.faults --calls 10000``: a grid by a server that fails 3 times in 10."""

import argparse
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.grid.test_grid_faults import FAULTS, carry_out_with_faults
from tests.llm.conftest import QuirkServer

CALLS_AN_EVENT = 34
"""What the grid's recipes ask of four documents, with what is asked again after a fault."""


@dataclass(frozen=True, kw_only=True)
class Figures:
    """`faults` of the `calls` went wrong, in `kinds` ways; `grown_mib` is what memory gained."""

    calls: int
    faults: int
    kinds: int
    grown_mib: float


def carry_out_calls(folder: Path, calls: int) -> Figures:
    """At least `calls` calls; raises AssertionError where totals do not add up or one is unnamed.

    Memory is compared with that after a first small grid, which has imported and cached all.
    """
    _grid(folder / "first", 3)
    before = resident_mib()
    seen = _grid(folder / "all", calls // CALLS_AN_EVENT + 1)
    total = sum(seen.values())
    return Figures(
        calls=total,
        faults=total - seen["answer"],
        kinds=len(FAULTS.keys() & seen.keys()),
        grown_mib=resident_mib() - before,
    )


class _Forgetful(list[dict[str, Any]]):
    """What the server was sent, which it keeps in this process: not the memory that is meant."""

    def append(self, _: dict[str, Any]) -> None:
        """Keep nothing."""


def _grid(folder: Path, events: int) -> dict[str, int]:
    folder.mkdir()
    server = QuirkServer()
    server.calls, server.headers = _Forgetful(), _Forgetful()
    try:
        seen = carry_out_with_faults(folder, server, events).seen
    finally:
        server.stop()
    return seen


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
        print(carry_out_calls(Path(folder), options.calls))
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
