"""Web pages over HTTP, politely and within limits.

Redirects are followed by hand, so that every hop meets the same checks; robots.txt is kept;
one request at a time to a host.  What goes wrong is a `DataError` whose text says what.
"""

import asyncio
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import Any, Self
from urllib.parse import urljoin, urlsplit

from globesumm.errors import DataError, MissingPackage
from retrieval.address import (
    NotPublicError,
    guarded_resolver,
    guarded_socket,
    is_public,
    literal,
)
from retrieval.draft import Fetching
from retrieval.robots import Rules, refresh_target, rules_of
from retrieval.url import has_credentials, is_web, without_credentials

READABLE = ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml")
_MARKUP_ENDINGS = ("+xml",)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LONGEST_DELAY = 60.0
_LARGEST_ROBOTS = 512 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A page as it came: `url` after redirects, `kind` its media type, `charset` if stated."""

    url: str
    content: bytes
    kind: str
    charset: str | None = None


class Fetcher:
    """An open HTTP client; use it as an async context manager.

    Raises `MissingPackage` where aiohttp or protego is not installed.
    """

    def __init__(self, settings: Fetching, max_bytes: int) -> None:
        try:
            import aiohttp
            import protego  # noqa: F401
            from yarl import URL
        except ImportError as error:
            raise MissingPackage(error.name or "aiohttp", "fetching pages", "retrieval") from error
        self._settings, self._max_bytes = settings, max_bytes
        self._aiohttp, self._url = aiohttp, URL
        self._session: Any = None
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._hosts: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._next_turn: dict[str, float] = {}
        self._rules: dict[str, Rules] = {}

    async def __aenter__(self) -> Self:
        open_to_all = self._settings.allow_private
        connector = self._aiohttp.TCPConnector(
            resolver=None if open_to_all else guarded_resolver(),
            socket_factory=None if open_to_all else guarded_socket,
            limit=self._settings.concurrency,
        )
        self._session = self._aiohttp.ClientSession(
            connector=connector,
            timeout=self._aiohttp.ClientTimeout(total=self._settings.timeout_seconds),
            headers={"User-Agent": self._settings.user_agent},
            cookie_jar=self._aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def fetch(self, url: str) -> Fetched:
        """The page at `url`, redirects and prompt meta refreshes followed.

        Raises `DataError` with the reason if it cannot be had.
        """
        async with self._slots:
            seen = [url]
            while True:
                answer = await self._polite(seen[-1])
                target = answer if isinstance(answer, str) else refresh_target(answer.content)
                if target is None and isinstance(answer, Fetched):
                    return answer
                target = urljoin(seen[-1], target or "")
                if target in seen and isinstance(answer, Fetched):
                    return answer
                if target in seen:
                    raise DataError(f"{url}: redirected in a circle")
                if len(seen) > self._settings.max_redirects:
                    raise DataError(f"{url}: redirected more than {len(seen) - 1} times")
                seen.append(target)

    async def _polite(self, url: str) -> "Fetched | str":
        """One hop in its host's turn: a page, or where it is said to be."""
        self._check(url)
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        async with self._hosts[parts.hostname or ""]:
            delay = self._settings.delay_seconds
            if self._settings.robots:
                rules = await self._rules_for(site)
                if not rules.allow(url, self._settings.user_agent):
                    raise DataError(f"{url}: {rules.refusal}")
                asked = rules.delay(self._settings.user_agent)
                delay = max(delay, min(asked, _LONGEST_DELAY))
            await asyncio.sleep(self._next_turn.get(site, 0.0) - time.monotonic())
            try:
                return await self._ask(url)
            finally:
                self._next_turn[site] = time.monotonic() + delay

    def _check(self, url: str) -> None:
        """Refuse what is no web address, and literal addresses, which no resolver ever sees."""
        if not is_web(url):
            raise DataError(f"{without_credentials(url)}: not an http or https address")
        if has_credentials(url):
            raise DataError(f"{without_credentials(url)}: its user name or password is not sent")
        try:
            # As the client reads it: it folds full-width digits and the like into an address.
            host = self._url(url).raw_host or ""
        except ValueError as error:
            raise DataError(f"{url}: {_reason(error)}") from error
        address = literal(host)
        if not self._settings.allow_private and address and not is_public(address):
            raise DataError(f"{url}: {NotPublicError(host, address)}")

    async def _rules_for(self, site: str) -> Rules:
        if site not in self._rules:
            self._rules[site] = await self._read_rules(f"{site}/robots.txt")
        return self._rules[site]

    async def _read_rules(self, url: str) -> Rules:
        for _ in range(5):
            try:
                self._check(url)
                async with self._session.get(url, allow_redirects=False) as response:
                    if response.status in _REDIRECTS and "Location" in response.headers:
                        url = urljoin(url, response.headers["Location"])
                        continue
                    body = await response.content.read(_LARGEST_ROBOTS)
                    return rules_of(response.status, response.content_type, body)
            except DataError as error:
                return Rules(None, str(error))
            except (OSError, ValueError, self._aiohttp.ClientError, TimeoutError) as error:
                return Rules(None, f"robots.txt could not be read ({_reason(error)})")
        return rules_of(404, "", b"")

    async def _ask(self, url: str) -> "Fetched | str":
        try:
            async with self._session.get(url, allow_redirects=False) as response:
                if response.status in _REDIRECTS and "Location" in response.headers:
                    return str(response.headers["Location"])
                if response.status != 200:
                    raise DataError(f"{url}: status {response.status}")
                kind = response.content_type.lower() if "Content-Type" in response.headers else ""
                if kind and not kind.startswith(READABLE) and not kind.endswith(_MARKUP_ENDINGS):
                    raise DataError(f"{url}: content type {kind[:60]!r} is not a page")
                content = await self._body(response, url)
                return Fetched(url=url, content=content, kind=kind, charset=response.charset)
        except (OSError, ValueError, self._aiohttp.ClientError, TimeoutError) as error:
            raise DataError(f"{url}: {_reason(error)}") from error

    async def _body(self, response: Any, url: str) -> bytes:
        """The body, read no further than the limit, whatever its length was said to be."""
        chunks: list[bytes] = []
        size = 0
        async for chunk in response.content.iter_chunked(64 * 1024):
            size += len(chunk)
            if size > self._max_bytes:
                raise DataError(f"{url}: larger than {self._max_bytes} bytes")
            chunks.append(chunk)
        return b"".join(chunks)


def _reason(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "took too long"
    for cause in (error, error.__cause__, getattr(error, "os_error", None)):
        if isinstance(cause, NotPublicError):
            return str(cause)
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def fetch_all(
    urls: Iterable[str], settings: Fetching, max_bytes: int
) -> Iterator[tuple[str, Fetched | DataError]]:
    """Each URL with its page or why there is none, in the order given, fetched side by side.

    Only a window of pages is in memory.  The event loop runs in a thread of its own, so this
    also works where one is already running.
    """
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="fetch", daemon=True)
    fetcher = Fetcher(settings, max_bytes)
    thread.start()

    async def one(url: str) -> Fetched | DataError:
        try:
            return await fetcher.fetch(url)
        except DataError as error:
            return error

    waiting: deque[tuple[str, Any]] = deque()
    try:
        asyncio.run_coroutine_threadsafe(fetcher.__aenter__(), loop).result()
        for url in urls:
            waiting.append((url, asyncio.run_coroutine_threadsafe(one(url), loop)))
            if len(waiting) > 4 * settings.concurrency:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    finally:
        for _, future in waiting:
            future.cancel()
        with suppress(Exception):
            asyncio.run_coroutine_threadsafe(fetcher.__aexit__(), loop).result(timeout=10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=10)
        loop.close()
