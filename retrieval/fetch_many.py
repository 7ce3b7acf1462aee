"""Many pages side by side, from code that is not asynchronous.

The event loop runs in a thread of its own, so this also works where one is already running.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, zip_longest
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Any, TypeVar
from urllib.parse import urlsplit

from retrieval.answers import Fetched
from retrieval.fetch import Fetcher
from retrieval.fetching import FetchError, Fetching

T = TypeVar("T")

Unless = tuple[str, dict[str, str]]
"""An address on the way to a page, and the headers that ask for it only if it has changed."""

_LOOKUPS = 32
"""Threads that look up names; a slow name server would hold up everything behind fewer."""

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
    done: SimpleQueue[tuple[str, Future[Fetched | FetchError]]] = SimpleQueue()
    room = Semaphore(_AHEAD)
    pending: set[Future[Fetched | FetchError]] = set()
    with _running(settings, max_bytes) as (fetcher, submit):
        try:
            for url, unless in urls:
                while not room.acquire(blocking=False):
                    yield _next(done, pending, room)
                future = submit(_one(fetcher, url, unless))
                pending.add(future)
                future.add_done_callback(partial(_put, done, url))
                while not done.empty():
                    yield _next(done, pending, room)
            while pending:
                yield _next(done, pending, room)
        finally:
            for future in pending:
                future.cancel()


def _put(
    done: "SimpleQueue[tuple[str, Future[Fetched | FetchError]]]",
    url: str,
    future: Future[Fetched | FetchError],
) -> None:
    done.put((url, future))


def _next(
    done: "SimpleQueue[tuple[str, Future[Fetched | FetchError]]]",
    pending: "set[Future[Fetched | FetchError]]",
    room: Semaphore,
) -> tuple[str, Fetched | FetchError]:
    url, future = done.get()
    pending.discard(future)
    room.release()
    return url, future.result()


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


@contextmanager
def _running(
    settings: Fetching, max_bytes: int
) -> Iterator[tuple[Fetcher, Callable[[Coroutine[Any, Any, T]], Future[T]]]]:
    """An open client, and the way to hand work to its event loop."""
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


async def _closed(fetcher: Fetcher) -> None:
    """Close `fetcher` once what was cancelled has ended."""
    here = asyncio.current_task()
    tasks = [task for task in asyncio.all_tasks() if task is not here]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await fetcher.__aexit__()
