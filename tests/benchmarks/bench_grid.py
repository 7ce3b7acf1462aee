"""What the grid's engine adds to the calls that a grid needs: none, little time, little else.

``python tests/benchmarks/bench_grid.py`` prints a Markdown table.  A server in a process of its
own answers each request after a latency drawn from its content, so that the least time any schedule
could take is known: the longest chain of calls, or the sum of all latencies over the calls in
flight.  Processor time is held against a bare `openai` client, 64 threads, that makes the same
calls in the same run.  Memory is the peak of processes of their own.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # the answering server is among the tests

from annotation.passages import in_order
from annotation.pipelines import PIPELINES
from annotation.stages import STAGES
from baselines.grid.carry_out import carry_out
from baselines.grid.cells import Cell
from baselines.grid.schedule import chain
from globesumm.config import Experiment, Limits
from globesumm.llm.call_store import CallStore
from globesumm.llm.request import Request
from globesumm.values import Event
from tests.grid.conftest import Grid, Server, answering, drawn, event, experiment, opened

AT_ONCE = 64
FEW_AT_ONCE = 16
SECONDS = (0.5, 2.0)
SHAPES = {"many events": (16, 6), "long chains": (3, 16)}
"""Events, and documents of each."""
MODEL_RECIPES = tuple(
    f"{schema}.{pipeline}.{prompting}"
    for schema in ("sts", "crs")
    for pipeline in PIPELINES
    for prompting in ("direct", "protocol")
)
MEMORY_RECIPES = ("crs.none.direct", "sts.kis.direct")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=[*SHAPES, "memory"], help="one part alone")
    parser.add_argument("--memory-of", type=int, metavar="EVENTS", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        print(peak_of(options.memory_of, options.url))
        return
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {AT_ONCE} in flight\n")
    print("| grid | measure | is | at most | of |")
    print("| --- | --- | ---: | ---: | --- |")
    for name, (events, documents) in SHAPES.items():
        if options.only in (None, name):
            for row in of_shape(name, events, documents):
                print(row, flush=True)
    if options.only in (None, "memory"):
        print(memory(), flush=True)


def of_shape(name: str, events: int, documents: int) -> list[str]:
    """The rows of one grid."""
    with (
        tempfile.TemporaryDirectory() as folder,
        answering(Path(folder) / "server.log", *SECONDS) as server,
    ):
        setup = of_all(MODEL_RECIPES, server.url)
        given = [event(number, documents) for number in range(events)]
        with opened(Path(folder) / "grid", setup, given) as grid:
            warm_up(server, Path(folder) / "warm", setup)
            before = len(server.asked)
            began, used = time.monotonic(), processor_seconds()
            outcome = carry_out(grid.folder, setup, grid.cells, grid.makers)
            wall, processor = time.monotonic() - began, processor_seconds() - used
            assert (outcome.failed, outcome.left) == (0, 0), outcome
            calls = {call.key: call.request for call in CallStore(grid.folder.store).answers()}
            asked = list(calls.values())
            seconds = {key: drawn(request, *SECONDS) for key, request in calls.items()}
            longest = max(
                chain_seconds(grid, cell, one, seconds) for cell in grid.cells for one in given
            )
        live = len(server.asked) - before
        total = sum(seconds.values())
        least = max(longest, total / AT_ONCE)
        bare = bare_client(asked, server.url)
    made = f"{len(asked)} calls, {outcome.made} summaries"
    bounds = f"{least:.1f} s (chain {longest:.1f}, all {total / AT_ONCE:.1f})"
    a_call = f"{1000 * bare / len(asked):.1f} ms a call"
    return [
        f"| {name} | live calls a distinct request | {live / len(asked):.3f} | 1 | {made} |",
        f"| {name} | wall time over the least | {wall / least:.2f} | 1.1 | {bounds} |",
        f"| {name} | processor time over a bare client | {processor / bare:.2f} | 2 | {a_call} |",
    ]


def of_all(recipes: Sequence[str], url: str, at_once: int = AT_ONCE) -> Experiment:
    return experiment("tiny", url=url, recipes=tuple(recipes), limits=Limits(at_once=at_once))


def chain_seconds(grid: Grid, cell: Cell, one: Event, seconds: Mapping[str, float]) -> float:
    """Seconds of the calls of one summary that must come one after the other."""
    keys = grid.folder.uses(cell.part, str(cell.recipe), one.id) or ()
    latencies = [seconds[key] for key in keys]
    planned = chain(cell.recipe, len(one.documents))
    rounds = planned.rounds * planned.of_round
    before = latencies[: len(latencies) - rounds]
    longest = 0.0
    for document in in_order(one.documents):
        calls = sum(
            not (STAGES[stage].into_target and document.language == cell.part.target)
            for stage in PIPELINES[cell.recipe.pipeline].prepare
        )
        longest = max(longest, sum(before[:calls]))
        before = before[calls:]
    assert not before, "the chain is not what it was taken for"
    return longest + sum(latencies[len(latencies) - rounds :])


def warm_up(server: Server, path: Path, setup: Experiment) -> None:
    """Everything imported and used once, so that neither side pays for it."""
    import openai

    client = openai.OpenAI(base_url=server.url, api_key="none")
    client.chat.completions.create(model="tiny", messages=[{"role": "user", "content": "Hello."}])
    with opened(path, setup, [event(10**6, 2)]) as grid:
        carry_out(grid.folder, setup, grid.cells, grid.makers)


def bare_client(asked: Sequence[Request], url: str) -> float:
    """Processor seconds of the `openai` package alone for the same calls."""
    import openai

    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0, timeout=600)
    began = processor_seconds()

    def call(request: Request) -> str:
        form: Any = openai.omit
        if request.schema:
            import json

            schema = {"name": "answer", "schema": json.loads(request.schema), "strict": True}
            form = {"type": "json_schema", "json_schema": schema}
        messages: Any = [{"role": m.role, "content": m.content} for m in request.messages]
        made = client.chat.completions.create(
            model=request.model, messages=messages, temperature=0.0, seed=request.seed,
            response_format=form,
        )  # fmt: skip
        return made.choices[0].message.content or ""

    with ThreadPoolExecutor(AT_ONCE) as pool:
        texts = list(pool.map(call, asked))
    assert all(texts)
    return processor_seconds() - began


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def memory() -> str:
    """Peak memory with 2,000 events over that with 20.

    Few calls are in flight, so that 20 events are enough to have as many summaries in the making
    as there ever are: what grows beyond that would grow with the grid.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        answering(Path(folder) / "server.log", 0.02, 0.05) as server,
    ):
        peaks = [
            float(
                subprocess.run(
                    [sys.executable, __file__, "--memory-of", str(count), "--url", server.url],
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout
            )
            for count in (20, 2000)
        ]
    return (
        f"| 2,000 events | peak memory over that of 20 events | {peaks[1] / peaks[0]:.2f} | flat "
        f"| {peaks[0]:.0f} MiB, {FEW_AT_ONCE} in flight |"
    )


def peak_of(events: int, url: str) -> float:
    """MiB at the peak of a grid with so many events, which are made one by one."""
    setup = of_all(MEMORY_RECIPES, url, FEW_AT_ONCE)
    given = (event(number, 3, "The ferry sank. " * 100) for number in range(events))
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder), setup) as grid:
        grid.folder.write_events(given)
        outcome = carry_out(grid.folder, setup, grid.cells, grid.makers)
        assert outcome.made == events * len(MEMORY_RECIPES), outcome
    # Not `ru_maxrss`: a process inherits that from the one that began it.
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return float(status.split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    main()
