"""Many pages side by side, from code that is not asynchronous.

The event loop runs in a thread of its own, so this also works where one is already running.
"""

import asyncio
import gc
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import chain, zip_longest
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import urlsplit

from retrieval.answers import Fetched
from retrieval.fetch import Fetcher
from retrieval.fetching import Cause, FetchError, Fetching

T = TypeVar("T")

Unless = tuple[str, dict[str, str]]
"""An address on the way to a page, and the headers that ask for it only if it has changed."""

_LOOKUPS = 32
"""Threads that look up names; a slow name server would hold up everything behind fewer."""

_OBJECTS_BETWEEN_COLLECTIONS = 20_000

_UNREAD = 4
"""Pages for each open request that may have come and not been taken yet; then no more are begun."""

_AHEAD = 5_000
"""Pages waited for at once where the order does not matter; most wait for their host's turn."""


def fetch_all(
    urls: Iterable[str], settings: Fetching, max_bytes: int
) -> Iterator[tuple[str, Fetched | FetchError]]:
    """Each URL with its page or why there is none, in the order given, fetched side by side.

    Only a window of pages is in memory.
    """
    waiting: deque[tuple[str, Future[Fetched | FetchError]]] = deque()
    with _running(settings, max_bytes) as (fetcher, submit):
        try:
            for url in urls:
                waiting.append((url, submit(_one(fetcher, url, None))))
                if len(waiting) > 4 * settings.concurrency:
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
        finally:
            for _, future in waiting:
                future.cancel()


def fetch_each(
    urls: Iterable[tuple[str, Unless | None]], settings: Fetching, max_bytes: int
) -> Iterator[tuple[str, Fetched | FetchError]]:
    """Each URL with its page or why there is none, as they come, so that no host holds up others.

    The URLs should be mixed (see `mixed`), since only so many are waited for at once.
    """
    wanted = list(urls)
    done: SimpleQueue[tuple[str, Fetched | FetchError]] = SimpleQueue()
    with _running(settings, max_bytes) as (fetcher, submit):
        most_unread = _UNREAD * settings.concurrency
        fetcher.is_held_up = lambda: done.qsize() > most_unread
        submit(_each(fetcher, wanted, done))
        for _ in wanted:
            yield done.get()


async def _each(
    fetcher: Fetcher,
    wanted: Iterable[tuple[str, Unless | None]],
    done: "SimpleQueue[tuple[str, Fetched | FetchError]]",
) -> None:
    room = asyncio.Semaphore(_AHEAD)

    async def one(url: str, unless: Unless | None) -> None:
        done.put((url, await _one(fetcher, url, unless)))
        room.release()

    async with asyncio.TaskGroup() as group:
        for url, unless in wanted:
            await room.acquire()
            group.create_task(one(url, unless))


def mixed(urls: Iterable[T], address: Callable[[T], str]) -> Iterator[T]:
    """`urls` with one of each host, then a second of each, and so on; none lost."""
    by_host: dict[str, list[T]] = {}
    for url in urls:
        by_host.setdefault(urlsplit(address(url)).netloc.lower(), []).append(url)
    missing = object()
    rounds = chain.from_iterable(zip_longest(*by_host.values(), fillvalue=missing))
    return (url for url in rounds if url is not missing)  # type: ignore[misc]


async def _one(fetcher: Fetcher, url: str, unless: Unless | None) -> Fetched | FetchError:
    try:
        return await fetcher.fetch(url, unless)
    except FetchError as error:
        return error
    except Exception as error:  # noqa: BLE001  # one page of many, with whatever its server sent
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return FetchError(url, said, Cause.BROKEN)


@contextmanager
def _running(
    settings: Fetching, max_bytes: int
) -> Iterator[tuple[Fetcher, Callable[[Coroutine[Any, Any, T]], Future[T]]]]:
    """An open client, and the way to hand work to its event loop."""
    # Each page makes a thousand small objects that die with it; looking for cycles among them
    # after every 700, as is usual, takes a fifth of the time.
    usual = gc.get_threshold()
    if usual[0]:
        gc.set_threshold(max(usual[0], _OBJECTS_BETWEEN_COLLECTIONS), *usual[1:])
    loop = asyncio.new_event_loop()
    lookups = ThreadPoolExecutor(_LOOKUPS, thread_name_prefix="look-up")
    loop.set_default_executor(lookups)
    thread = Thread(target=loop.run_forever, name="fetch", daemon=True)
    fetcher = Fetcher(settings, max_bytes)
    thread.start()

    def submit(work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, loop)

    try:
        submit(fetcher.__aenter__()).result()
        yield fetcher, submit
    finally:
        with suppress(Exception):
            submit(_closed(fetcher)).result(timeout=10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=10)
        lookups.shutdown(wait=False, cancel_futures=True)
        loop.close()
        gc.set_threshold(*usual)


async def _closed(fetcher: Fetcher) -> None:
    """Close `fetcher` once what was cancelled has ended."""
    here = asyncio.current_task()
    tasks = [task for task in asyncio.all_tasks() if task is not here]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await fetcher.__aexit__()
