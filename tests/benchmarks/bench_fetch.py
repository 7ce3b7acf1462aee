"""What politeness costs: pages a second beside bare aiohttp, in one run on one machine.

``python tests/benchmarks/bench_fetch.py`` prints a Markdown table.  A server in a process of its
own answers after 50 ms with a page of 45 KB; 200 host names are asked, 200 requests are open.  The
bare client reads the same pages through one session and does nothing else.  Ours reads
robots.txt, keeps each host's turns, checks every address and unpacks within limits; in the last
row it also keeps every page as WARC.  Rounds are run in turns; shown is the middle of the ratios.
"""

import argparse
import asyncio
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from retrieval.answers import Fetched
from retrieval.fetch_many import fetch_each
from retrieval.fetching import Fetching
from retrieval.page_store import Bucket

HOSTS = 200
IN_FLIGHT = 200
SECONDS = 0.05
WORDS = ("the", "bridge", "over", "river", "closed", "after", "engineers", "found", "cracks", "in")


def page(size: int) -> bytes:
    body = "".join(
        f"<p>{WORDS[place * 7 % len(WORDS)]} {place} {WORDS[place * 3 % len(WORDS)]}</p>"
        for place in range(size // 18)
    )
    return f"<html><body>{body}</body></html>".encode()[:size]


def serve(port: Any, size: int) -> None:
    from aiohttp import web

    content = page(size)

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        await asyncio.sleep(SECONDS)
        return web.Response(body=content, content_type="text/html", charset="utf-8")

    async def run() -> None:
        app = web.Application()
        app.router.add_get("/{path:.*}", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        port.put(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(run())


def bare(urls: list[str], port: int) -> int:
    from aiohttp import ClientSession, TCPConnector
    from aiohttp.abc import AbstractResolver

    class Here(AbstractResolver):
        async def resolve(self, host: str, _port: int = 0, family: Any = 0) -> list[Any]:
            return [{"hostname": host, "host": "127.0.0.1", "port": port, "family": family,
                     "proto": 0, "flags": 0}]  # fmt: skip

        async def close(self) -> None:
            pass

    async def run() -> int:
        slots = asyncio.Semaphore(IN_FLIGHT)
        async with ClientSession(
            connector=TCPConnector(resolver=Here(), limit=IN_FLIGHT)
        ) as session:

            async def one(url: str) -> int:
                async with slots, session.get(url) as response:
                    return len(await response.read())

            return sum(await asyncio.gather(*map(one, urls)))

    return asyncio.run(run())


def settings(port: int) -> Fetching:
    return Fetching(
        concurrency=IN_FLIGHT, delay_seconds=0.0, connect_to={"*.example": f"127.0.0.1:{port}"}
    )


def polite(urls: list[str], port: int) -> int:
    answers = fetch_each([(url, None) for url in urls], settings(port), 1_000_000)
    return sum(len(answer.content) for _, answer in answers if isinstance(answer, Fetched))


def kept(urls: list[str], port: int) -> int:
    size = 0
    with tempfile.TemporaryDirectory() as folder, Bucket(Path(folder), 0) as bucket:
        answers = fetch_each([(url, None) for url in urls], settings(port), 1_000_000)
        for url, answer in answers:
            bucket.add(url, answer)
            size += len(answer.content) if isinstance(answer, Fetched) else 0
    return size


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=4000)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--size", type=int, default=45_000)
    chosen = options.parse_args()
    context = multiprocessing.get_context("spawn")
    ports: Any = context.Queue()
    server = context.Process(target=serve, args=(ports, chosen.size), daemon=True)
    server.start()
    port = ports.get(timeout=60)
    urls = [f"http://h{number % HOSTS}.example/{number}" for number in range(chosen.pages)]
    ways: dict[str, Callable[[list[str], int], int]] = {
        "bare aiohttp": bare,
        "globesumm": polite,
        "globesumm, kept as WARC": kept,
    }
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for way in ways.values():
        way(urls[:HOSTS], port)
    for _ in range(chosen.rounds):
        for name, way in ways.items():
            wall, processor = time.perf_counter(), time.process_time()
            if way(urls, port) != chosen.pages * chosen.size:
                raise SystemExit(f"{name}: not every page came")
            seconds[name].append((time.perf_counter() - wall, time.process_time() - processor))
    server.terminate()
    print("| | pages/s | ms of processor a page | speed beside bare |")
    print("|---|---|---|---|")
    for name, took in seconds.items():
        ratios = [base[0] / own[0] for base, own in zip(seconds["bare aiohttp"], took, strict=True)]
        wall = statistics.median(one[0] for one in took)
        processor = statistics.median(one[1] for one in took)
        print(
            f"| {name} | {chosen.pages / wall:.0f} | {1000 * processor / chosen.pages:.2f} "
            f"| {statistics.median(ratios):.2f} |"
        )


if __name__ == "__main__":
    main()
